"""Does the policy speak about everything there is, and does it say the right thing?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from ahp_platform.protocol.channel import ACTIONS
from ahp_platform.protocol.errors import PermissionDenied
from ahp_platform.protocol.methods import CLIENT_NOTIFICATIONS, COMMANDS
from auth_app.models import Role
from auth_app.oauth_settings import SCOPES
from auth_app.policy import (
    ACTION_POLICIES,
    METHOD_POLICIES,
    ROLE_SCOPES,
    may_read,
    refuse_action,
    require_method,
    scopes_of,
)
from auth_app.principal import Principal, RoleName

VIEWERS_MAY_CALL = {
    "initialize",
    "ping",
    "reconnect",
    "subscribe",
    "unsubscribe",
    "dispatchAction",
    "listSessions",
    "fetchTurns",
    "resolveSessionConfig",
    "sessionConfigCompletions",
    "completions",
    "resourceRead",
    "resourceList",
    "resourceResolve",
    "resourceRequest",
    "createResourceWatch",
}


def somebody(role: RoleName, user_id: int = 1) -> Principal:
    return Principal(1, "demo", user_id, "somebody", role, ROLE_SCOPES[role], None, "token:1")


def test_every_method_that_clients_may_send_has_a_policy_and_no_other_has() -> None:
    assert set(METHOD_POLICIES) == set(COMMANDS) | set(CLIENT_NOTIFICATIONS)


def test_every_action_that_clients_may_dispatch_has_a_policy_and_no_other_has() -> None:
    assert set(ACTION_POLICIES) == {name for name, spec in ACTIONS.items() if spec.client_dispatchable}


def test_every_role_and_every_scope_is_known() -> None:
    assert set(ROLE_SCOPES) == set(Role.values)
    assert set().union(*ROLE_SCOPES.values()) == set(SCOPES)
    used = {policy.scope for policy in (*METHOD_POLICIES.values(), *ACTION_POLICIES.values())}
    assert used - {None} <= set(SCOPES)


@pytest.mark.parametrize("method", sorted(METHOD_POLICIES))
def test_viewers_may_call_what_only_looks(method: str) -> None:
    if method in VIEWERS_MAY_CALL:
        require_method(somebody("viewer"), method)
    else:
        with pytest.raises(PermissionDenied):
            require_method(somebody("viewer"), method)


@pytest.mark.parametrize("role", ["owner", "operator", "member"])
def test_everybody_from_member_up_may_do_everything_in_sessions(role: RoleName) -> None:
    for method in METHOD_POLICIES:
        require_method(somebody(role), method)
    for action in ACTION_POLICIES:
        assert refuse_action(somebody(role), action) is None


@pytest.mark.parametrize("action", sorted(ACTION_POLICIES))
def test_viewers_dispatch_nothing(action: str) -> None:
    assert refuse_action(somebody("viewer"), action) == "Viewers may look but not act"


def test_what_the_tables_do_not_name_is_refused() -> None:
    assert refuse_action(somebody("owner"), "chat/delta") is not None
    with pytest.raises(PermissionDenied):
        require_method(somebody("owner"), "shutdown")


@pytest.mark.parametrize(
    ("scopes", "method", "action"),
    [
        ({"sessions:read"}, "createSession", "chat/turnStarted"),
        ({"sessions:read", "sessions:write"}, "createTerminal", "terminal/input"),
        ({"sessions:read", "terminals"}, "resourceRead", "session/titleChanged"),
        (set(), "subscribe", "root/configChanged"),
    ],
)
def test_a_token_does_what_its_scopes_say_and_no_more(scopes: set[str], method: str, action: str) -> None:
    narrow = replace(somebody("owner"), scopes=frozenset(scopes))
    with pytest.raises(PermissionDenied):
        require_method(narrow, method)
    assert refuse_action(narrow, action) is not None


def test_a_channel_is_read_by_its_readers() -> None:
    assert may_read(somebody("viewer", 2), None)
    assert may_read(somebody("viewer", 2), [1, 2])
    assert not may_read(somebody("owner", 3), [1, 2])
    assert not may_read(somebody("owner", 3), [])


def test_without_the_scope_to_read_nothing_is_there() -> None:
    blind = replace(somebody("owner"), scopes=frozenset({"sessions:write"}))
    assert not may_read(blind, None)


def test_no_scope_reaches_beyond_the_role() -> None:
    assert scopes_of("viewer", frozenset(SCOPES)) == ROLE_SCOPES["viewer"]
    assert scopes_of("owner", None) == frozenset(SCOPES)
