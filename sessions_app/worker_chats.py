"""How does an agent get a chat for a worker of its own?"""

from __future__ import annotations

import uuid

from ahp_platform.eventlog.log import TenantLog
from ahp_platform.eventlog.view import View
from sessions_app.chats import UNTITLED, new_chat, open_chat
from sessions_app.sessions import UNTITLED as UNTITLED_SESSION


class WorkerChats:
    """Opens and names chats for the runner (`agents.runner.ports.Chats`)."""

    async def open_worker(self, log: TenantLog, session: str, origin_chat: str, tool_call_id: str, title: str) -> str:
        """A new chat that belongs to a tool call of `origin_chat`, with the same working directories; returns its URI."""
        uri = f"ahp-chat:/{uuid.uuid4()}"

        def plan(view: View) -> None:
            origin = {"kind": "tool", "chat": origin_chat, "toolCallId": tool_call_id}
            source = view.state(origin_chat)
            directories, primary = source.get("workingDirectories", []), source.get("primaryWorkingDirectory")
            open_chat(view, session, new_chat(uri, title, view.now_ms, origin, directories, primary))

        await log.append(plan)
        return uri

    async def entitle(self, log: TenantLog, chat: str, title: str, before: str | None) -> None:
        """What an agent calls a chat, as long as nobody else has given it a name."""

        def plan(view: View) -> None:
            found = view.find(chat)
            if found is None or found.parent is None:
                return
            session = view.state(found.parent)
            listed = next((each for each in session["chats"] if each["resource"] == chat), None)
            if listed is not None and listed.get("title") in (UNTITLED, before):
                view.act(found.parent, {"type": "session/chatUpdated", "chat": chat, "changes": {"title": title}})
            if session.get("defaultChat") == chat and session["title"] in (UNTITLED_SESSION, before):
                view.act(found.parent, {"type": "session/titleChanged", "title": title})

        await log.append(plan)
