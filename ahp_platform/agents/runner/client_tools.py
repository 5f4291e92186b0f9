"""Which active client offers a tool, and how does a call of it begin?"""

from __future__ import annotations

from ahp_platform.agents.backend import Json, Object
from ahp_platform.agents.runner.active import Plan
from ahp_platform.agents.turns import TurnKey
from ahp_platform.eventlog.view import Refused, View

NOBODY = "no active client offers this tool"


def begin(key: TurnKey, session: str, call_id: str, name: str, tool_input: str) -> Plan:
    """Start the call on the first client that offers the tool; refused where none does.

    Looked up inside the plan: a client that leaves before this is in the log is not found, and one that leaves after it has its
    calls ended.
    """

    def plan(view: View) -> None:
        found = _offer(view.state(session), name)
        if found is None:
            raise Refused(NOBODY)
        client_id, tool = found
        call = {"turnId": key.turn_id, "toolCallId": call_id}
        title = tool.get("title", name)
        contributor = {"kind": "client", "clientId": client_id}
        start: Json = {"toolName": name, "displayName": title, "contributor": contributor}
        ready: Json = {"invocationMessage": title, "toolInput": tool_input, "confirmed": "not-needed"}
        view.act(key.chat, {"type": "chat/toolCallStart", **call, **start})
        view.act(key.chat, {"type": "chat/toolCallReady", **call, **ready})

    return plan


def _offer(session: Object, name: str) -> tuple[str, Object] | None:
    for client in session["activeClients"]:
        for tool in client["tools"]:
            if tool["name"] == name:
                return client["clientId"], tool
    return None
