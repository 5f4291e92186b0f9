"""What does a terminal channel hold?"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from ahp_platform.protocol.shape import OPEN
from ahp_platform.protocol.types.values import URI


class TerminalInfo(TypedDict):
    resource: URI
    title: str
    claim: TerminalClaim
    exitCode: NotRequired[int]


class TerminalClientClaim(TypedDict):
    kind: Literal["client"]
    clientId: str


class TerminalSessionClaim(TypedDict):
    kind: Literal["session"]
    session: URI
    turnId: NotRequired[str]
    toolCallId: NotRequired[str]


class TerminalState(TypedDict):
    title: str
    cwd: NotRequired[URI]
    cols: NotRequired[int]
    rows: NotRequired[int]
    content: list[TerminalContentPart]
    exitCode: NotRequired[int]
    claim: TerminalClaim
    supportsCommandDetection: NotRequired[bool]
    isPty: NotRequired[bool]


class TerminalUnclassifiedPart(TypedDict):
    type: Literal["unclassified"]
    value: str


class TerminalCommandPart(TypedDict):
    type: Literal["command"]
    commandId: str
    commandLine: str
    output: str
    timestamp: float
    isComplete: bool
    exitCode: NotRequired[int]
    durationMs: NotRequired[float]


TerminalClaim = TerminalClientClaim | TerminalSessionClaim
TerminalContentPart = Annotated[TerminalUnclassifiedPart | TerminalCommandPart, OPEN]
