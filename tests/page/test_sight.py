"""What do people see who may not take part, or not even look?"""

from __future__ import annotations

from urllib.parse import quote

from playwright.async_api import expect

from tests.page.conftest import Visit


async def test_vera_sees_everything_but_cannot_type(visit: Visit) -> None:
    alice, vera = await visit("alice"), await visit("vera")
    await alice.start_session("tool watched.md Text")
    await vera.open_session("tool watched.md Text")
    await expect(vera.conversation.get_by_text("Needs your confirmation")).to_be_visible()
    await expect(vera.conversation.get_by_role("button")).to_have_count(0)
    await expect(vera.page.get_by_role("button", name="New session")).to_be_hidden()
    await expect(vera.page.get_by_label("Session menu")).to_have_count(0)
    await expect(vera.page.get_by_role("textbox")).to_have_count(0)
    await expect(vera.page.get_by_text("You can follow this conversation")).to_be_visible()
    await alice.conversation.locator("button.danger").first.click()
    await expect(vera.conversation.get_by_text("Denied")).to_be_visible()


async def test_who_may_decide_is_led_to_what_people_ask_for(visit: Visit) -> None:
    vera = await visit("vera")
    await expect(vera.page.get_by_text("viewer")).to_be_visible()
    await expect(vera.page.get_by_role("link", name="File requests")).to_be_hidden()
    alice = await visit("alice")
    await alice.page.get_by_role("link", name="File requests").click()
    await expect(alice.page.get_by_role("heading", name="Access to files")).to_be_visible()


async def test_a_private_session_is_nowhere_to_be_seen(visit: Visit) -> None:
    alice, bob = await visit("alice"), await visit("bob")
    await alice.start_session("say only mine", visibility="Only me")
    await alice.sees("only mine")
    await alice.start_session("say for all of us")
    await expect(bob.sessions.get_by_role("link", name="say for all of us")).to_be_visible()
    await expect(bob.sessions.get_by_role("link", name="say only mine")).to_have_count(0)


async def test_carols_tenant_sees_nothing_of_it(visit: Visit) -> None:
    alice = await visit("alice")
    await alice.start_session("say not for carol")
    await alice.sees("not for carol")
    uri = alice.address.rsplit("/", 1)[1]
    carol = await visit("carol")
    await carol.start_session("say for carol alone")
    await carol.sees("for carol alone")
    await expect(carol.sessions.get_by_role("link", name="not for carol")).to_have_count(0)
    await carol.page.goto(f"/#/other/{uri}")
    await expect(carol.page.get_by_role("main")).to_contain_text("does not exist, or you may not see it")
    await carol.page.goto(f"/#/other/{quote('ahp-session:/nobody', safe='')}")
    await expect(carol.page.get_by_role("main")).to_contain_text("does not exist, or you may not see it")
