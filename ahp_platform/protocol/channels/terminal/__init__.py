"""The terminal channel: what a pty shows, who holds it, which commands ran in it."""

from ahp_platform.protocol.channels.terminal import commands as commands
from ahp_platform.protocol.channels.terminal import screen as screen
from ahp_platform.protocol.channels.terminal.table import TERMINAL as TERMINAL
