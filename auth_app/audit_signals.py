"""What do Django, the toolkit and the other apps tell us that belongs into the audit log?"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver
from django.http import HttpRequest

from ahp_platform.acts import Act, happened
from ahp_platform.agents.catalogue.edits import Edit, edited
from auth_app import audit
from auth_app.models import Membership


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
    audit.record("login", username=name, outcome=audit.REFUSED, address=address_of(request))


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
