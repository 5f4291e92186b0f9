"""How is a session born, forked and disposed of?

The functions make plans for the log. Source: PROTOCOL.md section 7.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ahp_platform.eventlog.view import Readers, View
from ahp_platform.eventlog.workers import WORKER_ID
from ahp_platform.protocol import uris
from ahp_platform.protocol.errors import NotFound, SessionAlreadyExists, SessionNotFound
from sessions_app import people, rows
from sessions_app.chats import close_chat, copied_turns, new_chat, open_chat
from sessions_app.customizations import consequences as of_customizations
from sessions_app.root import count_session
from sessions_app.sight import summary

UNTITLED = "New session"


@dataclass(frozen=True, slots=True)
class NewSession:
    """Everything that is decided about a session before its plan runs.

    `config` is a `SessionConfigState`; `connection` the one that speaks for `active_client`.
    """

    uri: str
    owner_id: int
    provider: str
    config: Mapping[str, Any]
    working_directories: Sequence[str]
    primary: str | None = None
    project: Mapping[str, str] | None = None
    fork: Mapping[str, str] | None = None
    active_client: Mapping[str, Any] | None = None
    connection: str = ""
    progress: tuple[str, str] | None = None
    chat: str = field(default_factory=lambda: f"ahp-chat:/{uuid.uuid4()}")

    def readers(self, tenant_id: int) -> Readers:
        """Who may see it."""
        return people.readers(tenant_id, self.owner_id, self.config["values"])


def create(view: View, new: NewSession) -> None:
    """Open the session, its default chat and its annotations; the workspace is prepared afterwards."""
    if view.exists(new.uri):
        raise SessionAlreadyExists("The session exists already")
    directories = _forked_directories(view, new) if new.fork else list(new.working_directories)
    turns = _forked_turns(view, new.fork) if new.fork else []
    origin = {"kind": "user"}
    chat = new_chat(new.chat, UNTITLED, view.now_ms, origin, directories, new.primary, turns)
    readers = new.readers(view.tenant_id)
    view.open(new.uri, "session", _state(new, directories), readers=readers)
    view.open(uris.annotations_of(new.uri), "annotations", {"annotations": []}, parent=new.uri)
    open_chat(view, new.uri, chat)
    shown = summary(view, new.uri, view.state(new.uri))
    if new.active_client:
        client_id = new.active_client["clientId"]
        view.sql(*rows.client_active(view.tenant_id, new.uri, client_id, WORKER_ID, new.connection))
    view.sql(*rows.session_added(view.tenant_id, new.owner_id, readers, shown, new.progress))
    view.notice("root/sessionAdded", {"summary": shown}, readers)
    count_session(view, readers, +1)


def _state(new: NewSession, directories: list[str]) -> dict[str, Any]:
    state: dict[str, Any] = {
        "provider": new.provider,
        "title": UNTITLED,
        "status": 1,
        "lifecycle": "creating",
        "activeClients": [new.active_client] if new.active_client else [],
        "chats": [],
        "defaultChat": new.chat,
        "config": new.config,
        "workingDirectories": directories,
    }
    if new.project is not None:
        state["project"] = new.project
    return state


def _forked_turns(view: View, fork: Mapping[str, str]) -> list[dict[str, Any]]:
    for listed in view.state(fork["session"])["chats"]:
        try:
            return copied_turns(view, listed["resource"], fork["turnId"])
        except NotFound:
            continue
    raise NotFound("fork.turnId: no such completed turn in that session")


def _forked_directories(view: View, new: NewSession) -> list[str]:
    return list(view.state(new.fork["session"]).get("workingDirectories", [])) if new.fork else []


def dispose(view: View, uri: str) -> None:
    """Close the session and everything in it."""
    if not view.exists(uri):
        raise SessionNotFound("No such session")
    readers = view.readers(uri)
    for chat in [listed["resource"] for listed in view.state(uri)["chats"]]:
        close_chat(view, chat)
    view.close(uris.annotations_of(uri))
    of_customizations.close(view, uri)
    view.close(uri)
    for statement in rows.session_removed(view.tenant_id, uri):
        view.sql(*statement)
    view.notice("root/sessionRemoved", {"session": uri}, readers)
    count_session(view, readers, -1)


def prepared(view: View, uri: str, error: Mapping[str, str] | None = None) -> None:
    """The workspace is ready, or could not be made (`error`, an `ErrorInfo`, says why)."""
    if not view.exists(uri):
        return
    if error is None:
        view.act(uri, {"type": "session/ready"})
    else:
        view.act(uri, {"type": "session/creationFailed", "error": dict(error)})
    view.sql(*rows.session_prepared(view.tenant_id, uri))
