"""The session channel: one session with its chats, clients, customizations and what waits for an answer."""

from ahp_platform.protocol.channels.session import catalogue as catalogue
from ahp_platform.protocol.channels.session import clients as clients
from ahp_platform.protocol.channels.session import configuration as configuration
from ahp_platform.protocol.channels.session import customizations as customizations
from ahp_platform.protocol.channels.session import directories as directories
from ahp_platform.protocol.channels.session import input_needed as input_needed
from ahp_platform.protocol.channels.session import lifecycle as lifecycle
from ahp_platform.protocol.channels.session import mcp_servers as mcp_servers
from ahp_platform.protocol.channels.session.table import SESSION as SESSION
