"""Who wrote what, whatever a client says? PROTOCOL.md section 11."""

from __future__ import annotations

from typing import Any

from tests.client import ROOT, Client
from tests.conftest import Connect
from tests.interaction.conversation import accepted, begin, refusal

FORGED = {"author": {"id": "0", "name": "somebody else"}}


def annotation(turn_id: str, *entries: dict[str, Any]) -> dict[str, Any]:
    body = {"id": "n", "turnId": turn_id, "resource": "file:///a.txt", "resolved": False, "entries": list(entries)}
    return {"type": "annotations/set", "annotation": body}


async def test_entries_are_signed_and_nobody_changes_anothers(connect: Connect) -> None:
    alice, bob = await connect("alice"), await connect("bob")
    talk = await begin(alice)
    turn = await talk.say("say something to remark upon")
    notes = f"{talk.session}/annotations"
    for client in (alice, bob):
        await client.subscribe(notes)

    await accepted(alice, notes, annotation(turn["id"], {"id": "a", "text": "why?", "_meta": FORGED}))
    answer = {"id": "b", "text": "because", "_meta": FORGED}
    await accepted(bob, notes, {"type": "annotations/entrySet", "annotationId": "n", "entry": answer})
    changed = {"id": "a", "text": "never asked"}
    await refusal(bob, notes, {"type": "annotations/entrySet", "annotationId": "n", "entry": changed})
    await accepted(
        bob, notes, annotation(turn["id"], {"id": "a", "text": "why?"}, {"id": "b", "text": "because of that"})
    )

    (kept,) = (await alice.subscribe(notes))["state"]["annotations"]
    assert [(e["text"], e["_meta"]["author"]["name"]) for e in kept["entries"]] == [
        ("why?", "alice"),
        ("because of that", "bob"),
    ]


async def test_an_annotation_stands_on_a_turn_that_exists(connect: Connect) -> None:
    alice = await connect("alice")
    talk = await begin(alice)
    await alice.subscribe(f"{talk.session}/annotations")

    await refusal(alice, f"{talk.session}/annotations", annotation("no-such-turn", {"id": "a", "text": "?"}))


async def test_a_session_shows_how_many_annotations_it_has_and_follows_each_change(connect: Connect) -> None:
    alice, bob = await connect("alice"), await connect("bob", ROOT)
    talk = await begin(alice)
    turn = await talk.say("say something to remark upon")
    notes = f"{talk.session}/annotations"
    assert await shown(alice, talk.session) == (0, 0)

    changes = (
        (annotation(turn["id"], {"id": "a", "text": "why?"}), (1, 1)),
        ({"type": "annotations/entrySet", "annotationId": "n", "entry": {"id": "b", "text": "because"}}, (1, 2)),
        ({"type": "annotations/entryRemoved", "annotationId": "n", "entryId": "a"}, (1, 1)),
        ({"type": "annotations/removed", "annotationId": "n"}, (0, 0)),
    )
    for action, counts in changes:
        since = len(bob.notifications)
        await alice.subscribe(notes)
        await accepted(alice, notes, action)
        told = await bob.notification("root/sessionSummaryChanged", since, session=talk.session)
        assert list(told["changes"]) == ["annotations"]
        assert numbers(told["changes"]) == counts
        # What else changes in the session leaves them alone.
        await accepted(alice, talk.session, {"type": "session/titleChanged", "title": f"{counts}"})
        assert await shown(alice, talk.session) == await shown(bob, talk.session) == counts


async def test_of_a_private_sessions_annotations_nobody_else_hears(connect: Connect) -> None:
    alice, bob = await connect("alice"), await connect("bob", ROOT)
    talk = await begin(alice, config={"visibility": "private"})
    turn = await talk.say("say something to remark upon")
    await alice.subscribe(f"{talk.session}/annotations")

    await accepted(alice, f"{talk.session}/annotations", annotation(turn["id"], {"id": "a", "text": "why?"}))
    assert await shown(alice, talk.session) == (1, 1)

    await bob.fence()
    assert [one for one in bob.frames if talk.session in str(one)] == []


async def shown(client: Client, session: str) -> tuple[int, int]:
    """The counts in the session's state; its row in the list says the same."""
    listed = (await client.request("listSessions"))["items"]
    (row,) = (one for one in listed if one["resource"] == session)
    state = (await client.subscribe(session))["state"]
    assert row["annotations"] == state["annotations"]
    assert state["annotations"]["resource"] == f"{session}/annotations"
    return numbers(state)


def numbers(fields: dict[str, Any]) -> tuple[int, int]:
    return fields["annotations"]["annotationCount"], fields["annotations"]["entryCount"]
