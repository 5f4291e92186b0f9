"""What can be done with a changeset, and what is being done?"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from ahp_platform.protocol.channels.changeset.table import CHANGESET
from ahp_platform.protocol.persistent import find, replaced, with_field
from ahp_platform.protocol.types.changeset import ChangesetOperation, ChangesetOperationStatus, ChangesetState
from ahp_platform.protocol.types.values import ErrorInfo


class ChangesetOperationsChangedAction(TypedDict):
    type: Literal["changeset/operationsChanged"]
    operations: NotRequired[list[ChangesetOperation]]


class ChangesetOperationStatusChangedAction(TypedDict):
    type: Literal["changeset/operationStatusChanged"]
    operationId: str
    status: ChangesetOperationStatus
    error: NotRequired[ErrorInfo]


@CHANGESET.on("changeset/operationsChanged", ChangesetOperationsChangedAction)
def operations_changed(state: ChangesetState, action: ChangesetOperationsChangedAction, now_ms: int) -> ChangesetState:
    """The whole list anew, or none."""
    return with_field(state, "operations", action.get("operations"))


@CHANGESET.on("changeset/operationStatusChanged", ChangesetOperationStatusChangedAction)
def operation_status_changed(
    state: ChangesetState, action: ChangesetOperationStatusChangedAction, now_ms: int
) -> ChangesetState:
    """One operation began, ended or failed. An earlier error goes."""
    operations = state.get("operations", [])
    index = find(operations, "id", action["operationId"])
    if index is None:
        return state
    operation: ChangesetOperation = {**operations[index], "status": action["status"]}
    operation = with_field(operation, "error", action.get("error"))
    return {**state, "operations": replaced(operations, index, operation)}
