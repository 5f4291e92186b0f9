"""Is a place outside of the tenant's directory granted to this caller, now?

Asked at every use, so that what is revoked or has ended is closed from then on.
"""

from __future__ import annotations

from ahp_platform.eventlog.pool import fetch
from ahp_platform.rpc.context import Principal
from ahp_platform.workspaces.granted import Grantable, GrantedFence
from ahp_platform.workspaces.paths import LeadsOut, Names
from changesets_app.models import LeastRole

# The role is the one that the user has now: a watch is asked about long after it was made.
_COVERING = """
WITH member AS (SELECT role FROM auth_app_membership WHERE tenant_id = %(tenant)s AND user_id = %(user)s)
SELECT path FROM changesets_app_filegrant, member
WHERE tenant_id = %(tenant)s AND user_id = %(user)s AND path = ANY(%(paths)s) AND granted_until > now()
    AND (writes OR NOT %(write)s)
UNION ALL
SELECT path FROM changesets_app_filerule rule, member
WHERE tenant_id = %(tenant)s AND path = ANY(%(paths)s) AND (writes OR NOT %(write)s)
    AND array_position(%(roles)s::text[], rule.role::text) <= array_position(%(roles)s::text[], member.role::text)
"""


async def fence(principal: Principal, place: Grantable, *, write: bool) -> tuple[GrantedFence, Names]:
    """The fence around what is granted, and the way to the place in it; raises `LeadsOut` where nothing is."""
    paths = place.coverings()
    who = {"tenant": principal.tenant_id, "user": principal.user_id, "roles": LeastRole.values}
    asked = {**who, "paths": paths, "write": write}
    granted = {path for (path,) in await fetch(_COVERING, asked, tenant=principal.tenant_id)}
    for path in paths:
        if path in granted:
            within = place.names[: len(path.split("/")) - len(str(place.root).split("/"))]
            return GrantedFence(place.root, within), place.names
    raise LeadsOut("outside of the permitted directories")


async def is_granted(principal: Principal, place: Grantable, *, write: bool) -> bool:
    """Whether the place is granted."""
    try:
        await fence(principal, place, write=write)
    except LeadsOut:
        return False
    return True
