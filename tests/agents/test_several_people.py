"""May several people answer what one agent asks, at different processes, in any order?"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from typing import Any

import pytest

from tests.agents import agent_rows
from tests.agents.acp.sessions import ROOT, SCRIPTED
from tests.conftest import Connect, connector
from tests.interaction.conversation import Talk, accepted, begin, refusal
from tests.service import RunningService, own_data

AGENT = "asking"


@pytest.fixture(scope="module")
def webs(own_database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """Two web processes and two hosts, with an agent that may read this test's own files."""
    env = own_data(tmp_path_factory.mktemp("webs"), f"ahp-webs-{os.getpid()}")
    env |= {"DATABASE_URL": own_database, "AHP_SANDBOX": "local"}
    running = RunningService("cluster", "--web", "2", "--hosts", "2", env=env)
    try:
        running.wait_ready()
        asyncio.run(agent_rows.add(running, AGENT, SCRIPTED, {"PYTHONPATH": ROOT}))
        yield running
    finally:
        running.stop()


@pytest.fixture
async def connect(webs: RunningService) -> AsyncIterator[Connect]:
    async with AsyncExitStack() as stack:
        yield connector(webs, stack)


async def asked(talk: Talk, count: int) -> dict[str, Any]:
    """The tool calls that wait for somebody, by what they would run."""

    def found() -> dict[str, Any] | None:
        here = [each["action"] for each in talk.client.envelopes if each["channel"] == talk.chat]
        waiting = {action["invocationMessage"]: action for action in here if action.get("options")}
        return waiting if len(waiting) == count else None

    return await talk.client.until(found, f"{count} questions for permission", 60)


def answer(ready: Any, *, approved: bool) -> dict[str, Any]:
    base = {"type": "chat/toolCallConfirmed", "turnId": ready["turnId"], "toolCallId": ready["toolCallId"]}
    how = {"approved": True, "confirmed": "user-action"} if approved else {"approved": False, "reason": "denied"}
    return {**base, **how, "selectedOptionId": "yes" if approved else "no"}


async def test_three_calls_that_wait_at_once_are_answered_in_any_order_by_different_people(
    webs: RunningService, connect: Connect
) -> None:
    first, second = webs.web_ports()
    alice = await connect("alice", "ahp-root://", port=first)
    bob = await connect("bob", port=second)
    agents = (await alice.subscribe("ahp-root://"))["state"]["agents"]
    if not any(agent["provider"] == AGENT and agent["models"] for agent in agents):
        await agent_rows.offered(alice, AGENT)
    talk = await begin(alice, provider=AGENT)
    with_bob = await talk.joined_by(bob)

    turn_id = await talk.start("asks make test ship")
    waiting = await asked(with_bob, 3)
    await asked(talk, 3)
    await accepted(bob, talk.chat, answer(waiting["ship"], approved=False))
    await accepted(alice, talk.chat, answer(waiting["test"], approved=True))
    assert await refusal(alice, talk.chat, answer(waiting["ship"], approved=True))
    await accepted(bob, talk.chat, answer(waiting["make"], approved=True))

    assert (await talk.ended(turn_id))["type"] == "chat/turnComplete"
    await with_bob.ended(turn_id)
    for view in (talk, with_bob):
        calls = [part["toolCall"] for part in view.turn(turn_id)["responseParts"] if part["kind"] == "toolCall"]
        outcomes = {call["invocationMessage"]: call["status"] for call in calls}
        assert outcomes == {"make": "completed", "test": "completed", "ship": "cancelled"}
    assert talk.session_state.get("inputNeeded", []) == []
