"""How do clients find our authorization server and what it protects? RFC 8414 and RFC 9728."""

from __future__ import annotations

import json
import re
from typing import Any

from django.http import Http404, HttpRequest, JsonResponse
from django.views.decorators.http import require_safe
from oauth2_provider.views import OAuthServerMetadataView

from ahp_platform.agents import registry
from auth_app import resources
from auth_app.models import SLUG_PATTERN
from auth_app.oauth_settings import SCOPES


class ServerMetadata(OAuthServerMetadataView):  # type: ignore[misc]
    """`/.well-known/oauth-authorization-server`."""

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> JsonResponse:
        """The toolkit's document, and the endpoint that it leaves out (RFC 8628, section 4)."""
        told = json.loads(super().get(request, *args, **kwargs).content)
        told["device_authorization_endpoint"] = self._get_endpoint_url(request, "device-authorization")
        return _public(told)


@require_safe
def protected_resource(request: HttpRequest, path: str = "") -> JsonResponse:
    """`/.well-known/oauth-protected-resource…` of this host, a tenant's socket or an agent of ours.

    Whether a tenant exists is not told: its socket is described the same way if it does not.
    """
    resource = f"{resources.here()}/{path}" if path else resources.here()
    if not (path == "" or _is_socket(resource) or resource in _agents()):
        raise Http404
    told = {"resource": resource, "authorization_servers": [resources.here()], "scopes_supported": sorted(SCOPES)}
    return _public({**told, "bearer_methods_supported": ["header"]})


def _is_socket(resource: str) -> bool:
    return any(re.match(SLUG_PATTERN, slug) for slug in resources.tenants_named([resource]))


def _agents() -> set[str]:
    agents = registry.agent_infos()
    return {protected["resource"] for agent in agents for protected in agent.get("protectedResources", ())}


def _public(document: dict[str, Any]) -> JsonResponse:
    return JsonResponse(document, headers={"Access-Control-Allow-Origin": "*", "Cache-Control": "max-age=300"})
