"""How does somebody go to a provider and back, and as whom do they arrive?"""

from __future__ import annotations

from typing import Any

from django.test import Client

from auth_app.models import Membership
from tests.auth.sign_on.identity_server import IdentityServer

START, BACK = "/login/with/acme", "/login/with/acme/back"


def begin(browser: Client, wanted: str = "") -> str:
    """Where the browser is sent."""
    answer = browser.get(START, {"next": wanted} if wanted else {})
    assert answer.status_code == 302, answer.content
    return str(answer["Location"])


def logs_in(browser: Client, server: IdentityServer, wanted: str = "") -> Any:
    """The answer to the whole way there and back."""
    return browser.get(server.allow(begin(browser, wanted)).removeprefix("https://ahp.example"))


def who(browser: Client) -> str | None:
    """Whose cookie the browser has."""
    answer = browser.get("/api/me")
    return answer.json()["user"]["username"] if answer.status_code == 200 else None


def roles(name: str) -> dict[str, str]:
    """Tenant to role."""
    return dict(Membership.objects.filter(user__username=name).values_list("tenant__slug", "role"))
