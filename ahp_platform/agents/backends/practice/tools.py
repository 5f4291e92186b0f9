"""How does the practice agent use tools: its own, a client's, and a worker chat?"""

from __future__ import annotations

import json
import uuid

from ahp_platform.agents.backend import Decision, Json, Sink, ToolCall, TurnFailed, TurnRequest
from ahp_platform.agents.backends.practice.talk import say


async def write_file(turn: TurnRequest, sink: Sink, text: str) -> None:
    """`tool PATH TEXT`: a file in the working directory, if somebody approves."""
    path, _, content = text.partition(" ")
    if not path:
        raise TurnFailed("badCommand", "The command is: tool PATH TEXT")
    call = await _started(sink, "write_file", "Write file", f"Write {path}")
    tool_input = json.dumps({"path": path, "text": content}, ensure_ascii=False)
    await sink.emit({"type": "chat/toolCallDelta", "toolCallId": call, "content": tool_input})
    decision = await sink.confirm(ToolCall(call, tool_input, f"Write {path}", title="Write a file?"))
    if not decision.approved:
        wish = f" You would rather: {decision.suggestion}" if decision.suggestion else ""
        await say(turn, sink, f"I did not write {path}.{wish}")
        return
    result = await _write(sink, decision)
    await sink.emit({"type": "chat/toolCallComplete", "toolCallId": call, "result": result})
    await say(turn, sink, f"{result['pastTenseMessage']}.")


async def _write(sink: Sink, decision: Decision) -> Json:
    try:
        approved = json.loads(decision.tool_input)
        path, content = str(approved["path"]), str(approved["text"])
    except (ValueError, KeyError, TypeError):
        return _failed("Did not write: the edited input is not {path, text}", "the input is not {path, text}")
    try:
        edit = await sink.write_file(path, content)
    except OSError as error:
        reason = error.strerror or str(error)
        return _failed(f"Could not write {path}: {reason}", reason)
    return {"success": True, "pastTenseMessage": f"Wrote {path}", "content": [{"type": "fileEdit", **edit}]}


async def run(turn: TurnRequest, sink: Sink, text: str) -> None:
    """`run COMMAND`: in a terminal of the session, if somebody approves."""
    if not text:
        raise TurnFailed("badCommand", "The command is: run COMMAND")
    call = await _started(sink, "run_command", "Run command", f"Run {text}")
    await sink.emit({"type": "chat/toolCallDelta", "toolCallId": call, "content": text})
    decision = await sink.confirm(ToolCall(call, text, f"Run {text}", title="Run a command?"))
    if not decision.approved:
        wish = f" You would rather: {decision.suggestion}" if decision.suggestion else ""
        await say(turn, sink, f"I did not run {text}.{wish}")
        return
    result = await sink.terminal(call, decision.tool_input)
    await sink.emit({"type": "chat/toolCallComplete", "toolCallId": call, "result": result})
    await say(turn, sink, f"The command ended with exit code {_exit_code(result)}.")


async def client(turn: TurnRequest, sink: Sink, text: str) -> None:
    """`client TOOL JSON`: a tool of whoever is active in the session."""
    name, _, tool_input = text.partition(" ")
    if not name:
        raise TurnFailed("badCommand", "The command is: client TOOL JSON")
    result = await sink.client_tool(name, tool_input.strip() or "{}")
    if result is None:
        await say(turn, sink, f"No active client offers the tool {name}.")
    elif result["success"]:
        await say(turn, sink, f"{name} returned: {_text(result)}")
    else:
        await say(turn, sink, f"{name} failed: {result.get('error', {}).get('message') or _text(result)}")


async def mcp(turn: TurnRequest, sink: Sink, text: str) -> None:
    """`mcp SERVER TOOL JSON`: a tool of an MCP server of the session, if somebody approves."""
    server, _, rest = text.partition(" ")
    name, _, tool_input = rest.strip().partition(" ")
    if not name:
        raise TurnFailed("badCommand", "The command is: mcp SERVER TOOL JSON")
    result = await sink.mcp_tool(server, name, tool_input.strip() or "{}")
    if result is None:
        await say(turn, sink, f"This session has no MCP server {server} that is switched on.")
    elif result["success"]:
        await say(turn, sink, f"{name} returned: {_text(result)}")
    else:
        denied = result.get("error", {}).get("code") == "denied"
        await say(turn, sink, f"I did not call {name}." if denied else f"{name} failed: {result['error']['message']}")


async def worker(turn: TurnRequest, sink: Sink, text: str) -> None:
    """`worker TEXT`: a chat of its own says the text."""
    title = f"Worker: {text[:60]}"
    call = await _started(sink, "worker", "Start a worker", title)
    ready = {"invocationMessage": title, "toolInput": json.dumps({"text": text}), "confirmed": "not-needed"}
    await sink.emit({"type": "chat/toolCallReady", "toolCallId": call, **ready})
    done = await sink.worker(call, title, f"say {text}")
    link = {"type": "subagent", "resource": done.chat, "title": title}
    success = done.state == "complete"
    message = "The worker is done" if success else f"The worker's turn ended: {done.state}"
    result: Json = {"success": success, "pastTenseMessage": message, "content": [link]}
    await sink.emit({"type": "chat/toolCallComplete", "toolCallId": call, "result": result})
    await say(turn, sink, f"The worker said: {done.text}" if success else f"{message}.")


async def _started(sink: Sink, name: str, display_name: str, intention: str) -> str:
    call = str(uuid.uuid4())
    start = {"toolName": name, "displayName": display_name, "intention": intention}
    await sink.emit({"type": "chat/toolCallStart", "toolCallId": call, **start})
    return call


def _exit_code(result: Json) -> object:
    return result["content"][0]["result"].get("exitCode", "unknown")


def _failed(message: str, reason: str) -> Json:
    return {"success": False, "pastTenseMessage": message, "error": {"message": reason}}


def _text(result: Json) -> str:
    texts = [content["text"] for content in result.get("content", ()) if content["type"] == "text"]
    if texts:
        return "\n".join(texts)
    return json.dumps(result["structuredContent"]) if "structuredContent" in result else result["pastTenseMessage"]
