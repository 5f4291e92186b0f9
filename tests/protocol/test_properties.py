"""What holds for every action in every state?"""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ahp_platform.protocol.channel import CHANNELS, check_action, reduce, refuse
from ahp_platform.protocol.channels.chat.summary import chat_summary, open_input_requests
from ahp_platform.protocol.channels.session.aggregate import presented, summary_of
from ahp_platform.protocol.shape import Shape
from ahp_platform.protocol.types.annotations import AnnotationsState
from ahp_platform.protocol.types.changeset import ChangesetState
from ahp_platform.protocol.types.chat import ChatState
from ahp_platform.protocol.types.resources import ResourceWatchState
from ahp_platform.protocol.types.root import RootState
from ahp_platform.protocol.types.session import SessionInputRequest, SessionState
from ahp_platform.protocol.types.summaries import ChatSummary, SessionSummary
from ahp_platform.protocol.types.terminal import TerminalState
from ahp_platform.protocol.versions import SUPPORTED
from ahp_platform.protocol.versions import action as action_for
from ahp_platform.protocol.versions import state as state_for
from tests.protocol.values import values_of

STATES: dict[str, Any] = {
    "root": RootState,
    "session": SessionState,
    "chat": ChatState,
    "terminal": TerminalState,
    "changeset": ChangesetState,
    "annotations": AnnotationsState,
    "resource_watch": ResourceWatchState,
}
states = {kind: values_of(state) for kind, state in STATES.items()}
actions = {kind: st.one_of([values_of(spec.annotation) for spec in CHANNELS[kind].actions.values()]) for kind in STATES}
runs = settings(max_examples=120, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
each_kind = pytest.mark.parametrize("kind", STATES)


@each_kind
@runs
@given(data=st.data())
def test_reducers_are_total_and_pure_and_keep_the_shape(kind: str, data: st.DataObject) -> None:
    state = data.draw(states[kind])
    shape = Shape(STATES[kind])
    for action in data.draw(st.lists(actions[kind], min_size=1, max_size=6)):
        check_action(action)
        before, said = copy.deepcopy(state), copy.deepcopy(action)
        after = reduce(kind, state, action, 1)
        assert state == before
        assert action == said
        shape.check(after, kind)
        assert after is state or json.dumps(after, sort_keys=True) != json.dumps(state, sort_keys=True)
        state = after


@each_kind
@runs
@given(data=st.data())
def test_guards_are_total(kind: str, data: st.DataObject) -> None:
    reason = refuse(kind, data.draw(states[kind]), data.draw(actions[kind]), "a")
    assert reason is None or reason


@each_kind
@runs
@given(data=st.data())
def test_snapshot_and_the_rest_is_the_whole(kind: str, data: st.DataObject) -> None:
    run = data.draw(st.lists(actions[kind], max_size=8))
    at = data.draw(st.integers(0, len(run)))
    whole = snapshot = data.draw(states[kind])
    for count, action in enumerate(run):
        if count == at:
            snapshot = json.loads(json.dumps(whole))
        whole = reduce(kind, whole, action, count)
        if count >= at:
            snapshot = reduce(kind, snapshot, json.loads(json.dumps(action)), count)
    assert at == len(run) or snapshot == whole


@runs
@given(state=states["session"])
def test_a_session_can_always_be_presented_and_listed(state: Any) -> None:
    Shape(SessionState).check(presented(state), "session")
    Shape(SessionSummary).check(summary_of(state, "s", "1970"), "summary")


@runs
@given(state=states["chat"])
def test_a_chat_can_always_be_summarised(state: Any) -> None:
    Shape(ChatSummary).check(chat_summary(state), "summary")
    Shape(list[SessionInputRequest]).check(open_input_requests(state), "requests")


@each_kind
@runs
@given(data=st.data())
def test_older_versions_are_always_told_something(kind: str, data: st.DataObject) -> None:
    state, action = data.draw(states[kind]), data.draw(actions[kind])
    before = copy.deepcopy((state, action))
    for version in SUPPORTED:
        told = action_for(version, action)
        assert told is None or told["type"]
        assert state_for(version, kind, state)
    assert (state, action) == before
    assert state_for("0.7.0", kind, state) is state
