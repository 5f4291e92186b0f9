"""Which model answers without a network? One that does what its last message says, behind the address that agents ask.

It streams answers of `/v1/chat/completions`. `run: COMMAND` makes it call the agent's shell tool, `write PATH: TEXT` the tool that
writes files, `slow: N` stream N words slowly; anything else is repeated, with the number of messages of people it was shown.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]

# How agents call what we need, in the order of their liking.
SHELLS = ("bash", "run_shell_command", "shell")
WRITERS = ("write", "write_file")

BETWEEN_WORDS_S = 0.05


def _text(message: Json) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


def _tool(body: Json, names: tuple[str, ...]) -> Json | None:
    offered = {tool["function"]["name"]: tool["function"] for tool in body.get("tools") or ()}
    return next((offered[name] for name in names if name in offered), None)


def _call(tool: Json, number: int, values: Json) -> Json:
    """A call of a tool, with the arguments that its schema asks for."""
    known = tool["parameters"].get("properties", {})
    arguments = {}
    for name in tool["parameters"].get("required", ()):
        found = next((value for key, value in values.items() if key in name.lower()), None)
        arguments[name] = found if found is not None else False if known[name].get("type") == "boolean" else "as asked"
    function = {"name": tool["name"], "arguments": json.dumps(arguments)}
    return {"tool_calls": [{"index": 0, "id": f"call_{number}", "type": "function", "function": function}]}


def _answer(body: Json, number: int) -> tuple[list[Json], str]:
    last = body["messages"][-1]
    said = _text(last)
    shell, writer = _tool(body, SHELLS), _tool(body, WRITERS)
    if last["role"] == "user" and shell and (found := re.search(r"^run: (.+)", said, re.M)):
        return [_call(shell, number, {"command": found[1]})], "tool_calls"
    if last["role"] == "user" and writer and (found := re.search(r"^write (\S+): (.+)", said, re.M)):
        return [_call(writer, number, {"path": found[1], "content": f"{found[2]}\n"})], "tool_calls"
    if found := re.search(r"^slow: (\d+)", said, re.M):
        return [{"content": f"word{each} "} for each in range(int(found[1]))], "slow"
    people = sum(message["role"] == "user" for message in body["messages"])
    kind = "The tool returned" if last["role"] == "tool" else "You said"
    return [{"content": word} for word in re.findall(r"\S+\s*", f"{kind}: {said[-300:]} ({people} messages)")], "stop"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        number = next(_NUMBERS)
        deltas, reason = _answer(body, number)
        usage = {"prompt_tokens": 11, "completion_tokens": len(deltas), "total_tokens": 11 + len(deltas)}
        if not body.get("stream"):
            message = {"role": "assistant", "content": "".join(each.get("content", "") for each in deltas)}
            self._whole({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage})
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        try:
            self._stream(body, deltas, reason, usage)
        except OSError:
            return  # nobody listens any more

    def _stream(self, body: Json, deltas: list[Json], reason: str, usage: Json) -> None:
        piece = {"id": "stub", "object": "chat.completion.chunk", "created": 1, "model": body.get("model", "m")}
        for delta in deltas:
            if reason == "slow":
                threading.Event().wait(BETWEEN_WORDS_S)
            choice = {"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": None}
            self._event({**piece, "choices": [choice]})
        end = {"index": 0, "delta": {}, "finish_reason": "stop" if reason == "slow" else reason}
        self._event({**piece, "choices": [end], "usage": usage})
        self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, data: Json) -> None:
        self.wfile.write(b"data: " + json.dumps(data).encode() + b"\n\n")
        self.wfile.flush()

    def _whole(self, data: Json) -> None:
        encoded = json.dumps(data).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(encoded)))
        self.end_headers()
        self.wfile.write(encoded)

    def log_message(self, format: str, *args: Any) -> None:
        """It says nothing."""


_NUMBERS = iter(range(1, 10**9))


@contextmanager
def model() -> Iterator[str]:
    """The address of a model that runs until the block ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
