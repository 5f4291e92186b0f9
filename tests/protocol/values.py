"""How does hypothesis make values of our types?

Ids and texts come from few letters, so that random actions meet random states.
"""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from hypothesis import strategies as st

Strategy = st.SearchStrategy[Any]

JSON: Strategy = st.sampled_from([None, True, 1, 0.5, "a", [], ["a"], {}, {"a": {"b": [1]}}])
SCALARS: dict[Any, Strategy] = {
    str: st.sampled_from(["a", "b", "c", ""]),
    int: st.sampled_from([0, 1, 2, 8, 24, 33, 72, 2**40]),
    float: st.sampled_from([0, 1, -3, 2.5, 2**40]),
    bool: st.booleans(),
    NoneType: st.none(),
    object: JSON,
}


def values_of(annotation: Any, inside: tuple[Any, ...] = ()) -> Strategy:
    """Values of the annotation. `inside` are the types around it: an optional field does not repeat one of them."""
    origin, args = get_origin(annotation), get_args(annotation)
    if origin in (Annotated, NotRequired):
        return values_of(args[0], inside)
    if origin in (Union, UnionType):
        return st.one_of([values_of(member, inside) for member in args])
    if origin is Literal:
        return st.sampled_from(args)
    if origin is list:
        return st.lists(values_of(args[0], inside), max_size=3)
    if origin is dict:
        return st.dictionaries(SCALARS[str], values_of(args[1], inside), max_size=2)
    if is_typeddict(annotation):
        return _objects(annotation, (*inside, annotation))
    return SCALARS[annotation]


def _objects(annotation: Any, inside: tuple[Any, ...]) -> Strategy:
    hints = get_type_hints(annotation, include_extras=True)
    optional = {name for name, hint in hints.items() if get_origin(hint) is NotRequired}
    fields = {
        name: values_of(hint, inside)
        for name, hint in hints.items()
        if name not in optional or not any(_holds(hint, outer) for outer in inside)
    }
    return st.fixed_dictionaries(
        {name: field for name, field in fields.items() if name not in optional},
        optional={name: field for name, field in fields.items() if name in optional},
    )


def _holds(hint: Any, wanted: Any) -> bool:
    return hint is wanted or any(_holds(arg, wanted) for arg in get_args(hint))
