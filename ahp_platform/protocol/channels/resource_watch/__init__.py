"""What happens on a resource watch? Its one action delivers changes and keeps none of them."""

from __future__ import annotations

from typing import Final, Literal, TypedDict

from ahp_platform.protocol.action import Channel
from ahp_platform.protocol.types.resources import ResourceChanges, ResourceWatchState

RESOURCE_WATCH: Final = Channel("resource_watch")


class ResourceWatchChangedAction(TypedDict):
    type: Literal["resourceWatch/changed"]
    changes: ResourceChanges


@RESOURCE_WATCH.on("resourceWatch/changed", ResourceWatchChangedAction, signal=True)
def changed(state: ResourceWatchState, action: ResourceWatchChangedAction, now_ms: int) -> ResourceWatchState:
    """Delivered to whoever watches; the state only says what is watched."""
    return state
