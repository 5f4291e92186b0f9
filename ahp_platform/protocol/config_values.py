"""May a client set these configuration values?

Shared by the root's and the sessions' configuration: a value must fit the property's schema, as far as a schema
is given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ahp_platform.protocol.persistent import same

_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "string": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


def refuse_value(name: str, schema: Mapping[str, Any], value: object) -> str | None:
    """Why the value does not fit the schema of the property, or None."""
    expected = _TYPES.get(schema["type"])
    if expected and type(value) not in expected:
        return f"{name} must be of type {schema['type']}"
    choices = schema.get("enum")
    # With `enumDynamic` the listed values are only the first of many.
    if choices and not schema.get("enumDynamic") and not any(same(value, choice) for choice in choices):
        return f"{name} is none of the values it may have"
    if isinstance(value, list) and "items" in schema:
        return next(filter(None, (refuse_value(f"{name}[{n}]", schema["items"], v) for n, v in enumerate(value))), None)
    if isinstance(value, dict):
        return _refuse_object(name, schema, value)
    return None


def _refuse_object(name: str, schema: Mapping[str, Any], value: Mapping[str, object]) -> str | None:
    absent = next((key for key in schema.get("required", ()) if key not in value), None)
    if absent is not None:
        return f"{name}.{absent} is missing"
    properties = schema.get("properties", {})
    for key, item in value.items():
        inner = properties.get(key, schema.get("additionalProperties"))
        if inner and (reason := refuse_value(f"{name}.{key}", inner, item)):
            return reason
    return None


def refuse_config(
    config: Mapping[str, Any] | None, action: Mapping[str, Any], writable: Callable[[Mapping[str, Any]], bool]
) -> str | None:
    """Why a client may not apply a `configChanged` action, or None. Naming a value as it is already is allowed."""
    if config is None:
        return "There is no configuration here"
    values, properties, given = config["values"], config["schema"]["properties"], action["config"]
    lost = [name for name in values if name not in given] if action.get("replace") else []
    for name in lost:
        if not writable(properties.get(name, {})):
            return f"{name} cannot be changed"
    for name, value in given.items():
        if name not in properties:
            return f"There is no property {name}"
        if name in values and same(values[name], value):
            continue
        if not writable(properties[name]):
            return f"{name} cannot be changed"
        if reason := refuse_value(name, properties[name], value):
            return reason
    return None


def merged(values: Mapping[str, Any], config: Mapping[str, Any], replace: bool | None) -> dict[str, Any]:
    """The values after a change: all of them exchanged, or the given ones added."""
    return dict(config) if replace else {**values, **config}
