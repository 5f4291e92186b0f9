"""The root channel: agents, terminals and configuration of one host."""

from ahp_platform.protocol.channels.root import actions as actions
from ahp_platform.protocol.channels.root.table import ROOT as ROOT
