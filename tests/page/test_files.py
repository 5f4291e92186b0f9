"""Can people browse and edit the workspace at the page, and does nobody's change get lost?"""

from __future__ import annotations

import re
from pathlib import Path

from playwright.async_api import Locator, expect

from tests.page.conftest import OwnDirectories, Visit
from tests.page.person import Person

MARKUP = "<img src=x onerror=alert(1)>.txt"
REVERSED = "invoice\u202egnp.exe"


async def open_files(person: Person, directories: OwnDirectories, title: str) -> Path:
    """A session with a directory of its own, and its files beside the conversation; returns that directory."""
    directories.remember()
    await person.start_session(title)
    await person.page.get_by_role("button", name="Files", exact=True).click()
    await expect(person.page.get_by_text("Nothing is in here yet.")).to_be_visible()
    return directories.new()


def item(person: Person, name: str) -> Locator:
    return person.page.get_by_role("treeitem", name=name, exact=True)


def editor(person: Person, name: str) -> Locator:
    return person.page.get_by_role("textbox", name=re.compile(f"(Edit|Text of) {re.escape(name)}"))


async def test_the_tree_follows_what_happens_on_the_disk(visit: Visit, directories: OwnDirectories) -> None:
    alice = await visit("alice")
    directory = await open_files(alice, directories, "say a living tree")
    (directory / "src").mkdir()
    await item(alice, "src").click()
    (directory / "src" / "one.py").write_text("one")
    await expect(item(alice, "one.py")).to_be_visible()
    (directory / "src" / "one.py").unlink()
    await expect(item(alice, "one.py")).to_have_count(0)


async def test_names_are_shown_as_what_they_are(visit: Visit, directories: OwnDirectories) -> None:
    alice = await visit("alice")
    directory = await open_files(alice, directories, "say odd names")
    (directory / MARKUP).write_text("markup")
    (directory / REVERSED).write_text("reversed")
    (directory / ".hidden").write_text("hidden")
    (directory / "caf\udce9.txt").write_text("bytes")
    await item(alice, MARKUP).click()
    await expect(editor(alice, MARKUP)).to_have_text("markup")
    await expect(alice.page.locator(".files img")).to_have_count(0)
    await alice.page.get_by_role("button", name="Close this file").click()
    for name, text in (("invoice\\u202egnp.exe", "reversed"), (".hidden", "hidden"), ("caf%E9.txt", "bytes")):
        await item(alice, name).click()
        await expect(editor(alice, name)).to_have_text(text)
        await alice.page.get_by_role("button", name="Close this file").click()


async def test_the_tree_works_by_keyboard(visit: Visit, directories: OwnDirectories) -> None:
    alice = await visit("alice")
    directory = await open_files(alice, directories, "say keys")
    (directory / "src").mkdir()
    (directory / "src" / "deep.txt").write_text("deep text")
    await item(alice, "src").focus()
    await alice.page.keyboard.press("ArrowRight")
    await expect(item(alice, "deep.txt")).to_be_visible()
    await alice.page.keyboard.press("ArrowDown")
    await expect(item(alice, "deep.txt")).to_be_focused()
    await alice.page.keyboard.press("F2")
    await alice.page.get_by_label("New name").fill("renamed.txt")
    await alice.page.keyboard.press("Enter")
    await expect(item(alice, "renamed.txt")).to_be_visible()
    await item(alice, "renamed.txt").press("Delete")
    await alice.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(item(alice, "renamed.txt")).to_have_count(0)
    assert list((directory / "src").iterdir()) == []


async def test_a_file_is_made_edited_and_saved_and_the_other_sees_it(visit: Visit, directories: OwnDirectories) -> None:
    alice, bob = await visit("alice"), await visit("bob")
    directory = await open_files(alice, directories, "say edit together")
    await alice.page.get_by_role("button", name="New file").click()
    await alice.page.get_by_label("Name").fill("notes.md")
    await alice.page.get_by_role("button", name="Create").click()
    await editor(alice, "notes.md").click()
    await alice.page.keyboard.type("# by alice")
    await expect(alice.page.get_by_text("Not saved yet", exact=True)).to_be_visible()
    await alice.page.keyboard.press("Control+s")
    await expect(alice.page.get_by_text("Saved", exact=True)).to_be_visible()
    assert (directory / "notes.md").read_text() == "# by alice"
    await bob.open_session("say edit together")
    await bob.page.get_by_role("button", name="Files", exact=True).click()
    await item(bob, "notes.md").click()
    await expect(editor(bob, "notes.md")).to_have_text("# by alice")
    await alice.page.keyboard.type(" and again")
    await alice.page.keyboard.press("Control+s")
    await expect(editor(bob, "notes.md")).to_have_text("# by alice and again")
    await expect(bob.page.get_by_text("Somebody changed this file; this is how it is now.")).to_be_visible()


