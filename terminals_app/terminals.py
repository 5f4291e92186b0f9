"""How is a terminal opened, listed, ended and disposed of?

The functions are used inside plans. The root channel's list is the tenant's: it shows the terminals that everybody in the tenant may
read. Those of private sessions stand in the tool calls of their session. Source: PROTOCOL.md sections 6 and 9.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ahp_platform.eventlog.view import State, View
from ahp_platform.protocol import jsonrpc, uris
from ahp_platform.protocol.errors import AlreadyExists
from terminals_app import rows

# What a process that was killed comes to in a shell: 128 and the number of SIGKILL.
KILLED = 137


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run: a shell, or one command, in the directory that these names lead to from the tenant's.

    `own` is the session whose own directories the processes may see besides those of the whole tenant.
    """

    directory: tuple[str, ...] = ()
    own: str | None = None
    command: str | None = None


@dataclass(frozen=True, slots=True)
class NewTerminal:
    """Everything that is decided about a terminal before its plan runs."""

    uri: str
    claim: Mapping[str, Any]
    plan: Plan
    cwd: str
    title: str
    size: tuple[int, int] = (80, 24)
    marker: uuid.UUID = field(default_factory=uuid.uuid4)

    @property
    def session(self) -> str | None:
        """The session it belongs to: it is seen by whoever sees the session, and ends with it."""
        return self.claim["session"] if self.claim["kind"] == "session" else self.plan.own


def create(view: View, new: NewTerminal) -> None:
    """Open the channel; a host then runs what the row says."""
    if view.exists(new.uri):
        raise AlreadyExists("The terminal exists already")
    if new.session is not None:
        view.channel(new.session)
    cols, rows_ = new.size
    state = {"title": new.title, "cwd": new.cwd, "cols": cols, "rows": rows_, "content": [], "claim": dict(new.claim)}
    view.open(new.uri, "terminal", {**state, "isPty": True}, parent=new.session)
    plan = jsonrpc.encode({"directory": new.plan.directory, "own": new.plan.own, "command": new.plan.command})
    view.sql(*rows.opened(view.tenant_id, new.uri, new.session, view.user_id, (plan, new.marker)))
    relist(view, new.uri)


def dispose(view: View, uri: str) -> None:
    """Close the channel; the host that runs it follows the channel and ends everything."""
    if view.exists(uri):
        view.close(uri)
        view.sql(*rows.closed(view.tenant_id, uri))
        relist(view, uri)


def end(view: View, uri: str, code: int) -> None:
    """What ran has ended; only the first end counts."""
    if view.exists(uri) and "exitCode" not in view.state(uri):
        view.act(uri, {"type": "terminal/exited", "exitCode": code})


def changed(view: View, uri: str, before: State, after: State, action: Mapping[str, Any]) -> None:
    """Add what follows from one action on a terminal."""
    if action["type"] == "terminal/data":
        return
    if action["type"] == "terminal/exited":
        view.sql(*rows.exited(view.tenant_id, uri))
    if action["type"] == "terminal/claimed":
        view.sql(*_held(view, uri, action["claim"]))
    if any(before.get(name) != after.get(name) for name in ("title", "claim", "exitCode")):
        relist(view, uri)


def session_changed(view: View, session: str) -> None:
    """Who may see the session may have changed: its terminals leave the tenant's list with it."""
    for info in view.state(uris.ROOT).get("terminals", ()) if view.exists(uris.ROOT) else ():
        if info["claim"].get("session") == session or view.channel(info["resource"]).parent == session:
            relist(view, info["resource"])


def relist(view: View, uri: str) -> None:
    """Make the root channel's list say what is true of this terminal now."""
    if not view.exists(uris.ROOT):
        return
    listed: list[dict[str, Any]] = view.state(uris.ROOT).get("terminals", [])
    now = _info(view, uri)
    if any(each["resource"] == uri for each in listed):
        wanted = [each if each["resource"] != uri else now for each in listed]
    else:
        wanted = [*listed, now]
    terminals = [each for each in wanted if each is not None]
    if terminals != listed:
        view.act(uris.ROOT, {"type": "root/terminalsChanged", "terminals": terminals})


def _info(view: View, uri: str) -> dict[str, Any] | None:
    found = view.find(uri)
    if found is None or view.readers(uri) is not None:
        return None
    state, claim = found.state, found.state["claim"]
    if "exitCode" in state and "toolCallId" in claim:
        return None  # its place is the tool call; a long session would fill the list with them
    if claim["kind"] == "session" and (not view.exists(claim["session"]) or view.readers(claim["session"]) is not None):
        return None  # it would tell of a session that not everybody sees
    info = {"resource": uri, "title": state["title"], "claim": claim}
    return {**info, "exitCode": state["exitCode"]} if "exitCode" in state else info


def _held(view: View, uri: str, claim: Mapping[str, Any]) -> rows.Statement:
    if claim["kind"] == "session":
        return rows.held_by_session(view.tenant_id, uri, claim["session"])
    return rows.held_by_client(view.tenant_id, uri, claim["clientId"], view.channel(uri).parent)
