"""How do bytes travel as the text of a `resourceRead` or `resourceWrite`?

Text goes as UTF-8, anything else as base64, unless the reader asks otherwise; bytes that are not UTF-8 are base64 even
then, as the protocol falls back. A result is made as JSON piece by piece, so that a big file is not held many times.
Source: PROTOCOL.md section 12.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import json
import mimetypes
import re
from collections.abc import Callable, Iterable

from ahp_platform.protocol import jsonrpc
from ahp_platform.protocol.errors import InvalidParams
from ahp_platform.protocol.jsonrpc import Encoded

UTF8, BASE64 = "utf-8", "base64"

# What base64 takes as whole groups.
_GROUP = 3

# One of these makes Python keep every sign of a text in four bytes; escaped, they cost what they cost.
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


def result(chunks: Callable[[], Iterable[bytes]], wanted: str | None, content_type: str | None) -> Encoded:
    """The `ResourceReadResult`; `chunks` may be gone through twice."""
    if wanted != BASE64:
        text = _text(chunks(), binary_is_text=wanted == UTF8)
        if text is not None:
            return _object(text, UTF8, _type_of_text(content_type))
    return _object(_base64(chunks()), BASE64, content_type or "application/octet-stream")


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


def _text(chunks: Iterable[bytes], *, binary_is_text: bool) -> list[str] | None:
    """The JSON string of the text in pieces, without its quotes, or None where the bytes are no text."""
    decode = codecs.getincrementaldecoder("utf-8")().decode
    pieces = []
    try:
        for chunk in chunks:
            if not binary_is_text and b"\x00" in chunk:
                return None
            pieces.append(_ASTRAL.sub(_escaped, jsonrpc.encode(decode(chunk))[1:-1]))
        decode(b"", final=True)
    except UnicodeDecodeError:
        return None
    return pieces


def _escaped(sign: re.Match[str]) -> str:
    return json.dumps(sign[0])[1:-1]


def _base64(chunks: Iterable[bytes]) -> list[str]:
    pieces, rest = [], b""
    for chunk in chunks:
        taken = rest + chunk
        whole = len(taken) - len(taken) % _GROUP
        pieces.append(base64.b64encode(memoryview(taken)[:whole]).decode())
        rest = taken[whole:]
    return [*pieces, base64.b64encode(rest).decode()]


def _object(pieces: Iterable[str], encoding: str, content_type: str) -> Encoded:
    fields = jsonrpc.encode({"encoding": encoding, "contentType": content_type})
    return Encoded("".join(('{"data":"', *pieces, '",', fields[1:])))


def _type_of_text(guessed: str | None) -> str:
    # Several endings of source files also stand for media (.ts); text is certainly none of it.
    kind = (guessed or "").partition("/")[0]
    if guessed is None or (kind in ("audio", "image", "video") and not guessed.endswith("xml")):
        return "text/plain"
    return guessed
