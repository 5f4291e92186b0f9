"""The policy as connections are served with it: what it refuses is in the audit log."""

from __future__ import annotations

from ahp_platform.eventlog.view import Readers
from ahp_platform.protocol.errors import PermissionDenied
from ahp_platform.rpc.context import Principal
from auth_app import audit, policy


class AuditedPolicy:
    """Implements `rpc.table.Policy`."""

    def require_method(self, principal: Principal, method: str) -> None:
        """As the policy; raises `PermissionDenied`."""
        try:
            policy.require_method(principal, method)
        except PermissionDenied:
            audit.refused(principal, method)
            raise

    def refuse_action(self, principal: Principal, action_type: str) -> str | None:
        """As the policy: why not, or None."""
        reason = policy.refuse_action(principal, action_type)
        # What no table knows is a mistake of a program, and its name could be anything.
        if reason is not None and action_type in policy.ACTION_POLICIES:
            audit.refused(principal, action_type)
        return reason

    def may_read(self, principal: Principal, readers: Readers) -> bool:
        """As the policy."""
        return policy.may_read(principal, readers)
