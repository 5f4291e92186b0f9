"""Where do the chat channel's actions register?"""

from __future__ import annotations

from typing import Final

from ahp_platform.protocol.action import Channel

CHAT: Final = Channel("chat")
