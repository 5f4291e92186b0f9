"""Which customizations are in a working directory, and which in a plugin?

Nothing here knows what a session has made of them: whether they are switched on and in which state their servers are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ahp_platform.mcp.declared import BadDeclaration, Declared, declared_in
from sessions_app.customizations.children import Json, children_of, item, load_state, minted, rule
from sessions_app.customizations.frontmatter import Malformed
from sessions_app.customizations.merge import MISDECLARED
from sessions_app.customizations.places import (
    IN_PLUGINS,
    INSTRUCTIONS,
    MANIFESTS,
    PLACES,
    PLUGINS,
    SERVERS,
    SERVERS_IN_PLUGINS,
    Place,
)
from sessions_app.customizations.sources import Source, Unreadable, Workspace

MAX_SERVERS, MAX_PLUGINS = 32, 50


@dataclass(slots=True)
class Found:
    """Customizations as they stand in a state, but for what the session adds; and what the servers among them run."""

    customizations: list[Json] = field(default_factory=list)
    servers: dict[str, Declared] = field(default_factory=dict)

    def add(self, other: Found) -> None:
        """And those."""
        self.customizations += other.customizations
        self.servers |= other.servers


async def of_workspace(source: Workspace) -> Found:
    """Everything in the conventional places of a working directory."""
    found = Found()
    variables = {"workspaceFolder": source.path}
    instructions = await _instructions(source)
    if instructions is not None:
        found.customizations.append(instructions)
    for place in PLACES:
        directory = await _directory(source, place)
        if directory is not None:
            found.customizations.append(directory)
    for path in SERVERS:
        found.add(await _servers_of(source, path, variables))
    for path in PLUGINS:
        for name, is_directory in (await _entries(source, path))[:MAX_PLUGINS]:
            if is_directory:
                found.add(await _plugin_in(source.below(*path, name), name))
    return found


async def of_plugin(source: Source, container: Json, variables: Mapping[str, str]) -> Found:
    """A plugin with its children; `container` is what is known of it before. Raises `Unreadable` where it is not there."""
    manifest = await _manifest(source)
    children: list[Json] = []
    wrong: list[str] = []
    for place in IN_PLUGINS:
        read = await children_of(source, place)
        if read is not None:
            children += read[0]
            wrong += read[1]
    servers = await _plugin_servers(source, manifest, variables, wrong)
    if not manifest and not children and not servers.customizations:
        raise Unreadable("There is no plugin: neither a manifest nor anything that it could hold")
    known = {"version": manifest["version"]} if isinstance(manifest.get("version"), str) else {}
    children += servers.customizations
    return Found([{**container, **known, "load": load_state(wrong), "children": children}], servers.servers)


def plugin(uri: str, name: str) -> Json:
    """A plugin of the workspace, before it is read."""
    return {"type": "plugin", "id": minted("plugin", uri), "uri": uri, "name": name, "enabled": True}


async def _plugin_in(source: Workspace, name: str) -> Found:
    try:
        manifest = await _manifest(source)
        if not manifest:
            return Found()  # a directory that happens to be there
        shown = manifest["name"] if isinstance(manifest.get("name"), str) else name
        return await of_plugin(source, plugin(source.uri(), shown[:200]), _rooted(source.path))
    except Unreadable as error:
        return Found([{**plugin(source.uri(), name), "load": {"kind": "error", "message": str(error)}}])


def _rooted(path: str) -> dict[str, str]:
    return {"PLUGIN_ROOT": path, "CLAUDE_PLUGIN_ROOT": path}


async def _manifest(source: Source) -> Mapping[str, Any]:
    for path in MANIFESTS:
        text = await source.text(*path)
        if text is not None:
            try:
                manifest = json.loads(text)
            except ValueError:
                raise Unreadable(f"{'/'.join(path)} is not JSON") from None
            if not isinstance(manifest, dict):
                raise Unreadable(f"{'/'.join(path)}: expected an object")
            return manifest
    return {}


async def _plugin_servers(
    source: Source, manifest: Mapping[str, Any], variables: Mapping[str, str], wrong: list[str]
) -> Found:
    found = Found()
    try:
        if isinstance(manifest.get("mcpServers"), dict):
            inline = json.dumps({"mcpServers": manifest["mcpServers"]})
            found.add(_declared(source.uri(), declared_in(inline, variables)))
        for path in SERVERS_IN_PLUGINS:
            text = await source.text(*path)
            if text is not None:
                found.add(_declared(source.uri(*path), declared_in(text, variables)))
    except (BadDeclaration, Unreadable) as error:
        wrong.append(f"MCP servers: {error}")
    return found


async def _servers_of(source: Source, path: Sequence[str], variables: Mapping[str, str]) -> Found:
    try:
        text = await source.text(*path)
        return Found() if text is None else _declared(source.uri(*path), declared_in(text, variables))
    except (BadDeclaration, Unreadable) as error:
        # A file that nobody can read stands for the servers that it may hold.
        name = path[-1]
        broken = Declared(name, error=str(error))
        return _declared(source.uri(*path), [broken])


def _declared(uri: str, servers: Sequence[Declared]) -> Found:
    found = Found()
    for server in servers[:MAX_SERVERS]:
        shown = item("mcpServer", uri, server.name, enabled=True)
        if server.error:
            shown["state"] = {"kind": "error", "error": {"errorType": MISDECLARED, "message": server.error}}
        found.customizations.append(shown)
        found.servers[shown["id"]] = server
    return found


async def _instructions(source: Source) -> Json | None:
    rules: list[Json] = []
    wrong: list[str] = []
    for path in INSTRUCTIONS:
        try:
            text = await source.text(*path)
            if text is not None:
                rules.append(rule(source.uri(*path), path[-1], text, alwaysApply=True))
        except (Malformed, Unreadable) as error:
            wrong.append(f"{'/'.join(path)}: {error}")
    if not rules and not wrong:
        return None
    return _container(source.uri(), "Instructions", "rule", rules, wrong)


async def _directory(source: Source, place: Place) -> Json | None:
    uri, name = source.uri(*place.path), "/".join(place.path)
    try:
        read = await children_of(source, place)
    except Unreadable as error:
        broken = _container(uri, name, place.contents, [], [])
        return {**broken, "load": {"kind": "error", "message": str(error)}}
    return None if read is None else _container(uri, name, place.contents, *read)


def _container(uri: str, name: str, contents: str, children: list[Json], wrong: list[str]) -> Json:
    shown = item("directory", uri, name, enabled=True, contents=contents, writable=True)
    return {**shown, "load": load_state(wrong), "children": children}


async def _entries(source: Source, path: Sequence[str]) -> list[tuple[str, bool]]:
    try:
        return await source.entries(*path) or []
    except Unreadable:
        return []
