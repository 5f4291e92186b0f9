"""Are our types those of the published schema, field by field?

Names, required fields, literals, enumerations, unions and references are compared, with the exceptions that PROTOCOL.md section 0
lists. The schema lies beside the repository.
"""

from __future__ import annotations

import json
import pkgutil
from importlib import import_module
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest

import ahp_platform.protocol

SCHEMA = Path(__file__).parents[2].parent / "shared" / "seeds" / "000_f1ae12a6f93413ea.txt"

if not SCHEMA.is_file():
    pytest.skip(
        f"THE PUBLISHED SCHEMA IS NOT THERE, our types were compared with nothing: {SCHEMA}", allow_module_level=True
    )

DEFINITIONS: dict[str, Any] = json.loads(SCHEMA.read_text())["$defs"]

# `T | undefined` stands in `required`; on the wire it may be absent.
MAY_BE_ABSENT = {
    ("Turn", "usage"),
    ("ActiveTurn", "usage"),
    ("ActionEnvelope", "origin"),
    ("SessionActivityChangedAction", "activity"),
    ("SessionChangesetsChangedAction", "changesets"),
    ("SessionMetaChangedAction", "_meta"),
    ("ChangesetOperationsChangedAction", "operations"),
}
# A bitset, though the schema lists its single bits; and an empty schema that stands for a constant.
READ_OTHERWISE: dict[tuple[str, str], frozenset[Any]] = {
    ("ChatToolCallApprovedAction", "approved"): frozenset({("literal", True)}),
    ("ChatToolCallDeniedAction", "approved"): frozenset({("literal", False)}),
}
SCALARS = {str: "string", int: "number", float: "number", bool: "boolean", NoneType: "null", object: "anything"}


def our_types() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for module in pkgutil.walk_packages(ahp_platform.protocol.__path__, "ahp_platform.protocol."):
        names = vars(import_module(module.name))
        found.update({name: value for name, value in names.items() if name in DEFINITIONS})
    return found


OURS = our_types()


def alternatives_of_schema(schema: dict[str, Any], where: tuple[str, str] = ("", "")) -> frozenset[Any]:
    """The schema as a set of alternatives, with unions inside unions taken apart and objects named."""
    if where in READ_OTHERWISE:
        return READ_OTHERWISE[where]
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        if "properties" in DEFINITIONS[name] or DEFINITIONS[name].get("type") == "object":
            return frozenset({("object", name)})
        return frozenset({"number"}) if name == "SessionStatus" else alternatives_of_schema(DEFINITIONS[name])
    for union in ("oneOf", "anyOf"):
        if union in schema:
            return frozenset().union(*(alternatives_of_schema(member) for member in schema[union]))
    if "const" in schema:
        return frozenset({("literal", schema["const"])})
    if "enum" in schema:
        return frozenset(("literal", value) for value in schema["enum"])
    return frozenset({_plain(schema)})


def _plain(schema: dict[str, Any]) -> Any:
    if schema.get("type") == "array":
        return ("list", alternatives_of_schema(schema["items"]))
    if "properties" in schema:
        return ("fields", fields_of_schema("", schema))
    if schema.get("type") == "object":
        values = schema.get("additionalProperties", {})
        return ("map", alternatives_of_schema(values if isinstance(values, dict) else {}))
    return schema.get("type", "anything")


def fields_of_schema(name: str, schema: dict[str, Any]) -> frozenset[Any]:
    required = set(schema.get("required", ()))
    return frozenset(
        (field, field in required and (name, field) not in MAY_BE_ABSENT, alternatives_of_schema(value, (name, field)))
        for field, value in schema.get("properties", {}).items()
    )


def alternatives_of(annotation: Any) -> frozenset[Any]:
    origin, args = get_origin(annotation), get_args(annotation)
    if origin in (Annotated, NotRequired):
        return alternatives_of(args[0])
    if origin in (Union, UnionType):
        return frozenset().union(*(alternatives_of(member) for member in args))
    if origin is Literal:
        return frozenset(("literal", value) for value in args)
    if origin is list:
        return frozenset({("list", alternatives_of(args[0]))})
    if origin is dict:
        return frozenset({("map", alternatives_of(args[1]))})
    if is_typeddict(annotation):
        named = annotation.__name__ in DEFINITIONS
        return frozenset({("object", annotation.__name__) if named else ("fields", fields_of(annotation))})
    return frozenset({SCALARS[annotation]})


def fields_of(annotation: Any) -> frozenset[Any]:
    hints = get_type_hints(annotation, include_extras=True)
    return frozenset((name, get_origin(hint) is not NotRequired, alternatives_of(hint)) for name, hint in hints.items())


def test_all_definitions_are_ours() -> None:
    assert len(DEFINITIONS) == 344
    assert set(OURS) == set(DEFINITIONS)


@pytest.mark.parametrize("name", sorted(DEFINITIONS))
def test_definition(name: str) -> None:
    schema, ours = DEFINITIONS[name], OURS[name]
    if name == "SessionStatus":
        assert ours is int
    elif is_typeddict(ours):
        assert fields_of(ours) == fields_of_schema(name, schema)
    else:
        assert alternatives_of(ours) == alternatives_of_schema(schema)
