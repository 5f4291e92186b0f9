"""Which actions does a terminal's output amount to, however it is split?"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terminals_app.shell_integration.marks import Output
from terminals_app.shell_integration.sequences import MAX_SEQUENCE

NONCE = "n0nce"


def output(nonce: str | None = NONCE) -> Output:
    return Output(nonce, lambda: 1000, "file:///start", "Terminal")


def actions(pieces: Iterable[bytes], nonce: str | None = NONCE) -> list[dict[str, Any]]:
    """What the pieces come to, with neighbouring data joined."""
    made = output(nonce)
    joined: list[dict[str, Any]] = []
    for action in [each for piece in pieces for each in made.feed(piece)] + made.finish():
        if joined and action["type"] == joined[-1]["type"] == "terminal/data":
            joined[-1] = {**action, "data": joined[-1]["data"] + action["data"]}
        else:
            joined.append(action)
    return joined


def shown(pieces: Iterable[bytes], nonce: str | None = NONCE) -> str:
    return "".join(each["data"] for each in actions(pieces, nonce) if each["type"] == "terminal/data")


def types(made: Iterable[dict[str, Any]]) -> list[str]:
    return [each["type"].removeprefix("terminal/") for each in made if each["type"] != "terminal/data"]


def mark(text: str, nonce: str = NONCE) -> bytes:
    return f"\x1b]633;{text};{nonce}\x07".encode()


COMMAND = mark("E;echo a\\x3b b") + mark("C") + "─ ä\r\n".encode() + mark("D;3") + mark("P;Cwd=/tmp/a b")
FRAGMENTS = [
    *(
        b"a",
        b"\x1b",
        b"]",
        b"\\",
        b"\x07",
        b"\x1b]",
        b"\x1b\\",
        b"633;",
        b"0;title",
        b";",
        b"\x18",
        b"\x1b[31m",
        b"\xff",
        b"\xe2\x94\x80",
    ),
    *(
        "─".encode(),
        "😀".encode(),
        COMMAND,
        mark("D;0", "forged"),
        b"\x1b]133;C\x07",
        b"\x1b]0;new title\x07",
        b"\x1b]7;file://h/x%20y\x1b\\",
    ),
]


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=12), st.data())
def test_any_split_gives_the_same_actions(fragments: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(fragments)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=8)))
    pieces = [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    assert actions(pieces) == actions([whole])


EVERYTHING = (
    b"\x1b]0;one \xc3\xa4\x07\x1b[1m"
    + COMMAND
    + b"\x1b]2;two\x1b\\"
    + mark("C", "forged")
    + "─😀".encode()
    + b"\x1b]133;C;n0nce\x07o\x1b]133;D;1;n0nce\x1b\\\x1b]7;file://h/x%20y\x07\x1b]8;;u\x07\xe2\x1b]633;E;unfinished"
)


def test_a_split_after_any_byte_gives_the_same_actions() -> None:
    whole = actions([EVERYTHING])
    assert len(set(types(whole))) == 5
    for at in range(len(EVERYTHING) + 1):
        assert actions([EVERYTHING[:at], EVERYTHING[at:]]) == whole
    assert actions([bytes([byte]) for byte in EVERYTHING]) == whole


def test_a_piece_between_any_two_splits_gives_the_same_actions() -> None:
    text = EVERYTHING[-60:]
    whole = actions([text])
    for end in range(len(text) + 1):
        for start in range(end + 1):
            assert actions([text[:start], text[start:end], text[end:]]) == whole


def test_a_command_is_told_from_its_output() -> None:
    made = actions([COMMAND])
    assert types(made) == ["commandDetectionAvailable", "commandExecuted", "commandFinished", "cwdChanged"]
    executed = next(each for each in made if each["type"] == "terminal/commandExecuted")
    assert executed["commandLine"] == "echo a; b"
    finished = next(each for each in made if each["type"] == "terminal/commandFinished")
    assert (finished["commandId"], finished["exitCode"]) == (executed["commandId"], 3)
    assert made[-1]["cwd"] == "file:///tmp/a%20b"
    assert shown([COMMAND]) == "─ ä\r\n"


def test_forged_marks_do_nothing_and_are_not_shown() -> None:
    forged = mark("C", "guess") + b"\x1b]633;D;0\x07" + b"\x1b]133;C\x07" + b"text"
    assert types(actions([forged])) == []
    assert shown([forged]) == "text"


def test_a_shell_of_another_start_up_is_believed() -> None:
    own = b"\x1b]133;A\x07$ \x1b]133;C\x07out\x1b]133;D;1\x07"
    made = actions([own], nonce=None)
    assert types(made) == ["commandDetectionAvailable", "commandExecuted", "commandFinished"]
    assert made[-1]["exitCode"] == 1
    assert shown([own], nonce=None) == "$ out"


def test_titles_are_read_and_passed_on() -> None:
    made = actions([b"\x1b]0;one\x07\x1b]2;two\x1b\\"])
    assert [each["title"] for each in made if each["type"] == "terminal/titleChanged"] == ["one", "two"]
    assert shown([b"\x1b]0;one\x07"]) == "\x1b]0;one\x07"


@pytest.mark.parametrize(
    "text",
    [b"\x1b[1;31mred\x1b[0m", b"\x1b]8;;http://x\x07link\x1b]8;;\x07", b"\x1b\x1b]x", b"\x1b]633", b"a\x00b", b"\x1b"],
)
def test_everything_else_passes_as_it_is(text: bytes) -> None:
    assert shown([text]) == text.decode()


def test_bytes_that_are_no_text_are_replaced() -> None:
    assert shown([b"a\xffb\xe2\x94"]) == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize("beginning", ["633;E;", "633", "133;C;", "0;", "2;", "7;file:///", "", "8;;http://"])
def test_what_is_unfinished_holds_little_back_and_costs_little(beginning: str) -> None:
    made = output()
    began = time.perf_counter()
    given_out = sum(len(each["data"]) for each in made.feed(f"\x1b]{beginning}".encode()))
    for _ in range(800):
        given_out += sum(len(each["data"]) for each in made.feed(b"x" * 65536))
    assert 800 * 65536 - given_out <= MAX_SEQUENCE
    assert time.perf_counter() - began < 5
    assert made.finish() == []


def test_many_beginnings_cost_linear_time() -> None:
    made = output()
    began = time.perf_counter()
    for _ in range(100):
        made.feed(b"\x1b]633;E;" * 5000)
    for _ in range(40_000):
        made.feed(b"\x1b]")
    assert time.perf_counter() - began < 5
