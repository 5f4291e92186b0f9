"""What if an MCP server wants a token in the middle of a tool call?"""

from __future__ import annotations

from typing import Any, Literal, cast

from ahp_platform.protocol.channels.chat.active_turn import change_call
from ahp_platform.protocol.channels.chat.table import CHAT
from ahp_platform.protocol.channels.chat.tool_calls import ToolCallAction
from ahp_platform.protocol.persistent import without
from ahp_platform.protocol.types.chat import ChatState
from ahp_platform.protocol.types.mcp import McpAuthRequirement
from ahp_platform.protocol.types.tool_calls import ToolCallState


class ChatToolCallAuthRequiredAction(ToolCallAction):
    type: Literal["chat/toolCallAuthRequired"]
    auth: McpAuthRequirement


class ChatToolCallAuthResolvedAction(ToolCallAction):
    type: Literal["chat/toolCallAuthResolved"]


@CHAT.on("chat/toolCallAuthRequired", ChatToolCallAuthRequiredAction, since="0.6.0")
def tool_call_auth_required(state: ChatState, action: ChatToolCallAuthRequiredAction, now_ms: int) -> ChatState:
    """It stops until a token is there. Only a call that an MCP server serves can come here."""

    def change(call: Any) -> ToolCallState | None:
        if call["status"] != "running" or call.get("contributor", {}).get("kind") != "mcp":
            return None
        return cast(ToolCallState, {**call, "status": "auth-required", "auth": action["auth"]})

    return change_call(state, action, change)


@CHAT.on("chat/toolCallAuthResolved", ChatToolCallAuthResolvedAction, since="0.6.0")
def tool_call_auth_resolved(state: ChatState, action: ChatToolCallAuthResolvedAction, now_ms: int) -> ChatState:
    """It goes on as it was."""

    def change(call: Any) -> ToolCallState | None:
        if call["status"] != "auth-required":
            return None
        return cast(ToolCallState, without({**call, "status": "running"}, "auth"))

    return change_call(state, action, change)
