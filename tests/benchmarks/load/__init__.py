"""How do we drive the load generator? It is compiled from the C beside this file when it is first needed."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.benchmark import Figures, Settings, Skipped, Spoiled

SOURCES = Path(__file__).parent
FLAGS = ("-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where sockets go and how they introduce themselves: `hello` is the first message of each."""

    ports: Sequence[int]
    path: str = "/"
    header: str = ""
    hello: str | None = None

    def arguments(self) -> list[str]:
        """The endpoint as the load generator takes it."""
        known = [f"--port={','.join(map(str, self.ports))}", f"--path={self.path}", f"--header={self.header}"]
        return known if self.hello is None else [*known, f"--hello={self.hello}"]


class Load:
    """The compiled load generator."""

    def __init__(self, settings: Settings) -> None:
        self._program = _compiled(settings.folder)

    def publish(self, to: Endpoint, message: str, **options: float) -> Figures:
        """Send messages through the first of `sockets` for `seconds`, `window` at a time, to all of them."""
        with self.publishing(to, message, **options) as running:
            return finished(running)

    @contextmanager
    def publishing(self, to: Endpoint, message: str, **options: float) -> Iterator[subprocess.Popen[str]]:
        """The same, going on while the block runs; `finished` gives its figures."""
        with self._running("publish", to, f"--message={message}", *_flags(options)) as running:
            yield running

    def ask(self, to: Endpoint, message: str, **options: float) -> Figures:
        """Let each of `sockets` send the message and wait for its reply, `repeat` times."""
        with self._running("ask", to, f"--message={message}", *_flags(options)) as running:
            return finished(running)

    @contextmanager
    def holding(self, to: Endpoint, sockets: int) -> Iterator[None]:
        """Keep so many idle sockets open while the block runs."""
        with self._running("hold", to, f"--sockets={sockets}") as running:
            assert running.stdin is not None
            assert running.stdout is not None
            if running.stdout.readline() != "ready\n":
                raise Spoiled("the idle sockets could not be opened")
            yield
            running.stdin.close()
            running.wait()

    @contextmanager
    def _running(self, mode: str, to: Endpoint, *arguments: str) -> Iterator[subprocess.Popen[str]]:
        command = [str(self._program), mode, *to.arguments(), *arguments]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def finished(running: subprocess.Popen[str]) -> Figures:
    """Wait for the end of a load and read its figures."""
    output, _ = running.communicate()
    if running.returncode:
        raise Spoiled("the load generator gave up (see above)")
    figures: dict[str, float] = json.loads(output)
    return figures


def _flags(options: dict[str, float]) -> list[str]:
    return [f"--{name}={value}" for name, value in options.items()]


def _compiled(folder: Path) -> Path:
    sources = sorted(SOURCES.glob("*.[ch]"))
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:12]
    program = folder / f"load-{digest}"
    if not program.exists():
        units = [str(path) for path in sources if path.suffix == ".c"]
        try:
            compiled = subprocess.run(["cc", *FLAGS, "-o", str(program), *units], check=False)
        except FileNotFoundError:
            raise Skipped("no C compiler (cc) for the load generator") from None
        if compiled.returncode:
            raise Spoiled("the load generator does not compile")
    return program
