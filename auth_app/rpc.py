"""Which methods has identity? Source: PROTOCOL.md section 13."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from ahp_platform.agents import registry
from ahp_platform.protocol.errors import InvalidParams
from ahp_platform.rpc.context import Context
from ahp_platform.rpc.table import Call, Params
from auth_app import grants

# Who else advertises resources: (tenant id, user id, resource) -> its metadata, or None where the user sees none such.
Advertised = Callable[[int, int, str], Awaitable[dict[str, Any] | None]]
# Hears of a token that was taken: (tenant id, user id, resource).
Heard = Callable[[int, int, str], None]

_others: list[tuple[Advertised, Heard]] = []


def others_advertise(advertised: Advertised, heard: Heard) -> None:
    """Wiring: besides agents, these advertise resources, and hear of tokens."""
    _others[:] = [(advertised, heard)]


async def authenticate(context: Context, params: Params) -> dict[str, Any]:
    """`authenticate`: keep a token for a resource that an agent advertises, or an MCP server of a session that one sees."""
    who, wanted = context.principal, params["resource"]
    resource = _advertised(context.principal.tenant_id).get(wanted)
    for advertised, _ in _others if resource is None else ():
        resource = await advertised(who.tenant_id, who.user_id, wanted)
    if resource is None:
        raise InvalidParams("params.resource: not a protected resource of this host")
    await grants.accept(who, resource, params["token"], params.get("scopes", ()))
    for _, heard in _others:
        heard(who.tenant_id, who.user_id, wanted)
    return {}


def _advertised(tenant_id: int) -> dict[str, dict[str, Any]]:
    agents = registry.agent_infos(tenant_id)
    return {resource["resource"]: resource for agent in agents for resource in agent.get("protectedResources", ())}


METHODS: dict[str, Call] = {"authenticate": authenticate}
