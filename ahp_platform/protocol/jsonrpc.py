"""How does the text of a frame become a JSON-RPC message, and back?

Source: PROTOCOL.md section 1. Params and results stay plain JSON values here; their shapes are judged by `methods`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final

import msgspec

from ahp_platform.protocol.errors import InvalidRequest, ParseError, ProtocolError, RequestId

MAX_DEPTH: Final = 200

# What a frame begins with takes no more than this, unless its id is odd; the rest are spaces.
_ROOM = 128

_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class Request:
    """A call that must be answered, with the id exactly as the peer spelled it."""

    id: RequestId
    method: str
    params: object = None


@dataclass(frozen=True, slots=True)
class Notification:
    """A message that is never answered."""

    method: str
    params: object = None


@dataclass(frozen=True, slots=True)
class Response:
    """The peer's answer to a request of ours. `error` is None where it succeeded."""

    id: RequestId | None
    result: object = None
    error: dict[str, Any] | None = None


Message = Request | Notification | Response


def parse(frame: str | bytes) -> Message:
    """Read one frame. Raises ParseError or InvalidRequest, whose `request_id` is the id to answer with, if known."""
    if not isinstance(frame, str):
        raise ParseError("Frames must be text")
    value = _value(frame)
    if not isinstance(value, dict):
        raise InvalidRequest("A message must be an object")
    try:
        if frame.count("{") + frame.count("[") > MAX_DEPTH:
            _check_depth(value)
        return _message(value)
    except InvalidRequest as error:
        if _is_id(value.get("id")):
            error.request_id = value["id"]
        raise


class Encoded:
    """A value whose JSON is made piece by piece, in UTF-8. It stands where the frame will: a big value is held once, and
    never as characters. `expected` is about how long it gets, in bytes.
    """

    def __init__(self, expected: int) -> None:
        self._frame = BytesIO()
        self._frame.seek(_ROOM + expected)
        self._frame.write(b"}")
        self._frame.seek(_ROOM)

    def add(self, piece: bytes) -> None:
        """What comes next."""
        self._frame.write(piece)

    def value(self) -> bytes:
        """The JSON alone."""
        return bytes(self._frame.getbuffer()[_ROOM : self._frame.tell()])

    def frame(self, head: bytes) -> BigFrame:
        """The frame that begins with `head` and ends with the brace that this opened. Made once: nothing can be added then."""
        if len(head) > _ROOM:
            return BigFrame(b"".join((head, self.value(), b"}")))
        self._frame.write(b"}")
        self._frame.truncate()
        self._frame.seek(0)
        self._frame.write(head.ljust(_ROOM))
        return BigFrame(self._frame.getvalue())


@dataclass(frozen=True, slots=True)
class BigFrame:
    """A text frame in UTF-8. Of the text that they are given, servers want nothing but that it encodes itself."""

    data: bytes

    def encode(self, encoding: str = "utf-8") -> bytes:
        """As `str.encode`."""
        return self.data

    def __len__(self) -> int:
        return len(self.data)


Frame = str | BigFrame


def encode(value: object) -> str:
    """The JSON text of a value."""
    return utf8(value).decode()


def utf8(value: object) -> bytes:
    """The JSON text of a value in UTF-8."""
    return value.value() if isinstance(value, Encoded) else _encode(value)


def result_frame(request_id: RequestId | None, value: object) -> Frame:
    """The frame of a successful response."""
    if not isinstance(value, Encoded):
        return result_text(request_id, value)
    return value.frame(f'{{"jsonrpc":"2.0","id":{encode(request_id)},"result":'.encode())


def result_text(request_id: RequestId | None, value: object) -> str:
    """The frame of a successful response."""
    return f'{{"jsonrpc":"2.0","id":{encode(request_id)},"result":{encode(value)}}}'


def error_text(request_id: RequestId | None, error: ProtocolError) -> str:
    """The frame of an error response. An unknown id is null."""
    body: dict[str, object] = {"code": error.code, "message": error.message}
    if error.data is not None:
        body["data"] = error.data
    return f'{{"jsonrpc":"2.0","id":{encode(request_id)},"error":{encode(body)}}}'


def notification_text(method: str, params: object) -> str:
    """The frame of a notification."""
    return f'{{"jsonrpc":"2.0","method":{encode(method)},"params":{encode(params)}}}'


def request_text(request_id: RequestId, method: str, params: object) -> str:
    """The frame of a request of ours."""
    return f'{{"jsonrpc":"2.0","id":{encode(request_id)},"method":{encode(method)},"params":{encode(params)}}}'


def without_lone_surrogates(value: Any) -> Any:
    """A value of ours as it can be encoded: the same, but that half a surrogate pair becomes U+FFFD, as in frames of peers."""
    try:
        _encode(value)
    except UnicodeEncodeError:
        return _without_surrogates(value, 0)
    return value


def _message(value: dict[str, Any]) -> Message:
    if value.get("jsonrpc") != "2.0":
        raise InvalidRequest('A message must say "jsonrpc": "2.0"')
    if "method" not in value:
        return _response(value)
    method = value["method"]
    if not isinstance(method, str):
        raise InvalidRequest("method must be a string")
    if "id" not in value:
        return Notification(method, value.get("params"))
    if not _is_id(value["id"]):
        raise InvalidRequest("id must be a number or a string")
    return Request(value["id"], method, value.get("params"))


def _response(value: dict[str, Any]) -> Response:
    request_id = value.get("id")
    if request_id is not None and not _is_id(request_id):
        raise InvalidRequest("id must be a number or a string")
    if "error" in value:
        error = value["error"]
        if not isinstance(error, Mapping):
            raise InvalidRequest("error must be an object")
        return Response(request_id, error=dict(error))
    if "result" not in value or request_id is None:
        raise InvalidRequest("A message must be a request, a notification or a response")
    return Response(request_id, result=value["result"])


def _is_id(value: object) -> bool:
    return isinstance(value, (int, float, str)) and not isinstance(value, bool)


def _value(frame: str) -> object:
    try:
        return _decode(frame)
    except RecursionError:
        raise InvalidRequest("The message is nested too deeply") from None
    except (msgspec.DecodeError, UnicodeEncodeError):
        # msgspec refuses half a surrogate pair. JSON allows it, so the frame may still be good.
        if _SURROGATE_ESCAPE.search(frame) or _LONE_SURROGATE.search(frame):
            return _value_with_lone_surrogates(frame)
        raise ParseError("The frame is not valid JSON") from None


def _value_with_lone_surrogates(frame: str) -> object:
    try:
        return _without_surrogates(json.loads(frame, parse_constant=_refused, parse_float=_finite), 0)
    except RecursionError:
        raise InvalidRequest("The message is nested too deeply") from None
    except ValueError:
        raise ParseError("The frame is not valid JSON") from None


def _without_surrogates(value: object, depth: int) -> object:
    """Half a pair becomes U+FFFD here, once, so that no encoder or database behind this meets one."""
    if depth > MAX_DEPTH:
        raise InvalidRequest("The message is nested too deeply")
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_without_surrogates(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {_LONE_SURROGATE.sub("\ufffd", key): _without_surrogates(item, depth + 1) for key, item in value.items()}
    return value


def _refused(constant: str) -> object:
    raise ValueError(constant)


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(digits)
    return number


def _check_depth(value: object) -> None:
    """Level by level, not by recursion: the value may be as deep as the decoder allows."""
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        children = (item.values() if isinstance(item, dict) else item for item in level)
        level = [child for group in children for child in group if isinstance(child, (dict, list))]
        if not level:
            return
    raise InvalidRequest("The message is nested too deeply")
