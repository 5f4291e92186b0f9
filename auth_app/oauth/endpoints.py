"""What do programs ask our authorization server? Tokens, and what a token is good for."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from oauth2_provider.models import AccessToken
from oauth2_provider.views import DeviceAuthorizationView, DeviceUserCodeView, IntrospectTokenView, TokenView

from auth_app.credentials import checksum
from auth_app.models import Membership
from auth_app.oauth_settings import OAUTH2_PROVIDER
from auth_app.policy import scopes_of


class Token(TokenView):  # type: ignore[misc]
    """`/o/token/`. The device grant goes the way of the others, so that its errors are RFC 8628's."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """A token, or why not."""
        if any("\x00" in value for values in request.POST.lists() for value in values[1]):
            # The database would not take it, and no value of ours has one.
            answer: HttpResponse = JsonResponse({"error": "invalid_request"}, status=400)
        elif request.POST.get("grant_type") not in OAUTH2_PROVIDER["OAUTH2_GRANT_TYPES_SUPPORTED"]:
            # Before the library looks: it would try the password of a password grant and then say that it has none.
            answer = JsonResponse({"error": "unsupported_grant_type"}, status=400)
        else:
            answer = self.authorization_flow_token_response(request)
        # The toolkit forgets what it answers with where our rules have refused.
        answer.headers["Cache-Control"], answer.headers["Content-Type"] = "no-store", "application/json"
        return answer


class DeviceAuthorization(DeviceAuthorizationView):  # type: ignore[misc]
    """`/o/device-authorization/` (RFC 8628, section 3.1)."""

    def create_device_authorization_response(self, request: HttpRequest) -> Any:
        """The library's answer, without the scope: the toolkit keeps that itself, and the RFC has no such field."""
        headers, told, status = super().create_device_authorization_response(request)
        if isinstance(told, dict):
            told.pop("scope", None)
        return headers, told, status


class Introspection(IntrospectTokenView):  # type: ignore[misc]
    """`/o/introspect/` (RFC 7662): what the token may do now, in the role that its user has now."""

    http_method_names = ("post", "options")

    @staticmethod
    def get_token_response(token_value: str | None = None) -> JsonResponse:
        """The answer; a token whose user, tenant or membership is gone is not active."""
        answer: JsonResponse = IntrospectTokenView.get_token_response(token_value)
        told = json.loads(answer.content)
        if not told.get("active"):
            return answer
        token = AccessToken.objects.get(token_checksum=checksum(token_value or ""))
        member = Membership.objects.filter(user=token.user, tenant__is_active=True, user__is_active=True)
        found = member.filter(tenant=token.binding.tenant_id).select_related("tenant").first()
        if found is None:
            return JsonResponse({"active": False})
        scopes = scopes_of(found.role, frozenset(token.scope.split()))
        more = {"scope": " ".join(sorted(scopes)), "tenant": found.tenant.slug, "token_type": "Bearer"}
        return JsonResponse({**told, **more, "sub": str(token.user_id)})


class DeviceUserCode(DeviceUserCodeView):  # type: ignore[misc]
    """`/o/device/`: the user types what the device shows."""

    template_name = "oauth/device_code.html"
