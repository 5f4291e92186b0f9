"""Who wrote what, whatever a client says? PROTOCOL.md section 11."""

from __future__ import annotations

from typing import Any

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
