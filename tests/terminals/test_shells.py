"""Does a terminal run a real shell, and do its viewers see what it does?"""

from __future__ import annotations

import pytest

from tests.client import ROOT
from tests.conftest import Connect
from tests.terminals.shell import Shell, new_terminal


async def test_it_has_the_size_it_was_given_and_follows_resizes(connect: Connect) -> None:
    shell = await Shell.opened(await connect(), cols=132, rows=43)
    await shell.type("stty size; echo m''ark")
    await shell.shows("43 132\r\nmark")
    await shell.dispatch("resized", cols=90, rows=20)
    await shell.type("stty size; echo a''gain")
    await shell.shows("20 90\r\nagain")


async def test_what_is_typed_before_the_shell_runs_is_not_lost(connect: Connect) -> None:
    client = await connect()
    uri = new_terminal()
    claim = {"kind": "client", "clientId": client.client_id}
    asked = await client.start("createTerminal", {"channel": uri, "claim": claim})
    shell = Shell(client, uri)
    await shell.type("echo ea''rly")
    await client.reply(asked)
    await client.subscribe(uri)
    content = "".join(part.get("value", part.get("output")) for part in (await shell.state())["content"])
    if "early" not in content:
        await shell.shows("early")


async def test_output_arrives_whole_before_the_exit(connect: Connect) -> None:
    shell = await Shell.opened(await connect())
    await shell.type("seq 1 200000; exit 3")
    assert (await shell.action("exited", within_s=120))["exitCode"] == 3
    assert "".join(f"{number}\r\n" for number in range(1, 200_001)) in shell.text
    last = [one for one in shell.client.envelopes if one["channel"] == shell.uri][-1]
    assert last["action"]["type"] == "terminal/exited"
    state = await shell.state()
    assert state["exitCode"] == 3
    assert sum(len(part.get("value", part.get("output"))) for part in state["content"]) <= 256 * 1024


async def test_nobody_types_into_what_has_exited(connect: Connect) -> None:
    shell = await Shell.opened(await connect())
    await shell.type("exit")
    assert (await shell.action("exited"))["exitCode"] == 0
    assert "exited" in await shell.refusal("input", data="x")


async def test_commands_are_told_with_their_exit_codes_and_directory(connect: Connect) -> None:
    shell = await Shell.opened(await connect())
    await shell.type("mkdir -p de''ep && cd deep; false")
    executed = await shell.action("commandExecuted")
    assert executed["commandLine"] == "mkdir -p de''ep && cd deep; false"
    finished = await shell.action("commandFinished", commandId=executed["commandId"])
    assert finished["exitCode"] == 1
    assert (await shell.action("cwdChanged"))["cwd"].endswith("/workspaces/demo/deep")
    assert "\x1b]633" not in shell.text
    assert (await shell.state())["supportsCommandDetection"] is True


async def test_a_character_in_two_reads_is_one(connect: Connect) -> None:
    shell = await Shell.opened(await connect())
    await shell.type("printf '\\xe2'; read -t 0.3 x; printf '\\x94\\x80 do'; echo ne")
    await shell.shows("─ done")
    assert "\N{REPLACEMENT CHARACTER}" not in shell.text


async def test_the_title_follows_the_programs(connect: Connect) -> None:
    watcher = await connect("alice", ROOT)
    shell = await Shell.opened(await connect(), name="mine")
    assert (await shell.state())["title"] == "mine"
    await shell.type("printf '\\033]2;busy\\007'")
    assert (await shell.action("titleChanged"))["title"] == "busy"

    def listed() -> bool:
        lists = [one["action"]["terminals"] for one in watcher.envelopes if one["channel"] == ROOT]
        return any(each["resource"] == shell.uri and each["title"] == "busy" for each in lists[-1] if lists)

    await watcher.until(listed, "the title in the root's list")
    await shell.dispose()
    await watcher.until(lambda: not listed(), "the list without it")
    assert (await shell.client.refused("subscribe", {"channel": shell.uri})).code == -32008


async def test_ctrl_c_ends_a_flood(connect: Connect) -> None:
    shell = await Shell.opened(await connect())
    await shell.type("yes")
    await shell.shows("y\r\ny\r\ny\r\n")
    await shell.dispatch("input", data="\x03")
    await shell.type("echo calm ag''ain")
    await shell.shows("calm again\r\n")


async def test_the_shell_sees_nothing_of_the_services_secrets(connect: Connect) -> None:
    shell = await Shell.opened(await connect())
    await shell.type("env | grep -c -e SECRET -e DATABASE -e REDIS -e NONCE; echo coun''ted")
    await shell.shows("counted")
    assert "\r0\r\ncounted" in shell.text


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"cwd": "file:///etc"}, -32009),
        ({"cwd": "http://x/y"}, -32602),
        ({"cols": 0}, -32602),
        ({"rows": 70_000}, -32602),
        ({"claim": {"kind": "client", "clientId": "somebody"}}, -32602),
        ({"claim": {"kind": "session", "session": "ahp-session:/none"}}, -32001),
        ({"channel": "ahp-chat:/x"}, -32602),
    ],
)
async def test_what_makes_no_sense_opens_nothing(connect: Connect, more: dict[str, object], code: int) -> None:
    client = await connect()
    claim = {"kind": "client", "clientId": client.client_id}
    assert (await client.refused("createTerminal", {"channel": new_terminal(), "claim": claim, **more})).code == code


async def test_a_uri_is_used_once(connect: Connect) -> None:
    shell = await Shell.opened(await connect())
    claim = {"kind": "client", "clientId": shell.client.client_id}
    again = await shell.client.refused("createTerminal", {"channel": shell.uri, "claim": claim})
    assert again.code == -32010


async def test_viewers_open_none(connect: Connect) -> None:
    vera = await connect("vera")
    claim = {"kind": "client", "clientId": vera.client_id}
    assert (await vera.refused("createTerminal", {"channel": new_terminal(), "claim": claim})).code == -32009


async def test_a_directory_that_is_not_there_is_said_in_the_terminal(connect: Connect) -> None:
    client = await connect()
    root = (await (await connect("alice", initialize=False)).initialize())["defaultDirectory"]
    shell = await Shell.opened(client, cwd=f"{root}/nowhere")
    state = await shell.state()
    if "exitCode" not in state:
        await shell.action("exited")
    assert (await shell.state())["exitCode"] == 126
