"""The changeset channel: files that changed, whether they were reviewed, and what can be done with them."""

from ahp_platform.protocol.channels.changeset import files as files
from ahp_platform.protocol.channels.changeset import operations as operations
from ahp_platform.protocol.channels.changeset.table import CHANGESET as CHANGESET
