"""Can a person work with a real agent at the page: choose it and how it works, follow and steer it, and not be fooled by it?

The agent is one that speaks the Agent Client Protocol in a process of its own and does what its prompts say.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from playwright.async_api import Browser, Locator, expect

from tests.agents import agent_rows
from tests.agents.acp.sessions import ROOT, SCRIPTED
from tests.page.conftest import IS_INSTALLED, Logins, Visit, visitor
from tests.page.person import Person
from tests.service import RunningService, own_data

AGENT = "scripted"
TRIED_WITHIN_MS = 60_000
MARKUP = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def local_service(own_database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service whose agents may read this test's own files."""
    if not IS_INSTALLED:
        pytest.skip("CHROMIUM IS NOT INSTALLED, the page was not looked at")
    env = own_data(tmp_path_factory.mktemp("page"), f"ahp-page-{os.getpid()}")
    running = RunningService("up", env={**env, "DATABASE_URL": own_database, "AHP_SANDBOX": "local"})
    try:
        running.wait_ready()
        asyncio.run(agent_rows.add(running, AGENT, SCRIPTED, {"PYTHONPATH": ROOT}))
        yield running
    finally:
        running.stop()


@pytest.fixture
async def visit_local(browser: Browser, local_service: RunningService, logins: Logins) -> AsyncIterator[Visit]:
    async with AsyncExitStack() as stack:
        yield visitor(browser, local_service, logins, stack)


async def start(person: Person, *lines: str, mode: str | None = None) -> None:
    """A session with the scripted agent, which is told these lines."""
    await person.page.get_by_role("button", name="New session").click()
    dialog = person.page.get_by_role("dialog", name="New session")
    await dialog.get_by_role("radio", name=re.compile(f"^{AGENT}")).check()
    # What it can be told is known once a worker has tried it; the dialog follows.
    await expect(dialog.get_by_role("group", name="Mode")).to_be_visible(timeout=TRIED_WITHIN_MS)
    if mode:
        await dialog.get_by_role("group", name="Mode").get_by_label(mode).check()
    await dialog.get_by_label("First message").fill("\n".join(lines))
    await dialog.get_by_role("button", name="Start session").click()
    await expect(dialog).to_be_hidden()


def told(**update: object) -> str:
    return f"update {json.dumps(update)}"


def call(person: Person, name: str) -> Locator:
    return person.conversation.get_by_role("region", name=re.compile(f"^Tool call: {name}"))


async def test_a_plan_shows_how_far_the_agent_is(visit_local: Visit) -> None:
    alice = await visit_local("alice")
    entries = [
        {"content": "Look", "priority": "low", "status": "completed"},
        {"content": MARKUP, "priority": "high", "status": "in_progress"},
    ]
    await start(alice, told(sessionUpdate="plan", entries=entries), "say done")
    await alice.sees_idle()
    plan = call(alice, "Plan")
    await expect(plan.get_by_text("1 of 2 done")).to_be_visible()
    await expect(plan.get_by_role("listitem")).to_have_count(2)
    await expect(plan.get_by_role("listitem").last).to_contain_text(MARKUP)
    await expect(alice.page.locator(".answer img")).to_have_count(0)


async def test_an_edit_is_shown_line_by_line_and_leads_to_the_file(
    visit_local: Visit, local_service: RunningService
) -> None:
    alice = await visit_local("alice")
    await start(alice, "say hello")
    await alice.sees("hello")
    await alice.sees_idle()
    sessions = Path(local_service.env["AHP_DATA_DIR"]) / "workspaces" / "demo" / "sessions"
    path = max(sessions.iterdir(), key=lambda each: each.stat().st_mtime_ns) / "code.py"
    path.write_text("\n".join(f"line {number}" for number in range(1, 41)))
    edit = {"type": "diff", "path": str(path), "oldText": "one\ntwo\n", "newText": f"one\n{MARKUP}\nthree\n"}
    place = {"path": str(path), "line": 30}
    lines = [
        told(sessionUpdate="tool_call", toolCallId="e", title="Edit it", kind="edit", locations=[place]),
        told(sessionUpdate="tool_call_update", toolCallId="e", status="completed", content=[edit], rawOutput={"n": 7}),
    ]
    await alice.message.fill("\n".join(lines))
    await alice.message.press("Enter")
    await alice.sees_idle()
    card = call(alice, "Edit")
    await expect(card.get_by_text("+2")).to_be_visible()
    await card.get_by_text("Changes").click()
    changed = card.get_by_role("group", name="What changed").locator(".diff-line.removed, .diff-line.added")
    await expect(changed).to_contain_text(["two", MARKUP, "three"])
    await card.get_by_text("Output").click()
    await expect(card.get_by_text('"n": 7')).to_be_visible()
    await card.get_by_role("button", name="code.py:30").click()
    await expect(alice.page.get_by_text("line 30", exact=True)).to_be_in_viewport()


async def test_permissions_come_in_the_agents_own_options(visit_local: Visit) -> None:
    alice = await visit_local("alice")
    await start(alice, "ask rm -r build")
    options = call(alice, "Run").get_by_role("group", name="Confirm Run").get_by_role("button")
    await expect(options).to_have_text(["Allow once", "Always allow", "Reject"])
    await alice.page.get_by_role("button", name="Always allow").click()
    await expect(call(alice, "Run")).to_contain_text("ran rm -r build")
    await alice.sees_idle()
    await alice.say("ask rm -r build")
    await expect(call(alice, "Run").last).to_contain_text("ran rm -r build")
    await alice.sees_idle()
    await expect(alice.page.get_by_role("button", name="Always allow")).to_have_count(0)


async def test_its_settings_and_models_are_chosen_and_changed_while_it_runs(visit_local: Visit) -> None:
    alice, bob = await visit_local("alice"), await visit_local("bob")
    await start(alice, "memory", mode="Code")
    await alice.sees(re.compile("chosen .*code"))
    await bob.open_session("memory")
    for person in (alice, bob):
        await person.page.get_by_role("button", name="Setup").click()
        await expect(person.page.get_by_role("group", name="Mode").get_by_label("Code")).to_be_checked()
    await bob.page.get_by_role("group", name="Mode").get_by_label("Ask").check()
    await expect(alice.page.get_by_role("group", name="Mode").get_by_label("Ask")).to_be_checked()
    await alice.page.locator(".model-button").click()
    await alice.page.locator(".model-panel").get_by_label("Model").select_option("large")
    await alice.say("memory")
    await alice.sees(re.compile("chosen .*large"))


async def test_a_running_command_is_live_in_its_card(visit_local: Visit) -> None:
    alice = await visit_local("alice")
    await start(alice, "terminal echo begun; read line; echo heard:$line")
    live = call(alice, "Run").locator(".terminal-live .xterm-rows")
    await expect(live).to_contain_text("begun")
    await call(alice, "Run").get_by_role("button", name="Open").click()
    panel = alice.page.get_by_role("complementary", name="Terminals")
    await panel.get_by_label("Terminal input").focus()
    await alice.page.keyboard.type("hello\n")
    await alice.sees("heard:hello")
    await expect(call(alice, "Run").locator("pre.tool-output")).to_contain_text("heard:hello")


async def test_an_agent_that_dies_says_what_to_do(visit_local: Visit) -> None:
    alice = await visit_local("alice")
    await start(alice, f"die {MARKUP}")
    await expect(alice.conversation.locator(".ended.failed")).to_be_visible()
    await expect(alice.page.locator(".answer img, .turn-footer img")).to_have_count(0)
    await alice.say("say back again")
    await alice.sees("back again")
