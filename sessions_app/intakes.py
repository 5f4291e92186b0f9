"""Which of a client's actions need more than their own channel's state to be judged?

Each function runs inside the plan: it returns the action as it is to be applied, or raises `Refused`. Source:
PROTOCOL.md sections 5 to 8 and 11.
"""

from __future__ import annotations

from typing import Any

from ahp_platform.agents import registry
from ahp_platform.eventlog.view import Refused, View
from ahp_platform.eventlog.workers import WORKER_ID
from ahp_platform.protocol.errors import ProtocolError
from ahp_platform.rpc.context import Context
from ahp_platform.rpc.table import Intake, Preparation
from sessions_app import annotation_intakes, people, rows, workspace
from sessions_app.customizations import consequences as of_customizations

Action = dict[str, Any]

# Ids are part of index entries.
MAX_ID = 500


def client_becomes_active(view: View, session: str, action: Action, context: Context) -> Action:
    """Remember the connection that speaks for the active client."""
    client_id = action["activeClient"]["clientId"]
    view.sql(*rows.client_active(view.tenant_id, session, client_id, WORKER_ID, context.connection.id))
    return action


def config_changes(view: View, session: str, action: Action, context: Context) -> Action:
    """Only the owner moves a session in and out of the others' sight."""
    values = view.state(session)["config"]["values"]
    wanted = action["config"] if action.get("replace") else {**values, **action["config"]}
    moves = any(wanted.get(name) != values.get(name) for name in ("visibility", "members"))
    if moves and view.channel(session).opened_by != context.principal.user_id:
        raise Refused("Only the owner of the session may change who sees it")
    if len(wanted.get("members", ())) > people.MAX_MEMBERS:
        raise Refused(f"A session is shared with at most {people.MAX_MEMBERS} people by name")
    return action


def session_directory_set(view: View, session: str, action: Action, context: Context) -> Action:
    """A working directory lies in the tenant's own, and the agent can have several."""
    _require_several_directories(view, session)
    try:
        workspace.require_workable(context.log.slug, session, action["directory"])
    except ProtocolError as error:
        raise Refused(str(error)) from None
    return action


def session_directory_removed(view: View, session: str, action: Action, context: Context) -> Action:
    """A directory leaves the session only when no chat holds it."""
    _require_several_directories(view, session)
    for summary in view.state(session)["chats"]:
        if action["directory"] in view.state(summary["resource"]).get("workingDirectories", ()):
            raise Refused("A chat still works in that directory")
    return action


def chat_directory_set(view: View, chat: str, action: Action, context: Context) -> Action:
    """A chat's working directories are among its session's."""
    session = view.channel(chat).parent
    if session is None or action["directory"] not in view.state(session).get("workingDirectories", ()):
        raise Refused("The directory is not one of the session's working directories")
    _require_several_directories(view, session)
    return action


def turn_starts(view: View, chat: str, action: Action, context: Context) -> Action:
    """A chat attached to a message is one of the same session, through a completed turn."""
    _require_storable(action["turnId"])
    session = view.channel(chat).parent
    for attachment in action["message"].get("attachments", ()):
        if attachment.get("type") == "chat":
            _require_attached_chat(view, session, attachment)
    if session is not None and view.state(session)["lifecycle"] == "creationFailed":
        raise Refused("The session could not be created")
    _require_role(view, session, context)
    return action


def message_waits(view: View, chat: str, action: Action, context: Context) -> Action:
    """The id of a waiting message names a row, too."""
    _require_storable(action["id"])
    _require_role(view, view.channel(chat).parent, context)
    return action


def _require_role(view: View, session: str | None, context: Context) -> None:
    if session is not None and not registry.role_may_use(view.state(session)["provider"], context.principal.role):
        raise Refused(f"This agent is not for the role {context.principal.role}")


def _require_storable(identifier: str) -> None:
    if not 0 < len(identifier) <= MAX_ID or "\x00" in identifier:
        raise Refused(f"An id has 1 to {MAX_ID} characters, none of them NUL")


def _require_attached_chat(view: View, session: str | None, attachment: Action) -> None:
    found = view.find(attachment["resource"])
    if found is None or found.kind != "chat" or found.parent != session:
        raise Refused("The attached chat is not one of this session")
    if attachment["endTurn"] not in {turn["id"] for turn in found.state["turns"]}:
        raise Refused("The attached chat has no such completed turn")


def _require_several_directories(view: View, session: str) -> None:
    backend = registry.get(view.state(session)["provider"], view.tenant_id)
    if backend is None or "multipleWorkingDirectories" not in backend.info().get("capabilities", {}):
        raise Refused("This agent works in one directory")


PREPARATIONS: dict[str, Preparation] = {"session/configChanged": people.know_members}

INTAKES: dict[str, Intake] = {
    "session/activeClientSet": client_becomes_active,
    "session/configChanged": config_changes,
    "session/mcpServerStartRequested": of_customizations.server_starts,
    "session/workingDirectorySet": session_directory_set,
    "session/workingDirectoryRemoved": session_directory_removed,
    "chat/workingDirectorySet": chat_directory_set,
    "chat/turnStarted": turn_starts,
    "annotations/set": annotation_intakes.annotation_set,
    "annotations/updated": annotation_intakes.annotation_updated,
    "annotations/entrySet": annotation_intakes.entry_set,
    "chat/pendingMessageSet": message_waits,
}
