"""What does a session show of a chat: its summary, and what in it waits for somebody?"""

from __future__ import annotations

from typing import Final, cast

from ahp_platform.protocol.types.chat import ChatState, ResponsePart
from ahp_platform.protocol.types.session import SessionInputRequest
from ahp_platform.protocol.types.summaries import ChatSummary

_SUMMARY: Final = tuple(ChatSummary.__annotations__)


def chat_summary(state: ChatState) -> ChatSummary:
    """The chat without its contents, as the catalogue of its session holds it."""
    return cast(ChatSummary, {name: value for name, value in state.items() if name in _SUMMARY})


def open_input_requests(state: ChatState) -> list[SessionInputRequest]:
    """Every block of the active turn, in its order. Ids are made of the chat and of the request or tool call."""
    turn = state.get("activeTurn")
    if turn is None:
        return []
    found = (_block(state["resource"], turn["id"], part) for part in turn["responseParts"])
    return [block for block in found if block is not None]


def _block(chat: str, turn_id: str, part: ResponsePart) -> SessionInputRequest | None:
    if part["kind"] == "inputRequest" and "response" not in part:
        request = part["request"]
        return {"kind": "chatInput", "id": f"{chat}#{request['id']}", "chat": chat, "request": request}
    if part["kind"] != "toolCall":
        return None
    call = part["toolCall"]
    block_id = f"{chat}#{call['toolCallId']}"
    if call["status"] == "pending-confirmation" or call["status"] == "pending-result-confirmation":
        return {"kind": "toolConfirmation", "id": block_id, "chat": chat, "turnId": turn_id, "toolCall": call}
    if call["status"] == "auth-required":
        return {"kind": "toolAuthentication", "id": block_id, "chat": chat, "turnId": turn_id, "toolCall": call}
    contributor = call.get("contributor")
    if call["status"] == "running" and contributor is not None and contributor["kind"] == "client":
        return {
            "kind": "toolClientExecution",
            "id": block_id,
            "chat": chat,
            "turnId": turn_id,
            "clientId": contributor["clientId"],
            "toolCall": call,
        }
    return None
