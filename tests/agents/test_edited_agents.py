"""What becomes of processes, and of agents at work, when an operator edits an agent?"""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import connections

from ahp_platform.agents import registry
from ahp_platform.agents.catalogue import attending, seed
from ahp_platform.agents.catalogue.current import Catalogue
from ahp_platform.agents.catalogue.rows import Agent
from ahp_platform.agents.runner.live import LiveSessions
from ahp_platform.protocol import uris
from sessions_app.root import ensure_root
from tests.agents.conftest import SESSION, Bench, UseAgent
from tests.agents.rogues import Rogue, mute


@pytest.fixture
async def process(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Catalogue]:
    """What another process knows of the rows; `registry` asks ours."""
    monkeypatch.setattr(registry, "catalogue", Catalogue(registry.of_specification))
    yield Catalogue(registry.of_specification)
    # The thread that wrote rows for us keeps its connection.
    await sync_to_async(connections.close_all)()


def agent(**columns: Any) -> Agent:
    return Agent(provider="mine", display_name="First", command=["cat"], **columns)


async def offered(bench: Bench) -> list[str]:
    """The display names in the tenant's root state."""
    return [info["displayName"] for info in (await bench.log.state(uris.ROOT))["agents"]][2:]


async def test_a_process_that_has_not_looked_yet_undoes_nothing(
    bench: Bench, process: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = agent()
    await sync_to_async(row.save)()
    await registry.catalogue.refresh()
    await ensure_root(bench.log)
    await process.refresh()
    row.display_name = "Second"
    await sync_to_async(row.save)()
    await registry.catalogue.refresh()
    await ensure_root(bench.log)
    seq = bench.log.seq
    # Somebody connects to the other process, which still believes in the first name.
    assert process.backends["mine"].entry.display_name == "First"
    monkeypatch.setattr(registry, "catalogue", process)
    await ensure_root(bench.log)
    assert await offered(bench) == ["Second"]
    assert bench.log.seq == seq


async def test_a_row_that_makes_no_sense_spoils_no_other(process: Catalogue, bench: Bench) -> None:
    await sync_to_async(agent(discovered={"models": 7, "properties": None}, offered_models=[3]).save)()
    await sync_to_async(Agent(provider="other", display_name="Fine", command=["cat"]).save)()
    await registry.catalogue.refresh()
    await ensure_root(bench.log)
    assert "Fine" in await offered(bench)


async def test_an_agent_at_work_gives_way_to_the_edited_one(
    bench: Bench, use: UseAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions, old = LiveSessions(), use(Rogue(mute))
    async with sessions.use(bench.log, SESSION, "demo") as first:
        new = use(Rogue(mute))
        async with sessions.use(bench.log, SESSION, "demo") as second:
            assert (first.session, second.session) == (old, new)
            # The turn that still runs with it is let be.
            assert old.closed == 0
    await sessions.close_all()
    assert (old.closed, new.closed) == (1, 1)


async def test_what_people_see_of_an_agent_may_change_while_it_works(process: Catalogue, bench: Bench) -> None:
    row = agent(environment={"A": "1"})
    await sync_to_async(row.save)()
    await registry.catalogue.refresh()
    before = registry.catalogue.backends["mine"]
    row.display_name, row.offered_models = "Second", [{"id": "m", "name": "M"}]
    await sync_to_async(row.save)()
    await registry.catalogue.refresh()
    assert registry.same_program(before, registry.get("mine"))
    row.environment = {"A": "2"}
    await sync_to_async(row.save)()
    await registry.catalogue.refresh()
    assert not registry.same_program(before, registry.get("mine"))


@pytest.mark.django_db
def test_a_worker_that_breaks_leaves_a_reason_and_no_row_that_is_tried_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    row = agent()
    row.ask_to_check()
    row.save()

    def broken(_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(attending, "discover", broken)
    attending.attend()
    row.refresh_from_db()
    assert (row.check_state, row.check_message) == (Agent.Check.FAILED, attending.BROKEN)


@pytest.mark.django_db
def test_opencode_is_offered_where_its_program_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "AHP_OPENCODE", "")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not seed.offer_opencode()
    program = tmp_path / "opencode"
    program.touch(mode=0o755)
    assert shutil.which("opencode") == str(program)
    monkeypatch.setenv("OPENCODE_CONFIG_CONTENT", '{"model": "mine/m"}')
    assert seed.offer_opencode()
    row = Agent.objects.get(provider="opencode")
    assert row.command == [str(program), "acp"]
    assert row.secret_environment() == {"OPENCODE_CONFIG_CONTENT": '{"model": "mine/m"}'}
    assert row.check_state == Agent.Check.WAITING
    Agent.objects.update(enabled=False)
    assert not seed.offer_opencode()
    assert not Agent.objects.get().enabled


@pytest.mark.django_db
def test_a_secret_whose_key_was_replaced_is_still_read_while_the_old_key_is_kept(settings: Any) -> None:
    row = agent()
    row.seal({"KEY": "value"})
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "a new one", [settings.SECRET_KEY]
    assert row.secret_environment() == {"KEY": "value"}
    settings.SECRET_KEY_FALLBACKS = []
    assert row.secret_environment() == {}
