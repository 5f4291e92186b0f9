"""Which agent does what it is told? One that speaks the Agent Client Protocol with the SDK, in a process of its own.

Each line of a prompt is a command of `Script`; what it remembers of its sessions is in a file in its home. Its arguments make it
misbehave from the start.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import uuid
from pathlib import Path
from typing import Any

from acp import run_agent
from acp.exceptions import RequestError
from acp.schema import (
    AgentCapabilities,
    ForkSessionResponse,
    InitializeResponse,
    LoadSessionResponse,
    NewSessionResponse,
    PromptCapabilities,
    PromptResponse,
    ResumeSessionResponse,
    SessionNotification,
    SetSessionConfigOptionResponse,
)

from tests.agents.acp.script import Script, complain, raw

FLAGS = frozenset(sys.argv[1:])

CONFIG: list[dict[str, Any]] = [
    {
        "id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": "small",
        "options": [{"value": "small", "name": "Small"}, {"value": "large", "name": "Large"}],
    },
    {
        "id": "mode", "name": "Mode", "category": "mode", "type": "select", "currentValue": "ask",
        "options": [{"value": "ask", "name": "Ask"}, {"value": "code", "name": "Code"}],
    },
    {"id": "loud", "name": "Loud", "type": "boolean", "currentValue": False},
]  # fmt: skip


class Store:
    """The sessions, as they are in the file: the texts of their prompts, and what was chosen."""

    def __init__(self) -> None:
        self._path = Path(os.environ["HOME"]) / "sessions.json"
        self.sessions: dict[str, Any] = json.loads(self._path.read_text()) if self._path.exists() else {}

    def add(self, prompts: list[str], servers: int = 0) -> str:
        session_id = uuid.uuid4().hex
        self.sessions[session_id] = {"prompts": list(prompts), "chosen": {}, "servers": servers}
        self.save()
        return session_id

    def save(self) -> None:
        self._path.write_text(json.dumps(self.sessions))


class Scripted:
    """The SDK's `Agent`."""

    def __init__(self) -> None:
        self.store = Store()
        self.cancelled: dict[str, asyncio.Event] = {}
        self.allowed: set[str] = set()
        self.lingering: asyncio.Task[None] | None = None

    def on_connect(self, conn: Any) -> None:
        self.client = conn

    async def initialize(self, protocol_version: int, **_: Any) -> InitializeResponse:
        await misbehave("initialize")
        known: dict[str, Any] = {"list": None, "resume": {}, "fork": {}, "additionalDirectories": {}}
        if FLAGS & {"--load", "--forgetful"}:
            known["resume"] = known["fork"] = None
        capabilities = AgentCapabilities.model_validate(
            {"loadSession": "--load" in FLAGS, "sessionCapabilities": known, "promptCapabilities": {"image": True}}
        )
        assert isinstance(capabilities.prompt_capabilities, PromptCapabilities)
        methods: Any = [{"type": "env_var", "id": "key", "name": "A key", "vars": [{"name": "SCRIPTED_KEY"}]}]
        return InitializeResponse.model_validate(
            {
                "protocolVersion": protocol_version,
                "agentCapabilities": capabilities.model_dump(by_alias=True, exclude_none=True),
                "authMethods": methods if "--auth" in FLAGS else [],
            }
        )

    async def authenticate(self, method_id: str, **_: Any) -> None:
        FLAGS_LEFT.discard("--auth")

    async def new_session(self, cwd: str, mcp_servers: Any = None, **_: Any) -> NewSessionResponse:
        await misbehave("new")
        if "--auth" in FLAGS_LEFT:
            raise RequestError.auth_required()
        session_id = self.store.add([], len(mcp_servers or ()))
        return NewSessionResponse.model_validate({"sessionId": session_id, "configOptions": self.config(session_id)})

    async def load_session(self, session_id: str, **_: Any) -> LoadSessionResponse:
        await misbehave("load")
        for prompt in self.known(session_id)["prompts"]:
            await self.tell(session_id, sessionUpdate="user_message_chunk", content={"type": "text", "text": prompt})
            await self.say(session_id, "This was said before.")
        return LoadSessionResponse.model_validate({"configOptions": self.config(session_id)})

    async def resume_session(self, session_id: str, **_: Any) -> ResumeSessionResponse:
        await misbehave("resume")
        self.known(session_id)
        return ResumeSessionResponse.model_validate({"configOptions": self.config(session_id)})

    async def fork_session(self, session_id: str, **_: Any) -> ForkSessionResponse:
        forked = self.store.add(self.known(session_id)["prompts"])
        return ForkSessionResponse(session_id=forked)

    async def set_config_option(self, config_id: str, session_id: str, value: Any, **_: Any) -> Any:
        if value == "huge":
            raise RequestError.invalid_params({"details": "no such model"})
        self.known(session_id)["chosen"][config_id] = value
        self.store.save()
        return SetSessionConfigOptionResponse.model_validate({"configOptions": self.config(session_id)})

    async def cancel(self, session_id: str, **_: Any) -> None:
        if "--deaf" not in FLAGS:
            self.cancelled.setdefault(session_id, asyncio.Event()).set()

    async def prompt(self, prompt: list[Any], session_id: str, **_: Any) -> PromptResponse:
        await misbehave("prompt")
        self.cancelled[session_id] = asyncio.Event()
        texts = [block.text for block in prompt if block.type == "text"]
        self.known(session_id)["prompts"].append("\n".join(texts))
        self.store.save()
        work = asyncio.create_task(Script(self, session_id, prompt).run(texts))
        stop = asyncio.create_task(self.cancelled[session_id].wait())
        await asyncio.wait({work, stop}, return_when=asyncio.FIRST_COMPLETED)
        stop.cancel()
        if work.done():
            return PromptResponse.model_validate(work.result())
        work.cancel()
        return PromptResponse(stop_reason="cancelled")

    def known(self, session_id: str) -> Any:
        if session_id not in self.store.sessions:
            raise RequestError.resource_not_found(session_id)
        return self.store.sessions[session_id]

    def config(self, session_id: str) -> list[dict[str, Any]]:
        chosen = self.store.sessions[session_id]["chosen"]
        return [{**option, "currentValue": chosen.get(option["id"], option["currentValue"])} for option in CONFIG]

    async def tell(self, session_id: str, **update: Any) -> None:
        notification = SessionNotification.model_validate({"sessionId": session_id, "update": update})
        await self.client.session_update(session_id, notification.update)

    async def say(self, session_id: str, text: str, **more: Any) -> None:
        content = {"type": "text", "text": text}
        await self.tell(session_id, sessionUpdate="agent_message_chunk", content=content, **more)


FLAGS_LEFT = set(FLAGS)


async def misbehave(moment: str) -> None:
    """Die, or never answer, at this moment, if the arguments say so."""
    if f"--die-at={moment}" in FLAGS:
        complain(f"cannot {moment}: {os.environ.get('SCRIPTED_KEY')}")
        os._exit(7)
    if f"--mute-at={moment}" in FLAGS:
        await asyncio.Event().wait()


async def main() -> None:
    if "--nonsense" in FLAGS:
        for number in range(1000):
            raw(f"this is no message {number}")
        await asyncio.Event().wait()
    if "--banner" in FLAGS:
        raw("Welcome!")
        raw("[1, 2]")
        raw('"' + "x" * (17 * 1024 * 1024) + '"')
    await run_agent(Scripted(), use_unstable_protocol=True)  # type: ignore[arg-type]


if __name__ == "__main__":
    asyncio.run(main())
