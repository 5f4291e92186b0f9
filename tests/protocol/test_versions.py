"""Which version is chosen, and what do older clients see and say?"""

from __future__ import annotations

from typing import Any

import pytest

from ahp_platform.protocol import versions
from ahp_platform.protocol.channel import check_action
from ahp_platform.protocol.errors import InvalidParams, UnsupportedProtocolVersion
from tests.protocol.cases import chat, session


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (["0.7.0"], "0.7.0"),
        (["0.1.0", "0.7.0", "99.0.0"], "0.7.0"),
        (["0.5.1", "0.6.0", "0.5.2"], "0.6.0"),
        (["0.5.1"], "0.5.1"),
        (["0.7.3", "0.6.9"], "0.7.3"),
        (["1.0.0", "0.9.0", "0.6.0"], "0.6.0"),
        (["0.5.10", "0.5.2"], "0.5.10"),
    ],
)
def test_the_highest_that_we_speak_is_chosen(offered: list[str], chosen: str) -> None:
    assert versions.negotiate(offered) == chosen


@pytest.mark.parametrize("offered", [[], ["0.8.0"], ["0.5.0"], ["1.7.0"], ["0.4.0", "99.0.0"]])
def test_nothing_in_common_names_ours(offered: list[str]) -> None:
    with pytest.raises(UnsupportedProtocolVersion) as raised:
        versions.negotiate(offered)
    assert raised.value.data == {"supportedVersions": ["0.7.0", "0.6.0", "0.5.2", "0.5.1"]}


@pytest.mark.parametrize("offered", ["0.7.0", None, [7], ["0.7"], ["v0.7.0"], ["0.7.0-rc1"], ["0.7.0", "00.7.0"], [""]])
def test_malformed_versions_are_bad_params(offered: object) -> None:
    with pytest.raises(InvalidParams):
        versions.negotiate(offered)


def test_the_newest_version_sees_the_very_same_objects() -> None:
    action = {"type": "session/workingDirectorySet", "directory": "file:///a"}
    assert versions.action("0.7.0", action) is action
    assert versions.state("0.7.0", "session", session.SESSION) is session.SESSION
    assert versions.incoming_action("0.7.0", action, 5000) is action
    assert versions.params("0.7.0", "createSession", action) is action
    assert versions.params(None, "initialize", action) is action
    assert versions.result("0.7.0", "listSessions", action) is action
    assert versions.notification("0.7.0", "root/sessionAdded", action) is action


@pytest.mark.parametrize(
    ("action_type", "since"),
    [
        ("session/workingDirectorySet", "0.7.0"),
        ("session/workingDirectoryRemoved", "0.7.0"),
        ("chat/workingDirectorySet", "0.7.0"),
        ("chat/workingDirectoryRemoved", "0.7.0"),
        ("chat/toolCallAuthRequired", "0.6.0"),
        ("chat/toolCallAuthResolved", "0.6.0"),
    ],
)
def test_newer_actions_are_left_out(action_type: str, since: str) -> None:
    case = {**chat.CASES, **session.CASES}[action_type]
    for version in versions.SUPPORTED:
        assert (versions.action(version, case.action) is not None) == (version >= since)


def test_unknown_actions_are_passed_on() -> None:
    action = {"type": "future/action", "x": [1]}
    assert versions.action("0.5.1", action) == action


@pytest.mark.parametrize(
    ("newest", "older"),
    [
        ({"workingDirectories": ["file:///a", "file:///b"]}, {"workingDirectory": "file:///a"}),
        (
            {"workingDirectories": ["file:///a", "file:///b"], "primaryWorkingDirectory": "file:///b"},
            {"workingDirectory": "file:///b"},
        ),
        ({"primaryWorkingDirectory": "file:///b"}, {"workingDirectory": "file:///b"}),
        ({"workingDirectories": []}, {}),
        ({"workingDirectories": None}, {"workingDirectory": None}),
        ({"origin": {"kind": "sideChat", "chat": "c", "turnId": "t"}, "title": "T"}, {"title": "T"}),
        ({"origin": {"kind": "user"}}, {"origin": {"kind": "user"}}),
        (
            {"attachments": [{"type": "chat", "resource": "c", "endTurn": "t", "label": "L"}]},
            {"attachments": [{"type": "simple", "label": "L"}]},
        ),
        ({"_meta": {"workingDirectories": ["mine"]}}, {"_meta": {"workingDirectories": ["mine"]}}),
    ],
)
def test_before_0_7_there_was_one_directory_and_no_side_chat(newest: dict[str, Any], older: dict[str, Any]) -> None:
    assert versions.state("0.6.0", "session", newest) == older
    assert versions.notification("0.6.0", "root/sessionSummaryChanged", {"changes": newest}) == {"changes": older}
    assert versions.result("0.6.0", "listSessions", {"items": [newest]}) == {"items": [older]}
    told = versions.action("0.6.0", {"type": "session/chatUpdated", "chat": "c", "changes": newest})
    assert told == {"type": "session/chatUpdated", "chat": "c", "changes": older}


