"""Who may type into a terminal, resize it, rename it or hand it on?

The holder. Where a session holds it: a client of that session, which is one whose user may see the session and whose connection
follows the session, one of its chats or the terminal, or is active in it. Source: PROTOCOL.md section 9.
"""

from __future__ import annotations

from typing import Any

from ahp_platform.eventlog.view import Readers, Refused, View
from ahp_platform.rpc.context import Context, Principal
from ahp_platform.rpc.table import Intake, Policy

Action = dict[str, Any]

NOT_YOURS = "Another client holds this terminal"
MAX_INPUT = 1024 * 1024


class TerminalIntakes:
    """The intakes, with what says which sessions a principal may see."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def table(self) -> dict[str, Intake]:
        """Action type to intake."""
        return {
            "terminal/input": self.typed,
            "terminal/resized": self.used,
            "terminal/cleared": self.used,
            "terminal/titleChanged": self.used,
            "terminal/claimed": self.claimed,
        }

    def used(self, view: View, terminal: str, action: Action, context: Context) -> Action:
        """By the holder alone."""
        claim = view.state(terminal)["claim"]
        if claim["kind"] == "client":
            if claim["clientId"] != context.client.client_id:
                raise Refused(NOT_YOURS)
        elif not self._is_of_session(view, terminal, claim["session"], context):
            raise Refused(NOT_YOURS)
        return action

    def typed(self, view: View, terminal: str, action: Action, context: Context) -> Action:
        """By the holder alone, and not without end."""
        if len(action["data"]) > MAX_INPUT:
            raise Refused(f"At most {MAX_INPUT} characters of input at once")
        return self.used(view, terminal, action, context)

    def claimed(self, view: View, terminal: str, action: Action, context: Context) -> Action:
        """The holder hands it on: to any client, or to a session that all who see the terminal see."""
        self.used(view, terminal, action, context)
        claim = action["claim"]
        if claim["kind"] == "session":
            found = view.find(claim["session"])
            if found is None or found.kind != "session" or not self._sees(context.principal, found.readers):
                raise Refused("No such session")
            if found.readers is not None and view.channel(terminal).parent != claim["session"]:
                raise Refused("More people see this terminal than may see that session")
        return action

    def _is_of_session(self, view: View, terminal: str, session: str, context: Context) -> bool:
        found = view.find(session)
        if found is None or not self._sees(context.principal, found.readers):
            return False
        held = context.connection.subscriptions
        chats = {chat["resource"] for chat in found.state["chats"]}
        active = {client["clientId"] for client in found.state["activeClients"]}
        return context.client.client_id in active or not held.keys().isdisjoint({session, terminal, *chats})

    def _sees(self, principal: Principal, readers: Readers) -> bool:
        return self._policy.may_read(principal, readers)
