"""How is a state changed without touching the old one?

States are plain JSON values that many readers share. A change copies the objects on the way to what changes and
shares the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar, cast

T = TypeVar("T")
M = TypeVar("M", bound=Mapping[str, Any])

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def without(value: M, *names: str) -> M:
    """The object without these fields; the very same where it has none of them."""
    if not any(name in value for name in names):
        return value
    return cast(M, {name: item for name, item in value.items() if name not in names})


def with_field(value: M, name: str, item: object) -> M:
    """The object with the field set, or without it where `item` is None: absent is never null."""
    if item is None:
        return without(value, name)
    return cast(M, {**value, name: item})


def replaced(items: Sequence[T], index: int, item: T) -> list[T]:
    """The list with another item at `index`."""
    changed = list(items)
    changed[index] = item
    return changed


def find(items: Sequence[Mapping[str, Any]] | None, name: str, value: object) -> int | None:
    """Where the item whose field has the value stands, None where there is none."""
    for index, item in enumerate(items or ()):
        if item.get(name) == value:
            return index
    return None


def upserted(items: Sequence[T] | None, item: T, name: str = "id") -> list[T]:
    """The list with the item in place of the one of the same key, or at the end."""
    known = cast("Sequence[Mapping[str, Any]]", items or ())
    index = find(known, name, cast("Mapping[str, Any]", item)[name])
    if index is None:
        return [*(items or ()), item]
    return replaced(items or (), index, item)


def removed(items: Sequence[T], index: int) -> list[T]:
    """The list without the item at `index`."""
    return [*items[:index], *items[index + 1 :]]


def same(one: object, other: object) -> bool:
    """Equal as JSON: unlike `==`, true is not 1, at any depth."""
    if one is other:
        return True
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(item, other[name]) for name, item in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def timestamp(now_ms: int) -> str:
    """The time as the protocol writes it: ISO 8601 in UTC, with milliseconds."""
    moment = _EPOCH + timedelta(milliseconds=now_ms)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"
