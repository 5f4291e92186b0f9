"""Which variables do the settings read? Found in the source, so that a table can be held against it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ahp_platform.local import PROJECT

# The files that read the environment for the service itself.
READERS = ("settings.py", "local.py")
SECRETS = "env_secret"


def read_by_settings() -> set[str]:
    """Names of variables; those of secrets also with `_FILE`."""
    return {name for reader in READERS for name in _names((PROJECT / "ahp_platform" / reader).read_text())}


def _names(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant)):
            continue
        called, name = ast.unparse(node.func), str(node.args[0].value)
        if called in ("env_bool", "env_int", SECRETS, "os.environ.get"):
            yield name
        if called == SECRETS:
            yield f"{name}_FILE"
