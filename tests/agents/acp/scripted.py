"""Which agent does what it is told? One that speaks the Agent Client Protocol with the SDK, in a process of its own.

Each line of a prompt is a command of `Script`; what it remembers of its sessions is in a file in its home. Its arguments make it
misbehave from the start.
"""

from __future__ import annotations

import asyncio
import json
import os
import select
import sys
import uuid
from pathlib import Path
from typing import Any

from acp import run_agent
from acp.exceptions import RequestError
from acp.schema import (
    AgentCapabilities,
    EnvVariable,
    ForkSessionResponse,
    InitializeResponse,
    LoadSessionResponse,
    NewSessionResponse,
    PermissionOption,
    PromptCapabilities,
    PromptResponse,
    ResumeSessionResponse,
    SessionNotification,
    SetSessionConfigOptionResponse,
    ToolCallUpdate,
)

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

OPTIONS = [
    PermissionOption(option_id="yes", name="Allow once", kind="allow_once"),
    PermissionOption(option_id="ever", name="Always allow", kind="allow_always"),
    PermissionOption(option_id="no", name="Reject", kind="reject_once"),
]


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


class Script:
    """The commands of one prompt."""

    def __init__(self, agent: Scripted, session_id: str, prompt: list[Any]) -> None:
        self.agent, self.session_id, self.blocks = agent, session_id, prompt
        self.result: dict[str, Any] = {"stopReason": "end_turn"}

    async def run(self, texts: list[str]) -> dict[str, Any]:
        for line in texts[-1].splitlines():
            name, _, rest = line.partition(" ")
            await getattr(self, f"do_{name}")(rest)
        return self.result

    async def tell(self, **update: Any) -> None:
        await self.agent.tell(self.session_id, **update)

    async def do_say(self, text: str) -> None:
        for word in text.split(" "):
            await self.agent.say(self.session_id, word + " ")

    async def do_think(self, text: str) -> None:
        await self.tell(sessionUpdate="agent_thought_chunk", content={"type": "text", "text": text})

    async def do_stream(self, text: str) -> None:
        count, delay = (int(word) for word in text.split())
        for number in range(count):
            await self.agent.say(self.session_id, f"{number:08}")
            await asyncio.sleep(delay / 1000)

    async def do_update(self, text: str) -> None:
        """Any report, as JSON."""
        await self.tell(**json.loads(text))

    async def do_raw(self, text: str) -> None:
        """Any line at all."""
        raw(text.replace("SESSION", self.session_id))

    async def do_blocks(self, _: str) -> None:
        """What kinds of block the prompt had."""
        await self.do_say(" ".join(block.type for block in self.blocks))

    async def do_memory(self, _: str) -> None:
        """How many prompts the session has had, and whether this one begins with a transcript."""
        first = self.blocks[0].text if len(self.blocks) > 1 and self.blocks[0].type == "text" else ""
        known = self.agent.known(self.session_id)
        told = "transcript" if "<conversation>" in first else "nothing"
        await self.agent.say(
            self.session_id, f"prompts {len(known['prompts'])}, told {told}, chosen {known['chosen']}, "
        )
        await self.agent.say(self.session_id, f"servers {known['servers']}, first {first!r}")

    async def do_env(self, name: str) -> None:
        await self.agent.say(self.session_id, os.environ.get(name, "unset"))

    async def do_usage(self, text: str) -> None:
        used, given = (int(word) for word in text.split())
        cost = {"amount": 0.25, "currency": "EUR"}
        await self.tell(sessionUpdate="usage_update", used=used, size=1000, cost=cost)
        self.result["usage"] = {"inputTokens": used, "outputTokens": given, "totalTokens": used + given}

    async def do_stop(self, reason: str) -> None:
        self.result["stopReason"] = reason

    async def do_error(self, text: str) -> None:
        raise RequestError.internal_error({"details": text})

    async def do_ask(self, text: str) -> None:
        """Run a tool, having said 5 ms before it asks that its arguments are complete."""
        call = {"toolCallId": "call-1", "title": text, "kind": "execute", "rawInput": {"command": text}}
        await self.tell(sessionUpdate="tool_call", **call, status="pending")
        await self.tell(sessionUpdate="tool_call_update", **call, status="in_progress")
        await asyncio.sleep(0.005)
        if text not in self.agent.allowed:
            asked = ToolCallUpdate.model_validate(call)
            answer = await self.agent.client.request_permission(
                session_id=self.session_id, tool_call=asked, options=OPTIONS
            )
            chosen = getattr(answer.outcome, "option_id", None)
            if chosen == "ever":
                self.agent.allowed.add(text)
            if chosen not in ("yes", "ever"):
                await self.tell(sessionUpdate="tool_call_update", toolCallId="call-1", status="failed")
                await self.do_say(f"Not allowed: {answer.outcome.outcome}")
                return
        output = {"type": "content", "content": {"type": "text", "text": f"ran {text}"}}
        await self.tell(sessionUpdate="tool_call_update", toolCallId="call-1", status="completed", content=[output])

    async def do_read(self, path: str) -> None:
        try:
            answer = await self.agent.client.read_text_file(session_id=self.session_id, path=path)
            await self.agent.say(self.session_id, answer.content)
        except RequestError as error:
            await self.agent.say(self.session_id, f"refused {error.code} {error.data}")

    async def do_write(self, text: str) -> None:
        path, _, content = text.partition(" ")
        try:
            await self.agent.client.write_text_file(session_id=self.session_id, path=path, content=content)
            await self.do_say("written")
        except RequestError as error:
            await self.agent.say(self.session_id, f"refused {error.code} {error.data}")

    async def do_terminal(self, line: str) -> None:
        """Run a command in a terminal of the client's, shown in a tool call."""
        call = {"toolCallId": "call-t", "title": line, "kind": "execute"}
        await self.tell(sessionUpdate="tool_call", **call, status="in_progress")
        client, here = self.agent.client, {"session_id": self.session_id}
        env = [EnvVariable(name="GIVEN", value="by the agent")]
        made = await client.create_terminal(**here, command=line, env=env, output_byte_limit=40)
        shown = [{"type": "terminal", "terminalId": made.terminal_id}]
        await self.tell(sessionUpdate="tool_call_update", toolCallId="call-t", content=shown)
        end = await client.wait_for_terminal_exit(**here, terminal_id=made.terminal_id)
        output = await client.terminal_output(**here, terminal_id=made.terminal_id)
        await self.tell(sessionUpdate="tool_call_update", toolCallId="call-t", status="completed")
        await client.release_terminal(**here, terminal_id=made.terminal_id)
        await self.agent.say(self.session_id, f"exit {end.exit_code} truncated {output.truncated}: {output.output}")

    async def do_elicit(self, schema: str) -> None:
        params = {
            "sessionId": self.session_id,
            "message": "Tell me",
            "mode": "form",
            "requestedSchema": json.loads(schema),
        }
        answer = await self.agent.client._conn.send_request("elicitation/create", params)
        await self.agent.say(self.session_id, json.dumps(answer))

    async def do_die(self, text: str) -> None:
        complain(text)
        os._exit(3)

    async def do_hang(self, _: str) -> None:
        await asyncio.Event().wait()

    async def do_linger(self, text: str) -> None:
        """Go on after the cancellation, until so many more words are said."""
        await self.do_say("begun")
        try:
            await asyncio.Event().wait()
        finally:
            self.agent.lingering = asyncio.create_task(self._linger(int(text)))  # type: ignore[attr-defined]

    async def _linger(self, count: int) -> None:
        for number in range(count):
            await self.agent.say(self.session_id, f"late{number} ")
            await asyncio.sleep(0.05)


FLAGS_LEFT = set(FLAGS)


def raw(line: str) -> None:
    rest = line.encode(errors="surrogatepass") + b"\n"
    while rest:
        # The SDK makes the pipe one that does not block.
        select.select([], [1], [])
        rest = rest[os.write(1, rest) :]


def complain(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


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
