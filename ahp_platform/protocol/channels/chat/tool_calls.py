"""How does a tool call come up, run and finish?

    streaming -> pending-confirmation | running -> ... -> completed | cancelled

What happens in between lies next door: `confirmations` and `authentication`.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict, cast

from ahp_platform.protocol.channels.chat.active_turn import active_turn, call_of, change_call, find_call, with_parts
from ahp_platform.protocol.channels.chat.table import CHAT
from ahp_platform.protocol.types.chat import ChatState, ToolCallResponsePart
from ahp_platform.protocol.types.tool_calls import (
    ConfirmationOption,
    ToolCallCancellationReason,
    ToolCallCancelledState,
    ToolCallConfirmationReason,
    ToolCallContributor,
    ToolCallRiskAssessment,
    ToolCallState,
    ToolCallStreamingState,
)
from ahp_platform.protocol.types.tool_results import FileEdits, ToolCallResult, ToolResultContent
from ahp_platform.protocol.types.values import StringOrMarkdown

_IDENTITY = ("toolCallId", "toolName", "displayName", "intention", "contributor", "_meta")
_QUESTION = ("confirmationTitle", "riskAssessment", "edits", "editable", "options")
_RESULT = ("success", "pastTenseMessage", "content", "structuredContent", "error")


class ToolCallAction(TypedDict):
    """What every action on a tool call names. `_meta` replaces that of the call."""

    turnId: str
    toolCallId: str
    _meta: NotRequired[dict[str, object]]


class ChatToolCallStartAction(ToolCallAction):
    type: Literal["chat/toolCallStart"]
    toolName: str
    displayName: str
    intention: NotRequired[str]
    contributor: NotRequired[ToolCallContributor]


class ChatToolCallDeltaAction(ToolCallAction):
    type: Literal["chat/toolCallDelta"]
    content: str
    invocationMessage: NotRequired[StringOrMarkdown]


class ChatToolCallReadyAction(ToolCallAction):
    type: Literal["chat/toolCallReady"]
    invocationMessage: StringOrMarkdown
    toolInput: NotRequired[str]
    confirmationTitle: NotRequired[StringOrMarkdown]
    riskAssessment: NotRequired[ToolCallRiskAssessment]
    edits: NotRequired[FileEdits]
    editable: NotRequired[bool]
    confirmed: NotRequired[ToolCallConfirmationReason]
    options: NotRequired[list[ConfirmationOption]]


class ChatToolCallCompleteAction(ToolCallAction):
    type: Literal["chat/toolCallComplete"]
    result: ToolCallResult
    requiresResultConfirmation: NotRequired[bool]


class ChatToolCallContentChangedAction(ToolCallAction):
    type: Literal["chat/toolCallContentChanged"]
    content: list[ToolResultContent]


def kept(call: Any, *names: str) -> dict[str, Any]:
    """The fields of the call that say which call it is, and those of `names` that it has."""
    return {name: call[name] for name in (*_IDENTITY, *names) if name in call}


def cancelled(call: Any, reason: ToolCallCancellationReason) -> ToolCallCancelledState:
    """The call, never to run (again)."""
    fields = kept(call, "toolInput", "selectedOption")
    message = call.get("invocationMessage", "")
    return cast(
        ToolCallCancelledState, {**fields, "status": "cancelled", "invocationMessage": message, "reason": reason}
    )


@CHAT.on("chat/toolCallStart", ChatToolCallStartAction)
def tool_call_start(state: ChatState, action: ChatToolCallStartAction, now_ms: int) -> ChatState:
    """The model calls a tool; its arguments are still coming."""
    turn = active_turn(state, action["turnId"])
    if turn is None or find_call(turn, action["toolCallId"]) is not None:
        return state
    call = cast(ToolCallStreamingState, {**kept(action), "status": "streaming"})
    part: ToolCallResponsePart = {"kind": "toolCall", "toolCall": call}
    return with_parts(state, turn, [*turn["responseParts"], part])


@CHAT.on("chat/toolCallDelta", ChatToolCallDeltaAction)
def tool_call_delta(state: ChatState, action: ChatToolCallDeltaAction, now_ms: int) -> ChatState:
    """More of the arguments."""

    def change(call: Any) -> ToolCallState | None:
        if call["status"] != "streaming":
            return None
        message = {"invocationMessage": action["invocationMessage"]} if "invocationMessage" in action else {}
        grown = {**call, **message, "partialInput": call.get("partialInput", "") + action["content"]}
        return cast(ToolCallStreamingState, grown)

    return change_call(state, action, change)


@CHAT.on("chat/toolCallReady", ChatToolCallReadyAction)
def tool_call_ready(state: ChatState, action: ChatToolCallReadyAction, now_ms: int) -> ChatState:
    """The arguments are there: run it, or ask first. A call that runs may have to ask again."""

    def change(call: Any) -> ToolCallState | None:
        if call["status"] not in ("streaming", "pending-confirmation", "running"):
            return None
        fields = {**kept(call, "toolInput"), "invocationMessage": action["invocationMessage"]}
        if "toolInput" in action:
            fields["toolInput"] = action["toolInput"]
        if "confirmed" in action:
            running = {name: call[name] for name in ("selectedOption", "content") if name in call}
            return cast(ToolCallState, {**fields, **running, "status": "running", "confirmed": action["confirmed"]})
        asked = {name: call[name] for name in _QUESTION if name in call}
        asked.update((name, value) for name, value in action.items() if name in _QUESTION)
        return cast(ToolCallState, {**fields, **asked, "status": "pending-confirmation"})

    return change_call(state, action, change)


def refuse_stranger(
    state: ChatState, action: ChatToolCallCompleteAction | ChatToolCallContentChangedAction, client_id: str
) -> str | None:
    """Only the client that contributed the tool tells how it runs, and only while it does."""
    call = call_of(state, action["turnId"], action["toolCallId"])
    if call is None:
        return "There is no such tool call in progress"
    contributor = call.get("contributor")
    if contributor is None or contributor["kind"] != "client" or contributor["clientId"] != client_id:
        return "The tool call is not yours to run"
    return None if call["status"] == "running" else "The tool call is not running"


def refuse_complete(state: ChatState, action: ChatToolCallCompleteAction, client_id: str) -> str | None:
    """Its contributor completes it; whoever cannot get the token that it waits for may give it up as failed."""
    call = call_of(state, action["turnId"], action["toolCallId"])
    if call is not None and call["status"] == "auth-required":
        return "The tool call waits for a token and cannot have succeeded" if action["result"]["success"] else None
    return refuse_stranger(state, action, client_id)


@CHAT.on("chat/toolCallComplete", ChatToolCallCompleteAction, client_dispatchable=True, guard=refuse_complete)
def tool_call_complete(state: ChatState, action: ChatToolCallCompleteAction, now_ms: int) -> ChatState:
    """It has a result, which somebody may have to look at first."""

    def change(call: Any) -> ToolCallState | None:
        given_up = call["status"] == "auth-required"
        if call["status"] not in ("running", "pending-confirmation", "auth-required"):
            return None
        if given_up and action["result"]["success"]:
            return None  # it never ran on after the challenge
        fields = kept(call, "invocationMessage", "toolInput", "selectedOption", *(("content",) if given_up else ()))
        result = {name: value for name, value in action["result"].items() if name in _RESULT}
        asks = action.get("requiresResultConfirmation") and not given_up
        reached = "pending-result-confirmation" if asks else "completed"
        return cast(
            ToolCallState,
            {**fields, "confirmed": call.get("confirmed", "not-needed"), **result, "status": reached},
        )

    return change_call(state, action, change)


@CHAT.on(
    "chat/toolCallContentChanged", ChatToolCallContentChangedAction, client_dispatchable=True, guard=refuse_stranger
)
def tool_call_content_changed(state: ChatState, action: ChatToolCallContentChangedAction, now_ms: int) -> ChatState:
    """What a running tool shows so far, all of it anew."""

    def change(call: Any) -> ToolCallState | None:
        if call["status"] != "running":
            return None
        return cast(ToolCallState, {**call, "content": action["content"]})

    return change_call(state, action, change)
