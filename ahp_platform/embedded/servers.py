"""Which servers does this service need started, and where are they then?"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ahp_platform.embedded.postgres import EmbeddedPostgres
from ahp_platform.embedded.valkey import EmbeddedValkey
from ahp_platform.local import is_named
from ahp_platform.supervise.program import Program

DATABASE = "ahp"


class EmbeddedServers:
    """What the environment does not name. `urls` is the environment that names it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._postgres = None if is_named("DATABASE_URL") else EmbeddedPostgres(folder)
        self._valkey = None if is_named("REDIS_URL") else EmbeddedValkey(folder)

    @property
    def urls(self) -> Mapping[str, str]:
        urls = {}
        if self._postgres is not None:
            urls["DATABASE_URL"] = self._postgres.url(DATABASE)
        if self._valkey is not None:
            urls["REDIS_URL"] = self._valkey.url()
        return urls

    def programs(self) -> list[Program]:
        """The servers to run, in the order in which to start them."""
        return [server.program() for server in (self._postgres, self._valkey) if server is not None]

    def wait_ready(self) -> None:
        """Block until each answers and the database exists."""
        if self._valkey is not None:
            self._valkey.wait_ready()
        if self._postgres is not None:
            self._postgres.wait_ready()
            self._postgres.create_database(DATABASE)


@contextmanager
def running_servers(folder: Path) -> Iterator[Mapping[str, str]]:
    """Run them for the length of a block, without a supervisor."""
    servers = EmbeddedServers(folder)
    with ExitStack() as stack:
        for program in servers.programs():
            stack.enter_context(_running(program))
        servers.wait_ready()
        yield servers.urls


@contextmanager
def _running(program: Program) -> Iterator[None]:
    assert program.log is not None
    with program.log.open("ab") as log:
        process = subprocess.Popen(program.argv, **program.options(), stdout=log, stderr=log)
    try:
        yield
    finally:
        process.send_signal(program.stop_signal)
        try:
            process.wait(program.grace_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
