"""Which plugins, directories and MCP servers shape a session's agent?

Containers hold children; an id is looked for among the containers first, then among their children.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypedDict, cast

from ahp_platform.protocol.channels.session.table import SESSION
from ahp_platform.protocol.persistent import find, removed, replaced, upserted
from ahp_platform.protocol.types.customizations import Customization
from ahp_platform.protocol.types.session import SessionState

Item = Mapping[str, Any]


class SessionCustomizationsChangedAction(TypedDict):
    type: Literal["session/customizationsChanged"]
    customizations: list[Customization]


class SessionCustomizationToggledAction(TypedDict):
    type: Literal["session/customizationToggled"]
    id: str
    enabled: bool


class SessionCustomizationUpdatedAction(TypedDict):
    type: Literal["session/customizationUpdated"]
    customization: Customization


class SessionCustomizationRemovedAction(TypedDict):
    type: Literal["session/customizationRemoved"]
    id: str


def find_customization(state: SessionState, wanted: str) -> tuple[int, int | None] | None:
    """Where it stands: its place in the list, or its container's and its own among the children."""
    containers = cast("list[Item]", state.get("customizations", []))
    top = find(containers, "id", wanted)
    if top is not None:
        return top, None
    for index, container in enumerate(containers):
        child = find(container.get("children"), "id", wanted)
        if child is not None:
            return index, child
    return None


def customization_at(state: SessionState, place: tuple[int, int | None]) -> Item:
    """The customization at a place that `find_customization` found."""
    container = cast(Item, state["customizations"][place[0]])
    return container if place[1] is None else cast(Item, container["children"][place[1]])


def change_at(state: SessionState, place: tuple[int, int | None], change: Callable[[Item], Item]) -> SessionState:
    """The state with one customization changed."""
    index, child = place
    container = cast(Item, state["customizations"][index])
    if child is None:
        changed = change(container)
    else:
        children = container["children"]
        changed = {**container, "children": replaced(children, child, change(children[child]))}
    return {**state, "customizations": replaced(state["customizations"], index, cast(Customization, changed))}


@SESSION.on("session/customizationsChanged", SessionCustomizationsChangedAction)
def customizations_changed(
    state: SessionState, action: SessionCustomizationsChangedAction, now_ms: int
) -> SessionState:
    """The whole list anew."""
    return {**state, "customizations": action["customizations"]}


def refuse_toggled(state: SessionState, action: SessionCustomizationToggledAction, client_id: str) -> str | None:
    """There must be something to toggle."""
    return "There is no such customization" if find_customization(state, action["id"]) is None else None


@SESSION.on(
    "session/customizationToggled", SessionCustomizationToggledAction, client_dispatchable=True, guard=refuse_toggled
)
def customization_toggled(state: SessionState, action: SessionCustomizationToggledAction, now_ms: int) -> SessionState:
    """Switched on or off. A container that is off keeps what its children say of themselves."""
    place = find_customization(state, action["id"])
    return state if place is None else change_at(state, place, lambda item: {**item, "enabled": action["enabled"]})


@SESSION.on("session/customizationUpdated", SessionCustomizationUpdatedAction)
def customization_updated(state: SessionState, action: SessionCustomizationUpdatedAction, now_ms: int) -> SessionState:
    """One customization, new or anew with all its children."""
    return {**state, "customizations": upserted(state.get("customizations"), action["customization"])}


@SESSION.on("session/customizationRemoved", SessionCustomizationRemovedAction)
def customization_removed(state: SessionState, action: SessionCustomizationRemovedAction, now_ms: int) -> SessionState:
    """One customization less; a container takes its children along."""
    place = find_customization(state, action["id"])
    if place is None:
        return state
    index, child = place
    if child is None:
        return {**state, "customizations": removed(state["customizations"], index)}
    return change_at(state, (index, None), lambda item: {**item, "children": removed(item["children"], child)})
