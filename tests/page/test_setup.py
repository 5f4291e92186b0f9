"""Can a person say who sees a session, and what its agent is equipped with?"""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import expect

from tests.page.conftest import OwnDirectories, Visit
from tests.page.person import Person


async def start_private(person: Person, first_message: str, *members: str) -> None:
    await person.page.get_by_role("button", name="New session").click()
    dialog = person.page.get_by_role("dialog", name="New session")
    await dialog.get_by_label("Only me").check()
    for member in members:
        await dialog.get_by_label("Shared with").fill(member)
        await dialog.get_by_label("Shared with").press("Enter")
        await expect(dialog.get_by_role("button", name=f"Remove {member}")).to_be_visible()
    await dialog.get_by_label("First message").fill(first_message)
    await dialog.get_by_role("button", name="Start session").click()
    await expect(dialog).to_be_hidden()


async def test_a_private_session_is_shared_with_members_by_name(visit: Visit) -> None:
    alice, bob, vera = await visit("alice"), await visit("bob"), await visit("vera")
    await start_private(alice, "say for bob and me", "bob")
    await bob.open_session("say for bob and me")
    await bob.sees("for bob and me")
    await expect(alice.page.get_by_text("Shared with bob")).to_be_visible()
    await expect(vera.sessions.get_by_role("link", name="say for bob and me")).to_have_count(0)
    await alice.page.get_by_role("button", name="Setup").click()
    await alice.page.get_by_role("button", name="Remove bob").click()
    await expect(bob.page.get_by_role("main")).to_contain_text("This session has ended.")
    setup = alice.page.get_by_role("complementary", name="Setup")
    await setup.get_by_label("Everybody in the organisation").check()
    await vera.open_session("say for bob and me")


async def test_nobody_is_a_member_who_is_not_here(visit: Visit) -> None:
    alice = await visit("alice")
    await alice.page.get_by_role("button", name="New session").click()
    dialog = alice.page.get_by_role("dialog", name="New session")
    await dialog.get_by_label("Only me").check()
    await dialog.get_by_label("Shared with").fill("carol")
    await dialog.get_by_label("Shared with").press("Enter")
    await expect(dialog.get_by_text("Nobody here is called carol.")).to_be_visible()


async def test_customizations_are_switched_and_servers_started(visit: Visit, directories: OwnDirectories) -> None:
    alice, bob = await visit("alice"), await visit("bob")
    directories.remember()
    await alice.start_session("say equipped")
    await alice.sees("equipped")
    directory = directories.new()
    skill = directory / ".claude" / "skills" / "review"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: <b>review</b>\ndescription: Looks at a change\n---\nLook.\n")
    (directory / ".mcp.json").write_text('{"mcpServers": {"absent": {"command": "no-such-program"}}}')
    await bob.open_session("say equipped")
    for person in (alice, bob):
        await person.page.get_by_role("button", name="Setup").click()
        await expect(person.page.get_by_label("<b>review</b>")).to_be_checked()
    await alice.page.get_by_label("<b>review</b>").uncheck()
    await expect(bob.page.get_by_label("<b>review</b>")).not_to_be_checked()
    await bob.page.get_by_role("button", name="Start", exact=True).click()
    await expect(alice.page.get_by_text("no-such-program")).to_be_visible()
    await expect(alice.page.get_by_text("Failed", exact=True)).to_be_visible()


async def test_files_are_named_with_at_and_go_along(visit: Visit, directories: OwnDirectories) -> None:
    alice = await visit("alice")
    directories.remember()
    await alice.start_session("say mention")
    await alice.sees("mention")
    await alice.sees_idle()
    directory = directories.new()
    (directory / "notes.md").write_text("notes")
    await alice.message.fill("say read @no")
    await alice.message.press("End")
    await alice.message.press_sequentially("t")
    await alice.page.get_by_role("option", name="@notes.md").click()
    await expect(alice.message).to_have_value("say read @notes.md ")
    await alice.message.press("Enter")
    sent = alice.conversation.locator(".message").last
    await expect(sent).to_contain_text("say read @notes.md")
    await expect(sent.get_by_role("list", name="Attachments")).to_have_text("notes.md")


async def test_pictures_are_attached_as_they_are(visit: Visit, tmp_path: Path) -> None:
    alice = await visit("alice")
    await alice.start_session("say pictures")
    await alice.sees_idle()
    picture = tmp_path / "chart.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    await alice.page.get_by_label("Files to attach").set_input_files(picture)
    await expect(alice.page.get_by_role("list", name="Attachments")).to_contain_text("chart.png")
    await alice.say("say look at it")
    sent = alice.conversation.locator(".message").last
    await expect(sent.get_by_role("list", name="Attachments")).to_have_text("chart.png")
