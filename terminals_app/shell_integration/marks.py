"""Which actions of the terminal channel does a terminal's output amount to?

Marks of our own start-up files bear a secret of the terminal, so that a program that prints marks forges nothing; shells that we
do not start up ourselves are believed as they are. Source: PROTOCOL.md section 9.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from terminals_app.shell_integration.sequences import Sequence, SequenceParser, Text, Token

Action = dict[str, Any]

MAX_TITLE = 256
MAX_PATH = 4096

_ESCAPED = re.compile(r"\\(\\|x[0-9a-fA-F]{2})")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class Output:
    """The output of one terminal, from bytes to actions. `nonce` is the secret of our start-up files, None without them."""

    def __init__(self, nonce: str | None, now_ms: Callable[[], int], cwd: str | None = None, title: str = "") -> None:
        self._nonce, self._now_ms, self._cwd, self._title = nonce, now_ms, cwd, title
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._parser = SequenceParser()
        self._detected = False
        self._line = ""
        self._commands = 0
        self._running: tuple[str, int] | None = None

    def feed(self, output: bytes) -> list[Action]:
        """The actions that these bytes complete, in order."""
        return self._actions(self._parser.feed(self._decoder.decode(output)))

    def began(self, line: str) -> list[Action]:
        """The whole output is that of one command."""
        self._line = line
        return self._detection() + self._executed()

    def finish(self, code: int | None = None) -> list[Action]:
        """The rest, after the last byte; a command that still runs ends with this code."""
        rest = self._parser.feed(self._decoder.decode(b"", final=True))
        return self._actions([*rest, *self._parser.finish()]) + self._finished("" if code is None else str(code))

    def _actions(self, tokens: Iterable[Token]) -> list[Action]:
        actions: list[Action] = []
        for token in tokens:
            new = self._shown(token) if isinstance(token, Text) else self._read(token)
            if new and new[0]["type"] == "terminal/data" and actions and actions[-1]["type"] == "terminal/data":
                actions[-1]["data"] += new[0]["data"]
            else:
                actions += new
        return actions

    def _shown(self, token: Text) -> list[Action]:
        return [{"type": "terminal/data", "data": token.text}]

    def _read(self, sequence: Sequence) -> list[Action]:
        if sequence.number in ("0", "2"):
            return self._titled(sequence.payload)
        if sequence.number == "7":
            return self._moved(unquote(urlsplit(sequence.payload).path))
        fields = sequence.payload.split(";")
        if self._nonce is not None and (len(fields) < 2 or fields.pop() != self._nonce):
            return []
        return self._detection() + self._mark(fields[0], ";".join(fields[1:]))

    def _detection(self) -> list[Action]:
        if self._detected:
            return []
        self._detected = True
        return [{"type": "terminal/commandDetectionAvailable"}]

    def _mark(self, mark: str, value: str) -> list[Action]:
        if mark == "E":
            self._line = _unescaped(value)
        elif mark == "C":
            return self._executed()
        elif mark == "D":
            return self._finished(value)
        elif mark == "P" and value.startswith("Cwd="):
            return self._moved(_unescaped(value.removeprefix("Cwd=")))
        return []

    def _executed(self) -> list[Action]:
        before = self._finished("")
        self._commands += 1
        line, self._line = self._line, ""
        self._running = str(self._commands), self._now_ms()
        command_id, began = self._running
        return [
            *before,
            {"type": "terminal/commandExecuted", "commandId": command_id, "commandLine": line, "timestamp": began},
        ]

    def _finished(self, code: str) -> list[Action]:
        if self._running is None:
            return []
        (command_id, began), self._running = self._running, None
        action: Action = {"type": "terminal/commandFinished", "commandId": command_id}
        if code.isascii() and code.isdigit() and len(code) < 6:
            action["exitCode"] = int(code)
        return [{**action, "durationMs": max(0, self._now_ms() - began)}]

    def _moved(self, path: str) -> list[Action]:
        if not path.startswith("/") or len(path) > MAX_PATH or "\x00" in path:
            return []
        cwd = PurePosixPath(path).as_uri()
        if cwd == self._cwd:
            return []
        self._cwd = cwd
        return [{"type": "terminal/cwdChanged", "cwd": cwd}]

    def _titled(self, text: str) -> list[Action]:
        title = _CONTROL.sub("", text).strip()[:MAX_TITLE]
        if not title or title == self._title:
            return []
        self._title = title
        return [{"type": "terminal/titleChanged", "title": title}]


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: "\\" if found[1] == "\\" else chr(int(found[1][1:], 16)), text)