def test_older_clients_create_with_one_directory_and_forks_without_a_kind() -> None:
    created = versions.params("0.6.0", "createSession", {"channel": "s", "workingDirectory": "file:///a"})
    assert created == {"channel": "s", "workingDirectories": ["file:///a"]}
    forked = versions.params("0.5.1", "createChat", {"channel": "s", "source": {"chat": "c", "turnId": "t"}})
    assert forked == {"channel": "s", "source": {"kind": "fork", "chat": "c", "turnId": "t"}}
    resolving = {"workingDirectory": "file:///a"}
    assert versions.params("0.6.0", "resolveSessionConfig", resolving) is resolving
    assert versions.params("0.6.0", "createSession", [1]) == [1]


def test_before_0_6_open_questions_were_a_list_of_the_chat() -> None:
    answered = {**chat.OPEN, "response": "accept"}
    state = chat.busy(chat.TEXT, answered, chat.OPEN, status=24)
    older = versions.state("0.5.2", "chat", state)
    assert older["inputRequests"] == [chat.REQUEST]
    assert older["activeTurn"]["responseParts"] == [chat.TEXT, answered]
    assert versions.state("0.5.1", "chat", state)["activeTurn"]["responseParts"] == [chat.TEXT]
    assert "inputRequests" not in versions.state("0.5.2", "chat", chat.busy(chat.TEXT))


def test_before_0_6_a_call_that_waits_for_a_token_was_running() -> None:
    state = chat.busy(chat.call("auth-required", contributor=chat.MCP, auth=chat.AUTH))
    older = versions.state("0.5.2", "chat", state)
    assert older["activeTurn"]["responseParts"] == [chat.call("running", contributor=chat.MCP)]
    request = {"kind": "toolAuthentication", "id": "w", "chat": "c", "turnId": "t", "toolCall": {}}
    assert versions.action("0.5.2", {"type": "session/inputNeededSet", "request": request}) is None
    assert versions.action("0.5.2", {"type": "session/inputNeededSet", "request": session.WAITING})
    waiting = {**session.SESSION, "inputNeeded": [request]}
    assert "inputNeeded" not in versions.state("0.5.2", "session", waiting)


def test_reviewed_files_had_another_name_and_before_that_none() -> None:
    action = {"type": "changeset/filesReviewChanged", "files": ["f"], "reviewed": True}
    assert versions.action("0.6.0", action) == action
    assert versions.action("0.5.2", action) == {
        "type": "changeset/filesReviewedChanged",
        "fileIds": ["f"],
        "reviewed": True,
    }
    assert versions.action("0.5.1", action) is None


def test_before_0_5_2_starting_a_server_was_only_a_change_of_its_state() -> None:
    action = {"type": "session/mcpServerStartRequested", "id": "m"}
    assert versions.action("0.5.2", action) == action
    assert versions.action("0.5.1", action) == {
        "type": "session/mcpServerStateChanged",
        "id": "m",
        "state": {"kind": "starting"},
    }


def test_answered_questions_are_no_parts_in_0_5_1() -> None:
    action = chat.on_turn("responsePart", part={**chat.OPEN, "response": "accept"})
    assert versions.action("0.5.2", action) == action
    assert versions.action("0.5.1", action) is None


def test_older_clients_need_not_send_times() -> None:
    started = versions.incoming_action(
        "0.5.2", {"type": "chat/turnStarted", "turnId": "t", "message": chat.HELLO}, 5000
    )
    assert started["startedAt"] == "1970-01-01T00:00:05.000Z"
    check_action(started)
    cancelled = versions.incoming_action("0.5.1", {"type": "chat/turnCancelled", "turnId": "t"}, 5000)
    check_action(cancelled)
    kept = {"type": "chat/turnStarted", "turnId": "t", "message": chat.HELLO, "startedAt": "x"}
    assert versions.incoming_action("0.5.1", kept, 5000)["startedAt"] == "x"
    other = {"type": "chat/truncated"}
    assert versions.incoming_action("0.5.1", other, 5000) is other
