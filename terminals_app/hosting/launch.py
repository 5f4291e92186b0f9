"""How does a claimed terminal become a running process?"""

from __future__ import annotations

import asyncio
import os

from ahp_platform import sandbox
from ahp_platform.workspaces import paths
from terminals_app import environment
from terminals_app.hosting.claims import Claim, has_network
from terminals_app.pty.process import PtyProcess
from terminals_app.shell_integration import start_up
from terminals_app.shell_integration.start_up import Start


async def launch(claim: Claim, slug: str, size: tuple[int, int]) -> tuple[PtyProcess, str | None]:
    """The process and the secret of its marks; raises `NoSandbox` or `OSError`, whose text is for people."""
    root = paths.root(slug)
    directory = str(root.joinpath(*claim.plan.directory))
    await asyncio.to_thread(_prepare, str(root))
    start, shell = _start(claim)
    env = {**environment.environment(claim.marker, sandbox.home(root), shell), **start.env}
    has_net = await has_network(claim.tenant_id)
    fence = sandbox.Fence(slug, claim.plan.own, has_net, (start_up.SCRIPTS,), marker=claim.marker)
    argv = await asyncio.to_thread(sandbox.wrapped, fence, directory, start.argv)
    if not os.path.isdir(directory):  # noqa: ASYNC240, PTH112 - one look
        raise FileNotFoundError("The working directory does not exist")
    return await PtyProcess.start(argv, env, sandbox.started_in(fence, directory), size), start.nonce


def _prepare(root: str) -> None:
    sandbox.kind()
    os.makedirs(root, exist_ok=True)  # noqa: PTH103


def _start(claim: Claim) -> tuple[Start, str]:
    shell = environment.shell()
    if claim.plan.command is None:
        return start_up.start(shell, str(start_up.SCRIPTS)), shell
    return Start((shell, "-c", claim.plan.command), claim.plan.environment), shell
