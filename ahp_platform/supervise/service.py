"""Which programs make up a service on one machine, and in which order do they start?"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import os
import sys
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ahp_platform import local
from ahp_platform.embedded.servers import EmbeddedServers
from ahp_platform.row_security.names import APPLICATION, OWNER
from ahp_platform.supervise.ports import free_port, is_free
from ahp_platform.supervise.program import Program, manage
from ahp_platform.supervise.supervisor import StoppedError, Supervisor

READY_WITHIN_S = 60.0


class CannotStartError(Exception):
    """The service cannot start; the message is for the person who asked."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How many processes of which kind, and where they listen. No `hosts`: the web process runs the agents too."""

    host: str
    port: int
    web: int = 1
    hosts: int = 0


class Service:
    """One service under one supervisor. `say` gets what a person should read."""

    def __init__(self, shape: Shape, say: Callable[[str], None]) -> None:
        self._shape = shape
        self._say = say
        self._supervisor = Supervisor(say)
        self._ports: list[int] = []

    async def run(self) -> None:
        """Start everything, say where it is, and keep it running until a signal."""
        with local.only_service():
            if not is_free(self._shape.host, self._shape.port):
                raise CannotStartError(f"port {self._shape.port} is taken; choose another with --port")
            self._supervisor.stop_on_signals()
            try:
                await self._start()
                await self._supervisor.until_stopped()
            except StoppedError:
                pass
            finally:
                self._say("stopping")
                await self._supervisor.stop()
                local.forget_service()

    async def _start(self) -> None:
        await self._start_servers()
        people = await self._prepare()
        for program in self._programs():
            self._supervisor.keep(program)
        for port in self._ports:
            await self._supervisor.unless_stopped(_ready(self._shape.host, port))
        self._tell(people)

    async def _start_servers(self) -> None:
        servers = EmbeddedServers(local.data_dir())
        for program in servers.programs():
            self._supervisor.keep(program)
        await self._supervisor.unless_stopped(asyncio.to_thread(servers.wait_ready))
        os.environ.update(servers.urls)
        local.note_service({name: os.environ[name] for name in local.SHARED if name in os.environ})

    async def _prepare(self) -> list[list[str]]:
        """Migrate, and make the demo data; the people that are new, with their passwords."""
        code, output = await self._supervisor.run_once(
            Program("prepare", manage("prepare", "--demo"), {"AHP_DATABASE_ROLE": OWNER})
        )
        if code:
            raise CannotStartError("the database could not be prepared (see above)")
        people: list[list[str]] = json.loads(output.strip().splitlines()[-1])
        return people

    def _programs(self) -> Iterator[Program]:
        shape = self._shape
        celery = [sys.executable, "-m", "celery", "--quiet", "--app", "ahp_platform", "worker", "--pool", "threads"]
        options = ["--concurrency", "2", "--loglevel", "WARNING", "--without-gossip", "--without-mingle"]
        # Its worker warns at length of being run as root, and of a default that will change; neither helps the person here.
        quiet = {"PYTHONWARNINGS": "ignore:You're running the worker,ignore::PendingDeprecationWarning"}
        yield Program("celery", [*celery, *options], {"AHP_ROLES": "celery", **_role(), **quiet})
        for number in range(1, shape.hosts + 1):
            yield Program(f"host-{number}", manage("run_host"), {"AHP_ROLES": "host", **_role()})
        for number in range(1, shape.web + 1):
            # A port of its own besides the shared one lets a person (or a test) reach this very process.
            own = free_port(shape.host) if shape.web > 1 else shape.port
            self._ports.append(own)
            listen = ["--host", shape.host, "--port", str(shape.port), *(["--port", str(own)] if shape.web > 1 else [])]
            roles = "web" if shape.hosts else "web,host"
            yield Program(f"web-{number}", manage("serve", *listen), {"AHP_ROLES": roles, **_role()}, grace_s=25.0)

    def _tell(self, people: list[list[str]]) -> None:
        where = _authority(self._shape.host)
        address = f"{where}:{self._shape.port}"
        self._say("")
        self._say(f"  page       http://{address}/")
        self._say(f"  WebSocket  ws://{address}/ahp/demo   (a token: ./ahp token demo alice)")
        if self._shape.web > 1:
            self._say(f"  each web   {', '.join(f'http://{where}:{port}/' for port in self._ports)}")
        for tenant, username, password in people:
            self._say(f"  login      {username}  {password}   (tenant {tenant}; shown this once)")
        if not people:
            self._say("  login      as before (a new password: ./ahp changepassword alice)")
        self._say("")


def _role() -> dict[str, str]:
    """What serves connects as the role that sees one tenant at a time, unless told otherwise by name."""
    return {"AHP_DATABASE_ROLE": os.environ.get("AHP_DATABASE_ROLE") or APPLICATION}


async def _ready(host: str, port: int) -> None:
    url = f"http://{_authority(host)}:{port}/readyz"
    try:
        async with asyncio.timeout(READY_WITHIN_S):
            while not await asyncio.to_thread(_answers, url):
                await asyncio.sleep(0.1)
    except TimeoutError:
        raise CannotStartError(f"the service was not ready within {READY_WITHIN_S:.0f} s (see above)") from None


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=3) as response:  # noqa: S310  our own http address
            return bool(response.status == 200)
    except OSError:
        return False


def run(shape: Shape, say: Callable[[str], None]) -> None:
    """Run the service in the foreground. Its programs share what this process's environment says."""
    for name, value in _defaults(shape).items():
        os.environ.setdefault(name, value)
    asyncio.run(_run(shape, say))


async def _run(shape: Shape, say: Callable[[str], None]) -> None:
    await Service(shape, say).run()


def _defaults(shape: Shape) -> Mapping[str, str]:
    return {
        "AHP_LOG_JSON": "0",
        "AHP_LOG_LEVEL": "WARNING",
        "AHP_PUBLIC_URL": f"http://{_authority(shape.host)}:{shape.port}",
        # Who reaches a loopback address has an account on this machine anyway.
        **({"AHP_SANDBOX": "auto"} if _is_loopback(shape.host) else {}),
    }


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _authority(host: str) -> str:
    """The host as it stands in a URL; an address that means "all" is reached on this machine."""
    reach = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104  nothing is bound here
    return f"[{reach}]" if ":" in reach else reach
