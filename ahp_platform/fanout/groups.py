"""What are the layer's names for our groups? The only place that makes them.

Channels allows ASCII letters, digits, hyphens, underscores and periods, fewer than 100 of them: no URI may become a
group name.
"""

from __future__ import annotations

HOSTS = "hosts"


def of_tenant(tenant_id: int) -> str:
    """Everything that the processes tell each other about one tenant."""
    return f"tenant.{tenant_id}"
