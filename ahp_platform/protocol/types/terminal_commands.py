"""Which commands create and end terminals?"""

from __future__ import annotations

from typing import NotRequired

from ahp_platform.protocol.types.terminal import TerminalClaim
from ahp_platform.protocol.types.values import URI, BaseParams


class CreateTerminalParams(BaseParams):
    claim: TerminalClaim
    name: NotRequired[str]
    cwd: NotRequired[URI]
    cols: NotRequired[int]
    rows: NotRequired[int]


class DisposeTerminalParams(BaseParams):
    pass
