"""What happens on a telemetry channel? Notifications alone: it has no state and no actions."""

from __future__ import annotations

from typing import Final

from ahp_platform.protocol.action import Channel

OTLP: Final = Channel("otlp")
