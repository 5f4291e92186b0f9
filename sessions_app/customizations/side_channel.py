"""What may a client ask an MCP server directly, over the `mcp://` channel that a session shows for it?

Exactly what is advertised for the server, by those who see the session; calling tools is acting. Everything else is unknown there.
Source: PROTOCOL.md section 14.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ahp_platform.fanout.hub import Message, hub
from ahp_platform.mcp import offers
from ahp_platform.mcp.failures import McpFailed, McpRefused, NeedsToken
from ahp_platform.mcp.switchboard import switchboard
from ahp_platform.protocol import jsonrpc
from ahp_platform.protocol.errors import AuthRequired, InternalError, MethodNotFound, ProtocolError
from ahp_platform.protocol.methods import COMMANDS
from ahp_platform.rpc.context import Context
from ahp_platform.rpc.subscriptions import require_readable
from ahp_platform.rpc.table import Params, Policy
from sessions_app.customizations.keeping import Connections
from sessions_app.customizations.merge import every

SCHEME = "mcp://"
MAX_MESSAGE = 500
# Judged as these methods of ours are: one looks, the other acts.
LOOKS, ACTS = "subscribe", "createChat"


class Upstream(ProtocolError):
    """The server's own error, as it is."""

    def __init__(self, refused: McpRefused) -> None:
        super().__init__(refused.message[:MAX_MESSAGE], refused.data)
        self.code = refused.code  # type: ignore[misc]


class SideChannel:
    """The requests of clients to MCP servers. Implements `rpc.table.Relay`."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def takes(self, method: str, params: object) -> bool:
        """Whether a request is for an MCP server rather than for us."""
        channel = params.get("channel") if isinstance(params, dict) else None
        return isinstance(channel, str) and channel.startswith(SCHEME) and method not in COMMANDS

    async def serve(self, context: Context, method: str, params: Params) -> object:
        """The server's result; raises a `ProtocolError`."""
        channel = str(params["channel"])
        await require_readable(context, self._policy, channel, "mcp")
        session = context.log.peek(channel).parent
        server = _server(context, session, channel)
        if session is None or server is None or not _serves(server, method):
            raise MethodNotFound(f"Method not found: {method[:100]}")
        self._policy.require_method(context.principal, LOOKS if method in offers.LOOKING else ACTS)
        asked = {name: value for name, value in params.items() if name != "channel"}
        question = {"op": "ask", "server": server["id"], "method": method, "params": asked}
        user_id = context.principal.user_id
        try:
            return await switchboard.ask(context.log.tenant_id, session, {**question, "user": user_id})
        except McpRefused as refused:
            raise Upstream(refused) from None
        except NeedsToken as needed:
            resources = [needed.requirement["resource"]]
            raise AuthRequired("The MCP server wants a token first", {"resources": resources}) from None
        except McpFailed as failed:
            raise InternalError(str(failed)[:MAX_MESSAGE]) from None


def forward_notices(connections: Connections) -> None:
    """From now on, what servers announce reaches those of these connections that follow the channel."""

    def forward(message: Message) -> None:
        channel = message["channel"]
        frame = jsonrpc.notification_text(message["method"], {"channel": channel})
        for connection in connections():
            if connection.principal.tenant_id == message["tenant"] and channel in connection.subscriptions:
                connection.put(frame)

    hub.on("mcp.notice", forward)


def _server(context: Context, session: str | None, channel: str) -> Mapping[str, Any] | None:
    found = context.log.view().find(session) if session is not None else None
    customizations = found.state.get("customizations", ()) if found else ()
    return next((item for item in every(customizations) if item.get("channel") == channel), None)


def _serves(server: Mapping[str, Any], method: str) -> bool:
    return offers.serves(server.get("mcpApp", {}).get("capabilities", {}), method)
