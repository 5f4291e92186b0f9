"""What do operators say of an agent, and what did we find out about it?

One row per agent, for the whole installation. A trigger on the table (migration `catalogue`) raises `CatalogueVersion` in the
transaction of every change, whoever makes it: a process that sees a new number sees the new rows. Source: DESIGN.md section 7.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import ClassVar

from django.core.exceptions import ValidationError
from django.db import models

from ahp_platform.agents.catalogue import rules
from ahp_platform.secrets_box import SecretsBox

BOX = SecretsBox("ahp_platform environments of agents")
# Viewers start nothing anyway.
ROLES = ("owner", "operator", "member")
# What must be installed anew, and what tried anew, when it changes.
PACKAGE = frozenset({"package_kind", "package", "package_version", "package_scripts"})
PROGRAM = frozenset({"command", "environment", "secrets", "network", "own_home", "memory_mb", "enabled"})


class Agent(models.Model):
    """An agent that speaks the Agent Client Protocol. `secrets` is sealed: what is in it is given to the agent alone."""

    class Kind(models.TextChoices):
        """Where a package comes from."""

        NPM = "npm", "npm (Node.js)"
        PIP = "pip", "pip (Python)"

    class Install(models.TextChoices):
        """How far its package is; `waiting` asks a worker to install it."""

        NONE = "none", "nothing to install"
        WAITING = "waiting", "waits for a worker"
        INSTALLING = "installing", "is being installed"
        INSTALLED = "installed", "installed"
        FAILED = "failed", "could not be installed"

    class Check(models.TextChoices):
        """Whether it has been seen to start; `waiting` asks a worker to try it."""

        NEVER = "never", "never tried"
        WAITING = "waiting", "waits for a worker"
        CHECKING = "checking", "is being tried"
        FINE = "fine", "starts"
        FAILED = "failed", "does not start"

    provider = models.CharField(
        "provider id", max_length=63, unique=True, validators=[rules.provider],
        help_text="Its name for clients, for ever: lower-case letters, digits and hyphens.",
    )  # fmt: skip
    display_name = models.CharField(max_length=200, help_text="What people see.")
    description = models.TextField(blank=True, default="", help_text="One sentence for the people who choose an agent.")
    enabled = models.BooleanField(default=True, help_text="Off: nobody can use it; its sessions stay and say so.")
    command = models.JSONField(default=list, validators=[rules.command])
    environment = models.JSONField(default=dict, blank=True, validators=[rules.environment])
    secrets = models.BinaryField(default=b"", editable=False)
    offered_models = models.JSONField(
        "models", default=list, blank=True, validators=[rules.models],
        help_text='A JSON list such as [{"id": "acme/m1", "name": "Model 1"}]; empty: what the agent itself reports.',
    )  # fmt: skip
    everywhere = models.BooleanField("every tenant", default=True, help_text="Off: only the tenants chosen below.")
    tenants = models.ManyToManyField("auth_app.Tenant", blank=True, related_name="+")
    roles = models.JSONField(
        default=list,
        blank=True,
        help_text="Who may start sessions and turns with it; none chosen: everybody who may act.",
    )
    run_time_s = models.PositiveIntegerField(
        "longest turn", default=3600, help_text="Seconds after which a turn is ended; 0: never."
    )
    memory_mb = models.PositiveIntegerField("memory", default=4096, help_text="Mebibytes; 0: no limit.")
    idle_s = models.PositiveIntegerField(
        "idle stop",
        default=600,
        help_text="Seconds without a turn after which it is stopped; it goes on when asked again.",
    )
    network = models.BooleanField(
        default=True, help_text="Whether it reaches the network; most need it for their models."
    )
    own_home = models.BooleanField(
        default=True, help_text="Whether it has a directory of its own in each tenant, where it keeps its sessions."
    )
    package_kind = models.CharField("package from", max_length=8, blank=True, default="", choices=Kind.choices)
    package = models.CharField(max_length=200, blank=True, default="", help_text="Its name there, such as opencode-ai.")
    package_version = models.CharField(
        max_length=100, blank=True, default="", help_text="Empty: the newest when it is installed."
    )
    package_scripts = models.BooleanField(
        "run its install scripts", default=False,
        help_text="Lets the package run code of its own, unfenced, while it is installed. Some, like opencode, need it.",
    )  # fmt: skip

    # What workers found out; `folder` is where the package is, below the agent's own directory.
    install_state = models.CharField(max_length=16, choices=Install.choices, default=Install.NONE, editable=False)
    install_message = models.TextField(blank=True, default="", editable=False)
    installed_version = models.CharField(max_length=100, blank=True, default="", editable=False)
    folder = models.CharField(max_length=200, blank=True, default="", editable=False)
    check_state = models.CharField(max_length=16, choices=Check.choices, default=Check.NEVER, editable=False)
    check_message = models.TextField(blank=True, default="", editable=False)
    checked_at = models.DateTimeField(null=True, editable=False)
    discovered = models.JSONField(default=dict, editable=False)
    asked_at = models.DateTimeField(null=True, editable=False, help_text="When a worker was last asked, or at work.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["provider"]

    def __str__(self) -> str:
        return self.provider

    def clean(self) -> None:
        """What concerns several fields at once."""
        rules.package(self.package_kind, self.package, self.package_version)
        rules.roles(self.roles, ROLES)
        secret = self.secret_environment()
        rules.environment(secret)
        if both := sorted(set(secret) & set(self.environment)):
            raise ValidationError(f"Both secret and not: {', '.join(both)}")

    def secret_environment(self) -> dict[str, str]:
        """The secret part; empty where its key has been retired."""
        opened = BOX.open(bytes(self.secrets)) if self.secrets else None
        return dict(json.loads(opened)) if opened else {}

    def seal(self, secrets: Mapping[str, str]) -> None:
        """Replace the secret part; the row is not saved yet."""
        self.secrets = BOX.seal(json.dumps(dict(secrets))) if secrets else b""

    def ask_after(self, changed: Collection[str]) -> None:
        """Have done what a change of these fields calls for."""
        if PACKAGE & set(changed):
            self.ask_to_install()
        elif PROGRAM & set(changed):
            self.ask_to_check()

    def ask_to_install(self) -> None:
        """Have a worker install the package, and try the agent afterwards; where there is none, only try it."""
        self.install_state = self.Install.WAITING if self.package_kind else self.Install.NONE
        self.install_message = ""
        if not self.package_kind:
            self.installed_version = self.folder = ""
        self.ask_to_check()

    def ask_to_check(self) -> None:
        """Have a worker try whether it starts."""
        self.check_state, self.check_message, self.asked_at = self.Check.WAITING, "", None

    @property
    def problem(self) -> str:
        """What does not work, in a word or two; empty where nothing is known to be wrong."""
        if self.install_state == self.Install.FAILED:
            return self.install_message
        return self.check_message if self.check_state == self.Check.FAILED else ""


class CatalogueVersion(models.Model):
    """One row: a number that rises with every change of the agents' rows."""

    number = models.BigIntegerField(default=0)
