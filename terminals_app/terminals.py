"""How is a terminal opened, listed, ended and disposed of?

The functions are used inside plans. The root channel's list is the tenant's: it shows the terminals that everybody in the tenant may
read. Those that only the readers of a private session may see stand in that session's `_meta.terminals`. Source: PROTOCOL.md sections
6 and 9.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from ahp_platform.eventlog.view import State, View
from ahp_platform.protocol import jsonrpc, uris
from ahp_platform.protocol.errors import AlreadyExists
from terminals_app import rows

Infos = list[dict[str, Any]]

# What a process that was killed comes to in a shell: 128 and the number of SIGKILL.
KILLED = 137


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run: a shell, or one command, in the directory that these names lead to from the tenant's.

    `own` is the session whose own directories the processes may see besides those of the whole tenant; `environment` comes on top
    of what every terminal has.
    """

    directory: tuple[str, ...] = ()
    own: str | None = None
    command: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)


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
    plan = jsonrpc.encode(asdict(new.plan))
    view.sql(*rows.opened(view.tenant_id, new.uri, new.session, view.user_id, (plan, new.marker)))
    relist(view, new.uri)


def dispose(view: View, uri: str) -> None:
    """Close the channel; the host that runs it follows the channel and ends everything."""
    if view.exists(uri):
        session = view.channel(uri).parent
        view.close(uri)
        view.sql(*rows.closed(view.tenant_id, uri))
        relist(view, uri, session)


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
    """Who may see the session may have changed: its terminals change lists with it."""
    listed = view.state(uris.ROOT).get("terminals", ()) if view.exists(uris.ROOT) else ()
    own = view.state(session).get("_meta", {}).get("terminals", ())
    for info in (*listed, *own):
        if info["claim"].get("session") == session or view.channel(info["resource"]).parent == session:
            relist(view, info["resource"])


def relist(view: View, uri: str, session: str | None = None) -> None:
    """Make both lists say what is true of this terminal now; `session` is whose it was, where it is gone."""
    info, is_for_all = _info(view, uri)
    if view.exists(uris.ROOT):
        listed: Infos = view.state(uris.ROOT).get("terminals", [])
        terminals = _with(listed, uri, info if is_for_all else None)
        if terminals != listed:
            view.act(uris.ROOT, {"type": "root/terminalsChanged", "terminals": terminals})
    owner = view.channel(uri).parent if view.exists(uri) else session
    if owner is not None and view.exists(owner):
        _relist_in_session(view, owner, uri, None if is_for_all else info)


def _relist_in_session(view: View, session: str, uri: str, info: dict[str, Any] | None) -> None:
    meta = view.state(session).get("_meta", {})
    listed: Infos = meta.get("terminals", [])
    terminals = _with(listed, uri, info)
    if terminals == listed:
        return
    others = {name: value for name, value in meta.items() if name != "terminals"}
    now = {**others, "terminals": terminals} if terminals else others
    view.act(session, {"type": "session/metaChanged", "_meta": now} if now else {"type": "session/metaChanged"})


def _with(listed: Infos, uri: str, info: dict[str, Any] | None) -> Infos:
    """The list with this in the terminal's place, or without it."""
    if info is not None and not any(each["resource"] == uri for each in listed):
        return [*listed, info]
    wanted = [each if each["resource"] != uri else info for each in listed]
    return [each for each in wanted if each is not None]


def _info(view: View, uri: str) -> tuple[dict[str, Any] | None, bool]:
    """What lists say of the terminal, None where it has no place in any, and whether that is for the whole tenant."""
    found = view.find(uri)
    if found is None:
        return None, False
    state, claim = found.state, found.state["claim"]
    if "exitCode" in state and "toolCallId" in claim:
        return None, False  # its place is the tool call; a long session would fill the list with them
    info = {"resource": uri, "title": state["title"], "claim": claim}
    if "exitCode" in state:
        info["exitCode"] = state["exitCode"]
    # A claim of a private session would tell of a session that not everybody sees.
    tells = claim["kind"] == "session" and (
        not view.exists(claim["session"]) or view.readers(claim["session"]) is not None
    )
    return info, view.readers(uri) is None and not tells


def _held(view: View, uri: str, claim: Mapping[str, Any]) -> rows.Statement:
    if claim["kind"] == "session":
        return rows.held_by_session(view.tenant_id, uri, claim["session"])
    return rows.held_by_client(view.tenant_id, uri, claim["clientId"], view.channel(uri).parent)
