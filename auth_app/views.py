"""Who is logged in to this browser, and where do they belong?"""

from __future__ import annotations

from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from auth_app.models import Membership


@require_GET
@never_cache
def me(request: HttpRequest) -> JsonResponse:
    """The user of the cookie session and their tenants; 401 where nobody is logged in."""
    if not request.user.is_authenticated:
        return JsonResponse({"error": "not logged in"}, status=401)
    memberships = Membership.objects.filter(user=request.user, tenant__is_active=True).select_related("tenant")
    tenants = [
        {"slug": membership.tenant.slug, "name": membership.tenant.name, "role": membership.role}
        for membership in memberships.order_by("tenant__slug")
    ]
    return JsonResponse({"user": {"id": request.user.id, "username": request.user.username}, "tenants": tenants})
