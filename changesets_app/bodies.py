"""How do bytes travel as the text of a `resourceRead` or `resourceWrite`?

Text goes as UTF-8, anything else as base64, unless the reader asks otherwise; bytes that are not UTF-8 are base64 even
then, as the protocol falls back. A result is made as JSON piece by piece, so that a big file is not held many times.
Source: PROTOCOL.md section 12.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import mimetypes
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ahp_platform.protocol import jsonrpc
from ahp_platform.protocol.errors import InvalidParams
from ahp_platform.protocol.jsonrpc import Encoded

UTF8, BASE64 = "utf-8", "base64"

# What base64 takes as whole groups.
_GROUP = 3

# Of so many bytes of a text one is written as two; what stands around the data is no longer than that.
_ESCAPED, _AROUND = 16, 256


@dataclass(frozen=True, slots=True)
class Source:
    """Bytes to be sent, about `size` of them; `chunks` may be gone through twice."""

    size: int
    chunks: Callable[[], Iterable[bytes]]


def result(source: Source, wanted: str | None, content_type: str | None) -> Encoded:
    """The `ResourceReadResult`."""
    if wanted != BASE64:
        text = _text(source, binary_is_text=wanted == UTF8)
        if text is not None:
            return _ended(text, UTF8, _type_of_text(content_type))
    return _ended(_base64(source), BASE64, content_type or "application/octet-stream")


def data_of(data: str, encoding: str) -> bytes:
    """The bytes that a `resourceWrite` means."""
    if encoding == UTF8:
        return data.encode()
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise InvalidParams("params.data: not base64") from None


def type_of(name: str) -> str | None:
    """The media type that a name suggests."""
    return mimetypes.guess_type(name, strict=False)[0]


def _text(source: Source, *, binary_is_text: bool) -> Encoded | None:
    """The result as far as the end of the text, or None where the bytes are no text."""
    decode = codecs.getincrementaldecoder("utf-8")().decode
    made = _begun(source.size + source.size // _ESCAPED)
    try:
        for chunk in source.chunks():
            if not binary_is_text and b"\x00" in chunk:
                return None
            made.add(jsonrpc.utf8(decode(chunk))[1:-1])
        decode(b"", final=True)
    except UnicodeDecodeError:
        return None
    return made


def _base64(source: Source) -> Encoded:
    made, rest = _begun(source.size * 4 // 3), b""
    for chunk in source.chunks():
        taken = rest + chunk
        whole = len(taken) - len(taken) % _GROUP
        made.add(base64.b64encode(memoryview(taken)[:whole]))
        rest = taken[whole:]
    made.add(base64.b64encode(rest))
    return made


def _begun(expected: int) -> Encoded:
    made = Encoded(expected + _AROUND)
    made.add(b'{"data":"')
    return made


def _ended(made: Encoded, encoding: str, content_type: str) -> Encoded:
    made.add(b'",')
    made.add(jsonrpc.utf8({"encoding": encoding, "contentType": content_type})[1:])
    return made


def _type_of_text(guessed: str | None) -> str:
    # Several endings of source files also stand for media (.ts); text is certainly none of it.
    kind = (guessed or "").partition("/")[0]
    if guessed is None or (kind in ("audio", "image", "video") and not guessed.endswith("xml")):
        return "text/plain"
    return guessed
