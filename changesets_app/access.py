"""Which of a tenant's files may this caller reach?

Everything below the tenant's directory, but of the sessions' own directories only those of sessions that the caller
sees; and what a rule or a person has granted elsewhere. Asked at every use: a session may become private, a grant be
revoked at any time. Source: DESIGN.md section 6, PROTOCOL.md section 12.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from pathlib import Path

from ahp_platform.eventlog.view import Readers
from ahp_platform.rpc.context import Context, Principal
from ahp_platform.rpc.table import Policy
from ahp_platform.workspaces import paths
from ahp_platform.workspaces.fence import Fence
from ahp_platform.workspaces.granted import Grantable, grantable
from ahp_platform.workspaces.paths import OWN_DIRECTORIES, LeadsOut, Names
from changesets_app.grants import in_force

# Tenant and names of own directories -> who may enter them; those of no session are left out.
OwnersOfDirectories = Callable[[int, Collection[str]], Awaitable[Mapping[str, Readers]]]


class Access:
    """Makes fences. `owners` knows which session a directory belongs to."""

    def __init__(self, policy: Policy, owners: OwnersOfDirectories) -> None:
        self.policy, self._owners = policy, owners

    async def reach(self, context: Context, uri: str, *, write: bool = False) -> tuple[Fence, Names]:
        """The fence around what a `file:` URI names, and the way there; raises `NotAFileUri` or `LeadsOut`."""
        try:
            names = self.names_of(context, uri)
        except LeadsOut:
            return await in_force.fence(context.principal, elsewhere(uri), write=write)
        return await self.fence(context, names), names

    async def is_open(self, context: Context, uri: str, names: Names) -> bool:
        """Whether the caller may still reach what a `file:` URI named, which was at these names below its fence's root."""
        try:
            (await self.reach(context, uri))[0].require_inside(names)
        except LeadsOut:
            return False
        return True

    async def fence(self, context: Context, *places: Names) -> Fence:
        """The fence for work at these places."""
        own = {names[1] for names in places if len(names) > 1 and names[0] in OWN_DIRECTORIES}
        entered = await self.entered(context.principal, own)
        return Fence(paths.root(context.log.slug), paths.locks(), entered)

    async def entered(self, principal: Principal, own: Collection[str]) -> frozenset[str]:
        """Those of the sessions' own directories, by name, that the principal may enter."""
        if not own:
            return frozenset()
        owners = await self._owners(principal.tenant_id, own)
        return frozenset(name for name, readers in owners.items() if self.policy.may_read(principal, readers))

    def names_of(self, context: Context, uri: str) -> Names:
        """The place that a `file:` URI names; raises `NotAFileUri` or `LeadsOut`."""
        return paths.names_of(paths.root(context.log.slug), uri)


def elsewhere(uri: str) -> Grantable:
    """The place outside of the tenant's directory that a `file:` URI names; raises `LeadsOut` where no grant could be for
    it.
    """
    return grantable(paths.names_of(Path("/"), uri))
