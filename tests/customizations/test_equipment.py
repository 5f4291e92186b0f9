"""What do agents learn of a session's MCP servers that run their own?"""

from __future__ import annotations

from typing import Any

import pytest

from ahp_platform.mcp.declared import Declared
from ahp_platform.mcp.failures import McpFailed
from ahp_platform.mcp.switchboard import unheard
from sessions_app.customizations.equipment import Equipment
from sessions_app.customizations.line import Line


class Silent:
    """A `Home` in which nothing may happen."""

    async def open(self, server: str, declared: Declared, token: str | None) -> Line:
        raise AssertionError("started")

    async def token(self, user_id: int | None, resource: str) -> str | None:
        raise AssertionError("asked for a token")

    async def report(self, server: str, state: dict[str, Any], capabilities: dict[str, Any] | None = None) -> None:
        self.reported = server, state["kind"]

    async def challenged(self, server: str, requirement: dict[str, Any]) -> None:
        raise AssertionError("challenged")


def shown(id: str, enabled: bool = True) -> dict[str, Any]:
    return {"type": "mcpServer", "id": id, "uri": "file:///x", "name": id, "enabled": enabled}


async def equipped() -> tuple[Equipment, Silent]:
    home = Silent()
    equipment = Equipment(home)
    servers = {
        "on": Declared("on", ("node",), {"A": "b"}),
        "off": Declared("off", ("node",)),
        "inside": Declared("i", url="https://x"),
    }
    await equipment.declare({**servers, "wrong": Declared("wrong", error="no command")})
    plugin = {"type": "plugin", "id": "p", "enabled": False, "children": [shown("inside")]}
    await equipment.allow([shown("on"), shown("off", False), plugin, shown("wrong")])
    return equipment, home


async def test_only_what_is_switched_on_and_makes_sense_is_passed_on() -> None:
    equipment, _ = await equipped()
    told = await equipment.answer({"op": "declared"}, unheard)
    assert told == {"servers": [{"name": "on", "command": "node", "args": [], "env": [{"name": "A", "value": "b"}]}]}


@pytest.mark.parametrize("server", ["off", "inside", "wrong", "nothing"])
async def test_nothing_else_is_asked_or_called(server: str) -> None:
    equipment, _ = await equipped()
    for op in ("ask", "call"):
        question = {"op": op, "server": server, "method": "tools/list", "params": {"name": "x"}, "user": 1}
        with pytest.raises(McpFailed):
            await equipment.answer(question, unheard)


async def test_what_is_switched_off_does_not_start() -> None:
    equipment, home = await equipped()
    for server, kind in (("off", "stopped"), ("inside", "stopped"), ("wrong", "error")):
        await equipment.start(server, 1)
        assert home.reported == (server, kind)
    assert not equipment.runs
