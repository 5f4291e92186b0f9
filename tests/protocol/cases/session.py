"""The cases of sessions."""

from __future__ import annotations

from typing import Any

from tests.protocol.cases.case import GONE, Case, Refusal

CHAT = {"resource": "ahp-chat:/1", "title": "C", "status": 1, "modifiedAt": "1970-01-01T00:00:01.000Z"}
SKILL: dict[str, Any] = {"type": "skill", "id": "skill", "uri": "s:/", "name": "S"}
SERVER: dict[str, Any] = {
    "type": "mcpServer",
    "id": "server",
    "uri": "m:/",
    "name": "M",
    "enabled": True,
    "state": {"kind": "ready"},
    "channel": "mcp://m",
}
PLUGIN: dict[str, Any] = {
    "type": "plugin",
    "id": "plugin",
    "uri": "p:/",
    "name": "P",
    "enabled": True,
    "children": [SKILL, SERVER],
}
CONFIG: dict[str, Any] = {
    "schema": {
        "type": "object",
        "properties": {
            "visibility": {
                "type": "string",
                "title": "V",
                "enum": ["private", "tenant"],
                "sessionMutable": True,
            },
            "branch": {"type": "string", "title": "B", "enum": ["main"], "enumDynamic": True, "sessionMutable": True},
            "target": {"type": "string", "title": "T"},
        },
    },
    "values": {"visibility": "tenant", "target": "worktree"},
}
CLIENT: dict[str, Any] = {"clientId": "my-client", "tools": []}
WAITING: dict[str, Any] = {"kind": "chatInput", "id": "w", "chat": "ahp-chat:/1", "request": {"id": "r"}}
SESSION: dict[str, Any] = {
    "provider": "demo",
    "title": "S",
    "status": 1,
    "lifecycle": "ready",
    "activeClients": [CLIENT],
    "chats": [CHAT],
    "defaultChat": "ahp-chat:/1",
    "workingDirectories": ["file:///a"],
    "customizations": [PLUGIN],
    "config": CONFIG,
}
ERROR = {"errorType": "init", "message": "no"}
SET = {"label": "L", "uriTemplate": "c:/{id}", "changeKind": "session"}


def plugin_with(server: dict[str, Any]) -> list[dict[str, Any]]:
    return [{**PLUGIN, "children": [SKILL, server]}]


STOPPED = {name: value for name, value in SERVER.items() if name != "channel"}
OTHER_CHAT = {**CHAT, "resource": "ahp-chat:/2"}

