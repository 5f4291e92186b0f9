"""How does an operator end a session, or what runs in it, from outside of any connection?"""

from __future__ import annotations

from collections.abc import Sequence

from ahp_platform.eventlog.logs import logs
from ahp_platform.eventlog.view import View
from ahp_platform.protocol.errors import SessionNotFound
from sessions_app import sessions, tasks
from sessions_app.rpc import hand_over
from sessions_app.times import elapsed_ms

# A tenant and the URI of one of its sessions.
Place = tuple[int, str]


async def end_sessions(places: Sequence[Place]) -> int:
    """Dispose of the sessions; how many of them were still there."""
    return sum([await _end_session(*place) for place in places])


async def end_turns(places: Sequence[Place]) -> int:
    """Cancel the turns that run in the sessions; how many there were."""
    return sum([await _end_turns(*place) for place in places])


async def _end_session(tenant_id: int, uri: str) -> bool:
    log = await logs.open(tenant_id)
    try:
        await log.append(lambda view: sessions.dispose(view, uri))
    except SessionNotFound:
        return False
    await hand_over(tasks.ask_to_clear, tenant_id, uri)
    return True


async def _end_turns(tenant_id: int, uri: str) -> int:
    cancelled: set[str] = set()

    def plan(view: View) -> None:
        cancelled.clear()
        for chat in [listed["resource"] for listed in view.state(uri)["chats"]] if view.exists(uri) else ():
            active = view.state(chat).get("activeTurn")
            if active:
                duration = elapsed_ms(active["startedAt"], view.now_ms)
                view.act(chat, {"type": "chat/turnCancelled", "turnId": active["id"], "duration": duration})
                cancelled.add(chat)

    await (await logs.open(tenant_id)).append(plan)
    return len(cancelled)
