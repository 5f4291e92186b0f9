"""Which agent streams as steadily as it is told? A bare one of the Agent Client Protocol; standard library only.

A prompt `COUNT DELAY_MS` is answered with so many chunks, each the nanoseconds of the machine's monotonic clock when it is written.
"""

from __future__ import annotations

import json
import sys
import time


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            say({"id": message["id"], "result": answer(message["method"], message["params"])})


def answer(method: str, params: dict[str, object]) -> dict[str, object]:
    if method == "initialize":
        return {"protocolVersion": 1, "agentCapabilities": {}}
    if method == "session/new":
        return {"sessionId": "s"}
    count, delay_ms = params["prompt"][-1]["text"].split()  # type: ignore[index]
    due = time.monotonic()
    for _ in range(int(count)):
        content = {"type": "text", "text": f"{time.monotonic_ns():020}"}
        update = {"sessionUpdate": "agent_message_chunk", "content": content}
        say({"method": "session/update", "params": {"sessionId": "s", "update": update}})
        due += int(delay_ms) / 1000
        time.sleep(max(0.0, due - time.monotonic()))
    return {"stopReason": "end_turn"}


def say(message: dict[str, object]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


main()