async def test_a_conflict_is_shown_and_decided_by_the_person(visit: Visit, directories: OwnDirectories) -> None:
    alice = await visit("alice")
    directory = await open_files(alice, directories, "say conflict")
    (directory / "both.txt").write_text("first\nsecond\n")
    await item(alice, "both.txt").click()
    await editor(alice, "both.txt").click()
    await alice.page.keyboard.press("Control+Home")
    await alice.page.keyboard.type("mine ")
    (directory / "both.txt").write_text("first\nsecond\ntheirs\n")
    await expect(alice.page.get_by_text("Somebody changed this file while you were editing it.")).to_be_visible()
    await alice.page.keyboard.press("Control+s")
    await expect(alice.page.get_by_text("Not saved: somebody changed this file")).to_be_visible()
    await alice.page.get_by_role("button", name="Show difference").click()
    lines = alice.page.get_by_role("group", name="What changed").locator(".diff-line.removed, .diff-line.added")
    await expect(lines).to_have_count(3)
    await expect(lines).to_contain_text(["first", "mine first", "theirs"])
    assert (directory / "both.txt").read_text() == "first\nsecond\ntheirs\n"
    await alice.page.get_by_role("button", name="Overwrite").click()
    await expect(alice.page.get_by_text("Saved", exact=True)).to_be_visible()
    await expect(alice.page.get_by_role("button", name="Overwrite")).to_have_count(0)
    assert (directory / "both.txt").read_text() == "mine first\nsecond\n"


async def test_what_is_not_saved_is_not_lost_by_looking_elsewhere(visit: Visit, directories: OwnDirectories) -> None:
    alice = await visit("alice", viewport={"width": 1800, "height": 900})
    directory = await open_files(alice, directories, "say keep my text")
    for name in ("one.txt", "two.txt"):
        (directory / name).write_text(name)
    await item(alice, "one.txt").click()
    await editor(alice, "one.txt").click()
    await alice.page.keyboard.press("Control+Home")
    await alice.page.keyboard.type("unsaved ")
    await item(alice, "two.txt").click()
    await expect(editor(alice, "two.txt")).to_have_text("two.txt")
    await alice.page.get_by_role("button", name="one.txt", exact=True).click()
    await expect(editor(alice, "one.txt")).to_have_text("unsaved one.txt")
    await alice.page.get_by_role("button", name="Close this file").click()
    await alice.page.get_by_role("dialog").get_by_role("button", name="Don’t save").click()
    assert (directory / "one.txt").read_text() == "one.txt"


async def test_big_files_go_up_in_pieces_and_come_down_whole(
    visit: Visit, directories: OwnDirectories, tmp_path: Path
) -> None:
    alice = await visit("alice")
    directory = await open_files(alice, directories, "say transfer")
    content = bytes(range(256)) * 10_000
    big, small = tmp_path / "big file.bin", tmp_path / "small.txt"
    big.write_bytes(content)
    small.write_text("small")
    await alice.page.get_by_label("Files to upload").set_input_files([big, small])
    await expect(item(alice, "small.txt")).to_be_visible()
    assert (directory / "big file.bin").read_bytes() == content
    await item(alice, "big file.bin").click()
    await expect(alice.page.get_by_text("2.4 MB that are not text.")).to_be_visible()
    async with alice.page.expect_download() as started:
        await alice.page.get_by_role("button", name="Download this file").click()
    await (await started.value).save_as(tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == content


async def test_vera_reads_files_but_changes_none(visit: Visit, directories: OwnDirectories) -> None:
    alice, vera = await visit("alice"), await visit("vera")
    directory = await open_files(alice, directories, "say read only")
    (directory / "readme.txt").write_text("for everybody")
    await vera.open_session("say read only")
    await vera.page.get_by_role("button", name="Files", exact=True).click()
    await item(vera, "readme.txt").click()
    await expect(editor(vera, "readme.txt")).to_have_text("for everybody")
    await editor(vera, "readme.txt").click()
    await vera.page.keyboard.type("by vera")
    await expect(editor(vera, "readme.txt")).to_have_text("for everybody")
    for name in ("Save", "New file", "New folder", "Upload files"):
        await expect(vera.page.get_by_role("button", name=name, exact=True)).to_have_count(0)
