"""The cases of chats, and the states and actions that they are made of."""

from __future__ import annotations

from typing import Any

from tests.protocol.cases.case import GONE, NOW, Case

HELLO: dict[str, Any] = {"text": "Hello", "origin": {"kind": "user"}}
FORGED: dict[str, Any] = {"text": "Hello", "origin": {"kind": "agent"}}
DONE: dict[str, Any] = {"id": "t0", "message": HELLO, "responseParts": [], "state": "complete"}
TEXT: dict[str, Any] = {"kind": "markdown", "id": "m", "content": "a"}
THOUGHT: dict[str, Any] = {"kind": "reasoning", "id": "r", "content": "a"}
CHAT: dict[str, Any] = {
    "resource": "ahp-chat:/1",
    "title": "C",
    "status": 1,
    "modifiedAt": "1970-01-01T00:00:01.000Z",
    "turns": [DONE],
}


def turn(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"id": "t1", "startedAt": "1970-01-01T00:00:01.000Z", "message": HELLO, "responseParts": list(parts)}


def busy(*parts: dict[str, Any], status: int = 8, **more: Any) -> dict[str, Any]:
    return {**CHAT, "status": status, "activeTurn": turn(*parts), **more}


def call(status: str, **more: Any) -> dict[str, Any]:
    fields = {"toolCallId": "c", "toolName": "x", "displayName": "X", "status": status, **more}
    if status != "streaming":
        fields.setdefault("invocationMessage", "Run")
    if status in ("running", "completed", "pending-result-confirmation", "auth-required"):
        fields.setdefault("confirmed", "not-needed")
    return {"kind": "toolCall", "toolCall": fields}


