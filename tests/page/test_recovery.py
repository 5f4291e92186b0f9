"""Does the page go on after the process at the other end of its socket has died?"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
from playwright.async_api import Browser, expect

from tests.page.conftest import Logins, Visit, visitor
from tests.service import RunningService


@pytest.fixture
async def visit_cluster(browser: Browser, cluster: RunningService, logins: Logins) -> AsyncIterator[Visit]:
    async with AsyncExitStack() as stack:
        yield visitor(browser, cluster, logins, stack)


async def test_the_page_recovers_after_its_web_processes_are_killed(
    visit_cluster: Visit, cluster: RunningService
) -> None:
    alice = await visit_cluster("alice")
    await alice.start_session("stream 100 12 50")
    await alice.sees("00000002")
    before = [cluster.pid(name) for name in ("web-1", "web-2")]
    for name in ("web-1", "web-2"):
        cluster.kill(name)
    await expect(alice.page.get_by_text("The connection is lost.")).to_be_visible()
    await alice.say("say written meanwhile")
    for name, pid in zip(("web-1", "web-2"), before, strict=True):
        cluster.wait_restarted(name, pid)
    await alice.sees_connected()
    await alice.sees("00000099")
    await alice.sees("written meanwhile")
    await alice.sees_idle()
    await expect(alice.conversation.locator(".turn")).to_have_count(2)
    alice.forgive_lost_connections()


async def test_a_terminal_shows_what_was_printed_while_the_connection_was_away(
    visit_cluster: Visit, cluster: RunningService
) -> None:
    alice = await visit_cluster("alice")
    await alice.start_session("say a shell that stays")
    await alice.page.get_by_role("button", name="Terminals", exact=True).click()
    await alice.page.get_by_role("button", name="Open a terminal").click()
    screen = alice.page.locator(".terminal .xterm-rows")
    await expect(screen).to_contain_text(re.compile(r"[$#] "))
    await alice.page.get_by_label("Terminal input").focus()
    await alice.page.keyboard.type("sleep 2; echo late-$((2+3))\n")
    before = [cluster.pid(name) for name in ("web-1", "web-2")]
    for name in ("web-1", "web-2"):
        cluster.kill(name)
    await expect(alice.page.get_by_text("The connection is lost.")).to_be_visible()
    for name, pid in zip(("web-1", "web-2"), before, strict=True):
        cluster.wait_restarted(name, pid)
    await alice.sees_connected()
    await expect(screen).to_contain_text("late-5")
    await alice.page.keyboard.type("echo and-$((3+3))\n")
    await expect(screen).to_contain_text("and-6")
    assert (await screen.inner_text()).count("late-5") == 1
    alice.forgive_lost_connections()
