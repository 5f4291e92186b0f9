"""How is one claimed terminal run, from its start to its exit or its disposal?

Whatever is typed comes out of the channel's own entries, in the order in which the log has them; output goes in as fast as the log
takes it, and the exit comes after all of it. Source: PROTOCOL.md section 9.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

from psycopg import OperationalError

from ahp_platform.eventlog import store
from ahp_platform.eventlog.entry import ACTION, Entry
from ahp_platform.eventlog.feed import Feed
from ahp_platform.eventlog.log import TenantLog
from ahp_platform.eventlog.view import View
from ahp_platform.protocol.errors import NotFound
from ahp_platform.sandbox import NoSandbox, leftovers
from terminals_app import terminals
from terminals_app.hosting.claims import Claim
from terminals_app.hosting.launch import launch
from terminals_app.pty.process import PtyProcess
from terminals_app.shell_integration.marks import Output

logger = logging.getLogger(__name__)

# What follows output within this time joins the next batch.
GATHER_S = 0.01
RETRY_S = 0.5

# What a shell answers for a program that cannot be run.
CANNOT_RUN = 126

Action = dict[str, Any]


class TerminalRun:
    """One terminal on this host."""

    def __init__(self, claim: Claim, log: TenantLog) -> None:
        self.claim, self._log = claim, log
        self._lost = asyncio.Event()
        self._stopping = False
        self._process: PtyProcess | None = None

    def lose(self) -> None:
        """The terminal is no longer ours: kill what runs, say nothing."""
        self._lost.set()

    def stop(self) -> None:
        """The process ends: kill what runs, and say that it has ended."""
        self._stopping = True
        if self._process is not None:
            leftovers.end_all((), (self._process.pid,))

    async def run(self) -> None:
        """Run it to its end."""
        try:
            async with self._log.follow(self.claim.uri) as feed:
                await self._run(feed)
        except NotFound:
            logger.debug("a terminal was disposed of before it began")

    async def _run(self, feed: Feed) -> None:
        earlier = await self._earlier(feed)
        size = feed.state["cols"], feed.state["rows"]
        try:
            process, nonce = await launch(self.claim, self._log.slug, size)
        except (NoSandbox, OSError) as error:
            await asyncio.to_thread(leftovers.end_all, (self.claim.marker,))
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            await self._append([{"type": "terminal/data", "data": f"{reason}\r\n"}], CANNOT_RUN)
            return
        self._process = process
        if self._stopping:
            self.stop()
        output = Output(nonce, self._log.now_ms, feed.state.get("cwd"), feed.state["title"])
        try:
            await self._until_over(feed, earlier, process, output)
        finally:
            await asyncio.to_thread(leftovers.end_all, (self.claim.marker,), (process.pid,))
            process.close()
            await process.wait()

    async def _until_over(self, feed: Feed, earlier: Sequence[Entry], process: PtyProcess, output: Output) -> None:
        for entry in earlier:
            _obey(process, entry.action)
        parent = self._log.peek(self.claim.uri).parent
        works = [
            asyncio.create_task(self._show(process, output)),
            asyncio.create_task(_obey_all(feed, process)),
            asyncio.create_task(self._lost.wait()),
        ]
        helping = [asyncio.create_task(self._follow_session(parent))] if parent else []
        try:
            done, _ = await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in (*works, *helping):
                task.cancel()
            await asyncio.gather(*works, *helping, return_exceptions=True)

    async def _earlier(self, feed: Feed) -> Sequence[Entry]:
        """What was typed between the channel's birth and now."""
        born = self._log.peek(self.claim.uri).born
        if born >= feed.seq:
            return ()
        return await store.replay(self.claim.tenant_id, born, feed.seq, [self.claim.uri])

    async def _show(self, process: PtyProcess, output: Output) -> None:
        """Append what the program writes, then how it ended."""
        await self._announce(output)
        ended = asyncio.create_task(process.wait())
        reading = asyncio.create_task(self._show_until_end(process, output))
        try:
            await asyncio.wait((ended, reading), return_when=asyncio.FIRST_COMPLETED)
            code = await ended
            # Whatever it left behind would hold the pty open, and nobody could type to it any more.
            await asyncio.to_thread(leftovers.end_all, (self.claim.marker,), (process.pid,))
            process.no_more()
            await reading
            await self._append(self._last(output, code), code)
        finally:
            ended.cancel()
            reading.cancel()

    async def _announce(self, output: Output) -> None:
        if self.claim.plan.command is not None:
            await self._append(output.began(self.claim.plan.command))

    def _last(self, output: Output, code: int) -> list[Action]:
        return output.finish(code if self.claim.plan.command is not None else None)

    async def _show_until_end(self, process: PtyProcess, output: Output) -> None:
        while data := await process.read():
            actions = output.feed(data)
            if actions:
                await self._append(actions)
            await process.gather(GATHER_S)

    async def _append(self, actions: Sequence[Action], code: int | None = None) -> None:
        """Append to the terminal, unless its end is in the log already; a database that is away is waited for."""
        uri = self.claim.uri

        def plan(view: View) -> None:
            if view.exists(uri) and "exitCode" not in view.state(uri):
                for action in actions:
                    view.act(uri, action)
                if code is not None:
                    terminals.end(view, uri, code)

        while True:
            try:
                await self._log.append(plan)
                return
            except OperationalError:
                await asyncio.sleep(RETRY_S)

    async def _follow_session(self, session: str) -> None:
        """The terminal is seen by those who see its session, and ends with it."""
        uri = self.claim.uri
        try:
            async with self._log.follow(session) as feed:
                async for entry in feed:
                    if entry.kind == ACTION and entry.action["type"] == "session/configChanged":
                        await self._log.append(lambda view: terminals.relist(view, uri))
        except NotFound:
            logger.debug("the session of a terminal was gone before it began")
        await self._log.append(lambda view: terminals.dispose(view, uri))


async def _obey_all(feed: Feed, process: PtyProcess) -> None:
    """Until the channel is closed, or somebody else has written its end."""
    async for entry in feed:
        if entry.kind == ACTION:
            if entry.action["type"] == "terminal/exited":
                return
            _obey(process, entry.action)


def _obey(process: PtyProcess, action: Action) -> None:
    if action["type"] == "terminal/input":
        process.write(action["data"].encode(errors="replace"))
    elif action["type"] == "terminal/resized":
        process.resize(int(action["cols"]), int(action["rows"]))
