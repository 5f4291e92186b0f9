"""Who lets a tool call run, and who accepts its result?

The first answer counts; a later one finds nothing that waits.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, cast

from ahp_platform.protocol.channels.chat.active_turn import call_of, change_call
from ahp_platform.protocol.channels.chat.pending_messages import NOT_A_USER
from ahp_platform.protocol.channels.chat.table import CHAT
from ahp_platform.protocol.channels.chat.tool_calls import ToolCallAction, cancelled, kept
from ahp_platform.protocol.persistent import find, with_field
from ahp_platform.protocol.types.chat import ChatState
from ahp_platform.protocol.types.messages import Message
from ahp_platform.protocol.types.tool_calls import (
    ConfirmationOption,
    ToolCallConfirmationReason,
    ToolCallPendingConfirmationState,
    ToolCallState,
)
from ahp_platform.protocol.types.values import StringOrMarkdown


class ChatToolCallApprovedAction(ToolCallAction):
    type: Literal["chat/toolCallConfirmed"]
    approved: Literal[True]
    confirmed: ToolCallConfirmationReason
    editedToolInput: NotRequired[str]
    selectedOptionId: NotRequired[str]


class ChatToolCallDeniedAction(ToolCallAction):
    type: Literal["chat/toolCallConfirmed"]
    approved: Literal[False]
    reason: Literal["denied", "skipped"]
    userSuggestion: NotRequired[Message]
    reasonMessage: NotRequired[StringOrMarkdown]
    selectedOptionId: NotRequired[str]


ChatToolCallConfirmedAction = ChatToolCallApprovedAction | ChatToolCallDeniedAction


class ChatToolCallResultConfirmedAction(ToolCallAction):
    type: Literal["chat/toolCallResultConfirmed"]
    approved: bool


def refuse_confirmed(state: ChatState, action: ChatToolCallConfirmedAction, client_id: str) -> str | None:
    """It must wait, and the choice must be one that was offered."""
    call = call_of(state, action["turnId"], action["toolCallId"])
    if call is None or call["status"] != "pending-confirmation":
        return "The tool call is not waiting for confirmation"
    if action["approved"]:
        if "editedToolInput" in action and not call.get("editable"):
            return "The input of this tool call cannot be edited"
    elif "userSuggestion" in action and action["userSuggestion"]["origin"]["kind"] != "user":
        return NOT_A_USER
    return _refuse_option(call, action)


def _refuse_option(call: ToolCallPendingConfirmationState, action: ChatToolCallConfirmedAction) -> str | None:
    if "selectedOptionId" not in action:
        return None
    option = _option(call, action["selectedOptionId"])
    if option is None:
        return "There is no such option"
    wanted = "approve" if action["approved"] else "deny"
    return None if option["kind"] == wanted else f"The option does not {wanted}"


def _option(call: ToolCallPendingConfirmationState, wanted: str | None) -> ConfirmationOption | None:
    options = call.get("options", [])
    index = None if wanted is None else find(options, "id", wanted)
    return None if index is None else options[index]


@CHAT.on("chat/toolCallConfirmed", ChatToolCallConfirmedAction, client_dispatchable=True, guard=refuse_confirmed)
def tool_call_confirmed(state: ChatState, action: ChatToolCallConfirmedAction, now_ms: int) -> ChatState:
    """Run it, perhaps with another input; or never run it, and say why."""

    def change(call: Any) -> ToolCallState | None:
        if call["status"] != "pending-confirmation":
            return None
        option = _option(call, action.get("selectedOptionId"))
        moved = _approved(call, action) if action["approved"] else _denied(call, action)
        return cast(ToolCallState, with_field(moved, "selectedOption", option))

    return change_call(state, action, change)


def _approved(call: Any, action: ChatToolCallApprovedAction) -> dict[str, Any]:
    fields = kept(call, "invocationMessage", "toolInput")
    if "editedToolInput" in action:
        fields["toolInput"] = action["editedToolInput"]
    return {**fields, "status": "running", "confirmed": action["confirmed"]}


def _denied(call: Any, action: ChatToolCallDeniedAction) -> dict[str, Any]:
    said = {name: value for name, value in action.items() if name in ("reasonMessage", "userSuggestion")}
    return {**cancelled(call, action["reason"]), **said}


def refuse_result(state: ChatState, action: ChatToolCallResultConfirmedAction, client_id: str) -> str | None:
    """Its result must wait."""
    call = call_of(state, action["turnId"], action["toolCallId"])
    if call is None or call["status"] != "pending-result-confirmation":
        return "No result of the tool call is waiting for confirmation"
    return None


@CHAT.on(
    "chat/toolCallResultConfirmed", ChatToolCallResultConfirmedAction, client_dispatchable=True, guard=refuse_result
)
def tool_call_result_confirmed(state: ChatState, action: ChatToolCallResultConfirmedAction, now_ms: int) -> ChatState:
    """The agent may see the result, or not."""

    def change(call: Any) -> ToolCallState | None:
        if call["status"] != "pending-result-confirmation":
            return None
        if not action["approved"]:
            return cancelled(call, "result-denied")
        return cast(ToolCallState, {**call, "status": "completed"})

    return change_call(state, action, change)
