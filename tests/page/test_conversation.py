"""Can people work with an agent at the page: see it answer, confirm, reply, stop it, and see each other?"""

from __future__ import annotations

import json
import re

from playwright.async_api import Locator, expect

from tests.page.conftest import Visit
from tests.page.person import Person

ANSWERS = {"name": "Ochre", "ratio": 12.5, "count": 3, "sure": True, "size": "medium", "days": ["monday", "friday"]}


async def test_alice_sees_the_answer_stream_and_bob_sees_the_same_live(visit: Visit) -> None:
    alice, bob = await visit("alice"), await visit("bob")
    await alice.start_session("stream 40 12 50")
    await bob.open_session("stream 40 12 50")
    await bob.sees("00000003")
    await expect(bob.conversation).to_have_attribute("aria-busy", "true")
    for person in (alice, bob):
        await person.sees("00000039")
        await person.sees_idle()
    texts = [await person.conversation.locator(".answer").inner_text() for person in (alice, bob)]
    assert texts[0] == texts[1]


async def test_a_session_is_named_after_the_first_message_everywhere(visit: Visit) -> None:
    alice, bob = await visit("alice"), await visit("bob")
    await alice.start_session("say a name for everybody")
    await expect(alice.page.get_by_role("heading", level=1)).to_have_text("say a name for everybody")
    await expect(bob.sessions.get_by_role("link", name="say a name for everybody")).to_be_visible()


async def test_people_see_who_else_is_here(visit: Visit) -> None:
    alice, bob = await visit("alice"), await visit("bob")
    await alice.start_session("say who is here")
    await bob.open_session("say who is here")
    here = alice.page.get_by_role("list", name="Who is here")
    await expect(here).to_contain_text("alice (you)")
    await expect(here).to_contain_text("bob")
    await bob.page.close()


async def test_reasoning_is_folded_away(visit: Visit) -> None:
    alice = await visit("alice")
    await alice.start_session("think first this and then that")
    await alice.sees_idle()
    reasoning = alice.conversation.locator("details.reasoning")
    await expect(reasoning).not_to_have_attribute("open", "")
    await reasoning.get_by_text("Reasoning").click()
    await expect(reasoning.locator(".markdown")).to_be_visible()


async def test_an_allowed_tool_call_runs(visit: Visit) -> None:
    alice = await visit("alice")
    await alice.start_session("tool notes.md Hello from the page")
    call = alice.conversation.get_by_role("region", name=re.compile("^Tool call"))
    await call.locator("button.primary").click()
    await expect(call).to_have_attribute("data-state", "done")
    await expect(call).to_contain_text("notes.md")
    await alice.sees_idle()


async def test_a_denial_carries_what_to_do_instead(visit: Visit) -> None:
    alice, bob = await visit("alice"), await visit("bob")
    await alice.start_session("tool other.md Some text")
    await bob.open_session("tool other.md Some text")
    await bob.conversation.get_by_label("Or say what it should do instead").fill("Use a poem")
    await bob.conversation.locator("button.danger").first.click()
    for person in (alice, bob):
        await expect(person.conversation.get_by_role("region", name=re.compile("Denied"))).to_contain_text("Use a poem")
        await person.sees_idle()


async def test_every_kind_of_question_has_a_field(visit: Visit) -> None:
    alice = await visit("alice")
    await alice.start_session("ask")
    form = alice.conversation.get_by_role("region", name="The agent asks")
    await form.get_by_role("button", name="Send answers").click()
    await expect(form.get_by_text("Please answer this question.")).to_have_count(len(ANSWERS))
    await fill(form)
    await form.get_by_role("button", name="Send answers").click()
    await alice.sees_idle()
    assert json.loads(await alice.conversation.locator(".answer > .markdown").last.inner_text()) == ANSWERS


async def test_answers_in_progress_are_seen_by_others(visit: Visit) -> None:
    alice, bob = await visit("alice"), await visit("bob")
    await alice.start_session("ask together")
    await bob.open_session("ask together")
    await alice.conversation.get_by_role("group", name="Size").get_by_label("Large").check()
    await expect(bob.conversation.get_by_role("group", name="Size").get_by_label("Large")).to_be_checked()
    await bob.conversation.get_by_role("button", name="Decline").click()
    await alice.sees("Declined")
    await alice.sees_idle()


async def fill(form: Locator) -> None:
    await form.get_by_role("group", name="Name").get_by_role("textbox").fill("Ochre")
    await form.get_by_role("group", name="Ratio").get_by_role("spinbutton").fill("12.5")
    await form.get_by_role("group", name="Count").get_by_role("spinbutton").fill("3")
    await form.get_by_role("group", name="Sure").get_by_label("Yes").check()
    await form.get_by_role("group", name="Size").get_by_label("Medium").check()
    days = form.get_by_role("group", name="Days")
    await days.get_by_label("Monday").check()
    await days.get_by_label("Friday").check()


