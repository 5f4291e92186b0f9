"""What does a command on one's own machine use where the environment names nothing?

`up` and `cluster` note the servers they run in `<AHP_DATA_DIR>/run.json`, so that `token`, `shell` and the rest reach them. The
image sets AHP_LOCAL=0: there, what the environment does not name is missing, and the settings say so.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from ahp_platform.env import env_bool

PROJECT = Path(__file__).resolve().parent.parent
# What stands for a server that nobody has named: whoever tries to reach it reads why he cannot.
UNNAMED = {
    "DATABASE_URL": "postgresql://postgres@service-is-not-running.invalid/ahp",
    "REDIS_URL": "redis://service-is-not-running.invalid:6379/0",
}
# What a running service tells the other commands of this machine.
SHARED = ("DATABASE_URL", "REDIS_URL", "AHP_REDIS_PREFIX", "AHP_PUBLIC_URL")

_adopted: set[str] = set()


class AlreadyRunsError(Exception):
    """A service holds this data folder."""


def data_dir() -> Path:
    """Where everything that is kept outside the database lives."""
    return (PROJECT / (os.environ.get("AHP_DATA_DIR") or ".data")).resolve()


def adopt() -> None:
    """Complete this process's environment from the service that runs here."""
    if not env_bool("AHP_LOCAL", True):
        return
    for name, value in running_service().items():
        if name in SHARED:
            _complete(name, value)
    for name, nowhere in UNNAMED.items():
        _complete(name, nowhere)
    _complete("AHP_HTTPS", "0")
    if not _is_set("AHP_SECRET_KEY"):
        _complete("AHP_SECRET_KEY_FILE", str(_secret_key_file()))
    if not _is_set("AHP_OIDC_KEY"):
        _complete("AHP_OIDC_KEY_FILE", str(_signing_key_file()))


def given_environment() -> dict[str, str]:
    """The environment as it was before `adopt`: what a program needs that must not touch the service running here."""
    return {name: value for name, value in os.environ.items() if name not in _adopted}


def is_named(server: str) -> bool:
    """Whether the environment says where that server (DATABASE_URL or REDIS_URL) is."""
    return _is_set(server) and os.environ.get(server) != UNNAMED[server]


def running_service() -> dict[str, str]:
    """What the running service noted; empty when none runs, also when it ended without a word."""
    try:
        noted = json.loads((data_dir() / "run.json").read_text(encoding="utf-8"))
        with only_service():
            return {}
    except AlreadyRunsError:
        return {str(name): str(value) for name, value in noted.items()}
    except (OSError, ValueError):
        return {}


@contextmanager
def only_service() -> Iterator[None]:
    """Be the one service of the data folder. The lock ends with the process that holds it, however that ends."""
    folder = data_dir()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise AlreadyRunsError(f"a service already runs on {folder}; end it, or set AHP_DATA_DIR") from None
        yield


def note_service(values: Mapping[str, str]) -> None:
    """Let other commands find the service that this process supervises."""
    _write_private(data_dir() / "run.json", json.dumps(dict(values)))


def forget_service() -> None:
    """The service has ended."""
    (data_dir() / "run.json").unlink(missing_ok=True)


def _is_set(name: str) -> bool:
    return bool(os.environ.get(name) or os.environ.get(f"{name}_FILE"))


def _complete(name: str, value: str) -> None:
    if not _is_set(name):
        os.environ[name] = value
        _adopted.add(name)


def _secret_key_file() -> Path:
    path = data_dir() / "secret-key"
    if not path.exists():
        _write_private(path, secrets.token_urlsafe(48))
    return path


def _signing_key_file() -> Path:
    """The RSA key that signs who our people are, for programs that ask (OpenID Connect)."""
    path = data_dir() / "oidc-key.pem"
    if not path.exists():
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        _write_private(path, key.private_bytes(*form).decode())
    return path


def _write_private(path: Path, text: str) -> None:
    """Write a file that only its owner reads, all of it or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.touch(mode=0o600)
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)
