"""How do the tests run the real service? As a person does, with `up` or `cluster`, and by listening to what it says."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import urllib3

from ahp_platform.supervise.ports import free_port
from ahp_platform.supervise.program import manage

START_WITHIN_S = 60.0
T = TypeVar("T")


class RunningService:
    """A supervisor in a process of its own, with everything that it supervises."""

    def __init__(self, command: str, *arguments: str, env: Mapping[str, str]) -> None:
        self.port = free_port("127.0.0.1")
        self.http = f"http://127.0.0.1:{self.port}"
        self.lines: list[str] = []
        self.env = {**os.environ, **env}
        self._said = threading.Condition()
        self._tokens: dict[tuple[str, str], str] = {}
        self.process = subprocess.Popen(
            [*manage(command), "--port", str(self.port), *arguments],
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def wait_ready(self) -> None:
        """Block until it says where it is."""
        self.wait_said(r"^  WebSocket")

    def socket(self, tenant: str = "demo", port: int | None = None) -> str:
        """The address of a tenant's host, behind the common port or at one web process."""
        return f"ws://127.0.0.1:{port or self.port}/ahp/{tenant}"

    def web_ports(self) -> list[int]:
        """The ports of the single web processes of a cluster."""
        line = self.wait_said(r"^  each web .*").group()
        return [int(port) for port in re.findall(r":(\d+)/", line)]

    def password(self, username: str) -> str:
        """The password that was printed for a new person."""
        return self.wait_said(rf"^  login +{username}  (\S+)").group(1)

    def token(self, tenant: str, username: str, *arguments: str) -> str:
        """An access token, made once per person unless asked for with arguments."""
        key = (tenant, username)
        if arguments or key not in self._tokens:
            made = self.manage("token", tenant, username, *arguments)
            if arguments:
                return made
            self._tokens[key] = made
        return self._tokens[key]

    def manage(self, command: str, *arguments: str) -> str:
        """Run a command beside the service; what it printed last."""
        done = subprocess.run(manage(command, *arguments), env=self.env, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip().splitlines()[-1]

    def pid(self, name: str) -> int:
        """The process id of the latest start of a program."""
        starts = self._starts(name)
        assert starts, f"{name} never ran: {self.lines}"
        return starts[-1]

    def kill(self, name: str) -> None:
        """kill -9 a program, and block until the supervisor has seen it."""
        ended = sum(line.startswith(f"{name} ended") for line in self.lines)
        os.kill(self.pid(name), signal.SIGKILL)
        self._wait(lambda: sum(line.startswith(f"{name} ended") for line in self.lines) > ended, f"the end of {name}")

    def wait_restarted(self, name: str, after: int) -> int:
        """Block until a program runs under another process id than `after`."""
        self._wait(lambda: self._starts(name)[-1:] not in ([], [after]), f"{name} to run again")
        return self.pid(name)

    def wait_all_ready(self) -> None:
        """Block until each web process says that it can serve."""
        for port in self.web_ports():
            self.wait_answer("/readyz", 200, port)

    def wait_answer(self, path: str, status: int, port: int | None = None) -> None:
        """Block until a request is answered with this status."""
        others = {code for code in range(200, 600) if code != status}
        retry = urllib3.Retry(total=180, status_forcelist=others, backoff_factor=0.05, backoff_max=1)
        with urllib3.PoolManager(retries=retry) as pool:
            assert pool.request("GET", f"http://127.0.0.1:{port or self.port}{path}").status == status

    def wait_said(self, pattern: str) -> re.Match[str]:
        """Block until a line matches."""
        return self._wait(lambda: next(filter(None, (re.search(pattern, line) for line in self.lines)), None), pattern)

    def stop(self) -> int:
        """Ask it to end, as a person's Ctrl-C does; its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        code = self.process.wait(60)
        self._listener.join(5)
        return code

    def _starts(self, name: str) -> list[int]:
        return [int(line.rsplit(" ", 1)[1]) for line in self.lines if line.startswith(f"{name} runs, pid ")]

    def _wait(self, test: Callable[[], T | None], what: str) -> T:
        with self._said:
            found = self._said.wait_for(lambda: test() or self.process.poll() is not None, START_WITHIN_S) and test()
        assert found, f"waited for {what}; the service said: {self.lines}"
        return found

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._said:
                self.lines.append(line.rstrip("\n"))
                self._said.notify_all()
        self.process.wait()
        with self._said:
            self._said.notify_all()


def own_data(folder: Path, redis_prefix: str) -> dict[str, str]:
    """The environment of a service that shares nothing with others but, if named, the servers."""
    shared = folder.with_name(f"{folder.name}-shared")
    return {"AHP_DATA_DIR": str(folder), "AHP_REDIS_PREFIX": redis_prefix, "AHP_GRANTABLE_ROOTS": str(shared)}
