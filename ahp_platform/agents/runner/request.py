"""What does an agent get with a prompt?"""

from __future__ import annotations

from ahp_platform.agents import registry
from ahp_platform.agents.backend import Object, TurnFailed, TurnRequest
from ahp_platform.agents.claims import Claim
from ahp_platform.agents.runner.ports import ports
from ahp_platform.eventlog.entry import ACTION
from ahp_platform.eventlog.log import TenantLog


async def turn_request(claim: Claim, log: TenantLog, chat: Object) -> TurnRequest:
    """The request of a claimed turn, from the states of its chat and session; acts with its user's tokens alone."""
    session = await _ready_session(log, claim.session)
    tenant_id, user_id = claim.key.tenant_id, claim.user_id
    resources = [resource["resource"] for resource in registry.protected_resources(claim.provider)]
    return TurnRequest(
        chat=claim.key.chat,
        turn_id=claim.key.turn_id,
        message=chat["activeTurn"]["message"],
        history=chat["turns"],
        config=session.get("config", {}).get("values", {}),
        working_directories=_directories(session, chat),
        credentials=await ports().credentials(tenant_id, user_id, resources) if resources else {},
        locale=await ports().locale(tenant_id, user_id),
    )


async def _ready_session(log: TenantLog, uri: str) -> Object:
    """The session, once its workspace is prepared: a turn may be accepted before."""
    async with log.follow(uri) as feed:
        if feed.state["lifecycle"] == "creating":
            async for entry in feed:
                if entry.kind == ACTION and entry.action["type"] in ("session/ready", "session/creationFailed"):
                    break
    session: Object = await log.state(uri)
    if session["lifecycle"] == "creationFailed":
        raise TurnFailed("sessionCreation", session["creationError"]["message"])
    return session


def _directories(session: Object, chat: Object) -> list[str]:
    directories: list[str] = list(chat.get("workingDirectories", session.get("workingDirectories", ())))
    primary = chat.get("primaryWorkingDirectory")
    return directories if primary is None else [primary, *(each for each in directories if each != primary)]
