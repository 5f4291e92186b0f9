"""What does the agent say in its turn?

Text is created as a part and then appended to. An append copies the part and the two short lists on the way to
it, no more.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict, cast

from ahp_platform.protocol.channels.chat.active_turn import active_turn, restated, with_parts
from ahp_platform.protocol.channels.chat.table import CHAT
from ahp_platform.protocol.persistent import replaced
from ahp_platform.protocol.types.chat import ChatState, MarkdownResponsePart, ResponsePart


class ChatResponsePartAction(TypedDict):
    type: Literal["chat/responsePart"]
    turnId: str
    part: ResponsePart
    _meta: NotRequired[dict[str, object]]


class ChatDeltaAction(TypedDict):
    type: Literal["chat/delta"]
    turnId: str
    partId: str
    content: str
    _meta: NotRequired[dict[str, object]]


class ChatReasoningAction(TypedDict):
    type: Literal["chat/reasoning"]
    turnId: str
    partId: str
    content: str
    _meta: NotRequired[dict[str, object]]


@CHAT.on("chat/responsePart", ChatResponsePartAction)
def response_part(state: ChatState, action: ChatResponsePartAction, now_ms: int) -> ChatState:
    """One part more."""
    turn = active_turn(state, action["turnId"])
    if turn is None:
        return state
    after = with_parts(state, turn, [*turn["responseParts"], action["part"]])
    return restated(after) if action["part"]["kind"] in ("toolCall", "inputRequest") else after


@CHAT.on("chat/delta", ChatDeltaAction, appends=True)
def delta(state: ChatState, action: ChatDeltaAction, now_ms: int) -> ChatState:
    """More text of a markdown part."""
    return _appended(state, action, "markdown")


@CHAT.on("chat/reasoning", ChatReasoningAction, appends=True)
def reasoning(state: ChatState, action: ChatReasoningAction, now_ms: int) -> ChatState:
    """More text of a reasoning part."""
    return _appended(state, action, "reasoning")


def _appended(state: ChatState, action: ChatDeltaAction | ChatReasoningAction, kind: str) -> ChatState:
    turn = active_turn(state, action["turnId"])
    if turn is None or not action["content"]:
        return state
    parts, wanted = turn["responseParts"], action["partId"]
    for index in range(len(parts) - 1, -1, -1):
        part = parts[index]
        if part["kind"] == kind and part.get("id") == wanted:
            text = cast(MarkdownResponsePart, part)
            grown: MarkdownResponsePart = {**text, "content": text["content"] + action["content"]}
            return with_parts(state, turn, replaced(parts, index, grown))
    return state
