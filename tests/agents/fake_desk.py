"""What does an agent session find at its desk when nobody else is there? What it put there itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ahp_platform.agents.backend import Json, Object, Remembered


@dataclass
class FakeDesk:
    """The turns of other chats, the annotations and the MCP servers may be put there before."""

    conversations: dict[str, Remembered] = field(default_factory=dict)
    titles: list[tuple[str, str]] = field(default_factory=list)
    offered: dict[str, Sequence[Object]] = field(default_factory=dict)
    configured: Json = field(default_factory=dict)
    chats: dict[str, list[Object]] = field(default_factory=dict)
    annotated: list[Object] = field(default_factory=list)
    servers: list[Object] = field(default_factory=list)

    async def remembered(self, chat: str) -> Remembered | None:
        return self.conversations.get(chat)

    async def remember(self, chat: str, conversation: Remembered) -> None:
        self.conversations[chat] = conversation

    async def entitle(self, chat: str, title: str) -> None:
        self.titles.append((chat, title))

    async def offer(self, chat: str, commands: Sequence[Object]) -> None:
        self.offered[chat] = commands

    async def configure(self, values: Object) -> None:
        self.configured |= values

    async def turns(self, chat: str, through: str) -> Sequence[Object]:
        found = self.chats.get(chat, [])
        ids = [turn["id"] for turn in found]
        return found[: ids.index(through) + 1] if through in ids else ()

    async def annotations(self, ids: Sequence[str] | None) -> Sequence[Object]:
        return [each for each in self.annotated if ids is None or each["id"] in ids]

    async def mcp_servers(self) -> Sequence[Object]:
        return self.servers
