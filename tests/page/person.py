"""What does a person do at the page, and what do they see there? Found as they find it: by labels and visible text."""

from __future__ import annotations

import re

from playwright.async_api import ConsoleMessage, Error, Locator, Page, expect

WAIT_MS = 20_000
expect.set_options(timeout=WAIT_MS)


class Person:
    """Somebody with a browser."""

    def __init__(self, name: str, page: Page) -> None:
        self.name = name
        self.page = page
        self._errors: list[str] = []
        page.on("pageerror", self._failed)
        page.on("console", self._logged)

    @property
    def sessions(self) -> Locator:
        return self.page.get_by_role("navigation", name="Sessions")

    @property
    def conversation(self) -> Locator:
        return self.page.get_by_role("log", name="Conversation")

    @property
    def message(self) -> Locator:
        return self.page.get_by_label(re.compile("^Message (to|for)"))

    @property
    def address(self) -> str:
        """What one would send to somebody else."""
        return self.page.url

    async def log_in(self, password: str) -> None:
        await self.page.get_by_label("User name").fill(self.name)
        await self.page.get_by_label("Password").fill(password)
        await self.page.get_by_role("button", name="Log in").click()

    async def sees_connected(self) -> None:
        await expect(self.page.locator("#connection")).to_have_text("Connected")

    async def start_session(self, first_message: str, visibility: str | None = None) -> None:
        await self.page.get_by_role("button", name="New session").click()
        dialog = self.page.get_by_role("dialog", name="New session")
        # Ordered by name: the practice agent comes before its protected twin, and is chosen already.
        await expect(dialog.get_by_role("group", name="Visibility")).to_be_visible()
        if visibility:
            await dialog.get_by_label(visibility).check()
        await dialog.get_by_label("First message").fill(first_message)
        await dialog.get_by_role("button", name="Start session").click()
        await expect(dialog).to_be_hidden()

    async def open_session(self, title: str) -> None:
        await self.sessions.get_by_role("link", name=title).click()
        await expect(self.page.get_by_role("heading", level=1)).to_have_text(title)

    async def say(self, text: str) -> None:
        await self.message.fill(text)
        await self.message.press("Enter")

    async def sees(self, text: str | re.Pattern[str]) -> None:
        """In an answer, not in what was asked."""
        await expect(self.conversation.locator(".answer").filter(has_text=text).last).to_be_visible()

    async def sees_idle(self) -> None:
        """The agent is done: a message would start a turn."""
        await expect(self.page.get_by_label("Message to the agent")).to_be_visible()

    def check_no_errors(self) -> None:
        assert self._errors == [], f"{self.name}'s page complained"

    def forgive_lost_connections(self) -> None:
        """For tests that break the connection on purpose: the browser itself reports those."""
        self._errors = [error for error in self._errors if "WebSocket connection" not in error and "ERR_" not in error]

    def _failed(self, error: Error) -> None:
        self._errors.append(str(error))

    def _logged(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._errors.append(message.text)
