"""Do our reducers and shapes agree with the cases that were made for every language?

The cases lie beside the repository. They were made for 0.6.0, so what 0.7.0 renamed is renamed here.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ahp_platform.protocol import jsonrpc
from ahp_platform.protocol.channel import check_action, reduce
from ahp_platform.protocol.shape import Shape
from ahp_platform.protocol.types import actions as action_types
from ahp_platform.protocol.types import (
    changeset_commands,
    connection,
    customizations,
    notifications,
    questions,
    summaries,
    values,
)

FIXTURES = Path(__file__).parents[2].parent / "shared" / "ahp" / "fixtures"
NOW_MS = 9999
KINDS = {"resourceWatch": "resource_watch"}

if not FIXTURES.is_dir():
    pytest.skip(f"THE PROTOCOL'S OWN CASES ARE NOT THERE, nothing of them was run: {FIXTURES}", allow_module_level=True)

REDUCERS = sorted((FIXTURES / "reducers").glob("*.json"))
ROUND_TRIPS = sorted((FIXTURES / "round-trips").glob("*.json"))
TYPES: dict[str, Any] = {
    "ActionEnvelope": action_types.ActionEnvelope,
    "StateAction": action_types.StateAction,
    "Customization": customizations.Customization,
    "SessionStatus": values.SessionStatus,
    "StringOrMarkdown": values.StringOrMarkdown,
    "ChangesetOperationTarget": changeset_commands.ChangesetOperationTarget,
    "ChatInputQuestion": questions.ChatInputQuestion,
    "SessionSummary": summaries.SessionSummary,
    "SessionAddedParams": notifications.SessionAddedParams,
    "PartialSessionSummary": notifications.SessionSummaryChanges,
    "Implementation": values.Implementation,
    "InitializeResult": connection.InitializeResult,
}


def load(path: Path) -> dict[str, Any]:
    case: dict[str, Any] = json.loads(path.read_text())
    return case


def normalised(value: Any) -> Any:
    """Without what is null, which stands for absent there, and with what 0.7.0 renamed."""
    if isinstance(value, list):
        return [normalised(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "workingDirectory" in value:
        value = {**value, "workingDirectories": [value["workingDirectory"]]}
        del value["workingDirectory"]
    return {name: normalised(item) for name, item in value.items() if item is not None}


@pytest.mark.parametrize("path", REDUCERS, ids=lambda path: path.stem)
def test_reducer_case(path: Path) -> None:
    case = normalised(load(path))
    kind = KINDS.get(case["reducer"], case["reducer"])
    state = case["initial"]
    for action in case["actions"]:
        check_action(action)
        before = json.dumps(state)
        after = reduce(kind, state, action, NOW_MS)
        assert json.dumps(state) == before
        state = after
    assert state == case["expected"]
    assert json.dumps(state, sort_keys=True) == json.dumps(case["expected"], sort_keys=True)


@pytest.mark.parametrize("path", ROUND_TRIPS, ids=lambda path: path.stem)
def test_round_trip_case(path: Path) -> None:
    case = load(path)
    allowed = [*case["acceptableOutputs"], *([case["preservedOutput"]] if "preservedOutput" in case else [])]
    text = json.dumps(case["input"])
    if case["type"] == "JsonRpcMessage":
        jsonrpc.parse(text)
    else:
        Shape(TYPES[case["type"]]).check(case["input"], "input")
    assert msgspec.json.decode(jsonrpc.encode(msgspec.json.decode(text))) in allowed


def test_all_cases_are_found() -> None:
    assert (len(REDUCERS), len(ROUND_TRIPS)) == (232, 26)
