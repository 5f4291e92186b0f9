"""Who gets to the page, and what does their browser let it do?"""

from __future__ import annotations

import httpx
from playwright.async_api import Browser, expect

from tests.page.conftest import Visit
from tests.service import RunningService


def test_the_page_sends_strangers_to_the_login(service: RunningService) -> None:
    answer = httpx.get(f"{service.http}/")
    assert answer.status_code == 302
    assert answer.headers["location"] == "/login/?next=/"


def test_nothing_inline_may_run_on_the_page(service: RunningService) -> None:
    policy = httpx.get(f"{service.http}/login/").headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "script-src 'self'" in policy or "default-src 'self'" in policy


def test_nobody_logs_in_without_the_token_of_the_form(service: RunningService) -> None:
    answer = httpx.post(f"{service.http}/login/", data={"username": "alice", "password": service.password("alice")})
    assert answer.status_code == 403


async def test_a_wrong_password_is_told_in_plain_words(browser: Browser, service: RunningService) -> None:
    context = await browser.new_context(base_url=service.http)
    page = await context.new_page()
    await page.goto("/")
    await page.get_by_label("User name").fill("alice")
    await page.get_by_label("Password").fill("not hers")
    await page.get_by_role("button", name="Log in").click()
    await expect(page.get_by_role("alert")).to_contain_text("do not belong together")
    await expect(page.get_by_label("User name")).to_have_value("alice")
    await context.close()


async def test_logging_out_leads_to_the_login(visit: Visit) -> None:
    alice = await visit("alice", with_password=True)
    await alice.page.get_by_role("button", name="Log out").click()
    await expect(alice.page.get_by_role("button", name="Log in")).to_be_visible()


async def test_a_link_to_a_session_survives_the_login(visit: Visit) -> None:
    alice = await visit("alice")
    await alice.start_session("say linked words")
    await alice.sees("linked words")
    bob = await visit("bob", alice.address, with_password=True)
    await bob.sees("linked words")
