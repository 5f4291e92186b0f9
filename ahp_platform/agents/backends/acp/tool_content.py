"""How does what a tool call of an agent shows become content that people can open?

Diffs become file edits whose texts are kept, terminals those of the session, long texts references beside their beginning.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence

from acp.schema import (
    ContentToolCallContent,
    FileEditToolCallContent,
    ResourceContentBlock,
    TerminalToolCallContent,
    TextContentBlock,
)

from ahp_platform.agents.backend import CommandOutput, Json, Sink
from ahp_platform.agents.backends.acp.voice import Block, content_of, kept

Content = ContentToolCallContent | FileEditToolCallContent | TerminalToolCallContent

MAX_TEXT, MAX_EMBEDDED_BYTES = 32 * 1024, 64 * 1024
PREVIEW = 4_000


class Running:
    """The terminals that an agent has started: its ids to their URIs and titles."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, str]] = {}

    def add(self, terminal_id: str, uri: str, title: str) -> None:
        """One more."""
        self._known[terminal_id] = uri, title

    def uri(self, terminal_id: str) -> str | None:
        """Its URI; None where the agent has no such terminal."""
        return self._known.get(terminal_id, (None, ""))[0]

    def content(self, terminal_id: str) -> Json | None:
        """As content of a tool call."""
        if terminal_id not in self._known:
            return None
        uri, title = self._known[terminal_id]
        return {"type": "terminal", "resource": uri, "title": title, "isPty": True}


class Contents:
    """The contents of one turn's tool calls."""

    def __init__(self, sink: Sink, terminals: Running) -> None:
        self._sink, self._terminals = sink, terminals
        self._edits: dict[tuple[str, str | None, str], Json] = {}

    async def of(self, contents: Sequence[Content], *, last: bool) -> list[Json]:
        """All of it; `last`: nothing follows, so terminals come with their result."""
        shown: list[Json] = []
        for content in contents:
            match content:
                case FileEditToolCallContent():
                    shown.append({"type": "fileEdit", **await self.edit(content)})
                case TerminalToolCallContent():
                    shown += await self._terminal(content.terminal_id, last=last)
                case ContentToolCallContent(content=block):
                    shown += await self._block(block)
        return shown

    async def edit(self, diff: FileEditToolCallContent) -> Json:
        """The `FileEdit` of a diff, whose texts are kept once."""
        key = diff.path, diff.old_text, diff.new_text
        if key not in self._edits:
            # Many agents say "" of a file that is not there.
            self._edits[key] = await self._sink.files.edit(diff.path, diff.old_text or None, diff.new_text)
        return self._edits[key]

    async def text(self, text: str) -> list[Json]:
        """A text; a long one is cut and can be read whole elsewhere."""
        if len(text) <= MAX_TEXT:
            return [{"type": "text", "text": text}] if text else []
        whole = await self._sink.files.keep(text.encode(errors="replace"), "text/plain")
        return [{"type": "text", "text": text[:MAX_TEXT]}, {"type": "resource", **whole}]

    async def _block(self, block: Block) -> list[Json]:
        if isinstance(block, TextContentBlock):
            return await self.text(block.text)
        if isinstance(block, ResourceContentBlock):
            return [{"type": "resource", **await kept(self._sink, block)}]
        data, content_type = content_of(block)
        if content_type.startswith("text/"):
            return await self.text(data.decode(errors="replace"))
        if len(data) <= MAX_EMBEDDED_BYTES:
            embedded = base64.b64encode(data).decode()
            return [{"type": "embeddedResource", "data": embedded, "contentType": content_type}]
        return [{"type": "resource", **await kept(self._sink, block)}]

    async def _terminal(self, terminal_id: str, *, last: bool) -> list[Json]:
        content = self._terminals.content(terminal_id)
        if content is None:
            return []
        if last:
            content["result"] = _result(await self._sink.terminals.output(content["resource"]))
        return [content]


def _result(output: CommandOutput) -> Json:
    result: Json = {"preview": output.text[-PREVIEW:], "truncated": len(output.text) > PREVIEW}
    return result if output.exit_code is None else {**result, "exitCode": output.exit_code}


def diffs(contents: Sequence[Content]) -> Mapping[str, FileEditToolCallContent]:
    """The diffs among them, by path."""
    return {content.path: content for content in contents if isinstance(content, FileEditToolCallContent)}
