"""What can be chosen for a conversation with an agent, and how is it set?

Config options, and what agents had before those: modes and models. A choice of the category `model` is the message's model; the
others are properties of the session's configuration.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from ahp_platform.agents.backend import Json, Object

MODEL: Final = "model"
MODE: Final = "mode"

# The names that a session's configuration has of its own.
TAKEN = frozenset({"visibility", "members", "target", "baseBranch"})

Way = Literal["option", "mode", "model"]
Call = tuple[str, Json]


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing to choose; `values` has the value, the name and the description of each, none where it is a switch."""

    id: str
    name: str
    way: Way
    current: str | bool
    values: Sequence[tuple[str, str, str]] = ()
    description: str = ""
    category: str = ""

    @property
    def property_name(self) -> str:
        """Its name in a session's configuration."""
        return f"agent-{self.id}" if self.id in TAKEN else self.id

    def schema(self) -> Json:
        """Its `SessionConfigPropertySchema`."""
        schema: Json = {"title": self.name, "sessionMutable": True, "default": self.current}
        if self.description:
            schema["description"] = self.description
        if not self.values:
            return {**schema, "type": "boolean"}
        values, labels, descriptions = (list(each) for each in zip(*self.values, strict=True))
        shown = {"enumDescriptions": descriptions} if any(descriptions) else {}
        return {**schema, "type": "string", "enum": values, "enumLabels": labels, **shown}

    def call(self, session_id: str, value: str | bool) -> Call:
        """The request that sets it."""
        session = {"sessionId": session_id}
        if self.way == MODE:
            return "session_set_mode", {**session, "modeId": value}
        if self.way == MODEL:
            return "session/set_model", {**session, "modelId": value}
        kind = {"type": "boolean"} if isinstance(value, bool) else {}
        return "session_set_config_option", {**session, "configId": self.id, "value": value, **kind}


def choices(result: Object) -> list[Choice]:
    """What the response to a new, loaded or resumed session offers; what cannot be understood is left out."""
    found = list(_options(result.get("configOptions")))
    categories = {choice.category for choice in found}
    if MODE not in categories:
        found += _listed(result.get("modes"), MODE)
    if MODEL not in categories:
        found += _listed(result.get("models"), MODEL)
    return found


def model_choice(found: Iterable[Choice]) -> Choice | None:
    """The choice of the model."""
    return next((choice for choice in found if choice.category == MODEL), None)


def models(provider: str, found: Iterable[Choice]) -> list[Json]:
    """The `SessionModelInfo`s that an agent offers, the one in use first."""
    choice = model_choice(found)
    if choice is None:
        return []
    in_order = sorted(choice.values, key=lambda each: each[0] != choice.current)
    return [{"id": value, "provider": provider, "name": name or value} for value, name, _ in in_order]


def properties(found: Iterable[Choice]) -> Json:
    """The properties of a session's configuration."""
    return {choice.property_name: choice.schema() for choice in found if choice.category != MODEL}


def wanted(found: Sequence[Choice], config: Object, model: Object) -> Iterator[tuple[Choice, str | bool]]:
    """What is to be set for a prompt, in the order in which it is: the model first, since others may depend on it."""
    values: Mapping[str, object] = {**config, **model.get("config", {})}
    for choice in sorted(found, key=lambda each: each.category != MODEL):
        value = model.get("id") if choice.category == MODEL else values.get(choice.property_name)
        if isinstance(value, str | bool) and value != choice.current:
            yield choice, value


def _options(options: object) -> Iterator[Choice]:
    for option in options if isinstance(options, list) else ():
        if not isinstance(option, dict) or not isinstance(option.get("id"), str):
            continue
        name, current = str(option.get("name") or option["id"]), option.get("currentValue")
        description, category = str(option.get("description") or ""), str(option.get("category") or "")
        values = list(_values(option.get("options")))
        if option.get("type") == "boolean" and isinstance(current, bool):
            yield Choice(option["id"], name, "option", current, (), description, category)
        elif option.get("type") == "select" and values and isinstance(current, str):
            yield Choice(option["id"], name, "option", current, values, description, category)


def _values(options: object) -> Iterator[tuple[str, str, str]]:
    """The values of a select option, those in groups too."""
    for each in options if isinstance(options, list) else ():
        if isinstance(each, dict) and isinstance(each.get("options"), list):
            yield from _values(each["options"])
        elif isinstance(each, dict) and isinstance(each.get("value"), str):
            yield each["value"], str(each.get("name") or each["value"]), str(each.get("description") or "")


def _listed(state: object, way: Literal["mode", "model"]) -> list[Choice]:
    """The modes or models of agents without config options."""
    if not isinstance(state, dict):
        return []
    key, current = ("id", state.get("currentModeId")) if way == MODE else ("modelId", state.get("currentModelId"))
    listed = state.get("availableModes" if way == MODE else "availableModels")
    as_options = [
        {**each, "value": each.get(key)}
        for each in (listed if isinstance(listed, list) else ())
        if isinstance(each, dict)
    ]
    values = list(_values(as_options))
    if not values or not isinstance(current, str):
        return []
    return [Choice(way, "Mode" if way == MODE else "Model", way, current, values, category=way)]
