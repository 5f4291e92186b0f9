"""The chat channel: one conversation with its turns, tool calls, questions and waiting messages."""

from ahp_platform.protocol.channels.chat import authentication as authentication
from ahp_platform.protocol.channels.chat import confirmations as confirmations
from ahp_platform.protocol.channels.chat import context as context
from ahp_platform.protocol.channels.chat import history as history
from ahp_platform.protocol.channels.chat import input_requests as input_requests
from ahp_platform.protocol.channels.chat import parts as parts
from ahp_platform.protocol.channels.chat import pending_messages as pending_messages
from ahp_platform.protocol.channels.chat import tool_calls as tool_calls
from ahp_platform.protocol.channels.chat import turns as turns
from ahp_platform.protocol.channels.chat.table import CHAT as CHAT
