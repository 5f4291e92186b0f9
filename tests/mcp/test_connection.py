"""Does a connection say what its server says, and does it end when the server does?"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from ahp_platform.mcp.connection import Connection
from ahp_platform.mcp.failures import McpFailed, McpRefused
from ahp_platform.mcp.stdio import Pipes

SERVER = Path(__file__).with_name("notes_server.py")
WAIT_S = 10.0


async def decline(asked: dict[str, Any]) -> dict[str, Any]:
    return {"action": "decline"}


def end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.kill()


@asynccontextmanager
async def connected(
    program: list[str], elicited: Any = decline, noticed: Any = lambda method: None
) -> AsyncIterator[Connection]:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*program, stdin=pipe, stdout=pipe, stderr=pipe)
    pipes = Pipes(process)
    connection = Connection(pipes, ["file:///work"], elicited, noticed)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(process.wait)
        stack.push_async_callback(pipes.drain)
        stack.callback(end, process)
        stack.push_async_callback(connection.close)
        await connection.open()
        yield connection


def notes(*arguments: str) -> list[str]:
    return [sys.executable, str(SERVER), *arguments]


def called(tool: str, **arguments: Any) -> tuple[str, dict[str, Any], float]:
    return "tools/call", {"name": tool, "arguments": arguments}, WAIT_S


async def test_a_tool_is_called_and_its_result_comes_back_as_it_is() -> None:
    async with connected(notes()) as connection:
        assert connection.capabilities == {"tools": {"listChanged": True}, "resources": {}}
        result = await connection.request(*called("echo", text="häl\u2028lo"))
        assert result == {
            "content": [{"type": "text", "text": "häl\u2028lo"}],
            "structuredContent": {"echoed": "häl\u2028lo"},
        }


async def test_a_question_of_the_server_is_answered_within_the_call() -> None:
    async def accept(asked: dict[str, Any]) -> dict[str, Any]:
        assert asked["message"] == "Who are you?"
        return {"action": "accept", "content": {"name": "alice"}}

    async with connected(notes(), accept) as connection:
        result = await connection.request(*called("ask"))
        assert json.loads(result["content"][0]["text"]) == {"action": "accept", "content": {"name": "alice"}}


async def test_sampling_is_refused_and_the_server_goes_on() -> None:
    async with connected(notes()) as connection:
        refused = json.loads((await connection.request(*called("sample")))["content"][0]["text"])
        assert "not supported" in refused["message"]
        assert (await connection.request(*called("echo", text="still here")))["content"][0]["text"] == "still here"


async def test_a_server_that_dies_in_a_call_says_its_last_words() -> None:
    async with connected(notes()) as connection:
        with pytest.raises(McpFailed, match="ended"):
            await connection.request(*called("crash"))
        assert "out of paper" in await asyncio.wait_for(connection.ended, WAIT_S)


async def test_a_server_that_does_not_start_says_why() -> None:
    with pytest.raises(McpFailed, match="no licence found"):
        async with connected(notes("--never")):
            pass


async def test_a_program_that_talks_no_mcp_ends_the_connection_alone() -> None:
    with pytest.raises(McpFailed):
        async with connected([sys.executable, "-c", "print('hello'); print('[1]'); print(chr(123))"]):
            pass


async def test_a_line_without_end_is_not_gathered_for_ever() -> None:
    flood = "import sys\nwhile True: sys.stdout.write('x' * 1000000)"
    with pytest.raises(McpFailed):
        async with connected([sys.executable, "-c", flood]):
            pass


async def test_an_unknown_method_is_the_servers_own_error() -> None:
    async with connected(notes()) as connection:
        with pytest.raises(McpRefused) as refused:
            await connection.request("tools/call", {"name": "wait"}, 0.2)
        assert "timed out" in refused.value.message


async def test_a_closed_connection_takes_no_more_requests() -> None:
    async with connected(notes()) as connection:
        await connection.close()
        assert await asyncio.wait_for(connection.ended, WAIT_S) == ""
        with pytest.raises(McpFailed):
            await connection.request(*called("echo"))


async def test_what_the_server_announces_is_heard() -> None:
    heard = asyncio.Queue[str]()
    async with connected(notes(), noticed=heard.put_nowait) as connection:
        await connection.request(*called("grow"))
        assert await asyncio.wait_for(heard.get(), WAIT_S) == "notifications/tools/list_changed"
