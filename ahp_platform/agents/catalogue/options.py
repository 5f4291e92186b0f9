"""What can be said of an agent at the command line, and how does it get into the row?"""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core.exceptions import ValidationError
from django.db import transaction

from ahp_platform.agents.catalogue import edits, words
from ahp_platform.agents.catalogue.rows import ROLES, Agent
from ahp_platform.agents.catalogue.words import Unreadable

# Options that are a column's value as they are.
PLAIN = {
    "name": "display_name",
    "description": "description",
    "memory": "memory_mb",
    "turn": "run_time_s",
    "idle": "idle_s",
}
SWITCHES = {"network": "network", "home": "own_home", "scripts": "package_scripts"}


def add_options(parser: ArgumentParser) -> None:
    """Everything that a row holds."""
    parser.add_argument("--name", help="what people see")
    parser.add_argument("--description", help="one sentence for who chooses an agent")
    parser.add_argument(
        "--command", metavar="LINE", dest="line", help="the program and its arguments, such as 'opencode acp'"
    )
    parser.add_argument("--npm", metavar="NAME[@VERSION]", help="install this npm package")
    parser.add_argument("--pip", metavar="NAME[==VERSION]", help="install this Python package")
    parser.add_argument(
        "--env", action="append", default=[], metavar="NAME=VALUE", help="set a variable ('NAME=' empties it)"
    )
    parser.add_argument("--unset", action="append", default=[], metavar="NAME", help="forget a variable, secret or not")
    parser.add_argument(
        "--secret", action="append", default=[], metavar="NAME", help="seal this variable of your own environment"
    )
    parser.add_argument(
        "--secret-file", action="append", default=[], metavar="NAME=FILE", help="seal what stands in a file"
    )
    parser.add_argument("--models", metavar="JSON", help="a JSON list of models; [] is what the agent reports")
    _add_limits(parser)


def _add_limits(parser: ArgumentParser) -> None:
    """Who may use it, and what it may take."""
    parser.add_argument(
        "--tenant", action="append", metavar="SLUG", help="only for this tenant; may be given several times"
    )
    parser.add_argument("--every-tenant", action="store_true", help="for all of them")
    parser.add_argument("--role", action="append", choices=ROLES, help="only for this role; may be given several times")
    parser.add_argument("--every-role", action="store_true", help="for everybody who may act")
    parser.add_argument("--turn", type=int, metavar="S", help="longest turn in seconds; 0: no limit")
    parser.add_argument("--memory", type=int, metavar="MB", help="0: no limit")
    parser.add_argument("--idle", type=int, metavar="S", help="seconds without a turn after which it is stopped")
    for switch, about in (
        ("network", "reach the network"),
        ("home", "keep a home"),
        ("scripts", "run install scripts"),
    ):
        parser.add_argument(f"--{switch}", action="store_true", default=None, help=f"let it {about}")
        parser.add_argument(f"--no-{switch}", dest=switch, action="store_false", help=f"do not let it {about}")


def apply(agent: Agent, options: Mapping[str, Any]) -> None:
    """Write what was said into the row and save it. Raises `ValidationError` or `Unreadable`, and then nothing is saved."""
    for option, column in {**PLAIN, **SWITCHES}.items():
        if options[option] is not None:
            setattr(agent, column, options[option])
    for write in (_command, _package, _variables, _secrets, _models, _roles):
        write(agent, options)
    with transaction.atomic():
        tenants = _tenants(agent, options)
        agent.full_clean()
        edits.save(agent, also=[] if tenants is None else ["tenants"])
        if tenants is not None:
            agent.tenants.set(tenants)


def _command(agent: Agent, options: Mapping[str, Any]) -> None:
    if options["line"] is not None:
        agent.command = words.argv(options["line"])


def _package(agent: Agent, options: Mapping[str, Any]) -> None:
    if options["npm"]:
        # A scope begins with the sign that the version begins with.
        name, _, version = options["npm"][1:].partition("@")
        agent.package_kind, agent.package, agent.package_version = "npm", options["npm"][0] + name, version
    elif options["pip"]:
        name, _, version = options["pip"].partition("==")
        agent.package_kind, agent.package, agent.package_version = "pip", name, version


def _variables(agent: Agent, options: Mapping[str, Any]) -> None:
    kept = {name: value for name, value in agent.environment.items() if name not in options["unset"]}
    agent.environment = {**kept, **words.variables("\n".join(options["env"]))}


def _secrets(agent: Agent, options: Mapping[str, Any]) -> None:
    kept = {name: value for name, value in agent.secret_environment().items() if name not in options["unset"]}
    given = {name: _own_variable(name) for name in options["secret"]}
    files = words.variables("\n".join(options["secret_file"]))
    given |= {name: _file(name, path) for name, path in files.items()}
    if given or kept != agent.secret_environment():
        agent.seal({**kept, **given})


def _own_variable(name: str) -> str:
    if name not in os.environ:
        # Not `NAME=value`: other users of the machine see the arguments of programs.
        raise Unreadable(f"{name} is not in your environment; export it, or give a file with --secret-file NAME=FILE")
    return os.environ[name]


def _file(name: str, path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").rstrip("\n")
    except (OSError, ValueError):
        raise Unreadable(f"the file for {name} cannot be read") from None


def _models(agent: Agent, options: Mapping[str, Any]) -> None:
    if options["models"] is not None:
        try:
            agent.offered_models = json.loads(options["models"])
        except ValueError:
            raise Unreadable("--models is no JSON") from None


def _roles(agent: Agent, options: Mapping[str, Any]) -> None:
    if options["role"]:
        agent.roles = sorted(set(options["role"]))
    elif options["every_role"]:
        agent.roles = []


def _tenants(agent: Agent, options: Mapping[str, Any]) -> list[Any] | None:
    """The chosen tenants; None where nothing was said about them."""
    if options["every_tenant"]:
        agent.everywhere = True
        return []
    if not options["tenant"]:
        return None
    agent.everywhere = False
    found = list(apps.get_model("auth_app", "Tenant")._default_manager.filter(slug__in=options["tenant"]))
    if missing := set(options["tenant"]) - {each.slug for each in found}:
        raise ValidationError(f"There is no tenant {', '.join(sorted(missing))}.")
    return found
