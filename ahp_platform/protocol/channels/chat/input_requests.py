"""What does the agent ask its user, and what is the answer?

A request is a part of the active turn. It is open until it has a response; while it is, clients share their
drafts in it.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict, cast

from ahp_platform.protocol.channels.chat.active_turn import restated, with_parts
from ahp_platform.protocol.channels.chat.answers import refuse_answer, refuse_final
from ahp_platform.protocol.channels.chat.table import CHAT
from ahp_platform.protocol.persistent import find, replaced, same, timestamp, with_field, without
from ahp_platform.protocol.types.chat import ChatState, InputRequestResponsePart
from ahp_platform.protocol.types.questions import ChatInputAnswer, ChatInputRequest, ChatInputResponseKind

NOT_OPEN = "There is no such open request"


class ChatInputRequestedAction(TypedDict):
    type: Literal["chat/inputRequested"]
    request: ChatInputRequest


class ChatInputAnswerChangedAction(TypedDict):
    type: Literal["chat/inputAnswerChanged"]
    requestId: str
    questionId: str
    answer: NotRequired[ChatInputAnswer]


class ChatInputCompletedAction(TypedDict):
    type: Literal["chat/inputCompleted"]
    requestId: str
    response: ChatInputResponseKind
    answers: NotRequired[dict[str, ChatInputAnswer]]


def _find_open(state: ChatState, request_id: str) -> int | None:
    parts = state["activeTurn"]["responseParts"] if "activeTurn" in state else []
    for index in range(len(parts) - 1, -1, -1):
        part = parts[index]
        if part["kind"] == "inputRequest" and "response" not in part and part["request"]["id"] == request_id:
            return index
    return None


def _open_request(state: ChatState, request_id: str) -> ChatInputRequest | None:
    index = _find_open(state, request_id)
    if index is None:
        return None
    return cast(InputRequestResponsePart, state["activeTurn"]["responseParts"][index])["request"]


def _with_part(state: ChatState, index: int | None, part: InputRequestResponsePart, now_ms: int) -> ChatState:
    turn = state["activeTurn"]
    parts = turn["responseParts"]
    changed = with_parts(state, turn, [*parts, part] if index is None else replaced(parts, index, part))
    return {**restated(changed), "modifiedAt": timestamp(now_ms)}


@CHAT.on("chat/inputRequested", ChatInputRequestedAction)
def input_requested(state: ChatState, action: ChatInputRequestedAction, now_ms: int) -> ChatState:
    """Asked, or asked anew: then drafts stay, unless the new request brings its own."""
    if "activeTurn" not in state:
        return state
    request = action["request"]
    before = _open_request(state, request["id"])
    if before is not None and "answers" not in request:
        request = with_field(request, "answers", before.get("answers"))
    if before is not None and same(before, request):
        return state
    return _with_part(state, _find_open(state, request["id"]), {"kind": "inputRequest", "request": request}, now_ms)


def refuse_answer_changed(state: ChatState, action: ChatInputAnswerChangedAction, client_id: str) -> str | None:
    """To a question of an open request, and of its kind."""
    request = _open_request(state, action["requestId"])
    if request is None:
        return NOT_OPEN
    questions = request.get("questions", [])
    index = find(questions, "id", action["questionId"])
    if index is None:
        return "The request has no such question"
    return refuse_answer(questions[index], action["answer"]) if "answer" in action else None


@CHAT.on("chat/inputAnswerChanged", ChatInputAnswerChangedAction, client_dispatchable=True, guard=refuse_answer_changed)
def input_answer_changed(state: ChatState, action: ChatInputAnswerChangedAction, now_ms: int) -> ChatState:
    """The draft of one answer; absent to take it back."""
    index = _find_open(state, action["requestId"])
    if index is None:
        return state
    part = cast(InputRequestResponsePart, state["activeTurn"]["responseParts"][index])
    before = part["request"].get("answers", {})
    answers = without(before, action["questionId"])
    if "answer" in action:
        answers = {**answers, action["questionId"]: action["answer"]}
    if same(before, answers):
        return state
    request = with_field(part["request"], "answers", answers or None)
    return _with_part(state, index, {**part, "request": request}, now_ms)


def refuse_completed(state: ChatState, action: ChatInputCompletedAction, client_id: str) -> str | None:
    """An open request, answers to its questions alone, and all that are required where it is accepted."""
    request = _open_request(state, action["requestId"])
    if request is None:
        return NOT_OPEN
    questions, given = request.get("questions", []), action.get("answers", {})
    for question_id, answer in given.items():
        index = find(questions, "id", question_id)
        if index is None:
            return "The request has no such question"
        if reason := refuse_answer(questions[index], answer):
            return reason
    if action["response"] != "accept":
        return None
    answers = {**request.get("answers", {}), **given}
    return next(filter(None, (refuse_final(question, answers.get(question["id"])) for question in questions)), None)


@CHAT.on("chat/inputCompleted", ChatInputCompletedAction, client_dispatchable=True, guard=refuse_completed)
def input_completed(state: ChatState, action: ChatInputCompletedAction, now_ms: int) -> ChatState:
    """Accepted, declined or cancelled, with the final answers over the drafts."""
    index = _find_open(state, action["requestId"])
    if index is None:
        return state
    part = cast(InputRequestResponsePart, state["activeTurn"]["responseParts"][index])
    request = part["request"]
    if "answers" in action:
        request = {**request, "answers": {**request.get("answers", {}), **action["answers"]}}
    return _with_part(state, index, {**part, "request": request, "response": action["response"]}, now_ms)
