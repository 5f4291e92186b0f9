"""Does a JSON value have the shape of an annotation?

A `Shape` is compiled once from a TypedDict (or any annotation built of them) into closures; checking does no
reflection. Fields that the annotation does not name are ignored. A union of TypedDicts is told apart by the
literal field that they share; a union marked OPEN takes any object with another tag, since newer peers may know
more variants. Source: PROTOCOL.md sections 0 and 1.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from ahp_platform.protocol.errors import InvalidParams

Check = Callable[[Any], None]

OPEN: Final = "open"

# Whole numbers are those that every client can count with; larger ones would not survive its own reading.
MAX_WHOLE: Final = 2**53 - 1


class Mismatch(Exception):
    """What is wrong, and where: the path is collected from the inside out while the exception rises."""

    def __init__(self, reason: str, *path: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.path = list(path)


class Shape:
    """The compiled form of an annotation."""

    __slots__ = ("_check",)

    def __init__(self, annotation: object) -> None:
        self._check = _compile(annotation)

    def check(self, value: object, name: str) -> None:
        """Raise InvalidParams naming the path to what is wrong, beginning with `name`."""
        try:
            self._check(value)
        except Mismatch as mismatch:
            path = name + "".join(reversed(mismatch.path))
            raise InvalidParams(f"{path}: {mismatch.reason}") from None


_compiled: dict[type, Check] = {}
_compiling: set[type] = set()


def _compile(annotation: Any) -> Check:
    if is_typeddict(annotation):
        return _object(annotation)
    if annotation in _SCALARS:
        return _SCALARS[annotation]
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _union(_members(args[0]), is_open=OPEN in args[1:])
    if origin is NotRequired:
        return _compile(args[0])
    if origin in (Union, UnionType):
        return _union(_members(annotation), is_open=False)
    if origin is Literal:
        return _literal(args)
    if origin is list:
        return _list(_compile(args[0]))
    if origin is dict:
        return _mapping(_compile(args[1]))
    raise TypeError(f"no shape for {annotation!r}")


# ---- scalars


def _anything(value: Any) -> None:
    pass


def _string(value: Any) -> None:
    if type(value) is not str:
        raise Mismatch("expected a string")


def _boolean(value: Any) -> None:
    if type(value) is not bool:
        raise Mismatch("expected true or false")


def _number(value: Any) -> None:
    if type(value) is not int and type(value) is not float:
        raise Mismatch("expected a number")


def _whole(value: Any) -> None:
    if type(value) is not int or not -MAX_WHOLE <= value <= MAX_WHOLE:
        raise Mismatch("expected a number" if type(value) is not float else "expected a whole number")


def _null(value: Any) -> None:
    if value is not None:
        raise Mismatch("expected null")


def _any_object(value: Any) -> None:
    if type(value) is not dict:
        raise Mismatch("expected an object")


_SCALARS: Final[dict[Any, Check]] = {
    object: _anything,
    str: _string,
    bool: _boolean,
    float: _number,
    int: _whole,
    NoneType: _null,
}


def _literal(values: tuple[Any, ...]) -> Check:
    # Compared with their type: 1 is not true.
    allowed = frozenset((type(value), value) for value in values)
    names = ", ".join(json.dumps(value) for value in values)
    reason = f"expected {names}" if len(values) == 1 else f"expected one of {names}"

    def check(value: Any) -> None:
        if type(value) not in (str, bool, int) or (type(value), value) not in allowed:
            raise Mismatch(reason)

    return check


# ---- containers


def _list(item: Check) -> Check:
    def check(value: Any) -> None:
        if type(value) is not list:
            raise Mismatch("expected an array")
        index = 0
        try:
            for index, element in enumerate(value):  # noqa: B007 - the path needs the index that failed
                item(element)
        except Mismatch as mismatch:
            mismatch.path.append(f"[{index}]")
            raise

    return check


def _mapping(item: Check) -> Check:
    if item is _anything:
        return _any_object

    def check(value: Any) -> None:
        _any_object(value)
        name = ""
        try:
            for name, element in value.items():  # noqa: B007 - the path needs the name that failed
                item(element)
        except Mismatch as mismatch:
            mismatch.path.append(f".{name}")
            raise

    return check


def _object(cls: type) -> Check:
    if cls in _compiled:
        return _compiled[cls]
    if cls in _compiling:
        return lambda value: _compiled[cls](value)  # the type contains itself
    _compiling.add(cls)
    hints = get_type_hints(cls, include_extras=True)
    fields = {name: _compile(hint) for name, hint in hints.items()}
    required = [name for name, hint in hints.items() if get_origin(hint) is not NotRequired]
    _compiling.remove(cls)
    return _compiled.setdefault(cls, _fields(fields, required))


def _fields(fields: dict[str, Check], required: list[str]) -> Check:
    wanted, find = frozenset(required), fields.get

    def check(value: Any) -> None:
        if type(value) is not dict:
            raise Mismatch("expected an object")
        if not wanted <= value.keys():
            absent = next(name for name in required if name not in value)
            raise Mismatch("is missing", f".{absent}")
        name = ""
        try:
            for name, item in value.items():
                if (field := find(name)) is not None:
                    field(item)
        except Mismatch as mismatch:
            mismatch.path.append(f".{name}")
            raise

    return check


# ---- unions


def _members(annotation: Any) -> list[Any]:
    """The alternatives, with unions inside the union taken apart."""
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _members(args[0])
    if origin in (Union, UnionType):
        return [member for arg in args for member in _members(arg)]
    return [annotation]


def _union(members: list[Any], *, is_open: bool) -> Check:
    variants = [member for member in members if is_typeddict(member)]
    others = [_compile(member) for member in members if not is_typeddict(member)]
    objects = _variants(variants, is_open) if variants else None
    if not others and objects is not None:
        return objects

    def check(value: Any) -> None:
        if objects is not None and type(value) is dict:
            return objects(value)
        reasons = []
        for other in others:
            try:
                return other(value)
            except Mismatch as mismatch:
                reasons.append(mismatch.reason)
        raise Mismatch(" or ".join(reasons))

    return check


def _variants(variants: list[type], is_open: bool) -> Check:
    if len(variants) == 1:
        return _object(variants[0])
    for tag in get_type_hints(variants[0]):
        groups = _grouped(variants, tag)
        if len(groups) > 1:
            return _tagged(tag, {value: _variants(group, is_open) for value, group in groups.items()}, is_open)
    return _any_object


def _grouped(variants: Iterable[type], tag: str) -> dict[Any, list[type]]:
    """The variants by the value of their literal field `tag`; empty where one of them has no such field."""
    groups: dict[Any, list[type]] = {}
    for variant in variants:
        values = _literals(get_type_hints(variant).get(tag))
        if not values:
            return {}
        for value in values:
            groups.setdefault(value, []).append(variant)
    return groups


def _literals(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) is Literal else ()


def _tagged(tag: str, checks: dict[Any, Check], is_open: bool) -> Check:
    kind = type(next(iter(checks)))
    unknown = _literal(tuple(checks))

    def check(value: Any) -> None:
        if type(value) is not dict:
            raise Mismatch("expected an object")
        if tag not in value:
            raise Mismatch("is missing", f".{tag}")
        chosen = value[tag]
        found = checks.get(chosen) if type(chosen) is kind else None
        if found is not None:
            found(value)
        elif not (is_open and type(chosen) is str):
            try:
                unknown(chosen)
            except Mismatch as mismatch:
                mismatch.path.append(f".{tag}")
                raise

    return check
