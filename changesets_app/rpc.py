"""Which methods do resources have?

Each looks whose the resource is, calls one function and returns. Source: PROTOCOL.md sections 8 and 12.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ahp_platform.protocol.errors import InvalidParams, PermissionDenied
from ahp_platform.rpc.context import Context
from ahp_platform.rpc.table import Call, Handler, Params, Policy
from ahp_platform.workspaces import paths
from changesets_app import client_resources, completions, content
from changesets_app.access import Access, OwnersOfDirectories
from changesets_app.files import Files
from changesets_app.watches.registry import watches

CLIENTS = "virtual"


class ResourceMethods:
    """The handlers, with what says who may read and which session a directory belongs to."""

    def __init__(self, policy: Policy, owners: OwnersOfDirectories) -> None:
        self._policy = policy
        self._access = Access(policy, owners)

    def table(self) -> dict[str, Handler]:
        """Name to handler. None is ordered: each may wait for a disk or for a client."""
        files = Files(self._access)
        calls: dict[str, Call] = {
            "resourceRead": self._of_one("resourceRead", files.read),
            "resourceList": self._of_one("resourceList", files.list),
            "resourceResolve": self._of_one("resourceResolve", files.resolve),
            "resourceWrite": self._of_one("resourceWrite", files.write),
            "resourceMkdir": self._of_one("resourceMkdir", files.mkdir),
            "resourceDelete": self._of_one("resourceDelete", files.delete),
            "resourceRequest": self._of_one("resourceRequest", files.request),
            "resourceCopy": files.copy,
            "resourceMove": files.move,
            "createResourceWatch": self.create_watch,
            "completions": self.complete,
        }
        return {name: Handler(call, ordered=False) for name, call in calls.items()}

    async def create_watch(self, context: Context, params: Params) -> object:
        """`createResourceWatch`."""
        return await watches.create(context, self._access, params)

    async def complete(self, context: Context, params: Params) -> object:
        """`completions`."""
        return await completions.complete(context, self._access, params)

    def _of_one(self, method: str, of_file: Callable[[Context, Params], Any]) -> Call:
        async def call(context: Context, params: Params) -> object:
            match params["uri"].partition(":")[0].lower():
                case paths.FILE:
                    return await of_file(context, params)
                case content.SCHEME if method == "resourceRead":
                    return await content.read(context, self._policy, params)
                case content.SCHEME:
                    raise PermissionDenied("A content can only be read")
                case scheme if scheme == CLIENTS:
                    return await client_resources.ask(context, method, params)
            raise InvalidParams("params.uri: expected a file:, ahp-session: or virtual: URI")

        return call
