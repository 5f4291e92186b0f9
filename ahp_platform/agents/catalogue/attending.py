"""What does a worker do for the rows of agents?

It installs a package into a new folder and points the row at it when it is whole, then tries whether the agent starts. Doing it again
does no harm. One worker at a time does this, whatever the number of rows: others are needed for sessions.
"""

from __future__ import annotations

import json
import logging
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connection
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils import timezone

from ahp_platform.agents.backend import TurnFailed
from ahp_platform.agents.catalogue import folders
from ahp_platform.agents.catalogue.checking import discover
from ahp_platform.agents.catalogue.entry import of_row
from ahp_platform.agents.catalogue.installing import InstallFailed, Package, install
from ahp_platform.agents.catalogue.rows import Agent
from ahp_platform.tenancy import across_tenants

logger = logging.getLogger(__name__)

MAX_MESSAGE = 2_000
# Shorter ones would turn ordinary words into dots.
SHORTEST_SECRET = 6

BUSY_INSTALLING = (Agent.Install.WAITING, Agent.Install.INSTALLING)
BUSY_CHECKING = (Agent.Check.WAITING, Agent.Check.CHECKING)
BROKEN = "Something of ours broke; the worker's log says what."
SCRIPTS_ARE_OFF = (
    "The package has scripts that run while it is installed, and they are off for this agent. Let them run (the box in its form, or "
    "./ahp agent change PROVIDER --scripts), which installs it again."
)

_LOCK = "SELECT pg_try_advisory_lock(hashtextextended('attend to agents', 0))"
_UNLOCK = "SELECT pg_advisory_unlock(hashtextextended('attend to agents', 0))"


def attend() -> None:
    """Do what the rows ask for, as long as one of them asks for something; nothing where another worker is at it."""
    with across_tenants(), _alone() as mine:
        while mine and (agent := _next()) is not None:
            try:
                _install(agent) if agent.install_state in BUSY_INSTALLING else _check(agent)
            except Exception:
                # Left as it is, it would be tried again for ever.
                logger.exception("agent %s could not be attended to", agent.provider)
                row = Agent.objects.filter(pk=agent.pk)
                row.filter(install_state=Agent.Install.INSTALLING).update(
                    install_state="failed", install_message=BROKEN
                )
                row.filter(check_state=Agent.Check.CHECKING).update(check_state="failed", check_message=BROKEN)


def _next() -> Agent | None:
    """The row that has waited longest."""
    wanted = Q(install_state__in=BUSY_INSTALLING) | Q(check_state__in=BUSY_CHECKING)
    asked = Q(asked_at=None) | Q(asked_at__lte=Now())
    return Agent.objects.filter(wanted, asked).order_by(F("asked_at").asc(nulls_last=True)).first()


def _install(agent: Agent) -> None:
    row = Agent.objects.filter(pk=agent.pk)
    row.update(install_state=Agent.Install.INSTALLING, install_message="Fetching the package")
    # Whoever asks anew sets the row to `waiting`: then this outcome is no longer what is wanted.
    mine = row.filter(install_state=Agent.Install.INSTALLING)
    package = Package(agent.package_kind, agent.package, agent.package_version, agent.package_scripts)
    folder = f"{agent.package_version or 'newest'}-{secrets.token_hex(4)}"
    place = folders.versions(agent.provider) / folder
    try:
        version = install(package, place, lambda message: void(mine.update(install_message=message)))
    except InstallFailed as failure:
        logger.warning("the package of agent %s could not be installed", agent.provider)
        message = redacted(str(failure), of_row(agent).secret_values())
        mine.update(install_state=Agent.Install.FAILED, install_message=message[:MAX_MESSAGE])
        return
    outcome = {"folder": folder, "installed_version": version, "install_message": ""}
    if mine.update(install_state=Agent.Install.INSTALLED, check_state=Agent.Check.WAITING, **outcome):
        # Sessions at work may still run from the one before.
        _tidy(agent.provider, {folder, agent.folder})
    else:
        shutil.rmtree(place, ignore_errors=True)


def _check(agent: Agent) -> None:
    row = Agent.objects.filter(pk=agent.pk)
    row.update(check_state=Agent.Check.CHECKING, check_message="")
    mine = row.filter(check_state=Agent.Check.CHECKING)
    entry = of_row(agent)
    hidden = entry.secret_values()
    found: dict[str, Any] = {"checked_at": timezone.now()}
    try:
        discovered = json.loads(redacted(json.dumps(discover(entry), ensure_ascii=False), hidden))
        found |= {"check_state": Agent.Check.FINE, "discovered": discovered}
    except TurnFailed as failure:
        message = advised(redacted(failure.message, hidden), agent.package_scripts)[:MAX_MESSAGE]
        found |= {"check_state": Agent.Check.FAILED, "check_message": message}
    mine.update(**found)


def redacted(text: str, hidden: Sequence[str]) -> str:
    """The text without the secrets that stand in it."""
    for secret in sorted(hidden, key=len, reverse=True):
        if len(secret) >= SHORTEST_SECRET:
            text = text.replace(secret, "•••").replace(json.dumps(secret, ensure_ascii=False)[1:-1], "•••")
    return text


def advised(message: str, scripts_run: bool) -> str:
    """Why an agent does not start, with what an operator can do about it where we know."""
    if scripts_run or "postinstall" not in message:
        return message
    return f"{SCRIPTS_ARE_OFF} {message}"


def void(_: object) -> None:
    """For callbacks whose result nobody wants."""


def _tidy(provider: str, kept: set[str]) -> None:
    for old in folders.versions(provider).iterdir():
        if old.name not in kept:
            shutil.rmtree(old, ignore_errors=True)


@contextmanager
def _alone() -> Iterator[bool]:
    """Whether nobody else attends to agents; nobody begins to until the block ends."""
    with connection.cursor() as cursor:
        cursor.execute(_LOCK)
        (mine,) = cursor.fetchone()
    try:
        yield mine
    finally:
        if mine:
            with connection.cursor() as cursor:
                cursor.execute(_UNLOCK)
