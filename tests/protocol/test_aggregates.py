"""What does a session show of its chats?"""

from __future__ import annotations

from typing import Any, cast

import pytest

from ahp_platform.protocol.channels.chat.summary import chat_summary, open_input_requests
from ahp_platform.protocol.channels.session.aggregate import (
    aggregate_activity,
    aggregate_modified_at,
    aggregate_status,
    presented,
    summary_of,
)
from ahp_platform.protocol.persistent import timestamp
from ahp_platform.protocol.types.chat import ChatState
from ahp_platform.protocol.types.session import SessionState
from tests.protocol.cases import chat as chats
from tests.protocol.cases.session import SESSION, WAITING

IDLE, ERROR, BUSY, WAITS, READ = 1, 2, 8, 24, 32


def chat(number: int, status: int, second: int = 1, **more: Any) -> dict[str, Any]:
    modified = f"1970-01-01T00:00:0{second}.000Z"
    return {"resource": f"ahp-chat:/{number}", "title": "C", "status": status, "modifiedAt": modified, **more}


def session(*catalogue: dict[str, Any], **more: Any) -> SessionState:
    return cast(SessionState, {**SESSION, "status": IDLE | READ, "chats": list(catalogue), **more})


@pytest.mark.parametrize(
    ("state", "status"),
    [
        (session(), IDLE),
        (session(chat(1, IDLE), chat(2, BUSY, 9)), IDLE),
        (session(chat(1, IDLE), chat(2, BUSY, 9), defaultChat="ahp-chat:/gone"), BUSY),
        (session(chat(1, BUSY), chat(2, ERROR)), ERROR),
        (session(chat(1, ERROR), chat(2, WAITS)), WAITS),
        (session(chat(1, IDLE | 64)), IDLE),
        (session(chat(1, BUSY), inputNeeded=[WAITING]), WAITS),
        (session(chat(1, BUSY), inputNeeded=[]), BUSY),
    ],
)
def test_status_comes_from_the_chats_and_flags_stay_the_sessions(state: SessionState, status: int) -> None:
    assert aggregate_status(state) == status | READ
    assert presented(state)["status"] == status | READ


def test_activity_comes_from_the_chat_that_won() -> None:
    state = session(chat(1, IDLE, activity="rests"), chat(2, WAITS, activity="asks"))
    assert aggregate_activity(state) == "asks"
    assert presented(state)["activity"] == "asks"
    assert aggregate_activity(session(chat(1, IDLE), activity="own")) == "own"


def test_presented_is_the_very_same_where_nothing_is_added() -> None:
    state = session(chat(1, IDLE))
    assert presented(state) is state


def test_modified_is_the_latest() -> None:
    state = session(chat(1, IDLE, 3), chat(2, IDLE, 5))
    assert aggregate_modified_at(state, "1970-01-01T00:00:04.000Z") == "1970-01-01T00:00:05.000Z"
    assert aggregate_modified_at(session(), "1970-01-01T00:00:04.000Z") == "1970-01-01T00:00:04.000Z"


def test_summary_has_no_empty_fields() -> None:
    summary = summary_of(session(chat(1, BUSY, 5), _meta={"a": 1}), "s:/1", "1970-01-01T00:00:01.000Z")
    assert summary == {
        "provider": "demo",
        "title": "S",
        "workingDirectories": ["file:///a"],
        "_meta": {"a": 1},
        "resource": "s:/1",
        "status": BUSY | READ,
        "createdAt": "1970-01-01T00:00:01.000Z",
        "modifiedAt": "1970-01-01T00:00:05.000Z",
    }


def test_chat_summary_has_no_contents() -> None:
    state = cast(ChatState, chats.busy(chats.TEXT, activity="a", draft=chats.HELLO))
    assert chat_summary(state) == {
        "resource": "ahp-chat:/1",
        "title": "C",
        "status": BUSY,
        "activity": "a",
        "modifiedAt": "1970-01-01T00:00:01.000Z",
    }


def test_every_open_block_is_listed_with_a_stable_id() -> None:
    calls = {
        "a": chats.call("pending-confirmation"),
        "b": chats.call("pending-result-confirmation", **chats.OK),
        "c": chats.call("running", contributor=chats.MINE),
        "d": chats.call("auth-required", contributor=chats.MCP, auth=chats.AUTH),
        "e": chats.call("running", contributor=chats.MCP),
        "f": chats.call("completed", contributor=chats.MINE, **chats.OK),
    }
    for name, part in calls.items():
        part["toolCall"]["toolCallId"] = name
    answered = {"kind": "inputRequest", "request": {"id": "old"}, "response": "cancel"}
    state = cast(ChatState, chats.busy(chats.TEXT, answered, chats.OPEN, *calls.values()))
    found = [(request["kind"], request["id"]) for request in open_input_requests(state)]
    assert found == [
        ("chatInput", "ahp-chat:/1#r"),
        ("toolConfirmation", "ahp-chat:/1#a"),
        ("toolConfirmation", "ahp-chat:/1#b"),
        ("toolClientExecution", "ahp-chat:/1#c"),
        ("toolAuthentication", "ahp-chat:/1#d"),
    ]
    assert open_input_requests(cast(ChatState, chats.CHAT)) == []


def test_timestamps_have_milliseconds() -> None:
    assert timestamp(0) == "1970-01-01T00:00:00.000Z"
    assert timestamp(1_700_000_000_007) == "2023-11-14T22:13:20.007Z"
