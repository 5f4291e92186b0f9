"""Which commands may a prompt to the scripted agent have? One a line."""

from __future__ import annotations

import asyncio
import json
import os
import select
import sys
from typing import TYPE_CHECKING, Any

from acp.exceptions import RequestError
from acp.schema import EnvVariable, PermissionOption, ToolCallUpdate

if TYPE_CHECKING:
    from tests.agents.acp.scripted import Scripted

OPTIONS = [
    PermissionOption(option_id="yes", name="Allow once", kind="allow_once"),
    PermissionOption(option_id="ever", name="Always allow", kind="allow_always"),
    PermissionOption(option_id="no", name="Reject", kind="reject_once"),
]


def raw(line: str) -> None:
    rest = line.encode(errors="surrogatepass") + b"\n"
    while rest:
        # The SDK makes the pipe one that does not block.
        select.select([], [1], [])
        rest = rest[os.write(1, rest) :]


def complain(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


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
        await self.ask("call-1", text)

    async def do_asks(self, texts: str) -> None:
        """Run several tools, and ask for all of them at once."""
        words = texts.split()
        await asyncio.gather(*(self.ask(f"call-{number}", word) for number, word in enumerate(words, start=1)))

    async def ask(self, id: str, text: str) -> None:
        call = {"toolCallId": id, "title": text, "kind": "execute", "rawInput": {"command": text}}
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
                await self.tell(sessionUpdate="tool_call_update", toolCallId=id, status="failed")
                await self.do_say(f"Not allowed: {answer.outcome.outcome}")
                return
        output = {"type": "content", "content": {"type": "text", "text": f"ran {text}"}}
        await self.tell(sessionUpdate="tool_call_update", toolCallId=id, status="completed", content=[output])

    async def do_three(self, _: str) -> None:
        """Ask for three calls at once; say in which order they were allowed."""

        async def one(name: str) -> None:
            call = {"toolCallId": name, "title": name, "kind": "execute", "status": "pending"}
            asked = ToolCallUpdate.model_validate(call)
            await self.agent.client.request_permission(session_id=self.session_id, tool_call=asked, options=OPTIONS)
            await self.tell(sessionUpdate="tool_call_update", toolCallId=name, status="completed")
            await self.agent.say(self.session_id, f"{name} ")

        await asyncio.gather(*(one(name) for name in ("first", "second", "third")))

    async def do_read(self, path: str) -> None:
        try:
            answer = await self.agent.client.read_text_file(session_id=self.session_id, path=path)
            await self.agent.say(self.session_id, answer.content)
        except RequestError as error:
            await self.agent.say(self.session_id, f"refused {error.code} {error.data}")

    async def do_flood(self, count: str) -> None:
        """Ask for a file so many times, and wait for none of the answers."""
        for number in range(int(count)):
            params = {"sessionId": self.session_id, "path": "/w/slow"}
            raw(json.dumps({"jsonrpc": "2.0", "id": f"x{number}", "method": "fs/read_text_file", "params": params}))
        await asyncio.Event().wait()

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
            self.agent.lingering = asyncio.create_task(self._linger(int(text)))

    async def do_babble(self, _: str) -> None:
        """Say something after the turn, without end."""
        self.agent.lingering = asyncio.create_task(self._linger(1_000_000))

    async def _linger(self, count: int) -> None:
        for number in range(count):
            await self.agent.say(self.session_id, f"late{number} ")
            await asyncio.sleep(0.05)
