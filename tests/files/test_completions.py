"""Does `@` find the files that somebody means, quickly and in the units that clients count in?"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from ahp_platform.workspaces.fence import Fence
from changesets_app.file_index import Indices
from tests.client import WAIT_S, Message
from tests.conftest import Connect
from tests.files.conftest import Desk
from tests.interaction.conversation import new_session


@pytest.fixture
async def chat(desk: Desk) -> str:
    """A chat of a session that works at the desk."""
    uri = new_session()
    await desk.client.request("createSession", {"channel": uri, "workingDirectories": [desk.uri]})
    chat: str = (await desk.client.subscribe(uri))["state"]["defaultChat"]
    return chat


async def complete(desk: Desk, chat: str, text: str, offset: int | None = None) -> list[Message]:
    units = len(text.encode("utf-16-le")) // 2 if offset is None else offset
    result = await desk.client.request(
        "completions", {"channel": chat, "kind": "userMessage", "text": text, "offset": units}
    )
    items: list[Message] = result["items"]
    return items


async def test_files_are_offered_with_ranges_in_utf16_units(desk: Desk, chat: str) -> None:
    await desk.write("find%20me.txt", "x")
    (item,) = await complete(desk, chat, "look 👍 @find and so on", 13)
    assert (item["insertText"], item["rangeStart"], item["rangeEnd"]) == ("@find me.txt", 8, 13)
    uri = f"{desk.uri}/find%20me.txt"
    assert item["attachment"] == {
        "type": "resource",
        "uri": uri,
        "label": "find me.txt",
        "displayKind": "document",
        "contentType": "text/plain",
    }


async def test_the_best_come_first_and_directories_of_programs_last(desk: Desk, chat: str) -> None:
    await desk.call("resourceMkdir", "src/app")
    await desk.call("resourceMkdir", "node_modules/app")
    for name in ("main.py", "src/app/main.py", "src/domain.py", "remainder", "node_modules/app/main.js"):
        await desk.write(name, "x")
    found = [item["insertText"] for item in await complete(desk, chat, "@main")]
    assert found == ["@main.py", "@src/app/main.py", "@remainder", "@src/domain.py"]
    assert [item["insertText"] for item in await complete(desk, chat, "@src/app/")] == ["@src/app/main.py"]


@pytest.mark.parametrize("text", ["", "no mention", "mail@example", "@gone by", "@nothing-like-this"])
async def test_nothing_is_offered_where_nothing_is_meant(desk: Desk, chat: str, text: str) -> None:
    await desk.write("example", "x")
    assert await complete(desk, chat, text) == []


async def test_an_offset_outside_of_the_text_is_refused(desk: Desk, chat: str) -> None:
    for offset in (-1, 3):
        params = {"channel": chat, "kind": "userMessage", "text": "@x", "offset": offset}
        assert (await desk.client.refused("completions", params)).code == -32602


async def test_many_files_are_not_waited_for(desk: Desk, chat: str) -> None:
    for folder in range(100):
        (desk.path / f"d{folder}").mkdir()
        for number in range(50):
            (desk.path / f"d{folder}/file{number}").touch()
    assert len(await complete(desk, chat, "@file")) in range(21)


async def test_another_tenants_chat_is_missing(desk: Desk, chat: str, connect: Connect) -> None:
    carol = await connect("carol")
    params = {"channel": chat, "kind": "userMessage", "text": "@", "offset": 1}
    assert (await carol.refused("completions", params)).code == -32008


def test_what_was_not_found_in_time_is_found_the_next_time(fence: Fence, root: Path) -> None:
    (root / "deep/er").mkdir(parents=True)
    (root / "deep/er/Wanted.py").touch()
    (root / "node_modules").mkdir()
    (root / "node_modules/wanted.js").touch()
    indices, too_late = Indices(), time.monotonic() - 1
    assert list(indices.files(fence, (), "wanted", too_late)) == []
    indices.keep(fence, ()).result(WAIT_S)
    assert list(indices.files(fence, (), "wanted", too_late)) == [("deep", "er", "Wanted.py")]
    assert list(indices.files(fence, ("deep",), "wanted", too_late)) == []
    others = Fence(root, fence.locks, entered=("a session",))
    assert list(indices.files(others, (), "wanted", too_late)) == []
    named = indices.files(fence, (), "node_modules/wanted", time.monotonic() + WAIT_S)
    assert ("node_modules", "wanted.js") in list(named)
