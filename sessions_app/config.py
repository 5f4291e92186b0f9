"""Which options does a new session have, and which values?

The whole schema and the resolved values are returned each time, whatever the client has filled in so far. Source:
PROTOCOL.md section 6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ahp_platform.eventlog.pool import fetch
from ahp_platform.protocol.config_values import refuse_value
from ahp_platform.protocol.errors import InvalidParams
from ahp_platform.sandbox import Fence
from sessions_app import people, repository, workspace
from sessions_app.sight import PRIVATE, TENANT

MAX_COMPLETIONS = 50


async def resolve(
    tenant_id: int, slug: str, directories: Sequence[str], given: Mapping[str, Any], options: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The `SessionConfigSchema` and the values: defaults, with what was given on top. `options` are the agent's own."""
    properties: dict[str, Any] = {"visibility": _visibility(await _default_visibility(tenant_id)), "members": _MEMBERS}
    properties = {**options, **properties}
    required: list[str] = []
    branches = await _branches(slug, directories[0]) if directories else []
    if branches:
        properties["target"] = _TARGET
        if given.get("target") == "worktree":
            properties["baseBranch"] = {**_BASE_BRANCH, "default": branches[0]}
            required.append("baseBranch")
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    values = {
        name: given[name] if name in given else spec["default"]
        for name, spec in properties.items()
        if name in given or "default" in spec
    }
    await people.require_members(tenant_id, values.get("members", []))
    _check(properties, values, branches)
    return schema, values


async def completions(tenant_id: int, slug: str, directory: str | None, name: str, query: str) -> list[dict[str, str]]:
    """The values of a property with `enumDynamic` that contain the query."""
    if name == "members":
        return await people.completions(tenant_id, query)
    if name != "baseBranch":
        raise InvalidParams("params.property: not a property with dynamic values")
    branches = await _branches(slug, directory) if directory else []
    found = [branch for branch in branches if query.lower() in branch.lower()]
    return [{"value": branch, "label": branch} for branch in found[:MAX_COMPLETIONS]]


async def _branches(slug: str, directory: str) -> list[str]:
    # The session does not exist yet, so a directory that is some session's own is another's.
    workspace.require_workable(slug, "", directory)
    return await repository.branches(Fence(slug), workspace.path_of(slug, directory))


async def _default_visibility(tenant_id: int) -> str:
    query = "SELECT settings ->> 'default_visibility' FROM auth_app_tenant WHERE id = %s"
    rows = await fetch(query, (tenant_id,), tenant=tenant_id)
    return PRIVATE if rows and rows[0][0] == PRIVATE else TENANT


def _visibility(default: str) -> dict[str, Any]:
    return {
        "type": "string",
        "title": "Visibility",
        "description": "Who may see the session",
        "enum": [TENANT, PRIVATE],
        "enumLabels": ["Everybody in the organisation", "Only me"],
        "default": default,
        "sessionMutable": True,
    }


_MEMBERS = {
    "type": "array",
    "title": "Shared with",
    "description": "Who else may see the session where it is visible only to you",
    "items": {"type": "string", "title": "User name"},
    "enumDynamic": True,
    "sessionMutable": True,
}
_TARGET = {
    "type": "string",
    "title": "Target",
    "description": "Where the agent works",
    "enum": ["workspace", "worktree"],
    "enumLabels": ["In the directory itself", "In a git worktree of its own"],
    "default": "workspace",
}
_BASE_BRANCH = {
    "type": "string",
    "title": "Base branch",
    "description": "The branch that the worktree starts from",
    "enumDynamic": True,
}


def _check(properties: Mapping[str, Any], values: Mapping[str, Any], branches: Sequence[str]) -> None:
    for name, value in values.items():
        if name == "baseBranch" and value not in branches:
            raise InvalidParams("params.config.baseBranch: there is no such branch")
        if reason := refuse_value(name, properties[name], value):
            raise InvalidParams(f"params.config.{reason}")