CASES: dict[str, Case] = {
    "session/ready": Case(
        {**SESSION, "lifecycle": "creationFailed", "creationError": ERROR},
        {"type": "session/ready"},
        {"lifecycle": "ready", "creationError": GONE},
        {"type": "session/ready"},
        SESSION,
    ),
    "session/creationFailed": Case(
        SESSION,
        {"type": "session/creationFailed", "error": ERROR},
        {"lifecycle": "creationFailed", "creationError": ERROR},
        {"type": "session/creationFailed", "error": ERROR},
        {**SESSION, "lifecycle": "creationFailed", "creationError": ERROR},
    ),
    "session/titleChanged": Case(
        SESSION,
        {"type": "session/titleChanged", "title": "N"},
        {"title": "N"},
        {"type": "session/titleChanged", "title": "S"},
    ),
    "session/serverToolsChanged": Case(
        SESSION,
        {"type": "session/serverToolsChanged", "tools": [{"name": "t"}]},
        {"serverTools": [{"name": "t"}]},
        {"type": "session/serverToolsChanged", "tools": []},
        {**SESSION, "serverTools": []},
    ),
    "session/isReadChanged": Case(
        SESSION,
        {"type": "session/isReadChanged", "isRead": True},
        {"status": 33},
        {"type": "session/isReadChanged", "isRead": False},
    ),
    "session/isArchivedChanged": Case(
        {**SESSION, "status": 1 | 64 | 4096},
        {"type": "session/isArchivedChanged", "isArchived": False},
        {"status": 1 | 4096},
        {"type": "session/isArchivedChanged", "isArchived": True},
    ),
    "session/activityChanged": Case(
        SESSION,
        {"type": "session/activityChanged", "activity": "thinks"},
        {"activity": "thinks"},
        {"type": "session/activityChanged"},
    ),
    "session/changesetsChanged": Case(
        SESSION,
        {"type": "session/changesetsChanged", "changesets": [SET]},
        {"changesets": [SET]},
        {"type": "session/changesetsChanged"},
    ),
    "session/metaChanged": Case(
        {**SESSION, "_meta": {"a": 1}},
        {"type": "session/metaChanged", "_meta": {"a": True}},
        {"_meta": {"a": True}},
        {"type": "session/metaChanged", "_meta": {"a": 1}},
    ),
    "session/chatAdded": Case(
        SESSION,
        {"type": "session/chatAdded", "summary": OTHER_CHAT},
        {"chats": [CHAT, OTHER_CHAT]},
        {"type": "session/chatAdded", "summary": CHAT},
    ),
    "session/chatRemoved": Case(
        SESSION,
        {"type": "session/chatRemoved", "chat": "ahp-chat:/1"},
        {"chats": [], "defaultChat": GONE},
        {"type": "session/chatRemoved", "chat": "ahp-chat:/2"},
    ),
    "session/chatUpdated": Case(
        SESSION,
        {"type": "session/chatUpdated", "chat": "ahp-chat:/1", "changes": {"title": "N", "resource": "ahp-chat:/9"}},
        {"chats": [{**CHAT, "title": "N"}]},
        {"type": "session/chatUpdated", "chat": "ahp-chat:/2", "changes": {"title": "N"}},
    ),
    "session/defaultChatChanged": Case(
        SESSION,
        {"type": "session/defaultChatChanged"},
        {"defaultChat": GONE},
        {"type": "session/defaultChatChanged", "defaultChat": "ahp-chat:/1"},
    ),
    "session/activeClientSet": Case(
        SESSION,
        {"type": "session/activeClientSet", "activeClient": {**CLIENT, "displayName": "Me"}},
        {"activeClients": [{**CLIENT, "displayName": "Me"}]},
        {"type": "session/activeClientSet", "activeClient": CLIENT},
    ),
    "session/activeClientRemoved": Case(
        SESSION,
        {"type": "session/activeClientRemoved", "clientId": "my-client"},
        {"activeClients": []},
        {"type": "session/activeClientRemoved", "clientId": "nobody"},
    ),
    "session/workingDirectorySet": Case(
        SESSION,
        {"type": "session/workingDirectorySet", "directory": "file:///b"},
        {"workingDirectories": ["file:///a", "file:///b"]},
        {"type": "session/workingDirectorySet", "directory": "file:///a"},
    ),
    "session/workingDirectoryRemoved": Case(
        SESSION,
        {"type": "session/workingDirectoryRemoved", "directory": "file:///a"},
        {"workingDirectories": []},
        {"type": "session/workingDirectoryRemoved", "directory": "file:///b"},
    ),
    "session/inputNeededSet": Case(
        {**SESSION, "status": 8 | 32},
        {"type": "session/inputNeededSet", "request": WAITING},
        {"inputNeeded": [WAITING], "status": 24 | 32},
        {"type": "session/inputNeededSet", "request": WAITING},
        {**SESSION, "inputNeeded": [WAITING], "status": 24},
    ),
    "session/inputNeededRemoved": Case(
        {**SESSION, "inputNeeded": [WAITING], "status": 24},
        {"type": "session/inputNeededRemoved", "id": "w"},
        {"inputNeeded": GONE, "status": 8},
        {"type": "session/inputNeededRemoved", "id": "x"},
    ),
    "session/customizationsChanged": Case(
        SESSION,
        {"type": "session/customizationsChanged", "customizations": []},
        {"customizations": []},
        {"type": "session/customizationsChanged", "customizations": [PLUGIN]},
    ),
    "session/customizationToggled": Case(
        SESSION,
        {"type": "session/customizationToggled", "id": "skill", "enabled": False},
        {"customizations": [{**PLUGIN, "children": [{**SKILL, "enabled": False}, SERVER]}]},
        {"type": "session/customizationToggled", "id": "nothing", "enabled": False},
    ),
    "session/customizationUpdated": Case(
        SESSION,
        {"type": "session/customizationUpdated", "customization": {**PLUGIN, "name": "Q"}},
        {"customizations": [{**PLUGIN, "name": "Q"}]},
        {"type": "session/customizationUpdated", "customization": PLUGIN},
    ),
    "session/customizationRemoved": Case(
        SESSION,
        {"type": "session/customizationRemoved", "id": "server"},
        {"customizations": [{**PLUGIN, "children": [SKILL]}]},
        {"type": "session/customizationRemoved", "id": "nothing"},
    ),
    "session/mcpServerStateChanged": Case(
        SESSION,
        {"type": "session/mcpServerStateChanged", "id": "server", "state": {"kind": "starting"}},
        {"customizations": plugin_with({**STOPPED, "state": {"kind": "starting"}})},
        {"type": "session/mcpServerStateChanged", "id": "skill", "state": {"kind": "ready"}},
    ),
    "session/mcpServerStartRequested": Case(
        SESSION,
        {"type": "session/mcpServerStartRequested", "id": "server"},
        {"customizations": plugin_with({**STOPPED, "state": {"kind": "starting"}})},
        {"type": "session/mcpServerStartRequested", "id": "plugin"},
    ),
    "session/mcpServerStopRequested": Case(
        SESSION,
        {"type": "session/mcpServerStopRequested", "id": "server"},
        {"customizations": plugin_with({**STOPPED, "state": {"kind": "stopped"}})},
        {"type": "session/mcpServerStopRequested", "id": "nothing"},
    ),
    "session/configChanged": Case(
        SESSION,
        {"type": "session/configChanged", "config": {"visibility": "private"}},
        {"config": {**CONFIG, "values": {"visibility": "private", "target": "worktree"}}},
        {"type": "session/configChanged", "config": {"visibility": "tenant"}},
    ),
}

