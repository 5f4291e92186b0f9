"""Does what serves connect as the role that sees one tenant at a time? Said aloud where it does not."""

from __future__ import annotations

import logging
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Tags, Warning, register

from ahp_platform.row_security.names import APPLICATION

logger = logging.getLogger(__name__)

TOLD = "AHP_DATABASE_ROLE is not 'app': nothing but the statements themselves keeps tenants apart"


def warn_unless_fenced(**_: Any) -> None:
    """For the start of a process that serves."""
    if settings.AHP_DATABASE_ROLE != APPLICATION:
        logger.warning(TOLD)


@register(Tags.security, deploy=True)
def fenced(**_: Any) -> list[CheckMessage]:
    """`check --deploy`, in the environment of a process that serves."""
    hint = "Run prepare as the owner of the tables, and set AHP_DATABASE_ROLE=app for web, host and Celery processes."
    return [] if settings.AHP_DATABASE_ROLE == APPLICATION else [Warning(TOLD, hint=hint, id="ahp.W001")]
