"""With which identity providers can one log in?"""

from __future__ import annotations

from typing import Any

from django import template
from django.urls import reverse
from django.utils.http import urlencode

from auth_app.sso.models import IdentityProvider

register = template.Library()


@register.simple_tag(takes_context=True)
def sign_on_providers(context: dict[str, Any]) -> list[dict[str, str]]:
    """Name and address of each; `next` in the context is where to go afterwards."""
    wanted = context.get("next")
    query = f"?{urlencode({'next': wanted})}" if wanted else ""
    found = IdentityProvider.objects.filter(is_active=True).values_list("slug", "name")
    return [{"name": name, "url": f"{reverse('sign-on', args=[slug])}{query}"} for slug, name in found]
