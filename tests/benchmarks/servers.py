"""How are the servers started that we measure? Each as a process of its own, on a free port, ended with the block."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from ahp_platform.supervise.ports import free_port
from ahp_platform.supervise.program import Program, manage
from tests.benchmarks.benchmark import Settings, Skipped, Spoiled

HOST = "127.0.0.1"
READY_WITHIN_S = 30.0
NODE_WS = "ws@8.18.3"

NODE_PROGRAM = Path(__file__).with_name("bare") / "node_ws.js"


@dataclass(frozen=True, slots=True)
class Server:
    """A process that answers on a port of this machine."""

    port: int
    process: psutil.Process

    def memory(self) -> int:
        """The bytes that belong to it alone."""
        return int(self.process.memory_full_info().uss)


@contextmanager
def our_web() -> Iterator[Server]:
    """A web process as `./ahp up` runs it (agents in the same process), on the benchmark's database."""
    port = free_port(HOST)
    # One publisher stands for many people here: the limit of messages per connection would throttle it.
    env = {
        "AHP_ROLES": "web,host",
        "AHP_LOG_LEVEL": "WARNING",
        "AHP_LOG_JSON": "0",
        "AHP_MESSAGES_PER_SECOND": "1000000",
    }
    serve = manage("serve", "--host", HOST, "--port", str(port))
    with _running(Program("web", serve, env, grace_s=25.0), port) as server:
        _await_ready(port)
        yield server


@contextmanager
def our_webs(count: int) -> Iterator[list[Server]]:
    """Several web processes on one database."""
    with ExitStack() as stack:
        yield [stack.enter_context(our_web()) for _ in range(count)]


@contextmanager
def bare_uvicorn() -> Iterator[Server]:
    """`bare/app.py` under the server and the settings that ours runs under."""
    with _bare("app") as server:
        yield server


@contextmanager
def bare_pty_pump() -> Iterator[Server]:
    """`bare/pty_pump.py`, likewise."""
    with _bare("pty_pump") as server:
        yield server


@contextmanager
def _bare(module: str) -> Iterator[Server]:
    port = free_port(HOST)
    program = Program("bare", [sys.executable, "-m", f"tests.benchmarks.bare.{module}", str(port)])
    with _running(program, port) as server:
        yield server


@contextmanager
def node_ws(settings: Settings) -> Iterator[Server]:
    """`bare/node_ws.js`; its package is installed on first use. Raises `Skipped` where node is missing."""
    modules = _node_modules(settings.folder / "node")
    port = free_port(HOST)
    program = Program("node", ["node", str(NODE_PROGRAM), str(port)], {"NODE_PATH": str(modules)})
    with _running(program, port) as server:
        yield server


def _node_modules(folder: Path) -> Path:
    if not shutil.which("node") or not shutil.which("npm"):
        raise Skipped("node and npm are not installed")
    modules = folder / "node_modules"
    if not (modules / "ws").is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        install = ["npm", "install", "--no-audit", "--no-fund", "--silent", "--prefix", str(folder), NODE_WS]
        if subprocess.run(install, check=False).returncode:
            raise Skipped(f"npm could not install {NODE_WS}")
    return modules


@contextmanager
def _running(program: Program, port: int) -> Iterator[Server]:
    process = subprocess.Popen(program.argv, **program.options())
    try:
        _await_listening(process, program.name, port)
        yield Server(port, psutil.Process(process.pid))
    finally:
        process.send_signal(program.stop_signal)
        try:
            process.wait(program.grace_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _await_listening(process: subprocess.Popen[bytes], name: str, port: int) -> None:
    deadline = time.monotonic() + READY_WITHIN_S
    while True:
        try:
            socket.create_connection((HOST, port), timeout=1).close()
            return
        except OSError:
            if process.poll() is not None:
                raise Spoiled(f"{name} ended with {process.returncode} while starting") from None
            if time.monotonic() > deadline:
                raise Spoiled(f"{name} does not listen") from None
        time.sleep(0.05)


def _await_ready(port: int) -> None:
    deadline = time.monotonic() + READY_WITHIN_S
    while True:
        try:
            with urllib.request.urlopen(f"http://{HOST}:{port}/readyz", timeout=5):
                return
        except OSError as error:
            if time.monotonic() > deadline:
                raise Spoiled("the service does not become ready") from error
            time.sleep(0.1)
