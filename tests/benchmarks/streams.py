"""How long after an agent wrote a chunk is it at a client? Chunks say themselves when they were written."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from statistics import quantiles

import uvloop
from django.db import connection

from ahp_platform.eventlog.view import View
from ahp_platform.protocol.uris import ROOT
from ahp_platform.workspaces import paths
from sessions_app import sessions
from tests.benchmarks import seed
from tests.benchmarks.benchmark import Figures, Skipped, Spoiled
from tests.benchmarks.seed import Tenant
from tests.client import Client
from tests.interaction.conversation import Talk

Say = Callable[[str, dict[str, object]], None]

PROVIDER = "chunks"
STAMP = 20
WITHIN_S = 120.0

SOURCE = Path(__file__).with_name("bare") / "chunks_agent.py"

_ROW = """
INSERT INTO agents_agent (
    provider, display_name, description, enabled, command, environment, secrets, offered_models, everywhere, roles, run_time_s,
    memory_mb, idle_s, network, own_home, package_kind, package, package_version, package_scripts, install_state,
    install_message, installed_version, folder, check_state, check_message, discovered, created_at
) VALUES (
    %s, 'Chunks', '', true, %s, '{}', '', '[]', true, '[]', 600,
    0, 600, false, false, '', '', '', false, 'none', '', '', '', 'never', '', '{}', now()
) ON CONFLICT DO NOTHING
"""


def command() -> list[str]:
    """The agent, with a Python that is in every sandbox."""
    python = shutil.which("python3", path="/usr/local/bin:/usr/bin")
    if python is None:
        raise Skipped("there is no Python below /usr, which is what an agent in the sandbox sees")
    return [python, "-c", SOURCE.read_text()]


def offer() -> None:
    """Make the agent one of the service's."""
    with connection.cursor() as cursor:
        cursor.execute(_ROW, [PROVIDER, json.dumps(command())])


class Audience:
    """A client that follows sessions with the agent."""

    def __init__(self, tenant: Tenant, port: int) -> None:
        self._runner = asyncio.Runner()
        self._tenant, self._url = tenant, f"ws://127.0.0.1:{port}/ahp/{tenant.slug}"
        self._talks: list[Talk] = []

    def open(self, sessions: int) -> None:
        """Begin sessions whose agents run."""
        self._runner.run(self._open(_sessions(self._tenant, sessions)))

    def watch(self, count: int, delay_ms: int) -> Figures:
        """Let every agent stream at once; how late the chunks were."""
        return self._runner.run(self._watch(count, delay_ms))

    def close(self) -> None:
        """Let go."""
        self._runner.run(self._client.close())
        self._runner.close()

    async def _open(self, opened: Sequence[tuple[str, str]]) -> None:
        self._client = await Client.open(self._url, self._tenant.token)
        await self._client.initialize()
        agents = (await self._client.subscribe(ROOT))["state"]["agents"]
        if not any(agent["provider"] == PROVIDER for agent in agents):
            await self._client.action(ROOT, "root/agentsChanged")
        self._talks = [Talk(self._client, uri, chat) for uri, chat in opened]
        for talk in self._talks:
            await self._client.subscribe(talk.chat)
            await talk.say("1 0")

    async def _watch(self, count: int, delay_ms: int) -> Figures:
        arrived: dict[str, list[tuple[int, str]]] = defaultdict(list)
        envelopes = self._client.envelopes
        envelopes.clear()
        self._client.frames.clear()
        turns = [(talk, await talk.start(f"{count} {delay_ms}")) for talk in self._talks]
        seen = 0

        def ended() -> bool:
            nonlocal seen
            now = time.monotonic_ns()
            for envelope in envelopes[seen:]:
                if envelope["action"]["type"] == "chat/delta":
                    arrived[envelope["channel"]].append((now, envelope["action"]["content"]))
            seen = len(envelopes)
            return sum(len(text) for texts in arrived.values() for _, text in texts) >= count * STAMP * len(turns)

        await self._client.until(ended, "all chunks", WITHIN_S)
        for talk, turn_id in turns:
            await talk.ended(turn_id, WITHIN_S)
        return _figures([_lags(texts) for texts in arrived.values()])


def _sessions(of: Tenant, count: int) -> list[tuple[str, str]]:
    """Sessions with the agent in the tenant's directory, and their chats."""
    config = {"schema": {"type": "object", "properties": {}}, "values": {"visibility": "tenant"}}
    directories = [paths.root(of.slug).as_uri()]
    made = [
        sessions.NewSession(f"ahp-session:/{uuid.uuid4()}", of.user_id, PROVIDER, config, directories)
        for _ in range(count)
    ]

    def plan(view: View) -> None:
        for session in made:
            sessions.create(view, session)
            sessions.prepared(view, session.uri)

    async def appended() -> None:
        async with seed.open_log(of) as log:
            await log.append(plan, user_id=of.user_id)

    uvloop.run(appended())
    return [(session.uri, session.chat) for session in made]


def piped(count: int, delay_ms: int) -> Figures:
    """The same agent behind a pipe and nothing else."""
    with _process() as (agent, say):
        say("initialize", {})
        say("session/new", {})
        lags: list[float] = []
        say("session/prompt", {"prompt": [{"text": f"{count} {delay_ms}"}]})
        assert agent.stdout is not None
        for line in agent.stdout:
            message = json.loads(line)
            if "method" in message:
                written = int(message["params"]["update"]["content"]["text"])
                lags.append((time.monotonic_ns() - written) / 1e6)
            elif message["result"].get("stopReason"):
                break
    return _figures([lags])


@contextmanager
def _process() -> Iterator[tuple[subprocess.Popen[str], Say]]:
    agent = subprocess.Popen(command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def say(method: str, params: dict[str, object]) -> None:
        assert agent.stdin is not None
        agent.stdin.write(
            json.dumps({"jsonrpc": "2.0", "id": uuid.uuid4().hex, "method": method, "params": params}) + "\n"
        )
        agent.stdin.flush()

    try:
        yield agent, say
    finally:
        agent.kill()
        agent.communicate()


def _lags(texts: Sequence[tuple[int, str]]) -> list[float]:
    """Milliseconds, chunk by chunk; raises `Spoiled` where their order is not kept."""
    stamps = [(at, int(text[start : start + STAMP])) for at, text in texts for start in range(0, len(text), STAMP)]
    if any(later < earlier for (_, earlier), (_, later) in pairwise(stamps)):
        raise Spoiled("the chunks of an agent came in another order")
    return [(at - written) / 1e6 for at, written in stamps]


def _figures(lags: Sequence[Sequence[float]]) -> Figures:
    cuts = quantiles([lag for each in lags for lag in each], n=100)
    return {"p50_ms": cuts[49], "p99_ms": cuts[98], "chunks": sum(map(len, lags))}
