"""The annotations channel of a session: remarks on files, each with its entries. All actions come from clients."""

from ahp_platform.protocol.channels.annotations import actions as actions
from ahp_platform.protocol.channels.annotations.table import ANNOTATIONS as ANNOTATIONS
