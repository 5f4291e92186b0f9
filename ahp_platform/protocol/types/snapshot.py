"""What is a snapshot of a channel?"""

from __future__ import annotations

from typing import TypedDict

from ahp_platform.protocol.types.annotations import AnnotationsState
from ahp_platform.protocol.types.changeset import ChangesetState
from ahp_platform.protocol.types.chat import ChatState
from ahp_platform.protocol.types.resources import ResourceWatchState
from ahp_platform.protocol.types.root import RootState
from ahp_platform.protocol.types.session import SessionState
from ahp_platform.protocol.types.terminal import TerminalState
from ahp_platform.protocol.types.values import URI


class Snapshot(TypedDict):
    resource: URI
    state: RootState | SessionState | TerminalState | ChangesetState | ResourceWatchState | AnnotationsState | ChatState
    fromSeq: int
