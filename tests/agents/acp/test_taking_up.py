"""Does an agent go on where it was: after a stop, after a restart, in forks, and when it cannot?"""

from __future__ import annotations

from typing import Any

from ahp_platform.agents.backends.acp.opening import TOLD
from tests.agents.acp.conftest import NewBench
from tests.agents.acp.sessions import Bench
from tests.agents.fake_sink import FakeSink

FORK = {"kind": "fork", "chat": "ahp-chat:/c", "turnId": "t1"}


async def restarted(bench: Bench) -> None:
    """The agent was stopped; its AHP session goes on."""
    await bench.session.close()
    bench.session = bench.new_session()


def notices(sink: FakeSink) -> list[Any]:
    parts = [action["part"] for action in sink.of("chat/responsePart")]
    return [part["content"] for part in parts if part["kind"] == "systemNotification"]


async def test_one_process_and_one_session_serve_a_chat(scripted: NewBench) -> None:
    bench = scripted()
    await bench.say("say one")
    assert "prompts 2, told nothing" in (await bench.say("memory")).text
    assert len(bench.launcher.started) == 1


async def test_two_chats_have_sessions_of_their_own_in_one_process(scripted: NewBench) -> None:
    bench = scripted()
    await bench.say("say one")
    sink = await bench.say("memory", chat="ahp-chat:/other", history=[])
    assert "prompts 1, told nothing" in sink.text
    assert len(bench.launcher.started) == 1


async def test_an_agent_that_can_resumes_its_session(scripted: NewBench) -> None:
    bench = scripted()
    await bench.say("say one")
    await restarted(bench)
    sink = await bench.say("memory")
    assert "prompts 2, told nothing" in sink.text
    assert notices(sink) == []


async def test_what_a_loading_agent_repeats_is_not_shown_again(scripted: NewBench) -> None:
    bench = scripted("--load")
    await bench.say("say one")
    await restarted(bench)
    sink = await bench.say("memory")
    assert sink.text.startswith("prompts 2, told nothing")


async def test_an_agent_that_cannot_resume_is_told_the_transcript_and_people_are_told_that(scripted: NewBench) -> None:
    bench = scripted("--forgetful")
    await bench.say("say one fine day")
    await restarted(bench)
    sink = await bench.say("memory")
    assert "prompts 1, told transcript" in sink.text
    assert "one fine day" in sink.text
    assert notices(sink) == [TOLD]


async def test_an_agent_that_has_lost_its_session_is_told_the_transcript(scripted: NewBench) -> None:
    bench = scripted()
    await bench.say("say one")
    await restarted(bench)
    (bench.folder / "home").rename(bench.folder / "lost")
    bench.session = bench.new_session()
    # The home is named for the session: it is made anew, and empty.
    assert "told transcript" in (await bench.say("memory")).text


async def test_turns_that_were_taken_away_are_not_remembered(scripted: NewBench) -> None:
    bench = scripted()
    await bench.say("say one")
    await bench.say("say two")
    del bench.history[1:]
    sink = await bench.say("memory")
    assert "prompts 1, told transcript" in sink.text
    assert "one" in sink.text
    assert "two" not in sink.text


async def test_what_happened_without_the_agent_is_told_with_the_next_prompt(scripted: NewBench) -> None:
    bench = scripted()
    await bench.say("say one")
    bench.history.append({"id": "x", "message": {"text": "!make"}, "responseParts": [], "state": "complete"})
    sink = await bench.say("memory")
    assert "prompts 2, told transcript" in sink.text
    assert "!make" in sink.text
    assert "say one" not in sink.text


async def test_a_fork_at_the_end_of_a_chat_forks_the_agents_session(scripted: NewBench) -> None:
    bench = scripted()
    await bench.say("say one")
    await bench.session.fork(FORK, "ahp-chat:/fork")
    assert "prompts 2, told nothing" in (await bench.say("memory", chat="ahp-chat:/fork")).text


async def test_a_fork_of_an_earlier_turn_is_told_that_far(scripted: NewBench) -> None:
    bench = scripted()
    await bench.say("say one")
    await bench.say("say two")
    await bench.session.fork(FORK, "ahp-chat:/fork")
    sink = await bench.say("memory", chat="ahp-chat:/fork", history=bench.history[:1])
    assert "prompts 1, told transcript" in sink.text
    assert "two" not in sink.text


async def test_a_side_chat_knows_what_it_is_about(scripted: NewBench) -> None:
    bench = scripted("--forgetful")
    await bench.say("say the green door")
    bench.desk.chats["ahp-chat:/c"] = bench.history
    origin = {**FORK, "kind": "sideChat", "selection": {"text": "green"}}
    await bench.session.fork(origin, "ahp-chat:/side")
    sink = await bench.say("memory", chat="ahp-chat:/side", history=[])
    assert "told transcript" in sink.text
    assert "the green door" in sink.text


async def test_a_process_that_died_between_turns_is_started_again(scripted: NewBench) -> None:
    bench = scripted()
    await bench.say("say one")
    bench.launcher.started[0].kill()
    await bench.launcher.started[0].wait()
    assert "prompts 2, told nothing" in (await bench.say("memory")).text


async def test_attachments_and_servers_reach_the_agent(scripted: NewBench) -> None:
    bench = scripted()
    bench.desk.servers = [{"name": "s", "command": "/bin/true", "args": [], "env": []}]
    picture = {"type": "embeddedResource", "label": "p.png", "data": "AAAA", "contentType": "image/png"}
    file = {"type": "resource", "label": "a.py", "uri": "file:///w/a.py"}
    sink = await bench.say("say hi\nblocks", message={"attachments": [picture, file]})
    assert sink.text == "hi text image resource_link "
    assert "servers 1" in (await bench.say("memory")).text


async def test_turns_that_another_host_ran_meanwhile_are_told(scripted: NewBench) -> None:
    bench = scripted()
    await bench.say("say one")
    here = bench.session
    bench.session = bench.new_session()
    assert "prompts 2, told nothing" in (await bench.say("say two\nmemory")).text
    await bench.session.close()
    bench.session = here
    sink = await bench.say("memory")
    assert "told transcript" in sink.text
    assert "User: say two" in sink.text
    assert "User: say one" not in sink.text
