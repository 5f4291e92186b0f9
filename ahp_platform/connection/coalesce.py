"""Which entries may be sent as one without changing what a client ends up with?

Adjacent deltas of one part of one channel are joined into an envelope that bears the last one's number; nothing is
joined across another action of that channel. Source: PROTOCOL.md section 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ahp_platform.eventlog.entry import ACTION, Entry
from ahp_platform.protocol import jsonrpc

# Action type -> the fields that say which text is continued, and the field that holds the text.
JOINABLE: Mapping[str, tuple[tuple[str, ...], str]] = {
    "chat/delta": (("turnId", "partId"), "content"),
    "chat/reasoning": (("turnId", "partId"), "content"),
    "terminal/data": ((), "data"),
}

# A cheap look at the encoded body spares decoding what cannot be joined anyway.
_PREFIXES = tuple(f'{{"type":"{kind}"' for kind in JOINABLE)

Key = tuple[Any, ...]


def joinable(entry: Entry) -> bool:
    """Whether the entry may wait for others to be joined with."""
    return entry.kind == ACTION and entry.origin is None and entry.body.startswith(_PREFIXES)


def coalesce(entries: Iterable[Entry]) -> list[Entry]:
    """The entries with runs of joinable ones joined, in rising order of their numbers."""
    runs: list[list[Entry]] = []
    growing: dict[str, tuple[Key, int]] = {}
    for entry in entries:
        key = _key(entry) if joinable(entry) else None
        run = [entry]
        if key is not None and (grown := growing.get(entry.channel)) is not None and grown[0] == key:
            # The run moves behind what other channels had meanwhile: it bears its last number.
            run, runs[grown[1]] = runs[grown[1]], []
            run.append(entry)
        if key is None:
            growing.pop(entry.channel, None)
        else:
            growing[entry.channel] = (key, len(runs))
        runs.append(run)
    return [run[0] if len(run) == 1 else _joined(run) for run in runs if run]


def _key(entry: Entry) -> Key | None:
    action = entry.action
    if "_meta" in action:
        return None
    kind = action["type"]
    return (kind, *(action[name] for name in JOINABLE[kind][0]))


def _joined(run: list[Entry]) -> Entry:
    last = run[-1]
    text = JOINABLE[last.action["type"]][1]
    action = {**last.action, text: "".join(entry.action[text] for entry in run)}
    joined = Entry(last.seq, ACTION, last.channel, jsonrpc.encode(action), None, last.user_id, None, last.now_ms)
    joined.keep_action(action)
    return joined
