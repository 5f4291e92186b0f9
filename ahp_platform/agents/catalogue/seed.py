"""Which real agent does `./ahp up` offer by itself?

opencode, where its program is on the PATH or `AHP_OPENCODE` names it. The row is made once; what an operator makes of it stays.
"""

from __future__ import annotations

import os
import shutil

from django.conf import settings

from ahp_platform.agents.catalogue import edits
from ahp_platform.agents.catalogue.rows import Agent

PROVIDER = "opencode"
# Its configuration as JSON, models and keys included; a person who has set it for themselves gets it here, too.
CONFIGURATION = "OPENCODE_CONFIG_CONTENT"


def offer_opencode() -> bool:
    """Make the row if the program is there and the row is not; whether it was made."""
    program = settings.AHP_OPENCODE or shutil.which("opencode")
    if not program or Agent.objects.filter(provider=PROVIDER).exists():
        return False
    agent = Agent(
        provider=PROVIDER,
        display_name="opencode",
        description="The open-source coding agent opencode.",
        command=[program, "acp"],
        environment={"OPENCODE_DISABLE_AUTOUPDATE": "1"},
    )
    if os.environ.get(CONFIGURATION):
        agent.seal({CONFIGURATION: os.environ[CONFIGURATION]})
    agent.full_clean()
    edits.save(agent)
    return True
