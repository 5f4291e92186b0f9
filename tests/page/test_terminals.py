"""Can people use a shell together at the page?"""

from __future__ import annotations

import re

from playwright.async_api import Locator, expect

from tests.page.conftest import Visit
from tests.page.person import Person


def screen(person: Person) -> Locator:
    return person.page.locator(".terminal .xterm-rows")


async def open_dock(person: Person, name: str) -> None:
    await person.page.get_by_role("button", name=name, exact=True).click()


async def open_terminal(person: Person) -> None:
    await open_dock(person, "Terminals")
    await person.page.get_by_role("button", name="Open a terminal").click()
    await expect(screen(person)).to_contain_text(re.compile(r"[$#>] ?"))


async def type_line(person: Person, text: str) -> None:
    await person.page.get_by_label("Terminal input").focus()
    await person.page.keyboard.type(text + "\n")


async def test_a_shell_is_one_for_everybody_in_the_session(visit: Visit) -> None:
    alice, bob = await visit("alice"), await visit("bob")
    await alice.start_session("say a shared shell")
    await bob.open_session("say a shared shell")
    await open_terminal(alice)
    await open_dock(bob, "Terminals")
    await type_line(alice, "echo from-$((40+2))-alice")
    await expect(screen(bob)).to_contain_text("from-42-alice")
    await type_line(bob, "echo from-$((40+3))-bob; false")
    await expect(screen(alice)).to_contain_text("from-43-bob")
    await expect(alice.page.locator(".command-mark[data-state=failed]")).to_have_count(1)


async def test_whoever_takes_a_terminal_over_types_alone_until_it_is_shared_again(visit: Visit) -> None:
    alice, bob = await visit("alice"), await visit("bob")
    await alice.start_session("say mine for now")
    await bob.open_session("say mine for now")
    await open_terminal(alice)
    await open_dock(bob, "Terminals")
    await alice.page.get_by_role("button", name="Take over").click()
    await expect(bob.page.get_by_text("Held by alice")).to_be_visible()
    await type_line(bob, "echo intruder")
    await type_line(alice, "echo $((6*7))-mine")
    await expect(screen(bob)).to_contain_text("42-mine")
    await expect(screen(bob)).not_to_contain_text("intruder")
    await alice.page.get_by_role("button", name="Share").click()
    await expect(bob.page.get_by_text("Everybody may type")).to_be_visible()
    await type_line(bob, "echo $((6*8))-shared")
    await expect(screen(alice)).to_contain_text("48-shared")


async def test_the_size_follows_the_window_and_the_end_is_told(visit: Visit) -> None:
    alice = await visit("alice", viewport={"width": 1200, "height": 800})
    await alice.start_session("say how wide")
    await open_terminal(alice)
    await type_line(alice, "stty size")
    await alice.page.set_viewport_size({"width": 1600, "height": 900})
    await type_line(alice, "echo wide:$(($(stty size | cut -d' ' -f2) > 60))")
    await expect(screen(alice)).to_contain_text("wide:1")
    await type_line(alice, "exit 5")
    await expect(alice.page.get_by_text("This terminal has ended with exit code 5.")).to_be_visible()
    await alice.page.get_by_role("button", name="End this terminal").click()
    await expect(alice.page.get_by_role("button", name="Open a terminal")).to_be_visible()


async def test_members_of_a_private_session_find_its_terminal(visit: Visit) -> None:
    alice, bob = await visit("alice"), await visit("bob")
    await alice.start_session("say a private shell", visibility="Only me")
    await open_terminal(alice)
    await type_line(alice, "echo still-$((1+1))-here")
    await expect(screen(alice)).to_contain_text("still-2-here")
    await alice.page.reload()
    await expect(screen(alice)).to_contain_text("still-2-here")
    await bob.start_session("say nothing of hers here")
    await open_dock(bob, "Terminals")
    await expect(bob.page.get_by_role("button", name="Open a terminal")).to_be_visible()
    await expect(bob.page.get_by_role("tab", name="Shell")).to_have_count(0)


async def test_vera_watches_a_terminal_but_does_not_type(visit: Visit) -> None:
    alice, vera = await visit("alice"), await visit("vera")
    await alice.start_session("say watch this shell")
    await open_terminal(alice)
    await vera.open_session("say watch this shell")
    await open_dock(vera, "Terminals")
    await expect(vera.page.get_by_text("You can watch")).to_be_visible()
    await type_line(vera, "echo vera")
    await type_line(alice, "echo seen-$((5+5))")
    await expect(screen(vera)).to_contain_text("seen-10")
    await expect(screen(vera)).not_to_contain_text("echo vera")


async def test_what_a_program_prints_stays_text_and_asks_no_second_screen(visit: Visit) -> None:
    alice, bob = await visit("alice"), await visit("bob")
    await alice.start_session("say escapes")
    await bob.open_session("say escapes")
    await open_terminal(alice)
    await open_dock(bob, "Terminals")
    await type_line(alice, r"printf '<img src=x onerror=alert(1)>\033]2;<b>title</b>\007\n'; sleep 0")
    await expect(screen(bob)).to_contain_text("<img src=x onerror=alert(1)>")
    await expect(bob.page.locator(".terminals img, .terminals b")).to_have_count(0)
    # The program asks what kind of terminal this is; one answer arrives, however many screens show it.
    await type_line(alice, r"printf '\033[c'; IFS= read -rsd c answer; printf 'got:%q\n' \"$answer\"")
    await expect(screen(bob)).to_contain_text("got:$")
    await type_line(alice, "echo after-$((1+1))")
    await expect(screen(bob)).to_contain_text("after-2")
    answers = re.findall(r"\?1;2", await screen(bob).inner_text())
    assert len(answers) == 1, "a second screen answered, too"
