"""How is a chat born, forked and closed?

The functions are used inside plans. Source: PROTOCOL.md section 8.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from ahp_platform.eventlog.view import State, View
from ahp_platform.protocol.channels.chat.summary import chat_summary
from ahp_platform.protocol.errors import AlreadyExists, InvalidParams, InvalidRequest, NotFound
from sessions_app.times import elapsed_ms, iso

UNTITLED = "New chat"


def new_chat(
    uri: str,
    title: str,
    now_ms: int,
    origin: Mapping[str, Any],
    directories: Sequence[str],
    primary: str | None = None,
    turns: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """The `ChatState` of a chat that is about to be opened."""
    state: dict[str, Any] = {
        "resource": uri,
        "title": title,
        "status": 1,
        "modifiedAt": iso(now_ms),
        "origin": dict(origin),
        "turns": list(turns),
    }
    if directories:
        state["workingDirectories"] = list(directories)
    if primary is not None:
        state["primaryWorkingDirectory"] = primary
    return state


def open_chat(view: View, session: str, chat: State) -> None:
    """Open the chat's channel and show it in its session's catalogue."""
    if view.exists(chat["resource"]):
        raise AlreadyExists("The chat exists already")
    view.open(chat["resource"], "chat", chat, parent=session)
    view.act(session, {"type": "session/chatAdded", "summary": chat_summary(chat)})


def create(view: View, session: str, params: Mapping[str, Any], capabilities: Mapping[str, Any]) -> None:
    """`createChat`: a further chat of a session, empty, forked or beside another one."""
    several = capabilities.get("multipleChats")
    if several is None:
        raise InvalidRequest("This agent has one chat per session")
    state = view.state(session)
    directories, primary = _directories(state.get("workingDirectories", []), params)
    origin: dict[str, Any] = {"kind": "user"}
    turns: list[dict[str, Any]] = []
    if "source" in params:
        origin, turns = _from_source(view, session, params["source"], several)
    chat = new_chat(params["chat"], UNTITLED, view.now_ms, origin, directories, primary, turns)
    open_chat(view, session, chat)
    if "initialMessage" in params:
        start_turn(view, params["chat"], params["initialMessage"])


def _directories(allowed: Sequence[str], params: Mapping[str, Any]) -> tuple[list[str], str | None]:
    directories = params.get("workingDirectories", list(allowed))
    if any(uri not in allowed for uri in directories):
        raise InvalidParams("params.workingDirectories: must be among those of the session")
    primary = params.get("primaryWorkingDirectory")
    if primary is not None and primary not in directories:
        raise InvalidParams("params.primaryWorkingDirectory: must be one of the working directories")
    return list(directories), primary


def _from_source(
    view: View, session: str, source: Mapping[str, Any], several: Mapping[str, Any]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    chat, kind = source["chat"], source["kind"]
    if not several.get(kind):
        raise InvalidRequest(f"This agent does not offer chats of the kind {kind}")
    found = view.find(chat)
    if found is None or found.kind != "chat" or found.parent != session:
        raise NotFound("params.source.chat: no such chat in this session")
    if kind == "fork":
        return dict(source), copied_turns(view, chat, source["turnId"])
    active = found.state.get("activeTurn")
    if source["turnId"] not in {turn["id"] for turn in [*found.state["turns"], *([active] if active else [])]}:
        raise NotFound("params.source.turnId: no such turn in that chat")
    if source.get("selection", {"text": "-"})["text"] == "":
        raise InvalidParams("params.source.selection.text: must not be empty")
    return dict(source), []


def copied_turns(view: View, chat: str, turn_id: str) -> list[dict[str, Any]]:
    """The completed turns of a chat through the named one; raises `NotFound`."""
    turns = view.state(chat)["turns"]
    for index, turn in enumerate(turns):
        if turn["id"] == turn_id:
            return list(turns[: index + 1])
    raise NotFound("source.turnId: no such completed turn")


def start_turn(view: View, chat: str, message: Mapping[str, Any], queued_id: str | None = None) -> str:
    """Start a turn of ours with this message and return its id."""
    turn_id = str(uuid.uuid4())
    action = {"type": "chat/turnStarted", "turnId": turn_id, "startedAt": iso(view.now_ms), "message": message}
    if queued_id is not None:
        action["queuedMessageId"] = queued_id
    view.act(chat, action)
    return turn_id


def close_chat(view: View, chat: str) -> None:
    """End what runs in the chat and close its channel."""
    for message in view.state(chat).get("queuedMessages", []):
        # First, or the end of the turn would start the next one.
        view.act(chat, {"type": "chat/pendingMessageRemoved", "kind": "queued", "id": message["id"]})
    active = view.state(chat).get("activeTurn")
    if active:
        duration = elapsed_ms(active["startedAt"], view.now_ms)
        view.act(chat, {"type": "chat/turnCancelled", "turnId": active["id"], "duration": duration})
    view.close(chat)


def dispose(view: View, chat: str) -> None:
    """`disposeChat`: close the chat and take it out of its session's catalogue."""
    found = view.channel(chat)
    if found.kind != "chat" or found.parent is None:
        raise NotFound("No such channel")
    session = found.parent
    close_chat(view, chat)
    if view.state(session).get("defaultChat") == chat:
        view.act(session, {"type": "session/defaultChatChanged"})
    view.act(session, {"type": "session/chatRemoved", "chat": chat})