PRIMARY = {**SESSION, "chats": [{**CHAT, "primaryWorkingDirectory": "file:///a"}]}

REFUSALS: list[Refusal] = [
    Refusal(
        SESSION,
        {"type": "session/defaultChatChanged", "defaultChat": "ahp-chat:/2"},
        "The session has no such chat",
    ),
    Refusal(
        SESSION,
        {"type": "session/activeClientSet", "activeClient": CLIENT},
        "activeClient.clientId is not your own",
        client="other",
    ),
    Refusal(
        SESSION,
        {"type": "session/activeClientRemoved", "clientId": "my-client"},
        "clientId is not your own",
        client="other",
    ),
    Refusal(
        PRIMARY,
        {"type": "session/workingDirectoryRemoved", "directory": "file:///a"},
        "The directory is the primary one of a chat",
    ),
    Refusal(
        SESSION,
        {"type": "session/customizationToggled", "id": "nothing", "enabled": True},
        "There is no such customization",
    ),
    Refusal(SESSION, {"type": "session/mcpServerStartRequested", "id": "skill"}, "There is no such MCP server"),
    Refusal(SESSION, {"type": "session/mcpServerStopRequested", "id": "nothing"}, "There is no such MCP server"),
    Refusal(SESSION, {"type": "session/configChanged", "config": {"target": "x"}}, "target cannot be changed"),
    Refusal(
        SESSION,
        {"type": "session/configChanged", "config": {"visibility": "private"}, "replace": True},
        "target cannot be changed",
    ),
]
