"""How does a client offer a tool, and how does it run?"""

from __future__ import annotations

from tests.client import Client, Message
from tests.interaction.conversation import Talk

TOOL: Message = {"name": "open_editor", "title": "Open the editor", "inputSchema": {"type": "object", "properties": {}}}
RESULT: Message = {"success": True, "pastTenseMessage": "Opened", "content": [{"type": "text", "text": "line 7"}]}


def active(client: Client, *tools: Message) -> Message:
    """The action by which a client becomes active."""
    me = {"clientId": client.client_id, "displayName": "Editor", "tools": list(tools)}
    return {"type": "session/activeClientSet", "activeClient": me}


async def running_call(talk: Talk, command: str = 'open_editor {"line": 7}') -> Message:
    """Start a turn that calls a client's tool: the action that made the call run."""
    turn_id = await talk.start(f"client {command}\nsay and on it goes")
    return await talk.action("chat/toolCallReady", turnId=turn_id)


def complete(ready: Message, result: Message) -> Message:
    """The action that tells the result of a call."""
    call = {"turnId": ready["turnId"], "toolCallId": ready["toolCallId"]}
    return {"type": "chat/toolCallComplete", **call, "result": result}
