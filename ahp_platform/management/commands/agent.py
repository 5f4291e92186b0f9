"""Describe agents, install them and try whether they start, without the admin site."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.core.management.base import BaseCommand, CommandError

from ahp_platform.agents.catalogue import edits
from ahp_platform.agents.catalogue.options import add_options, apply
from ahp_platform.agents.catalogue.rows import Agent
from ahp_platform.agents.catalogue.words import Unreadable

LOOK_EVERY_S = 0.3
BUSY = (Agent.Install.WAITING, Agent.Install.INSTALLING, Agent.Check.WAITING, Agent.Check.CHECKING)


class Command(BaseCommand):
    """The running service does the work; this writes what is wanted and watches."""

    help = (
        "Agents that speak the Agent Client Protocol: add, change, install, check, enable, disable, remove, list, show"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What to do, and with which agent."""
        acts = parser.add_subparsers(dest="act", required=True, metavar="ACT")
        acts.add_parser("list", help="every agent and how it stands")
        for act, about in (("add", "describe a new agent"), ("change", "change what is named, leave the rest")):
            writing = acts.add_parser(act, help=about)
            writing.add_argument("provider", help="its id for clients")
            add_options(writing)
        for act, about in (
            ("show", "everything about one, except secrets"),
            ("install", "install its package anew, then try it"),
            ("check", "try whether it starts"),
            ("enable", "switch it on"),
            ("disable", "switch it off"),
            ("remove", "forget it; its files stay"),
        ):
            acts.add_parser(act, help=about).add_argument("provider")
        for act in ("add", "change", "install", "check"):
            acts.choices[act].add_argument("--no-wait", action="store_true", help="do not watch how it goes")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it."""
        try:
            getattr(self, f"_{options['act']}")(options)
        except Unreadable as error:
            raise CommandError(str(error)) from error
        except ValidationError as error:
            raise CommandError("; ".join(_reasons(error))) from error

    def _list(self, options: dict[str, Any]) -> None:
        for agent in Agent.objects.all():
            problem = agent.problem.splitlines()
            failed = agent.install_state == Agent.Install.FAILED
            state = agent.get_install_state_display() if failed else agent.get_check_state_display()
            state = state if agent.enabled else "off"
            self.stdout.write("  ".join(filter(None, (agent.provider, agent.installed_version, state, *problem[:1]))))

    def _show(self, options: dict[str, Any]) -> None:
        agent = _found(options["provider"])
        hidden = {"secrets", "asked_at", "id"}
        for field in agent._meta.concrete_fields:
            if field.name not in hidden:
                self.stdout.write(f"{field.verbose_name}: {getattr(agent, field.name)}")
        self.stdout.write(f"secrets: {', '.join(sorted(agent.secret_environment())) or 'none'}")
        self.stdout.write(f"tenants: {', '.join(str(each) for each in agent.tenants.all()) or 'none'}")

    def _add(self, options: dict[str, Any]) -> None:
        if Agent.objects.filter(provider=options["provider"]).exists():
            raise CommandError(f"there is an agent {options['provider']} already; use change")
        self._write(Agent(provider=options["provider"], display_name=options["provider"]), options)

    def _change(self, options: dict[str, Any]) -> None:
        self._write(_found(options["provider"]), options)

    def _write(self, agent: Agent, options: dict[str, Any]) -> None:
        apply(agent, options)
        self._watch(agent, options)

    def _install(self, options: dict[str, Any]) -> None:
        agent = _found(options["provider"])
        if not agent.package_kind:
            raise CommandError("this agent has no package; name one with: change --npm NAME or --pip NAME")
        agent.ask_to_install()
        agent.save()
        edits.tell(edits.Edit("agent.install", agent.provider))
        self._watch(agent, options)

    def _check(self, options: dict[str, Any]) -> None:
        agent = _found(options["provider"])
        agent.ask_to_check()
        agent.save()
        edits.tell(edits.Edit("agent.check", agent.provider))
        self._watch(agent, options)

    def _enable(self, options: dict[str, Any]) -> None:
        self._switch(_found(options["provider"]), on=True)

    def _disable(self, options: dict[str, Any]) -> None:
        self._switch(_found(options["provider"]), on=False)

    def _switch(self, agent: Agent, *, on: bool) -> None:
        agent.enabled = on
        edits.save(agent)
        self.stdout.write(f"{agent.provider} is {'on' if on else 'off'}")

    def _remove(self, options: dict[str, Any]) -> None:
        edits.remove(_found(options["provider"]))
        self.stdout.write(f"{options['provider']} is removed")

    def _watch(self, agent: Agent, options: dict[str, Any]) -> None:
        """Say how it goes, until the workers are done with it."""
        if options["no_wait"]:
            self.stdout.write(f"{agent.provider} is noted; the running service looks after it")
            return
        said = ""
        while True:
            agent.refresh_from_db()
            busy = agent.install_state in BUSY or agent.check_state in BUSY
            installing = agent.install_state in (*BUSY, Agent.Install.FAILED)
            state = agent.get_install_state_display() if installing else agent.get_check_state_display()
            now = ": ".join(filter(None, (state, agent.install_message if installing else "")))
            if now != said and not agent.problem:
                self.stdout.write(f"{agent.provider} {now}")
                said = now
            if not busy:
                break
            time.sleep(LOOK_EVERY_S)
        if agent.problem:
            raise CommandError(agent.problem)


def _reasons(error: ValidationError) -> Iterator[str]:
    if not hasattr(error, "error_dict"):
        yield from error.messages
        return
    for field, messages in error.message_dict.items():
        yield from (message if field == NON_FIELD_ERRORS else f"{field}: {message}" for message in messages)


def _found(provider: str) -> Agent:
    agent = Agent.objects.filter(provider=provider).first()
    if agent is None:
        raise CommandError(f"there is no agent {provider}")
    return agent
