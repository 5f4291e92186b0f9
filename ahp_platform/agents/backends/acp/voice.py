"""How does what an agent says become parts of a response?

Text streams into a part of its kind. Another kind, another message of the agent's, or anything that came between begins a new part.
"""

from __future__ import annotations

import base64
import binascii
import uuid
from typing import Final

from acp.schema import (
    AudioContentBlock,
    BlobResourceContents,
    EmbeddedResourceContentBlock,
    ImageContentBlock,
    ResourceContentBlock,
    TextContentBlock,
)

from ahp_platform.agents.backend import Json, Sink

Block = TextContentBlock | ImageContentBlock | AudioContentBlock | ResourceContentBlock | EmbeddedResourceContentBlock

MARKDOWN, REASONING = "markdown", "reasoning"
GROWS: Final = {MARKDOWN: "chat/delta", REASONING: "chat/reasoning"}

DEFAULT_TYPE = "application/octet-stream"


class Voice:
    """The text of one turn."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._part = ""
        self._speaking: tuple[str, str | None] | None = None

    def interrupt(self) -> None:
        """Something else is shown: what is said next is a part of its own."""
        self._speaking = None

    async def say(self, kind: str, block: Block, message_id: str | None = None) -> None:
        """More of a message."""
        if not isinstance(block, TextContentBlock):
            await self._show(block)
            return
        if not block.text:
            return
        if self._speaking != (kind, message_id):
            self._speaking, self._part = (kind, message_id), str(uuid.uuid4())
            begun = {"kind": kind, "id": self._part, "content": ""}
            await self._sink.emit({"type": "chat/responsePart", "part": begun})
        await self._sink.emit({"type": GROWS[kind], "partId": self._part, "content": block.text})

    async def notify(self, text: str) -> None:
        """Tell the people in the chat something that the agent has not said."""
        self.interrupt()
        await self._sink.emit({"type": "chat/responsePart", "part": {"kind": "systemNotification", "content": text}})

    async def _show(self, block: Block) -> None:
        self.interrupt()
        shown = await kept(self._sink, block)
        await self._sink.emit({"type": "chat/responsePart", "part": {"kind": "contentRef", **shown}})


async def kept(sink: Sink, block: Block) -> Json:
    """A block as a reference to where it can be read."""
    if isinstance(block, ResourceContentBlock):
        known = {"contentType": block.mime_type, "sizeHint": block.size}
        return {"uri": block.uri, **{name: value for name, value in known.items() if value is not None}}
    data, content_type = content_of(block)
    return await sink.files.keep(data, content_type)


def content_of(block: Block) -> tuple[bytes, str]:
    """The bytes of a block and their type; bytes that cannot be decoded are none."""
    match block:
        case TextContentBlock():
            return block.text.encode(errors="replace"), "text/plain"
        case ImageContentBlock() | AudioContentBlock():
            return _decoded(block.data), block.mime_type
        case EmbeddedResourceContentBlock(resource=BlobResourceContents() as blob):
            return _decoded(blob.blob), blob.mime_type or DEFAULT_TYPE
        case EmbeddedResourceContentBlock(resource=text):
            return text.text.encode(errors="replace"), text.mime_type or "text/plain"
    return b"", DEFAULT_TYPE


def _decoded(data: str) -> bytes:
    try:
        return base64.b64decode(data)
    except (binascii.Error, ValueError):
        return b""
