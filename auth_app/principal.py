"""Who is at the other end of a connection?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

RoleName = Literal["owner", "operator", "member", "viewer"]


@dataclass(frozen=True, slots=True)
class Principal:
    """A user in one tenant, with the rights of the credential that they showed. Equal principals have equal rights.

    `expires_at` is in seconds since the epoch, None where the credential does not expire. `credential` names what was
    shown, for the periodic re-check; it may be the key of a browser session, so it stays out of `repr` and of logs.
    """

    tenant_id: int
    tenant_slug: str
    user_id: int
    username: str
    role: RoleName
    scopes: frozenset[str]
    expires_at: float | None
    credential: str = field(repr=False)
    # Where they came from; says nothing about rights.
    address: str = field(default="", compare=False)
