"""How is an access token made without a browser flow? For the command line and for tests; the rows are the library's own."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from oauth2_provider.models import AccessToken, set_token_value

from auth_app import audit
from auth_app.models import Tenant, TokenBinding


@transaction.atomic
def issue(tenant: Tenant, user: User, scopes: Iterable[str], lifetime: timedelta, resources: Sequence[str] = ()) -> str:
    """A new token for one tenant. Its text is returned this once: only its checksum is kept."""
    text = secrets.token_urlsafe(32)
    token = AccessToken(
        user=user,
        scope=" ".join(sorted(scopes)),
        expires=timezone.now() + lifetime,
        resource=list(resources),
    )
    set_token_value(token, text)
    token.save()
    TokenBinding.objects.create(access_token=token, tenant=tenant)
    audit.record("token.issued", user, tenant.pk, subject="command line")
    return text
