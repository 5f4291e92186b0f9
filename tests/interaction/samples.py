"""What is the smallest value of a shape? For tests that go through everything there is."""

from __future__ import annotations

from types import UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

_PLAIN: dict[object, Any] = {str: "x", int: 1, float: 1, bool: True, object: {}, None: None}


def sample(annotation: Any, **fields: Any) -> Any:
    """A value of the annotation, with required fields alone; `fields` go into the outermost object."""
    if is_typeddict(annotation):
        hints = get_type_hints(annotation, include_extras=True)
        made = {name: sample(hint) for name, hint in hints.items() if get_origin(hint) is not NotRequired}
        return {**made, **fields}
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated or origin in (Union, UnionType):
        return sample(inner[0], **fields)
    if origin is Literal:
        return inner[0]
    if origin is list:
        return []
    return {} if origin is dict else _PLAIN[annotation]
