"""Which frames are messages, and which error does a bad one get?"""

from __future__ import annotations

import json
from typing import Any

import pytest

from ahp_platform.protocol import jsonrpc
from ahp_platform.protocol.envelope import action_frame, envelope_text
from ahp_platform.protocol.errors import InvalidRequest, NotFound, ParseError, ProtocolError
from ahp_platform.protocol.jsonrpc import Notification, Request, Response, parse


def request(**fields: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping", **fields})


def nested(depth: int) -> str:
    return '{"jsonrpc":"2.0","id":7,"method":"x","params":' + "[" * (depth - 1) + "]" * (depth - 1) + "}"


MESSAGES = [
    (request(), Request(1, "ping")),
    (request(params={"a": 1}), Request(1, "ping", {"a": 1})),
    (request(id=0), Request(0, "ping")),
    (request(id="x"), Request("x", "ping")),
    (request(id=1.5), Request(1.5, "ping")),
    (request(id=2**53 + 1), Request(2**53 + 1, "ping")),
    ('{"jsonrpc":"2.0","method":"unsubscribe"}', Notification("unsubscribe")),
    ('{"jsonrpc":"2.0","id":3,"result":null}', Response(3)),
    ('{"jsonrpc":"2.0","id":"unknown","result":{}}', Response("unknown", {})),
    ('{"jsonrpc":"2.0","id":null,"error":{"code":1}}', Response(None, error={"code": 1})),
    (request(params="\u2028"), Request(1, "ping", "\u2028")),
    ('{"jsonrpc":"2.0","id":1,"method":"a\\u0000b"}', Request(1, "a\0b")),
    ('{"jsonrpc":"2.0","id":1,"method":"\\ud83d\\ude00"}', Request(1, "\U0001f600")),
]
BAD_FRAMES: list[tuple[str | bytes, type[ProtocolError], Any]] = [
    ("{nope", ParseError, None),
    ("", ParseError, None),
    ("[NaN]", ParseError, None),
    ('{"a":Infinity}', ParseError, None),
    ('{"jsonrpc":"2.0","id":1,"method":"x","params":1e999}', ParseError, None),
    ('{"a":"\x01"}', ParseError, None),
    (request().encode(), ParseError, None),
    ("null", InvalidRequest, None),
    ("5", InvalidRequest, None),
    ("[]", InvalidRequest, None),
    (f"[{request()}]", InvalidRequest, None),
    ('{"id":1}', InvalidRequest, 1),
    (request(jsonrpc="1.0"), InvalidRequest, 1),
    (request(method=7), InvalidRequest, 1),
    (request(id=True), InvalidRequest, None),
    (request(id=None), InvalidRequest, None),
    (request(id={"a": 1}), InvalidRequest, None),
    ('{"jsonrpc":"2.0","result":1}', InvalidRequest, None),
    ('{"jsonrpc":"2.0","id":4}', InvalidRequest, 4),
    ('{"jsonrpc":"2.0","id":4,"error":"no"}', InvalidRequest, 4),
    ('{"jsonrpc":"2.0","id":[],"error":{}}', InvalidRequest, None),
    (nested(201), InvalidRequest, 7),
    ("[" * 10_000 + "]" * 10_000, InvalidRequest, None),
    ('{"\\ud800":' * 300 + "1" + "}" * 300, InvalidRequest, None),
    ('["\\ud800", NaN]', ParseError, None),
    ('["\\ud800", 1e999]', ParseError, None),
]


@pytest.mark.parametrize(("frame", "message"), MESSAGES)
def test_message(frame: str, message: jsonrpc.Message) -> None:
    parsed = parse(frame)
    assert parsed == message
    assert type(getattr(parsed, "id", None)) is type(getattr(message, "id", None))


@pytest.mark.parametrize(("frame", "error", "request_id"), BAD_FRAMES)
def test_bad_frame(frame: str | bytes, error: type[ProtocolError], request_id: Any) -> None:
    with pytest.raises(error) as raised:
        parse(frame)
    assert raised.value.request_id == request_id


def test_200_levels_are_not_too_deep() -> None:
    assert isinstance(parse(nested(200)), Request)


def test_many_brackets_are_not_deep() -> None:
    assert isinstance(parse(request(params=[[]] * 1000)), Request)


def test_half_a_surrogate_pair_is_replaced_in_keys_and_values() -> None:
    frame = '{"jsonrpc":"2.0","id":1,"method":"x","params":{"a\\ud800":["\\udc00b","\\ud83d\\ude00",1.5]}}'
    assert parse(frame) == Request(1, "x", {"a\ufffd": ["\ufffdb", "\U0001f600", 1.5]})


def test_an_escaped_backslash_before_a_surrogate_look_alike_stays() -> None:
    assert parse(request(method="\\ud800")) == Request(1, "\\ud800")


def test_real_lone_surrogates_in_the_frame_are_replaced_too() -> None:
    assert parse('{"jsonrpc":"2.0","id":1,"method":"\ud800"}') == Request(1, "\ufffd")


def test_what_we_write_can_be_read() -> None:
    assert json.loads(jsonrpc.result_text("a", None)) == {"jsonrpc": "2.0", "id": "a", "result": None}
    assert json.loads(jsonrpc.notification_text("m", {"x": 1})) == {"jsonrpc": "2.0", "method": "m", "params": {"x": 1}}
    assert parse(jsonrpc.request_text(5, "m", {})) == Request(5, "m", {})
    assert json.loads(jsonrpc.error_text(None, NotFound("gone"))) == {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": -32008, "message": "gone"},
    }
    assert json.loads(jsonrpc.error_text(1, NotFound("gone", {"a": 1})))["error"]["data"] == {"a": 1}


@pytest.mark.parametrize("request_id", [0, 1.5, "x", 2**53 + 1, 2**70])
def test_ids_are_echoed_unchanged(request_id: Any) -> None:
    message = parse(request(id=request_id))
    assert isinstance(message, Request)
    assert json.loads(jsonrpc.result_text(message.id, {}))["id"] == request_id


def test_envelope_is_built_around_the_encoded_action() -> None:
    action = {"type": "x", "text": "\u2028\0"}
    text = envelope_text('a"b', jsonrpc.encode(action), 2**53 + 1, ('c"', 3), 'no "reason"')
    assert json.loads(text) == {
        "channel": 'a"b',
        "action": action,
        "serverSeq": 2**53 + 1,
        "origin": {"clientId": 'c"', "clientSeq": 3},
        "rejectionReason": 'no "reason"',
    }
    bare = envelope_text("c", "{}", 1)
    assert json.loads(bare) == {"channel": "c", "action": {}, "serverSeq": 1}
    assert json.loads(action_frame(bare)) == {"jsonrpc": "2.0", "method": "action", "params": json.loads(bare)}
