"""Are servers read from configuration files as they are meant, and never with anything of ours?"""

from __future__ import annotations

import json
from typing import Any

import pytest

from ahp_platform.mcp.declared import BadDeclaration, Declared, declared_in

HERE = {"workspaceFolder": "/work"}


def one(entry: Any, key: str = "mcpServers") -> Declared:
    (found,) = declared_in(json.dumps({key: {"one": entry}}), HERE)
    return found


@pytest.mark.parametrize("key", ["mcpServers", "servers"])
def test_a_program_is_declared_by_its_command(key: str) -> None:
    found = one({"command": "npx", "args": ["-y", "${workspaceFolder}/x"], "env": {"A": "${B:-c}"}}, key)
    assert (found.command, dict(found.environment), found.error) == (("npx", "-y", "/work/x"), {"A": "c"}, "")
    told = found.for_agent()
    assert told == {"name": "one", "command": "npx", "args": ["-y", "/work/x"], "env": [{"name": "A", "value": "c"}]}


def test_an_address_is_declared_by_its_url() -> None:
    found = one({"type": "http", "url": "https://mcp.example/x", "headers": {"X": "y"}})
    assert (found.url, dict(found.headers)) == ("https://mcp.example/x", {"X": "y"})
    assert found.for_agent()["headers"] == [{"name": "X", "value": "y"}]


def test_our_own_environment_is_never_filled_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AHP_SECRET_KEY", "hush")
    for text in ("${AHP_SECRET_KEY}", "${env:AHP_SECRET_KEY}", "${input:key}"):
        found = one({"command": "x", "env": {"KEY": text}})
        assert "is not known" in found.error
        assert "hush" not in repr(found)


@pytest.mark.parametrize(
    "entry",
    [
        "x",
        {},
        {"command": ""},
        {"command": 5},
        {"command": "x", "args": "-y"},
        {"command": "x", "args": ["a"] * 1_000},
        {"command": "x", "env": ["A=b"]},
        {"command": "x\x00"},
        {"url": "file:///etc/passwd"},
        {"url": None},
        {"type": "sse", "url": "https://mcp.example"},
    ],
)
def test_what_makes_no_sense_is_named_and_the_others_stay(entry: Any) -> None:
    found = declared_in(json.dumps({"mcpServers": {"bad": entry, "good": {"command": "x"}}}), HERE)
    assert [bool(server.error) for server in found] == [True, False]


@pytest.mark.parametrize("text", ["", "[]", "{", '{"mcpServers": []}', "5", '{"servers": null}'])
def test_a_file_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(BadDeclaration):
        declared_in(text, HERE)


def test_secrets_are_not_in_the_representation() -> None:
    assert "hush" not in repr(one({"command": "x", "env": {"KEY": "hush"}}))
    assert "hush" not in repr(one({"url": "https://x", "headers": {"Authorization": "hush"}}))
