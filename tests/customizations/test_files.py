"""Is what a file says of itself read as it is meant, and is what was found brought in with the fewest actions?"""

from __future__ import annotations

from typing import Any

import pytest

from sessions_app.customizations.frontmatter import Malformed, read, words
from sessions_app.customizations.merge import actions, merged


def test_the_usual_forms_of_values() -> None:
    text = (
        "---\r\nname: one\r\nquoted: \"a: b\"\r\nyes: true\r\nlist: [a, 'b']\r\nitems:\r\n  - c\r\n  - d\r\n---\r\nText"
    )
    assert read(text) == {"name": "one", "quoted": "a: b", "yes": True, "list": ["a", "b"], "items": ["c", "d"]}


def test_a_text_over_several_lines() -> None:
    assert read("---\ndescription: >\n  one\n  two\nname: x\n---\n") == {"description": "one two", "name": "x"}


@pytest.mark.parametrize("text", ["", "Just text", "-- -\nname: x\n---", "text\n---\nname: x\n---\n"])
def test_a_file_that_says_nothing_of_itself(text: str) -> None:
    assert read(text) == {}


@pytest.mark.parametrize("text", ["---\nname: x\n", "---", "---\nname: x\n--\n"])
def test_a_beginning_without_end_is_malformed(text: str) -> None:
    with pytest.raises(Malformed):
        read(text)


def test_odd_lines_are_passed_over() -> None:
    assert read("---\n: x\n? y\n\x00\nname: z\n  - 1\n---\n")["name"] == "z - 1"
    assert words({"tools": "a, b,"}, "tools") == ["a", "b"]


def rule(id: str, **more: Any) -> dict[str, Any]:
    return {"type": "rule", "id": id, "uri": f"file:///{id}", "name": id, **more}


def directory(*children: dict[str, Any], enabled: bool = True) -> dict[str, Any]:
    kept = {"type": "directory", "id": "d", "uri": "file:///d", "name": "d", "enabled": enabled, "contents": "rule"}
    return {**kept, "writable": True, "children": list(children)}


def test_nothing_new_is_no_action() -> None:
    current = merged([directory(rule("a"))], [])
    assert actions([directory(rule("a"))], current) == []
    assert actions([], []) == []


def test_the_first_ones_come_as_a_list_and_later_ones_each_for_itself() -> None:
    (first,) = actions([directory(rule("a"))], [])
    assert first["type"] == "session/customizationsChanged"
    current = first["customizations"]
    changed = actions([directory(rule("a"), rule("b"))], current)
    assert [action["type"] for action in changed] == ["session/customizationUpdated"]
    gone = actions([], current)
    assert gone == [{"type": "session/customizationRemoved", "id": "d"}]


def test_switches_and_running_servers_stay_as_they_are() -> None:
    server = {"type": "mcpServer", "id": "s", "uri": "file:///s", "name": "s", "enabled": True}
    running = {**server, "enabled": False, "state": {"kind": "ready"}, "channel": "mcp://x/s", "mcpApp": {}}
    current = [directory(rule("a", enabled=False), enabled=False), running]
    now = merged([directory(rule("a"), rule("b")), server], current)
    assert now[0]["enabled"] is False
    assert [child.get("enabled") for child in now[0]["children"]] == [False, None]
    assert now[1] == running


def test_a_wrong_declaration_is_an_error_until_it_is_right() -> None:
    server = {"type": "mcpServer", "id": "s", "uri": "file:///s", "name": "s", "enabled": True}
    wrong = {**server, "state": {"kind": "error", "error": {"errorType": "declaration", "message": "no"}}}
    (shown,) = merged([wrong], [])
    assert shown["state"]["kind"] == "error"
    assert merged([server], [shown])[0]["state"] == {"kind": "stopped"}
    crashed = {**server, "state": {"kind": "error", "error": {"errorType": "crashed", "message": "no"}}}
    assert merged([server], [crashed])[0]["state"]["kind"] == "error"
