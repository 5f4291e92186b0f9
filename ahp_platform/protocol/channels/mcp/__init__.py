"""What happens on the side channel of an MCP server? Its own messages alone: it has no state and no actions."""

from __future__ import annotations

from typing import Final

from ahp_platform.protocol.action import Channel

MCP: Final = Channel("mcp")
