"""Who may do what? The one rule that stands before every method and every action.

A *scope* says what a credential is for, a *role* what its user may do in the tenant; both must agree. Viewers only
look. Members act in the sessions that they see as the owner of the session does; which ones they see, the session's
visibility says. The tables are literal: a test fails where a method or an action of the protocol has no entry. Source:
DESIGN.md section 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ahp_platform.protocol.errors import PermissionDenied
from ahp_platform.rpc.context import Principal

READ, WRITE, TERMINALS, FILES = "sessions:read", "sessions:write", "terminals", "files"

ROLE_SCOPES: Final[dict[str, frozenset[str]]] = {
    "viewer": frozenset({READ, FILES}),
    "member": frozenset({READ, WRITE, TERMINALS, FILES}),
    "operator": frozenset({READ, WRITE, TERMINALS, FILES, "reports"}),
    "owner": frozenset({READ, WRITE, TERMINALS, FILES, "reports", "admin"}),
}


@dataclass(frozen=True, slots=True)
class Policy:
    """What a method or an action needs: a scope (None: any valid credential), and whether it changes anything."""

    scope: str | None
    acts: bool = False


ANYBODY = Policy(None)
LOOKS = Policy(READ)
ACTS = Policy(WRITE, acts=True)
USES_TERMINALS = Policy(TERMINALS, acts=True)
READS_FILES = Policy(FILES)
CHANGES_FILES = Policy(FILES, acts=True)

METHOD_POLICIES: Final[dict[str, Policy]] = {
    "initialize": ANYBODY,
    "ping": ANYBODY,
    "reconnect": ANYBODY,
    "subscribe": LOOKS,
    "unsubscribe": ANYBODY,
    # Judged by action, so that the sender gets its action back with a reason.
    "dispatchAction": ANYBODY,
    "listSessions": LOOKS,
    "fetchTurns": LOOKS,
    "createSession": ACTS,
    "disposeSession": ACTS,
    "createChat": ACTS,
    "disposeChat": ACTS,
    "createTerminal": USES_TERMINALS,
    "disposeTerminal": USES_TERMINALS,
    # What a turn of one's own may use; a viewer has none.
    "authenticate": ACTS,
    "resolveSessionConfig": LOOKS,
    "sessionConfigCompletions": LOOKS,
    "completions": LOOKS,
    "invokeChangesetOperation": ACTS,
    "resourceRead": READS_FILES,
    "resourceList": READS_FILES,
    "resourceResolve": READS_FILES,
    "resourceRequest": READS_FILES,
    "createResourceWatch": READS_FILES,
    "resourceWrite": CHANGES_FILES,
    "resourceCopy": CHANGES_FILES,
    "resourceDelete": CHANGES_FILES,
    "resourceMove": CHANGES_FILES,
    "resourceMkdir": CHANGES_FILES,
}

ACTION_POLICIES: Final[dict[str, Policy]] = {
    "root/configChanged": ACTS,
    "session/titleChanged": ACTS,
    "session/isReadChanged": ACTS,
    "session/isArchivedChanged": ACTS,
    "session/configChanged": ACTS,
    "session/activeClientSet": ACTS,
    "session/activeClientRemoved": ACTS,
    "session/workingDirectorySet": ACTS,
    "session/workingDirectoryRemoved": ACTS,
    "session/customizationToggled": ACTS,
    "session/mcpServerStartRequested": ACTS,
    "session/mcpServerStopRequested": ACTS,
    "session/defaultChatChanged": ACTS,
    "chat/turnStarted": ACTS,
    "chat/turnCancelled": ACTS,
    "chat/toolCallConfirmed": ACTS,
    "chat/toolCallResultConfirmed": ACTS,
    "chat/toolCallComplete": ACTS,
    "chat/toolCallContentChanged": ACTS,
    "chat/pendingMessageSet": ACTS,
    "chat/pendingMessageRemoved": ACTS,
    "chat/queuedMessagesReordered": ACTS,
    "chat/draftChanged": ACTS,
    "chat/inputAnswerChanged": ACTS,
    "chat/inputCompleted": ACTS,
    "chat/truncated": ACTS,
    "chat/workingDirectorySet": ACTS,
    "chat/workingDirectoryRemoved": ACTS,
    "terminal/input": USES_TERMINALS,
    "terminal/resized": USES_TERMINALS,
    "terminal/claimed": USES_TERMINALS,
    "terminal/titleChanged": USES_TERMINALS,
    "terminal/cleared": USES_TERMINALS,
    "changeset/filesReviewChanged": ACTS,
    "annotations/set": ACTS,
    "annotations/updated": ACTS,
    "annotations/removed": ACTS,
    "annotations/entrySet": ACTS,
    "annotations/entryRemoved": ACTS,
}


def require_method(principal: Principal, method: str) -> None:
    """Raise `PermissionDenied` where the principal may not call the method, whatever it is about."""
    reason = _refusal(principal, METHOD_POLICIES.get(method))
    if reason is not None:
        raise PermissionDenied(reason)


def refuse_action(principal: Principal, action_type: str) -> str | None:
    """Why the principal may not dispatch actions of this type (a `rejectionReason`), or None."""
    return _refusal(principal, ACTION_POLICIES.get(action_type))


def may_read(principal: Principal, readers: Sequence[int] | None) -> bool:
    """Whether the principal is among the readers of a channel of their tenant; None means all of the tenant."""
    return READ in principal.scopes and (readers is None or principal.user_id in readers)


def scopes_of(role: str, granted: frozenset[str] | None) -> frozenset[str]:
    """What remains of a credential's scopes (None: all of them) in a role."""
    allowed = ROLE_SCOPES[role]
    return allowed if granted is None else allowed & granted


def _refusal(principal: Principal, policy: Policy | None) -> str | None:
    if policy is None:
        return "Clients may not do this"
    if policy.acts and principal.role == "viewer":
        return "Viewers may look but not act"
    if policy.scope is not None and policy.scope not in principal.scopes:
        return f"This needs the scope {policy.scope}"
    return None
