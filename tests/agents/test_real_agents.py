"""Do real coding agents work, from the npm registry, in the sandbox, through a real socket? The model is a stub; all else is real."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.agents import agent_rows, model_stub, npm_packages
from tests.conftest import Connect, connector
from tests.interaction.conversation import Talk, begin, text_of
from tests.service import RunningService, own_data

WITHIN_S = 60.0


class House:
    """A service with both agents, which can be started again."""

    def __init__(self, env: dict[str, str]) -> None:
        self._env = env
        self.service = self._started()

    def restart(self) -> None:
        """Everything ends and begins again, with the same data."""
        self.service.stop()
        self.service = self._started()

    def _started(self) -> RunningService:
        service = RunningService("up", env=self._env)
        service.wait_ready()
        return service


@pytest.fixture(scope="module")
def house(own_database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    opencode = npm_packages.installed("opencode-ai", "1.18.33")
    qwen = npm_packages.installed("@qwen-code/qwen-code", "0.15.10")
    env = own_data(tmp_path_factory.mktemp("real"), f"ahp-real-{os.getpid()}") | {"DATABASE_URL": own_database}
    with model_stub.model() as address:
        made = House(env)
        try:
            asyncio.run(_add(made.service, address, opencode, qwen))
            yield made
        finally:
            made.service.stop()


async def _add(service: RunningService, address: str, opencode: Path, qwen: Path) -> None:
    limits = {"context": 32_000, "output": 4_000}
    stub = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Stub",
        "options": {"baseURL": address, "apiKey": "none"},
        "models": {name: {"name": name, "limit": limits} for name in ("m", "n")},
    }
    config = {
        "model": "stub/m",
        "small_model": "stub/m",
        "autoupdate": False,
        "share": "disabled",
        "permission": {"bash": "ask", "edit": "ask"},
        "provider": {"stub": stub},
    }
    environment = {
        "OPENCODE_CONFIG_CONTENT": json.dumps(config),
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    }
    await agent_rows.add(service, "opencode", ["opencode", "acp"], environment, installed=opencode)
    environment = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": address, "OPENAI_MODEL": "m"}
    await agent_rows.add(service, "qwen", ["qwen", "--acp", "--auth-type", "openai"], environment, installed=qwen)


@pytest.fixture
async def connect_house(house: House) -> AsyncIterator[Connect]:
    async with AsyncExitStack() as stack:
        yield connector(house.service, stack)


async def session(connect: Connect, provider: str) -> Talk:
    """A session with an agent that has been tried."""
    client = await connect("alice")
    agents = (await client.subscribe("ahp-root://"))["state"]["agents"]
    if not any(agent["provider"] == provider and agent["models"] for agent in agents):
        await agent_rows.offered(client, provider)
    return await begin(client, provider=provider)


async def turn(talk: Talk, text: str, option: str | None = None) -> Any:
    """A whole turn; a question for permission is answered with the option."""
    turn_id = await talk.start(text)
    if option is not None:
        ready = await _asked(talk, turn_id)
        kind = next(each["kind"] for each in ready["options"] if each["id"] == option)
        approve = {"approved": True, "confirmed": "user-action"}
        how = approve if kind == "approve" else {"approved": False, "reason": "denied"}
        confirmed = {"type": "chat/toolCallConfirmed", "turnId": turn_id, "toolCallId": ready["toolCallId"], **how}
        await talk.client.dispatch(talk.chat, {**confirmed, "selectedOptionId": option})
    ending = await talk.ended(turn_id, WITHIN_S)
    assert ending["type"] != "chat/error", ending
    return talk.turn(turn_id)


async def _asked(talk: Talk, turn_id: str) -> Any:
    def found() -> Any:
        actions = (each["action"] for each in talk.client.envelopes if each["channel"] == talk.chat)
        return next((each for each in actions if each.get("turnId") == turn_id and each.get("options")), None)

    return await talk.client.until(found, "a question for permission", WITHIN_S)


def calls(ended: Any) -> list[Any]:
    return [part["toolCall"] for part in ended["responseParts"] if part["kind"] == "toolCall"]


async def test_opencode_talks_and_runs_what_is_allowed_once_always_or_not(connect_house: Connect) -> None:
    talk = await session(connect_house, "opencode")
    said = await turn(talk, "hello there")
    assert text_of(said) == "You said: hello there (1 messages)"
    assert said["usage"]["inputTokens"] == 11
    (once,) = calls(await turn(talk, "run: echo one", "once"))
    assert (once["status"], once["content"]) == ("completed", [{"type": "text", "text": "one\n"}])
    assert once["selectedOption"]["kind"] == "approve"
    (denied,) = calls(await turn(talk, "run: echo two", "reject"))
    assert denied["status"] == "cancelled"
    (always,) = calls(await turn(talk, "run: echo three", "always"))
    (again,) = calls(await turn(talk, "run: echo three"))
    assert [call["status"] for call in (always, again)] == ["completed", "completed"]
    assert "selectedOption" not in again


async def test_opencode_writes_a_file_and_shows_the_difference(connect_house: Connect) -> None:
    talk = await session(connect_house, "opencode")
    await turn(talk, "write a.txt: first", "once")
    (call,) = calls(await turn(talk, "write a.txt: second", "once"))
    edit = next(each for each in call["content"] if each["type"] == "fileEdit")
    assert edit["diff"] == {"added": 1, "removed": 1}
    texts = [
        (await talk.client.request("resourceRead", {"uri": edit[side]["content"]["uri"], "encoding": "utf-8"}))["data"]
        for side in ("before", "after")
    ]
    assert texts == ["first\n", "second\n"]
    there = f"{talk.session_state['workingDirectories'][0]}/a.txt"
    assert (await talk.client.request("resourceRead", {"uri": there, "encoding": "utf-8"}))["data"] == "second\n"


async def test_opencode_stops_in_the_middle_works_twice_at_once_and_goes_on_after_a_restart(house: House) -> None:
    async with AsyncExitStack() as stack:
        connect = connector(house.service, stack)
        talk, other = await session(connect, "opencode"), await session(connect, "opencode")
        both = await asyncio.gather(turn(talk, "hello one"), turn(other, "hello two"))
        assert [text_of(each).split(" (")[0] for each in both] == ["You said: hello one", "You said: hello two"]
        slow = await talk.start("slow: 400")
        await talk.client.until(lambda: _streams(talk, slow), "the first word", WITHIN_S)
        await talk.cancel(slow)
        assert (await talk.ended(slow, WITHIN_S))["type"] == "chat/turnCancelled"
        assert "word399" not in text_of(talk.turn(slow))
        assert "word" not in text_of(await turn(talk, "hello again"))
        uri, chat = talk.session, talk.chat
    house.restart()
    async with AsyncExitStack() as stack:
        client = await connector(house.service, stack)("alice")
        await client.subscribe(uri)
        await client.subscribe(chat)
        said = text_of(await turn(Talk(client, uri, chat), "and after"))
    assert said.startswith("You said: and after")
    assert int(said.split("(")[1].split()[0]) >= 3


def _streams(talk: Talk, turn_id: str) -> bool:
    actions = (each["action"] for each in talk.client.envelopes if each["channel"] == talk.chat)
    return any(each["type"] == "chat/delta" and each["turnId"] == turn_id for each in actions)


async def test_qwen_code_works_too(connect_house: Connect) -> None:
    talk = await session(connect_house, "qwen")
    assert "You said: hello there" in text_of(await turn(talk, "hello there"))
    turn_id = await talk.start("run: touch made.txt && echo made")
    ready = await _asked(talk, turn_id)
    option = next(each["id"] for each in ready["options"] if each["kind"] == "approve" and each["group"] == 0)
    confirmed = {"type": "chat/toolCallConfirmed", "turnId": turn_id, "toolCallId": ready["toolCallId"]}
    await talk.client.dispatch(
        talk.chat, {**confirmed, "approved": True, "confirmed": "user-action", "selectedOptionId": option}
    )
    await talk.ended(turn_id, WITHIN_S)
    (call,) = calls(talk.turn(turn_id))
    assert call["status"] == "completed"
    assert "made" in json.dumps(call["content"])
