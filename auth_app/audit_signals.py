"""What do Django, the toolkit and the other apps tell us that belongs into the audit log?"""

from __future__ import annotations

from typing import Any

from django.contrib.admin.models import ADDITION, CHANGE, DELETION, LogEntry
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.core.exceptions import ObjectDoesNotExist
from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver
from django.http import HttpRequest

from ahp_platform.acts import Act, happened
from ahp_platform.agents.catalogue.edits import Edit, edited
from auth_app import audit
from auth_app.models import Membership, Tenant

# What the admin site notes, by its own numbers.
ADMIN_ACTS = {ADDITION: "admin.added", CHANGE: "admin.changed", DELETION: "admin.deleted"}
# These say themselves what happens to their rows.
TOLD_ELSEWHERE = ("agents",)


def address_of(request: HttpRequest | None) -> str:
    """Where a request came from."""
    return str(request.META.get("REMOTE_ADDR", "")) if request is not None else ""


@receiver(user_logged_in)
def logged_in(request: HttpRequest, user: Any, **_: Any) -> None:
    audit.record("login", user, address=address_of(request))


@receiver(user_logged_out)
def logged_out(request: HttpRequest, user: Any, **_: Any) -> None:
    audit.record("logout", user, address=address_of(request))


@receiver(user_login_failed)
def login_failed(credentials: dict[str, Any], request: HttpRequest | None = None, **_: Any) -> None:
    name = str(credentials.get("username") or "")
    why = "locked out" if getattr(request, "axes_locked_out", False) else ""
    audit.record("login", username=name, subject=why, outcome=audit.REFUSED, address=address_of(request))


@receiver(post_save, sender=Membership)
def membership_saved(instance: Membership, created: bool, **_: Any) -> None:
    act = "membership.added" if created else "membership.changed"
    audit.record(act, tenant_id=instance.tenant_id, subject=f"{instance.user} is {instance.role}")


@receiver(post_delete, sender=Membership)
def membership_removed(instance: Membership, **_: Any) -> None:
    audit.record("membership.removed", tenant_id=instance.tenant_id, subject=str(instance.user))


@receiver(happened, sender=Act)
def somebody_acted(act: Act, **_: Any) -> None:
    audit.record(
        act.name, User.objects.filter(pk=act.user_id).first(), act.tenant_id, subject=act.subject, address=act.address
    )


@receiver(edited, sender=Edit)
def agent_edited(edit: Edit, **_: Any) -> None:
    # The names of the fields alone: what stands in them may be secret.
    what = f": {', '.join(sorted(edit.fields))}" if edit.fields else ""
    audit.record(edit.act, edit.user, subject=f"{edit.provider}{what}")


@receiver(post_save, sender=LogEntry)
def operator_acted(instance: LogEntry, **_: Any) -> None:
    """Which fields were changed is told, never what is in them."""
    kind, said = instance.content_type, instance.get_change_message()
    if kind is not None and kind.app_label in TOLD_ELSEWHERE:
        return
    act = ADMIN_ACTS.get(instance.action_flag, "admin.acted")
    changed = f": {said}" if act == "admin.changed" else ""
    audit.record(act, instance.user, _tenant_of(instance), subject=f"{kind} {instance.object_repr}{changed}")


def _tenant_of(entry: LogEntry) -> int | None:
    """The tenant of the thing, or the tenant that it is; None where it is of none or gone already."""
    if entry.action_flag == DELETION:
        return None
    try:
        thing = entry.get_edited_object()
    except ObjectDoesNotExist:
        return None
    found = thing.pk if isinstance(thing, Tenant) else getattr(thing, "tenant_id", None)
    return found if isinstance(found, int) else None
