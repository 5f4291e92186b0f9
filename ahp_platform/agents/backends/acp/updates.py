"""What does an agent report, as far as we understand it?

Agents are newer than we are, or older: of a report with a field that does not fit, the rest is taken.
"""

from __future__ import annotations

import logging
from typing import Any

from acp.schema import (
    AgentMessageChunk,
    AgentPlanContentUpdate,
    AgentPlanRemovedUpdate,
    AgentPlanUpdate,
    AgentThoughtChunk,
    AvailableCommandsUpdate,
    ConfigOptionUpdate,
    CurrentModeUpdate,
    SessionInfoUpdate,
    SessionNotification,
    ToolCallProgress,
    ToolCallStart,
    UsageUpdate,
    UserMessageChunk,
)
from pydantic import ValidationError

from ahp_platform.agents.backend import Json

logger = logging.getLogger(__name__)

Update = (
    UserMessageChunk
    | AgentMessageChunk
    | AgentThoughtChunk
    | ToolCallStart
    | ToolCallProgress
    | AgentPlanUpdate
    | AgentPlanContentUpdate
    | AgentPlanRemovedUpdate
    | AvailableCommandsUpdate
    | CurrentModeUpdate
    | ConfigOptionUpdate
    | SessionInfoUpdate
    | UsageUpdate
)

# In `('update', 'tool_call', 'content', 0, …)`: the field of the report.
_FIELD = 2


def read(params: Json) -> tuple[str, Update] | None:
    """The session and what is reported of it; None where nothing of it can be understood."""
    try:
        notification = SessionNotification.model_validate(params)
    except ValidationError as error:
        rest = _without(params, error)
        try:
            notification = SessionNotification.model_validate(rest)
        except ValidationError:
            logger.debug("an agent reports what we do not understand: %s", error.errors(include_input=False))
            return None
    return notification.session_id, notification.update


def _without(params: Json, error: ValidationError) -> Json:
    update: Any = params.get("update")
    if not isinstance(update, dict):
        return params
    wrong = {each["loc"][_FIELD] for each in error.errors() if len(each["loc"]) > _FIELD}
    return {**params, "update": {name: value for name, value in update.items() if name not in wrong}}
