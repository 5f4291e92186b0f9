"""How do tests talk to an agent of its own process, without a service around it?"""

from __future__ import annotations

import asyncio
import sys
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ahp_platform.agents.backend import Json, Object, SessionInfo, TurnRequest
from ahp_platform.agents.backends.acp import AgentSpecification
from ahp_platform.agents.backends.acp.session import AcpSession
from ahp_platform.agents.launching import LaunchRequest
from tests.agents.fake_desk import FakeDesk
from tests.agents.fake_sink import FakeSink

# To be run with the root of the sources as PYTHONPATH.
SCRIPTED = (sys.executable, "-m", "tests.agents.acp.scripted")
ROOT = str(Path(__file__).parents[3])

SESSION, CHAT = "ahp-session:/s", "ahp-chat:/c"
WITHIN_S = 30.0


class PlainLauncher:
    """Runs programs as they are, and remembers them."""

    def __init__(self) -> None:
        self.started: list[asyncio.subprocess.Process] = []
        self.requests: list[LaunchRequest] = []

    async def start(self, request: LaunchRequest) -> asyncio.subprocess.Process:
        for place in request.writable:
            Path(place).mkdir(parents=True, exist_ok=True)  # noqa: ASYNC240
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *request.argv, stdin=pipe, stdout=pipe, stderr=pipe, env=dict(request.environment), cwd=request.directory
        )
        self.started.append(process)
        self.requests.append(request)
        return process

    async def end(self, process: asyncio.subprocess.Process) -> None:
        if process.returncode is None:
            process.kill()
        await process.communicate()


@dataclass
class Bench:
    """A session with the scripted agent, and what there is around it."""

    folder: Path
    flags: Sequence[str] = ()
    more: Json = field(default_factory=dict)
    desk: FakeDesk = field(default_factory=FakeDesk)
    launcher: PlainLauncher = field(default_factory=PlainLauncher)
    history: list[Object] = field(default_factory=list)
    chat: str = CHAT
    _turns: int = 0

    def __post_init__(self) -> None:
        (self.folder / "work").mkdir(exist_ok=True)
        self.session = self.new_session()

    def new_session(self, *flags: str) -> AcpSession:
        """Another one of the same AHP session, as after an idle stop."""
        environment = {
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": ROOT,
            "SCRIPTED_KEY": "sk-very-secret",
            **self.more.pop("environment", {}),
        }
        specification = AgentSpecification(
            provider="scripted",
            display_name="Scripted",
            description="",
            command=(*SCRIPTED, *(flags or self.flags)),
            environment=environment,
            home=str(self.folder / "home"),
            **self.more,
        )
        return AcpSession(specification, self.launcher, SessionInfo(SESSION, "scripted", "demo", self.desk))

    def in_new_chat(self) -> Bench:
        """As new, with the process that runs."""
        self.chat, self.history = f"ahp-chat:/{uuid.uuid4()}", []
        for kept in (self.desk.titles, self.desk.offered, self.desk.configured):
            kept.clear()
        return self

    def request(self, text: str, chat: str | None = None, **more: Any) -> TurnRequest:
        """The next turn."""
        self._turns += 1
        message = {"text": text, "origin": {"kind": "user"}, **more.pop("message", {})}
        directories = [(self.folder / "work").as_uri()]
        more = {"history": list(self.history), **more}
        return TurnRequest(chat or self.chat, f"t{self._turns}", message, working_directories=directories, **more)

    async def say(self, text: str, sink: FakeSink | None = None, **more: Any) -> FakeSink:
        """One whole turn, which becomes history."""
        turn, used = self.request(text, **more), sink or FakeSink()
        try:
            await asyncio.wait_for(self.session.prompt(turn, used), WITHIN_S)
        finally:
            part = {"kind": "markdown", "id": "p", "content": used.text}
            self.history.append(
                {"id": turn.turn_id, "message": turn.message, "responseParts": [part], "state": "complete"}
            )
        return used
