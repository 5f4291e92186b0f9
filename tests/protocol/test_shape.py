"""Which values have the shape of an annotation, and which path is named when one has not?"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest

from ahp_platform.protocol.channel import check_action
from ahp_platform.protocol.errors import InvalidParams
from ahp_platform.protocol.methods import (
    CLIENT_NOTIFICATIONS,
    COMMANDS,
    SERVER_COMMANDS,
    SERVER_NOTIFICATIONS,
    check_params,
)
from ahp_platform.protocol.shape import OPEN, Shape
from ahp_platform.protocol.types.values import JsonPrimitive, StringOrMarkdown
from ahp_platform.protocol.uris import ROOT, annotations_of, session_of_annotations


class Circle(TypedDict):
    kind: Literal["circle"]
    radius: float


class Square(TypedDict):
    kind: Literal["square", "box"]
    side: float
    inside: NotRequired[Figure]


class On(TypedDict):
    on: Literal[True]


class Off(TypedDict):
    on: Literal[False]
    why: str


Figure = Circle | Square
OpenFigure = Annotated[Circle | Square, OPEN]


class Page(TypedDict):
    count: int
    figures: NotRequired[list[Figure]]
    by_name: NotRequired[dict[str, OpenFigure]]
    extra: NotRequired[object]
    note: NotRequired[StringOrMarkdown]
    primitive: NotRequired[JsonPrimitive]


NEEDING_NOTHING = ["ping", "listSessions", "resolveSessionConfig"]
CIRCLE = {"kind": "circle", "radius": 1}
GOOD: list[tuple[Any, Any]] = [
    (Page, {"count": 1, "unknown": object}),
    (Page, {"count": 1, "figures": [CIRCLE, {"kind": "box", "side": 1.5, "inside": CIRCLE}]}),
    (Page, {"count": 1, "by_name": {"a": {"kind": "hexagon"}}, "extra": None}),
    (Page, {"count": 1, "note": "a", "primitive": None}),
    (Page, {"count": 1, "note": {"markdown": "a"}, "primitive": False}),
    (On | Off, {"on": False, "why": "x"}),
    (On | Off, {"on": True}),
    (dict[str, object], {"a": 1}),
]
BAD: list[tuple[Any, Any, str]] = [
    (Page, [], "params: expected an object"),
    (Page, {}, "params.count: is missing"),
    (Page, {"count": "1"}, "params.count: expected a number"),
    (Page, {"count": True}, "params.count: expected a number"),
    (Page, {"count": 1.5}, "params.count: expected a whole number"),
    (Page, {"count": 2**60}, "params.count: expected a number"),
    (Page, {"count": 1, "figures": {}}, "params.figures: expected an array"),
    (Page, {"count": 1, "figures": [CIRCLE, 5]}, "params.figures[1]: expected an object"),
    (Page, {"count": 1, "figures": [{}]}, "params.figures[0].kind: is missing"),
    (
        Page,
        {"count": 1, "figures": [{"kind": []}]},
        'params.figures[0].kind: expected one of "circle", "square", "box"',
    ),
    (Page, {"count": 1, "figures": [{"kind": "circle"}]}, "params.figures[0].radius: is missing"),
    (
        Page,
        {"count": 1, "figures": [{"kind": "square", "side": 1, "inside": {"kind": "circle", "radius": "1"}}]},
        "params.figures[0].inside.radius: expected a number",
    ),
    (
        Page,
        {"count": 1, "by_name": {"a": {"kind": 5}}},
        'params.by_name.a.kind: expected one of "circle", "square", "box"',
    ),
    (Page, {"count": 1, "note": 5}, "params.note: expected a string"),
    (Page, {"count": 1, "note": {"markdown": 5}}, "params.note.markdown: expected a string"),
    (Page, {"count": 1, "primitive": []}, "params.primitive: expected a string or expected a number"),
    (On | Off, {"on": 1}, "params.on: expected one of true, false"),
    (Literal[1], True, "params: expected 1"),
    (dict[str, object], 5, "params: expected an object"),
    (None | int, "x", "params: expected null or expected a number"),
]


@pytest.mark.parametrize(("annotation", "value"), GOOD)
def test_value_of_the_shape(annotation: Any, value: Any) -> None:
    Shape(annotation).check(value, "params")


@pytest.mark.parametrize(("annotation", "value", "told"), BAD)
def test_value_of_another_shape_names_the_path(annotation: Any, value: Any, told: str) -> None:
    with pytest.raises(InvalidParams) as raised:
        Shape(annotation).check(value, "params")
    assert str(raised.value).startswith(told)


def test_bad_actions_name_the_path() -> None:
    for action, told in (
        ({}, "action.type: expected a string"),
        ({"type": "session/titleChanged", "title": 5}, "action.title: expected a string"),
        (
            {"type": "chat/toolCallConfirmed", "turnId": "t", "toolCallId": "c", "approved": "yes"},
            "action.approved: expected one of true, false",
        ),
    ):
        with pytest.raises(InvalidParams, match=told.replace(".", "[.]")):
            check_action(action)


def test_unknown_customizations_are_kept() -> None:
    check_action({"type": "session/customizationsChanged", "customizations": [{"type": "future", "x": 1}]})


@pytest.mark.parametrize("name", [name for name, method in COMMANDS.items() if method.connection_level])
def test_connection_level_methods_may_leave_out_the_root_channel(name: str) -> None:
    if name in NEEDING_NOTHING:
        assert check_params(COMMANDS[name], None)["channel"] == ROOT
        return
    with pytest.raises(InvalidParams, match="is missing") as raised:
        check_params(COMMANDS[name], None)
    assert "channel" not in str(raised.value)


@pytest.mark.parametrize("name", NEEDING_NOTHING)
def test_connection_level_methods_refuse_another_channel(name: str) -> None:
    with pytest.raises(InvalidParams, match=r"params\.channel: expected"):
        check_params(COMMANDS[name], {"channel": "ahp-session:/x"})


def test_params_must_be_an_object() -> None:
    nothing: list[object] = []
    for bad in (nothing, 5, "x"):
        with pytest.raises(InvalidParams, match="params: expected an object"):
            check_params(COMMANDS["listSessions"], bad)
    with pytest.raises(InvalidParams, match=r"params\.limit: expected a number"):
        check_params(COMMANDS["listSessions"], {"limit": "ten"})


def test_dispatched_actions_are_not_judged_with_the_params() -> None:
    params = {"channel": "c", "clientSeq": 1, "action": {"type": "session/titleChanged"}}
    assert check_params(CLIENT_NOTIFICATIONS["dispatchAction"], params) is params


def test_every_method_has_a_shape() -> None:
    for methods in (COMMANDS, SERVER_COMMANDS, CLIENT_NOTIFICATIONS, SERVER_NOTIFICATIONS):
        for method in methods.values():
            assert method.shape


def test_annotations_uri_is_that_of_its_session_with_a_suffix() -> None:
    assert session_of_annotations(annotations_of("copilot:/x")) == "copilot:/x"
    for other in ("copilot:/x", "/annotations", "copilot:/annotations/x"):
        assert session_of_annotations(other) is None
