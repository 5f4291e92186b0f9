"""Which tenant is a token for, and may it be issued at all? The rules that django-oauth-toolkit leaves to us.

A token is bound to one tenant: the one chosen on the consent page, or the one of a script's application; a refreshed token
stays where it was. The resources it names lie on this host, and a socket among them is that tenant's. Source: RFC 6749,
RFC 8628, RFC 8707.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from django.core.cache import cache
from oauth2_provider.models import AccessToken, Application, DeviceGrant
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauthlib.common import Request
from oauthlib.oauth2.rfc6749 import errors
from oauthlib.oauth2.rfc8628.grant_types import DeviceCodeGrant

from auth_app import audit, resources
from auth_app.credentials import checksum
from auth_app.models import CodeTenant, DeviceTenant, Membership, Tenant, TokenBinding
from auth_app.oauth_settings import DEVICE_CODE

DISCOVERED = frozenset({"sub", "preferred_username", "name", "email", "email_verified", "tenant", "role"})


class Validator(OAuth2Validator):  # type: ignore[misc]
    """Every token that our endpoints issue passes here."""

    oidc_claim_scope: ClassVar = {**OAuth2Validator.oidc_claim_scope, "tenant": "openid", "role": "openid"}

    def get_additional_claims(self, request: Request) -> dict[str, Any]:
        """What other programs learn of a user (OpenID Connect): the names, and the place in the tenant of the token."""
        user = request.user
        if getattr(request, "grant_type", None):
            tenant = _tenant_of(request)  # the token is being made
        else:
            tenant = TokenBinding.objects.select_related("tenant").get(access_token=request.access_token).tenant
        member = Membership.objects.filter(user=user, tenant=tenant).first()
        names = {"preferred_username": user.get_username(), "name": user.get_full_name() or user.get_username()}
        # Addresses are written by operators, never by those who have them.
        email = {"email": user.email, "email_verified": True} if user.email else {}
        return {**names, **email, "tenant": tenant.slug, "role": member.role if member else None}

    def get_discovery_claims(self, request: Any) -> list[str]:
        """The names of these claims."""
        return sorted(DISCOVERED)

    def validate_grant_type(
        self, client_id: str, grant_type: str, client: Application, request: Request, *args: Any, **kwargs: Any
    ) -> bool:
        """A script needs an application with a tenant and a user who belongs to it."""
        allowed: bool = super().validate_grant_type(client_id, grant_type, client, request, *args, **kwargs)
        return allowed and (grant_type != "client_credentials" or _tenant_of_script(request.client) is not None)

    def validate_device_code(self, client_id: str, device_code: str, request: Request) -> str | None:
        """How far the user has come; polls that come too fast are told so (RFC 8628, section 3.5)."""
        found = DeviceGrant.objects.filter(device_code=device_code, client_id=request.client.client_id).first()
        if found is None:
            return None
        if found.is_expired():
            return str(DeviceCodeGrant.DEVICE_CODE_EXPIRED)
        if found.status == DeviceGrant.DENIED:
            return str(DeviceCodeGrant.DEVICE_CODE_DENIED)
        if found.status == DeviceGrant.AUTHORIZED:
            request.user, request.scopes = found.user, found.scope.split()
            return str(DeviceCodeGrant.DEVICE_CODE_AUTHORIZED)
        first = cache.add(f"device-poll:{checksum(device_code)}", 1, timeout=found.interval)
        return str(DeviceCodeGrant.DEVICE_CODE_PENDING if first else DeviceCodeGrant.DEVICE_CODE_SLOW_DOWN)

    def invalidate_authorization_code(self, client_id: str, code: str, request: Request, *args: Any, **kw: Any) -> None:
        """The code is gone already: it was used up in the transaction that made the token."""

    def _check_and_set_request_resource(self, request: Request) -> None:
        super()._check_and_set_request_resource(request)
        request.tenant = _tenant_of(request)
        require_resources(request.resource, request.tenant, request)

    def _create_authorization_code(self, request: Request, code: Any, expires: datetime | None = None) -> Any:
        require_resources(getattr(request, "resource", None) or (), request.tenant, request)
        grant = super()._create_authorization_code(request, code, expires)
        CodeTenant.objects.create(grant=grant, tenant=request.tenant)
        return grant

    def _create_access_token(
        self, expires: datetime, request: Request, token: Any, source_refresh_token: Any = None
    ) -> Any:
        if request.grant_type == "authorization_code":
            # Inside the transaction: of two requests with one code, one gets a token.
            super().invalidate_authorization_code(request.client_id, request.code, request)
        elif request.grant_type == DEVICE_CODE:
            _use_up(request)
        elif request.grant_type == "client_credentials":
            request.user = request.client.user
        made = super()._create_access_token(expires, request, token, source_refresh_token)
        TokenBinding.objects.create(access_token=made, tenant=request.tenant)
        audit.record("token.issued", request.user, request.tenant.pk, subject=f"{request.client} {request.grant_type}")
        return made

    def revoke_token(self, token: str, token_type_hint: str, request: Request, *args: Any, **kwargs: Any) -> None:
        """As the toolkit does, and written down."""
        super().revoke_token(token, token_type_hint, request, *args, **kwargs)
        audit.record("token.revoked", subject=str(request.client))


def require_resources(named: Any, tenant: Tenant, request: Request | None = None) -> None:
    """Raise `invalid_target` where a resource is not ours, or is the socket of another tenant."""
    foreign = any(not resources.is_ours(resource) for resource in named)
    if foreign or resources.tenants_named(named) - {tenant.slug}:
        description = "The resource is not one that this server issues tokens for."
        raise errors.CustomOAuth2Error("invalid_target", description=description, request=request)


def _tenant_of(request: Request) -> Tenant:
    tenant: Tenant | None = None
    if request.grant_type == "authorization_code":
        chosen = CodeTenant.objects.select_related("tenant")
        tenant = chosen.get(grant__code=request.code, grant__application=request.client).tenant
    elif request.grant_type == DEVICE_CODE:
        tenant = DeviceTenant.objects.select_related("tenant").get(device__device_code=request.device_code).tenant
    elif request.grant_type == "client_credentials":
        tenant = _tenant_of_script(request.client)
    elif request.grant_type == "refresh_token":
        before = AccessToken.objects.filter(pk=request.refresh_token_instance.access_token_id)
        tenant = Tenant.objects.filter(pk__in=before.values("binding__tenant")).first()
    if tenant is None or not _belongs(request, tenant):
        raise errors.InvalidGrantError(description="There is no tenant that it is good for.", request=request)
    return tenant


def _belongs(request: Request, tenant: Tenant) -> bool:
    user = request.client.user if request.grant_type == "client_credentials" else request.user
    return is_member(user, tenant)


def is_member(user: Any, tenant: Tenant) -> bool:
    """Whether the user may come in there at all."""
    active = user is not None and user.is_active and tenant.is_active
    return active and Membership.objects.filter(user=user, tenant=tenant).exists()


def _tenant_of_script(application: Application) -> Tenant | None:
    tenancy = getattr(application, "tenancy", None)
    return tenancy.tenant if tenancy is not None and is_member(application.user, tenancy.tenant) else None


def _use_up(request: Request) -> None:
    used, _ = DeviceGrant.objects.filter(device_code=request.device_code, status=DeviceGrant.AUTHORIZED).delete()
    if not used:
        raise errors.InvalidGrantError(request=request)
