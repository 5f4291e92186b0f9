"""An MCP server that needs nothing but Python: it runs in the sandbox, where our own packages are not.

Its tools: `echo` repeats, `ask` asks whoever is there, `crash` ends the program, `fail` reports an error, `wait` never answers,
`grow` makes the list of tools change, `environment` tells a variable, `sample` asks for a model.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

NAMES = ("echo", "ask", "crash", "fail", "wait", "grow", "environment", "sample")
FORM = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Name"},
        "count": {"type": "integer", "minimum": 1},
        "size": {"type": "string", "enum": ["s", "m"], "enumNames": ["Small", "Medium"]},
    },
    "required": ["name"],
}


def send(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def said(text: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], **more}


def asked(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Ask the other side and wait for its answer."""
    send({"id": "mine", "method": method, "params": params})
    for line in sys.stdin:
        message: dict[str, Any] = json.loads(line)
        if message.get("id") == "mine":
            return message
    sys.exit(0)


def called(params: dict[str, Any]) -> dict[str, Any] | None:
    name, arguments = params["name"], params.get("arguments", {})
    if name == "echo":
        return said(str(arguments.get("text", "")), structuredContent={"echoed": arguments.get("text", "")})
    if name == "ask":
        answer = asked("elicitation/create", {"message": "Who are you?", "requestedSchema": FORM})
        return said(json.dumps(answer.get("result", answer.get("error"))))
    if name == "sample":
        return said(json.dumps(asked("sampling/createMessage", {"messages": [], "maxTokens": 1}).get("error")))
    if name == "crash":
        sys.stderr.write("out of paper\n")
        sys.stderr.flush()
        os._exit(3)
    if name == "environment":
        return said(os.environ.get(arguments["name"], "not set"))
    if name == "grow":
        send({"method": "notifications/tools/list_changed"})
        return said("grown")
    return None if name == "wait" else said("it did not work", isError=True)


def answer(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    if method == "initialize":
        capabilities = {"tools": {"listChanged": True}, "resources": {}}
        who = {"name": "notes", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": capabilities, "serverInfo": who}
    if method == "tools/list":
        return {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in NAMES]}
    if method == "tools/call":
        return called(params)
    if method == "resources/list":
        return {"resources": [{"uri": "note:///1", "name": "The first note"}]}
    if method == "resources/read":
        return {"contents": [{"uri": params["uri"], "text": "Buy paper."}]}
    return {}


def main() -> None:
    if "--never" in sys.argv:
        sys.stderr.write("no licence found\n")
        sys.exit(4)
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("method") == "resources/templates/list":
            send({"id": message["id"], "error": {"code": -32099, "message": "no shelf", "data": {"shelf": 3}}})
        elif "id" in message and "method" in message:
            result = answer(message["method"], message.get("params", {}))
            if result is not None:
                send({"id": message["id"], "result": result})


if __name__ == "__main__":
    main()
