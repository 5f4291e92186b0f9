"""When is an action on a chat refused?"""

from __future__ import annotations

from typing import Any

from tests.protocol.cases.case import NOW, Refusal
from tests.protocol.cases.chat import (
    ASKED,
    AUTH,
    CHAT,
    FORGED,
    HELLO,
    MCP,
    MINE,
    OK,
    OPEN,
    SCREEN,
    WAITS,
    busy,
    call,
    on_call,
    on_turn,
    text,
)

STARTED = on_turn("turnStarted", startedAt=NOW, message=HELLO)
NOT_A_USER = "A client may send only messages of the kind user"
NOT_OPEN = "There is no such open request"
ANSWERED = {**OPEN, "response": "accept"}


def pending(kind: str, message: dict[str, Any] = HELLO, message_id: str = "p") -> dict[str, Any]:
    return {"type": "chat/pendingMessageSet", "kind": kind, "id": message_id, "message": message}


def complete(response: str, **answers: Any) -> dict[str, Any]:
    return {"type": "chat/inputCompleted", "requestId": "r", "response": response, "answers": answers}


REFUSALS: list[Refusal] = [
    Refusal(busy(), STARTED, "A turn is in progress"),
    Refusal(CHAT, {**STARTED, "turnId": ""}, "turnId must not be empty"),
    Refusal(CHAT, {**STARTED, "turnId": "t0"}, "The turnId is taken"),
    Refusal(CHAT, {**STARTED, "message": FORGED}, NOT_A_USER),
    Refusal({**CHAT, "interactivity": "read-only"}, STARTED, "This chat takes no messages"),
    Refusal(CHAT, on_turn("turnCancelled", duration=0), "That turn is not in progress"),
    Refusal(busy(), {**on_turn("turnCancelled", duration=0), "turnId": "t0"}, "That turn is not in progress"),
    Refusal(CHAT, pending("steering", FORGED), NOT_A_USER),
    Refusal(CHAT, pending("queued", message_id=""), "id must not be empty"),
    Refusal({**CHAT, "interactivity": "hidden"}, pending("queued"), "This chat takes no messages"),
    Refusal(
        CHAT,
        {"type": "chat/pendingMessageRemoved", "kind": "queued", "id": "q"},
        "There is no such pending message",
    ),
    Refusal(
        CHAT,
        {"type": "chat/pendingMessageRemoved", "kind": "steering", "id": "q"},
        "There is no such pending message",
    ),
    Refusal(CHAT, {"type": "chat/queuedMessagesReordered", "order": ["a", "a"]}, "An id is named twice"),
    Refusal(CHAT, {"type": "chat/draftChanged", "draft": FORGED}, NOT_A_USER),
    Refusal(
        {**CHAT, "primaryWorkingDirectory": "file:///a"},
        {"type": "chat/workingDirectoryRemoved", "directory": "file:///a"},
        "The directory is the primary one of this chat",
    ),
    Refusal(CHAT, {"type": "chat/truncated", "turnId": "t9"}, "There is no such turn"),
    Refusal(
        busy(call("running")),
        on_call("Confirmed", approved=True, confirmed="user-action"),
        "The tool call is not waiting for confirmation",
    ),
    Refusal(
        CHAT,
        on_call("Confirmed", approved=True, confirmed="user-action"),
        "The tool call is not waiting for confirmation",
    ),
    Refusal(
        busy(ASKED),
        on_call("Confirmed", approved=True, confirmed="user-action", selectedOptionId="maybe"),
        "There is no such option",
    ),
    Refusal(
        busy(ASKED),
        on_call("Confirmed", approved=True, confirmed="user-action", selectedOptionId="no"),
        "The option does not approve",
    ),
    Refusal(
        busy(ASKED),
        on_call("Confirmed", approved=False, reason="denied", selectedOptionId="yes"),
        "The option does not deny",
    ),
    Refusal(
        busy(ASKED),
        on_call("Confirmed", approved=True, confirmed="user-action", editedToolInput="rm"),
        "The input of this tool call cannot be edited",
    ),
    Refusal(busy(ASKED), on_call("Confirmed", approved=False, reason="denied", userSuggestion=FORGED), NOT_A_USER),
    Refusal(
        busy(call("running")),
        on_call("ResultConfirmed", approved=True),
        "No result of the tool call is waiting for confirmation",
    ),
    Refusal(busy(), on_call("Complete", result=OK), "There is no such tool call in progress"),
    Refusal(busy(call("running")), on_call("Complete", result=OK), "The tool call is not yours to run"),
    Refusal(
        busy(call("running", contributor=MINE)),
        on_call("Complete", result=OK),
        "The tool call is not yours to run",
        client="other",
    ),
    Refusal(busy(call("streaming", contributor=MINE)), on_call("Complete", result=OK), "The tool call is not running"),
    Refusal(
        busy(call("auth-required", contributor=MCP, auth=AUTH)),
        on_call("Complete", result=OK),
        "The tool call waits for a token and cannot have succeeded",
    ),
    Refusal(
        busy(call("running", contributor=MCP)),
        on_call("ContentChanged", content=SCREEN),
        "The tool call is not yours to run",
    ),
    Refusal(
        busy(ANSWERED),
        {"type": "chat/inputAnswerChanged", "requestId": "r", "questionId": "q", "answer": text("a")},
        NOT_OPEN,
    ),
    Refusal(
        WAITS,
        {"type": "chat/inputAnswerChanged", "requestId": "r", "questionId": "x", "answer": text("a")},
        "The request has no such question",
    ),
    Refusal(
        WAITS,
        {
            "type": "chat/inputAnswerChanged",
            "requestId": "r",
            "questionId": "q",
            "answer": {"state": "draft", "value": {"kind": "boolean", "value": True}},
        },
        "The answer to q must be of the kind text",
    ),
    Refusal(busy(ANSWERED), complete("cancel"), NOT_OPEN),
    Refusal(CHAT, complete("cancel"), NOT_OPEN),
    Refusal(WAITS, complete("decline", x=text("a")), "The request has no such question"),
    Refusal(WAITS, complete("accept"), "q must be answered"),
    Refusal(WAITS, complete("accept", q=text("")), "q must be answered"),
    Refusal(WAITS, complete("accept", q={"state": "skipped"}), "q must be answered"),
]
