"""What does an agent find at its desk, and what becomes of what it leaves there?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ahp_platform.agents import leavings
from ahp_platform.agents.backend import Remembered, Sink, TurnRequest, TurnStopped
from ahp_platform.agents.runner.desk import SessionDesk
from ahp_platform.eventlog.pool import fetch
from ahp_platform.eventlog.view import View
from sessions_app.chats import dispose
from sessions_app.sessions import UNTITLED
from tests.agents.conftest import CHAT, SESSION, Bench, UseAgent
from tests.agents.rogues import Rogue
from tests.agents.turn_runs import finished, started


def desk(bench: Bench, provider: str = "a") -> SessionDesk:
    return SessionDesk(bench.log, SESSION, provider)


async def test_a_conversation_is_remembered_for_its_agent_alone(bench: Bench) -> None:
    await desk(bench).remember(CHAT, Remembered("one", "t1"))
    await desk(bench).remember(CHAT, Remembered("t\x00wo", "t2"))
    assert await desk(bench).remembered(CHAT) == Remembered("two", "t2")
    assert await desk(bench, "b").remembered(CHAT) is None


async def test_commands_alone_are_no_conversation(bench: Bench) -> None:
    await desk(bench).offer(CHAT, [{"name": "review\ud83d", "description": "a\x00b"}])
    assert await desk(bench).remembered(CHAT) is None


async def test_an_agents_title_stands_until_a_person_gives_one(bench: Bench) -> None:
    def default(view: View) -> None:
        view.act(SESSION, {"type": "session/defaultChatChanged", "defaultChat": CHAT})
        view.act(SESSION, {"type": "session/titleChanged", "title": UNTITLED})

    await bench.log.append(default)
    at = desk(bench)
    for title in ("Tea", "Coffee"):
        await at.entitle(CHAT, title)
        assert (await bench.log.state(SESSION))["title"] == title
    await bench.log.emit(SESSION, {"type": "session/titleChanged", "title": "Mine"})
    await at.entitle(CHAT, "Cocoa")
    assert (await bench.log.state(SESSION))["title"] == "Mine"


async def test_a_chat_of_another_session_is_not_shown(bench: Bench) -> None:
    await finished(await started(bench, text="say hello"))
    assert [turn["id"] for turn in await desk(bench).turns(CHAT, "t1")] == ["t1"]
    stranger = SessionDesk(bench.log, "ahp-session:/other", "a")
    assert await stranger.turns(CHAT, "t1") == ()
    assert await desk(bench).turns("ahp-chat:/none", "t1") == ()


async def test_what_agents_kept_goes_with_their_sessions(bench: Bench, settings: Any, tmp_path: Path) -> None:
    settings.AHP_DATA_DIR = tmp_path
    homes = tmp_path / "agents" / "a" / "homes" / bench.log.slug
    for session in (SESSION, "ahp-session:/gone"):
        (homes / leavings.home_name(session) / "deep").mkdir(parents=True)
    await desk(bench).remember(CHAT, Remembered("one", "t1"))
    await leavings.sweep()
    assert [home.name for home in homes.iterdir()] == [leavings.home_name(SESSION)]
    assert await desk(bench).remembered(CHAT) is not None
    await bench.log.append(lambda view: dispose(view, CHAT))
    await leavings.sweep()
    query = "SELECT count(*) FROM agents_conversation WHERE tenant_id = %s"
    assert await fetch(query, (bench.log.tenant_id,), tenant=bench.log.tenant_id) == [(0,)]


async def test_an_agent_that_stops_by_itself_ends_its_turn_as_cancelled(bench: Bench, use: UseAgent) -> None:
    async def work(turn: TurnRequest, sink: Sink) -> None:
        raise TurnStopped

    use(Rogue(work))
    await finished(await started(bench))
    assert (await bench.chat())["turns"][0]["state"] == "cancelled"
    assert (await bench.row("t1"))["state"] == "cancelled"
