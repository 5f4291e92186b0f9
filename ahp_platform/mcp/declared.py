"""Which MCP servers does a configuration file declare?

`.mcp.json` and plugins have them under `mcpServers`, `.vscode/mcp.json` under `servers`. Variables of our own environment are never
filled in: the file is a tenant's, the environment is ours.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

KEYS: Final = ("mcpServers", "servers")
MAX_NAME, MAX_WORDS, MAX_TEXT = 100, 200, 8_000

_VARIABLE = re.compile(r"\$\{([^}]*)\}")


class BadDeclaration(ValueError):
    """The text declares no servers; the message is for people."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A server: a program (`command`) that speaks over its pipes, or an address (`url`) that speaks streamable HTTP.

    `error` says why it can be neither. Environment and headers may hold secrets: they are never logged or shown.
    """

    name: str
    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    error: str = ""

    def for_agent(self) -> dict[str, Any]:
        """As an agent is told of it that runs its own servers: in the words of the Agent Client Protocol."""
        if self.url:
            return {"name": self.name, "type": "http", "url": self.url, "headers": _pairs(self.headers)}
        command, *arguments = self.command
        return {"name": self.name, "command": command, "args": arguments, "env": _pairs(self.environment)}


def _pairs(named: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in named.items()]


def declared_in(text: str, variables: Mapping[str, str]) -> list[Declared]:
    """The servers in a file's text, in its order; `variables` is what `${…}` may stand for. Raises `BadDeclaration`."""
    try:
        content = json.loads(text)
    except ValueError as error:
        raise BadDeclaration(f"not JSON: {error}") from None
    servers: object = next((content[key] for key in KEYS if key in content), {}) if isinstance(content, dict) else None
    if not isinstance(servers, dict):
        raise BadDeclaration("expected an object with the servers by their names")
    return [_declared(str(name)[:MAX_NAME], entry, variables) for name, entry in servers.items()]


def _declared(name: str, entry: object, variables: Mapping[str, str]) -> Declared:
    if not isinstance(entry, dict):
        return Declared(name, error="expected an object")
    kind = entry.get("type", entry.get("transport"))
    try:
        if kind == "sse":
            return Declared(name, error="the transport sse is not spoken here; use streamable HTTP")
        if "url" in entry:
            url = _filled(_text(entry["url"], "url"), variables)
            if not url.startswith(("https://", "http://")):
                return Declared(name, error="url: expected https://…")
            return Declared(name, url=url, headers=_texts(entry, "headers", variables))
        words = [entry.get("command"), *_words(entry.get("args", []))]
        command = tuple(_filled(_text(word, "command"), variables) for word in words)
        if not command[0]:
            return Declared(name, error="expected a command or a url")
        return Declared(name, command, _texts(entry, "env", variables))
    except BadDeclaration as error:
        return Declared(name, error=str(error))


def _words(args: object) -> list[Any]:
    if not isinstance(args, list) or len(args) > MAX_WORDS:
        raise BadDeclaration(f"args: expected a list of at most {MAX_WORDS} texts")
    return args


def _texts(entry: Mapping[str, Any], key: str, variables: Mapping[str, str]) -> dict[str, str]:
    found = entry.get(key, {})
    if not isinstance(found, dict) or len(found) > MAX_WORDS:
        raise BadDeclaration(f"{key}: expected an object of texts")
    return {str(name): _filled(_text(value, key), variables) for name, value in found.items()}


def _text(value: object, key: str) -> str:
    if not isinstance(value, str) or len(value) > MAX_TEXT or "\x00" in value:
        raise BadDeclaration(f"{key}: expected a text")
    return value


def _filled(text: str, variables: Mapping[str, str]) -> str:
    def known(found: re.Match[str]) -> str:
        name, _, default = found.group(1).partition(":-")
        if name in variables:
            return variables[name]
        if ":-" in found.group(1):
            return default
        raise BadDeclaration(f"${{{name}}} is not known on this host")

    return _VARIABLE.sub(known, text)
