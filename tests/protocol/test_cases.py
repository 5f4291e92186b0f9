"""Does every action do what it should, and is every action refused that should be?"""

from __future__ import annotations

import ast
import copy
import re
from pathlib import Path
from typing import Any

import pytest

import ahp_platform.protocol
from ahp_platform.protocol.channel import ACTIONS, CHANNELS, check_action, reduce, refuse
from tests.protocol.cases import chat, chat_refusals, session, small
from tests.protocol.cases.case import ME, NOW_MS, Case, Refusal
from tests.protocol.test_answers import REASONS

CASES: dict[str, Case] = {**small.CASES, **session.CASES, **chat.CASES}
REFUSALS: list[Refusal] = [*small.REFUSALS, *session.REFUSALS, *chat_refusals.REFUSALS]


def test_every_action_has_a_case() -> None:
    assert set(CASES) == set(ACTIONS)


def test_every_guard_has_a_refusal() -> None:
    assert {refusal.action["type"] for refusal in REFUSALS} == {
        action_type for action_type, spec in ACTIONS.items() if spec.guard
    }


@pytest.mark.parametrize("action_type", CASES)
def test_action_that_fits(action_type: str) -> None:
    case = CASES[action_type]
    assert case.action["type"] == action_type
    check_action(case.action)
    before = copy.deepcopy(case.state)
    after = reduce(ACTIONS[action_type].kind, case.state, case.action, NOW_MS)
    assert after == case.after()
    assert case.state == before


@pytest.mark.parametrize("action_type", CASES)
def test_action_that_does_not_fit_leaves_the_very_same_state(action_type: str) -> None:
    case = CASES[action_type]
    check_action(case.misfit)
    state = case.misfit_state or case.state
    assert reduce(ACTIONS[action_type].kind, state, case.misfit, NOW_MS) is state


@pytest.mark.parametrize("action_type", CASES)
def test_action_of_another_channel_leaves_the_very_same_state(action_type: str) -> None:
    case, kind = CASES[action_type], ACTIONS[action_type].kind
    for other in CHANNELS.keys() - {kind}:
        assert reduce(other, case.state, case.action, NOW_MS) is case.state
        assert refuse(other, case.state, case.action, ME) == f"{action_type} is not an action of this channel"


@pytest.mark.parametrize("action_type", CASES)
def test_only_the_host_dispatches_what_clients_may_not(action_type: str) -> None:
    case, spec = CASES[action_type], ACTIONS[action_type]
    reason = refuse(spec.kind, case.state, case.action, ME)
    if spec.client_dispatchable and action_type not in ("chat/toolCallComplete", "chat/toolCallContentChanged"):
        assert reason is None
    elif not spec.client_dispatchable:
        assert reason == f"{action_type} is dispatched by the host alone"


def test_unknown_action_is_kept_by_reducers_and_refused_from_clients() -> None:
    action = {"type": "future/action", "x": 1}
    assert check_action(action) is None
    assert reduce("chat", chat.CHAT, action, NOW_MS) is chat.CHAT
    assert refuse("chat", chat.CHAT, action, ME) == "Unknown action type future/action"


def name_of(refusal: Refusal) -> str:
    return f"{refusal.action['type']}: {refusal.reason}"


@pytest.mark.parametrize("refusal", REFUSALS, ids=name_of)
def test_refusal(refusal: Refusal) -> None:
    check_action(refusal.action)
    kind = ACTIONS[refusal.action["type"]].kind
    assert refuse(kind, refusal.state, refusal.action, refusal.client) == refusal.reason


CONTRIBUTED = chat.busy(chat.call("running", contributor=chat.MINE))
AUTH_REQUIRED = chat.busy(chat.call("auth-required", contributor=chat.MCP, auth=chat.AUTH))
EDITABLE = chat.busy(chat.call("pending-confirmation", editable=True))
ALLOWED: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    (CONTRIBUTED, chat.on_call("Complete", result=chat.OK), ME),
    (CONTRIBUTED, chat.on_call("ContentChanged", content=[]), ME),
    (AUTH_REQUIRED, chat.on_call("Complete", result=chat.FAILED), "whoever"),
    (EDITABLE, chat.on_call("Confirmed", approved=True, confirmed="user-action", editedToolInput="x"), ME),
    (chat.WAITS, chat_refusals.complete("decline"), "whoever"),
    ({**small.TERMINAL, "claim": {"kind": "session", "session": "s"}}, {"type": "terminal/input", "data": ""}, ME),
    (session.SESSION, {"type": "session/configChanged", "config": {"target": "worktree"}}, ME),
    (session.SESSION, {"type": "session/configChanged", "config": {"branch": "any of many"}}, ME),
]


@pytest.mark.parametrize(("state", "action", "client"), ALLOWED)
def test_what_looks_forbidden_but_is_allowed(state: dict[str, Any], action: dict[str, Any], client: str) -> None:
    check_action(action)
    assert refuse(ACTIONS[action["type"]].kind, state, action, client) is None


def reasons_in_the_source() -> set[str]:
    """Patterns of every sentence that a guard may return."""
    found: set[str] = set()
    for path in Path(ahp_platform.protocol.__path__[0]).glob("**/*.py"):
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef) and re.match("_?refuse|_outside", function.name):
                returned = [node.value for node in ast.walk(function) if isinstance(node, ast.Return) and node.value]
                found.update(pattern for value in returned for pattern in sentences(value))
    return found


def sentences(value: ast.expr) -> list[str]:
    if isinstance(value, ast.IfExp):
        return [*sentences(value.body), *sentences(value.orelse)]
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return [re.escape(value.value)]
    if isinstance(value, ast.JoinedStr):
        parts = [re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".*" for part in value.values]
        return ["".join(parts)]
    return []


def test_every_reason_has_a_refusal() -> None:
    told = {refusal.reason for refusal in REFUSALS} | REASONS
    host_wide = {".*\\ is\\ not\\ an\\ action\\ of\\ this\\ channel", ".*\\ is\\ dispatched\\ by\\ the\\ host\\ alone"}
    unmet = {
        pattern
        for pattern in reasons_in_the_source() - host_wide - {"Unknown\\ action\\ type\\ .*"}
        if not any(re.fullmatch(pattern, reason) for reason in told)
    }
    assert unmet == set()
