"""Which commands does the agent of a chat know, for somebody whose message begins with `/`?

Those that it offered in this chat; before its first turn, those that it told when an operator's row was checked. Source: PROTOCOL.md
section 8 (`completions`).
"""

from __future__ import annotations

import re
from typing import Any

from ahp_platform.agents import conversations, registry
from ahp_platform.agents.conversations import ChatOf
from ahp_platform.rpc.context import Context

MAX_ITEMS = 50

_COMMAND = re.compile(r"/([^\s/]*)")


def begun(before: str) -> str | None:
    """The part of a command's name that stands there; None where there is none."""
    found = _COMMAND.fullmatch(before)
    return found[1] if found else None


async def complete(context: Context, chat: str, wanted: str, end: int) -> list[dict[str, Any]]:
    """The `CompletionItem`s, those first that begin with it."""
    session = context.log.peek(chat).parent
    if session is None:
        return []
    tenant, provider = context.log.tenant_id, (await context.log.state(session))["provider"]
    offered = await conversations.commands(ChatOf(tenant, session, chat, provider))
    known = offered or registry.commands(provider, tenant)
    sought = wanted.casefold()
    fitting = [command for command in known if sought in command["name"].casefold()]
    fitting.sort(key=lambda command: not command["name"].casefold().startswith(sought))
    return [_item(command, end) for command in fitting[:MAX_ITEMS]]


def _item(command: Any, end: int) -> dict[str, Any]:
    told = {name: command[name] for name in ("description", "hint") if command.get(name)}
    name = f"/{command['name']}"
    attachment: dict[str, Any] = {"type": "simple", "label": name, "displayKind": "command"}
    if told:
        attachment["_meta"] = told
    return {"insertText": f"{name} ", "rangeStart": 0, "rangeEnd": end, "attachment": attachment}