def on_call(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": f"chat/toolCall{kind}", "turnId": "t1", "toolCallId": "c", **more}


def on_turn(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": f"chat/{kind}", "turnId": "t1", **more}


def text(value: str, state: str = "draft") -> dict[str, Any]:
    return {"state": state, "value": {"kind": "text", "value": value}}


def ended(how: str, *parts: dict[str, Any], status: int = 1, **more: Any) -> dict[str, Any]:
    done = {**turn(*parts), "state": how, "duration": 7, **more}
    return {"activeTurn": GONE, "turns": [DONE, done], "status": status, "modifiedAt": NOW}


ERROR = {"errorType": "x", "message": "no"}
OK = {"success": True, "pastTenseMessage": "Ran"}
FAILED = {"success": False, "pastTenseMessage": "Gave up"}
MINE = {"kind": "client", "clientId": "my-client"}
MCP = {"kind": "mcp", "customizationId": "server"}
AUTH = {"reason": "required", "resource": {"resource": "https://r.example"}}
OPTIONS = [{"id": "yes", "label": "Yes", "kind": "approve"}, {"id": "no", "label": "No", "kind": "deny"}]
ASKED = call("pending-confirmation", options=OPTIONS)
SCREEN = [{"type": "text", "text": "so far"}]
QUEUE = [{"id": "q1", "message": HELLO}, {"id": "q2", "message": HELLO}]
STEERED = {**CHAT, "steeringMessage": {"id": "s", "message": HELLO}}
REQUEST: dict[str, Any] = {"id": "r", "questions": [{"id": "q", "kind": "text", "message": "?", "required": True}]}
OPEN: dict[str, Any] = {"kind": "inputRequest", "request": REQUEST}
DRAFTED: dict[str, Any] = {"kind": "inputRequest", "request": {**REQUEST, "answers": {"q": text("a")}}}
WAITS = busy(OPEN, status=24)

CASES: dict[str, Case] = {
    "chat/turnStarted": Case(
        {**CHAT, "status": 33, "queuedMessages": QUEUE[:1]},
        {**on_turn("turnStarted", startedAt="1970-01-01T00:00:01.000Z", message=HELLO), "queuedMessageId": "q1"},
        {"activeTurn": turn(), "status": 8, "modifiedAt": NOW, "queuedMessages": GONE},
        on_turn("turnStarted", startedAt=NOW, message=HELLO),
        busy(),
    ),
    "chat/responsePart": Case(
        busy(),
        on_turn("responsePart", part=TEXT),
        {"activeTurn": turn(TEXT)},
        {**on_turn("responsePart", part=TEXT), "turnId": "t0"},
    ),
    "chat/delta": Case(
        busy(TEXT, THOUGHT),
        on_turn("delta", partId="m", content="b"),
        {"activeTurn": turn({**TEXT, "content": "ab"}, THOUGHT)},
        on_turn("delta", partId="r", content="b"),
    ),
    "chat/reasoning": Case(
        busy(TEXT, THOUGHT),
        on_turn("reasoning", partId="r", content="b"),
        {"activeTurn": turn(TEXT, {**THOUGHT, "content": "ab"})},
        on_turn("reasoning", partId="m", content="b"),
    ),
    "chat/toolCallStart": Case(
        busy(),
        on_call("Start", toolName="x", displayName="X"),
        {"activeTurn": turn(call("streaming"))},
        on_call("Start", toolName="x", displayName="X"),
        busy(call("running")),
    ),
    "chat/toolCallDelta": Case(
        busy(call("streaming", partialInput="a")),
        on_call("Delta", content="b", invocationMessage="Will"),
        {"activeTurn": turn(call("streaming", partialInput="ab", invocationMessage="Will"))},
        on_call("Delta", content="b"),
        busy(call("running")),
    ),
    "chat/toolCallReady": Case(
        busy(call("running", toolInput="in")),
        on_call("Ready", invocationMessage="May I?", options=OPTIONS),
        {
            "activeTurn": turn(
                call("pending-confirmation", toolInput="in", invocationMessage="May I?", options=OPTIONS)
            ),
            "status": 24,
        },
        on_call("Ready", invocationMessage="May I?"),
        busy(call("completed", **OK)),
    ),
    "chat/toolCallConfirmed": Case(
        busy(ASKED, status=24),
        on_call("Confirmed", approved=True, confirmed="user-action", selectedOptionId="yes"),
        {
            "activeTurn": turn(call("running", confirmed="user-action", selectedOption=OPTIONS[0])),
            "status": 8,
        },
        on_call("Confirmed", approved=False, reason="denied"),
        busy(call("running")),
    ),
    "chat/toolCallComplete": Case(
        busy(call("running")),
        on_call("Complete", result=OK, requiresResultConfirmation=True),
        {"activeTurn": turn(call("pending-result-confirmation", **OK)), "status": 24},
        on_call("Complete", result=OK),
        busy(call("streaming")),
    ),
    "chat/toolCallResultConfirmed": Case(
        busy(call("pending-result-confirmation", **OK), status=24),
        on_call("ResultConfirmed", approved=False),
        {"activeTurn": turn(call("cancelled", reason="result-denied")), "status": 8},
        on_call("ResultConfirmed", approved=True),
        busy(call("running")),
    ),
    "chat/toolCallContentChanged": Case(
        busy(call("running")),
        on_call("ContentChanged", content=SCREEN),
        {"activeTurn": turn(call("running", content=SCREEN))},
        on_call("ContentChanged", content=SCREEN),
        busy(call("streaming")),
    ),
    "chat/toolCallAuthRequired": Case(
        busy(call("running", contributor=MCP)),
        on_call("AuthRequired", auth=AUTH),
        {"activeTurn": turn(call("auth-required", contributor=MCP, auth=AUTH)), "status": 24},
        on_call("AuthRequired", auth=AUTH),
        busy(call("running", contributor=MINE)),
    ),
    "chat/toolCallAuthResolved": Case(
        busy(call("auth-required", contributor=MCP, auth=AUTH), status=24),
        on_call("AuthResolved"),
        {"activeTurn": turn(call("running", contributor=MCP)), "status": 8},
        on_call("AuthResolved"),
        busy(call("running", contributor=MCP)),
    ),
    "chat/turnComplete": Case(
        busy(call("running"), OPEN, status=24),
        on_turn("turnComplete", duration=7),
        ended("complete", call("cancelled", reason="skipped"), OPEN),
        {**on_turn("turnComplete", duration=7), "turnId": "t0"},
    ),
    "chat/turnCancelled": Case(
        busy(TEXT),
        on_turn("turnCancelled", duration=7),
        ended("cancelled", TEXT),
        on_turn("turnCancelled", duration=7),
        CHAT,
    ),
    "chat/error": Case(
        busy(status=8 | 64),
        on_turn("error", duration=7, error=ERROR),
        ended("error", status=2 | 64, error=ERROR),
        on_turn("error", duration=7, error=ERROR),
        CHAT,
    ),
    "chat/usage": Case(
        busy(),
        on_turn("usage", usage={"inputTokens": 1}),
        {"activeTurn": {**turn(), "usage": {"inputTokens": 1}}},
        {**on_turn("usage", usage={}), "turnId": "t0"},
    ),
    "chat/activityChanged": Case(
        CHAT,
        {"type": "chat/activityChanged", "activity": "thinks"},
        {"activity": "thinks"},
        {"type": "chat/activityChanged"},
    ),
    "chat/draftChanged": Case(
        CHAT, {"type": "chat/draftChanged", "draft": HELLO}, {"draft": HELLO}, {"type": "chat/draftChanged"}
    ),
    "chat/workingDirectorySet": Case(
        CHAT,
        {"type": "chat/workingDirectorySet", "directory": "file:///a"},
        {"workingDirectories": ["file:///a"]},
        {"type": "chat/workingDirectorySet", "directory": "file:///a"},
        {**CHAT, "workingDirectories": ["file:///a"]},
    ),
    "chat/workingDirectoryRemoved": Case(
        {**CHAT, "workingDirectories": ["file:///a"]},
        {"type": "chat/workingDirectoryRemoved", "directory": "file:///a"},
        {"workingDirectories": []},
        {"type": "chat/workingDirectoryRemoved", "directory": "file:///b"},
    ),
    "chat/pendingMessageSet": Case(
        CHAT,
        {"type": "chat/pendingMessageSet", "kind": "queued", "id": "q1", "message": HELLO},
        {"queuedMessages": QUEUE[:1]},
        {"type": "chat/pendingMessageSet", "kind": "steering", "id": "s", "message": HELLO},
        STEERED,
    ),
    "chat/pendingMessageRemoved": Case(
        STEERED,
        {"type": "chat/pendingMessageRemoved", "kind": "steering", "id": "s"},
        {"steeringMessage": GONE},
        {"type": "chat/pendingMessageRemoved", "kind": "queued", "id": "s"},
    ),
    "chat/queuedMessagesReordered": Case(
        {**CHAT, "queuedMessages": QUEUE},
        {"type": "chat/queuedMessagesReordered", "order": ["q2", "gone"]},
        {"queuedMessages": QUEUE[::-1]},
        {"type": "chat/queuedMessagesReordered", "order": ["q1"]},
    ),
    "chat/inputRequested": Case(
        busy(DRAFTED, status=24),
        {"type": "chat/inputRequested", "request": {**REQUEST, "message": "Again"}},
        {
            "activeTurn": turn(
                {"kind": "inputRequest", "request": {**REQUEST, "message": "Again", "answers": {"q": text("a")}}}
            ),
            "modifiedAt": NOW,
        },
        {"type": "chat/inputRequested", "request": REQUEST},
        CHAT,
    ),
    "chat/inputAnswerChanged": Case(
        WAITS,
        {"type": "chat/inputAnswerChanged", "requestId": "r", "questionId": "q", "answer": text("a")},
        {"activeTurn": turn(DRAFTED), "modifiedAt": NOW},
        {"type": "chat/inputAnswerChanged", "requestId": "r", "questionId": "q"},
    ),
    "chat/inputCompleted": Case(
        busy(DRAFTED, status=24),
        {"type": "chat/inputCompleted", "requestId": "r", "response": "accept"},
        {"activeTurn": turn({**DRAFTED, "response": "accept"}), "status": 8, "modifiedAt": NOW},
        {"type": "chat/inputCompleted", "requestId": "x", "response": "accept"},
    ),
    "chat/truncated": Case(
        busy(turnsNextCursor="c"),
        {"type": "chat/truncated"},
        {"turns": [], "activeTurn": GONE, "turnsNextCursor": GONE, "status": 1, "modifiedAt": NOW},
        {"type": "chat/truncated", "turnId": "t9"},
    ),
    "chat/turnsLoaded": Case(
        {**CHAT, "turnsNextCursor": "c"},
        {"type": "chat/turnsLoaded", "turns": [{**DONE, "id": "t-1"}, DONE]},
        {"turns": [{**DONE, "id": "t-1"}, DONE], "turnsNextCursor": GONE},
        {"type": "chat/turnsLoaded", "turns": [DONE]},
        CHAT,
    ),
}
