"""Which methods has identity? Source: PROTOCOL.md section 13."""

from __future__ import annotations

from typing import Any

from ahp_platform.agents import registry
from ahp_platform.protocol.errors import InvalidParams
from ahp_platform.rpc.context import Context
from ahp_platform.rpc.table import Call, Params
from auth_app import grants


async def authenticate(context: Context, params: Params) -> dict[str, Any]:
    """`authenticate`: keep a token for a resource that one of our agents advertises."""
    resource = _advertised(context.log.tenant_id).get(params["resource"])
    if resource is None:
        raise InvalidParams("params.resource: not a protected resource of this host")
    await grants.accept(context.principal, resource, params["token"], params.get("scopes", ()))
    return {}


def _advertised(tenant_id: int) -> dict[str, dict[str, Any]]:
    agents = registry.agent_infos(tenant_id)
    return {resource["resource"]: resource for agent in agents for resource in agent.get("protectedResources", ())}


METHODS: dict[str, Call] = {"authenticate": authenticate}
