"""Does the command line give out tokens that work, and only such as the member may have?"""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.core.management import CommandError, call_command
from oauth2_provider.models import AccessToken

from auth_app.bearer import authenticate_socket


def token(*arguments: str) -> str:
    out = StringIO()
    call_command("token", *arguments, stdout=out)
    return out.getvalue().splitlines()[-1]


async def test_the_last_line_is_a_token_with_everything_that_the_role_may_have(people: Any, socket: Any) -> None:
    text = await sync_to_async(token)("demo", "bob")
    principal = await authenticate_socket(socket(authorization=f"Bearer {text}"))
    assert (principal.username, principal.tenant_slug) == ("bob", "demo")
    assert principal.scopes == {"sessions:read", "sessions:write", "terminals", "files"}


def test_a_token_can_be_narrowed(seeded: Any) -> None:
    token("demo", "alice", "--resource", "https://a.example/x", "--ttl", "60", "--scope", "sessions:read", "files")
    row = AccessToken.objects.get()
    assert (row.resource, row.scope) == (["https://a.example/x"], "files sessions:read")
    assert 50 < (row.expires - row.created).total_seconds() <= 60


@pytest.mark.parametrize(
    "arguments",
    [
        ("nowhere", "alice"),
        ("demo", "nobody"),
        ("demo", "carol"),
        ("demo", "vera", "--scope", "sessions:write"),
        ("demo", "alice", "--scope", "no-such-scope"),
        ("demo", "alice", "--ttl", "0"),
        ("demo", "alice", "--ttl", "99999999999"),
        ("demo", "alice", "--resource", "relative"),
    ],
)
def test_what_makes_no_sense_is_refused_without_a_token(seeded: Any, arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError):
        token(*arguments)
    assert not AccessToken.objects.exists()
