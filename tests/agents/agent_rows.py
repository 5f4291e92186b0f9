"""How do tests give a running service an agent? By a row, as operators do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import psycopg

from tests.client import Client
from tests.service import RunningService

_INSERT = """
INSERT INTO agents_agent (
    provider, display_name, description, enabled, command, environment, secrets, offered_models, everywhere, roles, run_time_s,
    memory_mb, idle_s, network, own_home, package_kind, package, package_version, package_scripts, install_state,
    install_message, installed_version, folder, check_state, check_message, discovered, created_at
) VALUES (
    %(provider)s, %(provider)s, '', true, %(command)s, %(environment)s, '', '[]', true, '[]', 120,
    0, %(idle_s)s, true, true, %(kind)s, %(package)s, '', false, %(installed)s,
    '', '', %(folder)s, 'waiting', '', '{}', now()
)
"""


async def add(
    service: RunningService, provider: str, command: Sequence[str], environment: Mapping[str, str], **more: Any
) -> None:
    """Add the row of an agent; `installed` is the folder that it is installed in, `idle_s` when it is stopped."""
    installed: Path | None = more.get("installed")
    if installed is not None:
        versions = Path(service.env["AHP_DATA_DIR"]) / "agents" / provider / "versions"
        await asyncio.to_thread(_link, versions, installed)
    values = {
        "provider": provider,
        "command": json.dumps(list(command)),
        "environment": json.dumps(dict(environment)),
        "idle_s": more.get("idle_s", 600),
        "kind": "npm" if installed else "",
        "package": provider if installed else "",
        "installed": "installed" if installed else "none",
        "folder": "test" if installed else "",
    }
    async with await psycopg.AsyncConnection.connect(service.env["DATABASE_URL"], autocommit=True) as connection:
        await connection.execute(_INSERT, values)


async def offered(client: Client, provider: str) -> Any:
    """Wait until the agent is offered and has been tried: its `AgentInfo`."""

    def found() -> Any:
        for frame in client.envelopes:
            for agent in frame["action"].get("agents", ()):
                if agent["provider"] == provider and agent["models"]:
                    return agent
        return None

    return await client.until(found, f"the agent {provider}", 60)


def _link(versions: Path, installed: Path) -> None:
    versions.mkdir(parents=True, exist_ok=True)
    place = versions / "test"
    if not place.is_symlink():
        place.symlink_to(installed)
