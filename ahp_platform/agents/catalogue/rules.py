"""What may stand in the row of an agent?

Each rule raises `ValidationError` with a sentence for the operator who typed it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.metadata import entry_points
from typing import Any

from django.core.exceptions import ValidationError

PROVIDER = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Names only: an address, a folder or an option in their place would be fetched, read or obeyed by the package manager.
PACKAGES = {
    "npm": re.compile(r"(?:@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~][a-z0-9._~-]*"),
    "pip": re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?:\[[A-Za-z0-9._,-]+\])?"),
}
VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+!_-]*")
# The loader and the interpreters read these: what they name would run outside of what the row says.
REFUSED = frozenset({"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "AHP_MARKER"})
MAX_MODELS = 500


def provider(name: str) -> None:
    """An id that no agent of an installed distribution has."""
    if not PROVIDER.fullmatch(name):
        raise ValidationError("Lower-case letters, digits and inner hyphens, at most 63.")
    if name in entry_point_names():
        raise ValidationError("An agent of this id is built in.")


def entry_point_names() -> frozenset[str]:
    """The providers that installed distributions declare, and our own two."""
    return frozenset({"demo", "demo-protected", *(point.name for point in entry_points(group="ahp.agents"))})


def command(argv: Any) -> None:
    """A program and its arguments."""
    good = isinstance(argv, list) and bool(argv) and all(isinstance(word, str) and "\x00" not in word for word in argv)
    if not good or not argv[0].strip():
        raise ValidationError("A program and its arguments, such as: opencode acp")


def environment(variables: Any) -> None:
    """Names and values."""
    if not isinstance(variables, dict):
        raise ValidationError("One NAME=value on each line.")
    for name, value in variables.items():
        if not VARIABLE.fullmatch(name):
            raise ValidationError(f"Not a name of a variable: {name[:80]}")
        if name in REFUSED:
            raise ValidationError(f"{name} may not be set.")
        if not isinstance(value, str) or "\x00" in value:
            raise ValidationError(f"The value of {name} is no text.")


def models(infos: Any) -> None:
    """`SessionModelInfo` objects; their `provider` is ours to fill in."""
    if not isinstance(infos, list) or len(infos) > MAX_MODELS:
        raise ValidationError(f'A list of at most {MAX_MODELS} objects such as {{"id": "m1", "name": "Model 1"}}.')
    for info in infos:
        if not isinstance(info, dict) or not _texts(info, ("id", "name")):
            raise ValidationError("Each model needs an id and a name, both texts.")
        if not all(type(info.get(size, 0)) in (int, float) for size in ("maxContextWindow", "maxOutputTokens")):
            raise ValidationError(f"The sizes of model {info['id']} are no numbers.")
    ids = [info["id"] for info in infos]
    if len(set(ids)) != len(ids):
        raise ValidationError("Two models have the same id.")


def package(kind: str, name: str, version: str) -> None:
    """A name in a registry and, perhaps, a version."""
    if not kind and (name or version):
        raise ValidationError("Say where the package comes from: npm or pip.")
    if kind and not (len(name) <= 200 and PACKAGES[kind].fullmatch(name)):
        raise ValidationError(f"Not a name of a package for {kind}; addresses and folders are not taken.")
    if version and not VERSION.fullmatch(version):
        raise ValidationError("Not a version. Leave it empty for the newest.")


def roles(names: Any, known: Sequence[str]) -> None:
    """Some of the roles that may act."""
    if not isinstance(names, list) or not set(names) <= set(known):
        raise ValidationError(f"Some of: {', '.join(known)}")


def _texts(info: dict[str, Any], names: Sequence[str]) -> bool:
    return all(isinstance(info.get(name), str) and info[name] for name in names)
