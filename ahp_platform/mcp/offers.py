"""Which methods does the side channel of an MCP server serve, given what the server can do?

Exactly those of the capabilities that we advertise for it; everything else is unknown there. Source: PROTOCOL.md section 14.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

# Capability of a server -> what we advertise for it, which methods that serves, and what it forwards.
SERVED: Final[Mapping[str, tuple[str, frozenset[str]]]] = {
    "tools": ("serverTools", frozenset({"tools/list", "tools/call"})),
    "resources": ("serverResources", frozenset({"resources/list", "resources/templates/list", "resources/read"})),
}
FORWARDED: Final[Mapping[str, str]] = {
    "notifications/tools/list_changed": "serverTools",
    "notifications/resources/list_changed": "serverResources",
}
# What only looks; the rest acts.
LOOKING: Final = frozenset().union(*(methods for _, methods in SERVED.values())) - {"tools/call"}


def advertised(capabilities: Mapping[str, Any]) -> dict[str, Any]:
    """The `AhpMcpUiHostCapabilities` for a server that declared these capabilities of its own."""
    found: dict[str, Any] = {}
    for theirs, (ours, _) in SERVED.items():
        declared = capabilities.get(theirs)
        if isinstance(declared, Mapping):
            found[ours] = {"listChanged": True} if declared.get("listChanged") is True else {}
    return found


def serves(offered: Mapping[str, Any], method: str) -> bool:
    """Whether the channel serves the method."""
    return any(method in methods for ours, methods in SERVED.values() if ours in offered)


def forwards(offered: Mapping[str, Any], method: str) -> bool:
    """Whether the channel forwards this notification of the server."""
    of = FORWARDED.get(method)
    return of is not None and bool(offered.get(of, {}).get("listChanged"))
