"""Who sits at the page? People with a browser of their own each, logged in to the real service."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, async_playwright

from tests.page.person import WAIT_MS, Person
from tests.service import RunningService

CHROMIUM = Path("/usr/bin/chromium")
IS_INSTALLED = CHROMIUM.exists()
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

Visit = Callable[..., Awaitable[Person]]
# What a login left in a browser, by service and name: checking a password is slow on purpose.
Logins = dict[tuple[str, str], Any]


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    """One browser for all; every person gets a context of their own in it."""
    if not IS_INSTALLED:
        pytest.skip(f"CHROMIUM IS NOT INSTALLED at {CHROMIUM}, the page was not looked at")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        await browser.close()


class OwnDirectories:
    """Where the sessions of alice's tenant have their own directories on the disk."""

    def __init__(self, data: str) -> None:
        self._folder = Path(data) / "workspaces" / "demo" / "sessions"
        self._known: set[Path] = set()

    def remember(self) -> None:
        """Those that are there now are old."""
        self._known = set(self._folder.iterdir()) if self._folder.exists() else set()

    def new(self) -> Path:
        """The one that has come since."""
        (made,) = set(self._folder.iterdir()) - self._known
        return made


@pytest.fixture
def directories(service: RunningService) -> OwnDirectories:
    return OwnDirectories(service.env["AHP_DATA_DIR"])


@pytest.fixture(scope="session")
def logins() -> Logins:
    return {}


@pytest.fixture
async def visit(browser: Browser, service: RunningService, logins: Logins) -> AsyncIterator[Visit]:
    """`await visit("bob")`: bob, logged in. Whatever the page complains about fails the test."""
    async with AsyncExitStack() as stack:
        yield visitor(browser, service, logins, stack)


def visitor(browser: Browser, service: RunningService, logins: Logins, stack: AsyncExitStack) -> Visit:
    """Lets people visit a service; their browser contexts are closed with the stack."""

    async def visit(name: str, address: str = "/", with_password: bool = False, **options: Any) -> Person:
        login = None if with_password else logins.get((service.http, name))
        context = await browser.new_context(base_url=service.http, storage_state=login, **options)
        context.set_default_timeout(WAIT_MS)
        stack.push_async_callback(context.close)
        person = Person(name, await context.new_page())
        stack.callback(person.check_no_errors)
        await person.page.goto(address)
        if login is None:
            await person.log_in(service.password(name))
        await person.sees_connected()
        if not with_password:
            logins[service.http, name] = await context.storage_state()
        return person

    return visit