async def test_stopping_the_agent_ends_its_answer(visit: Visit) -> None:
    alice = await visit("alice")
    await alice.start_session("wait 60000")
    await alice.page.get_by_role("button", name="Stop the agent").click()
    await expect(alice.conversation.get_by_text("Stopped")).to_be_visible()
    await alice.sees_idle()


async def test_queued_messages_wait_visibly_and_can_be_removed(visit: Visit) -> None:
    alice, bob = await visit("alice"), await visit("bob")
    await alice.start_session("wait 60001\nsay queue")
    await expect(alice.page.get_by_role("button", name="Stop the agent")).to_be_visible()
    await alice.say("say first in line")
    await alice.say("say never said")
    await bob.open_session("wait 60001")
    waiting = bob.page.get_by_role("list", name="Messages that wait").get_by_role("listitem")
    await expect(waiting).to_have_count(2)
    await waiting.filter(has_text="never said").get_by_role("button").click()
    await expect(waiting).to_have_count(1)
    await bob.page.get_by_role("button", name="Stop the agent").click()
    await alice.sees("first in line")
    await expect(alice.conversation.get_by_text("never said")).to_have_count(0)


async def test_a_failed_turn_says_why(visit: Visit) -> None:
    alice = await visit("alice")
    await alice.start_session("fail The model is away")
    await expect(alice.conversation.locator(".failed")).to_have_text(re.compile("The model is away"))


async def test_a_session_can_have_several_chats(visit: Visit) -> None:
    alice = await visit("alice")
    await alice.start_session("stream 40 300 0")
    await alice.sees("00000039")
    await alice.sees_idle()
    await alice.page.get_by_role("button", name="New chat").click()
    tabs = alice.page.get_by_role("tab")
    await expect(tabs).to_have_count(2)
    await expect(alice.conversation).to_contain_text("Nothing has been said here yet.")
    await alice.say("say in the second chat")
    await alice.sees("in the second chat")
    await tabs.first.click()
    # A long chat comes back where one left it: at its end.
    await expect(alice.conversation.locator(".turn-footer").last).to_be_in_viewport()


async def test_text_of_a_model_stays_text(visit: Visit) -> None:
    alice = await visit("alice")
    await alice.start_session(
        "say **bold** `code` <img src=x onerror=alert(1)> [bad](javascript:alert(1)) https://example.org/x"
    )
    await alice.sees_idle()
    answer = alice.conversation.locator(".answer")
    await expect(answer.locator("strong")).to_have_text("bold")
    await expect(answer.locator("code")).to_have_text("code")
    await expect(answer.locator("img")).to_have_count(0)
    await expect(answer).to_contain_text("<img src=x onerror=alert(1)>")
    links = answer.get_by_role("link")
    await expect(links).to_have_count(1)
    await expect(links).to_have_attribute("rel", "noopener noreferrer")


async def test_a_new_name_and_the_end_of_a_session_reach_everybody(visit: Visit) -> None:
    alice, bob = await visit("alice"), await visit("bob")
    await alice.start_session("say soon renamed")
    await bob.open_session("say soon renamed")
    await menu(alice, "Rename…")
    await alice.page.get_by_label("Title").fill("Renamed by alice")
    await alice.page.get_by_role("button", name="Save").click()
    await expect(bob.page.get_by_role("heading", level=1)).to_have_text("Renamed by alice")
    await expect(bob.sessions.get_by_role("link", name="Renamed by alice")).to_be_visible()
    await menu(alice, "Delete…")
    await alice.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(bob.page.get_by_role("main")).to_contain_text("This session has ended.")
    await expect(bob.sessions.get_by_role("link", name="Renamed by alice")).to_have_count(0)


async def menu(person: Person, item: str) -> None:
    await person.page.get_by_label("Session menu").click()
    await person.page.get_by_role("button", name=item).click()


async def test_earlier_messages_are_loaded_on_demand(visit: Visit) -> None:
    alice = await visit("alice")
    await alice.start_session("wait 60002")
    stop = alice.page.get_by_role("button", name="Stop the agent")
    await expect(stop).to_be_visible()
    for number in range(1, 53):
        await alice.say(f"say turn {number}")
    await stop.click()
    await expect(alice.conversation.locator(".turn")).to_have_count(53)
    await alice.sees("turn 52")
    await alice.page.reload()
    await expect(alice.conversation.locator(".turn")).to_have_count(50)
    await alice.page.get_by_role("button", name="Show earlier messages").click()
    await expect(alice.conversation.locator(".turn")).to_have_count(53)
    await expect(alice.conversation.locator(".turn").first).to_contain_text("wait 60002")


async def test_the_page_works_on_a_phone_and_by_keyboard(visit: Visit) -> None:
    alice = await visit("alice", viewport={"width": 390, "height": 780})
    await alice.start_session("say small screen")
    await alice.sees("small screen")
    await expect(alice.sessions).to_be_hidden()
    await alice.page.get_by_role("button", name="Back to the sessions").press("Enter")
    link = alice.sessions.get_by_role("link", name="say small screen")
    await link.focus()
    await link.press("Enter")
    await alice.sees("small screen")
