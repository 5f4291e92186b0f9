"""What can go wrong with an MCP server?"""

from __future__ import annotations

from typing import Any


class McpFailed(Exception):
    """The server cannot be reached, has gone, or does not answer; the message is for people."""


class McpRefused(Exception):
    """The server answered a request with this error."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


class NeedsToken(Exception):
    """The server wants a token first: `requirement` is the `McpAuthRequirement`."""

    def __init__(self, requirement: dict[str, Any]) -> None:
        super().__init__("the MCP server wants a token")
        self.requirement = requirement

    @property
    def resource(self) -> str:
        """What the token must be for."""
        found: str = self.requirement["resource"]["resource"]
        return found
