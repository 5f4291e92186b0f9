"""Does any method, whatever it is given in whichever field, answer differently for another tenant's thing and for one that is not?

By enumeration: of every method each text that it takes, and each kind of thing that a text can name. A new method, or a new field of
one, is tested without a line here.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterator
from copy import deepcopy
from types import UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from ahp_platform.protocol.methods import COMMANDS
from tests.client import ROOT, Client, Message, RpcError
from tests.conftest import Connect
from tests.interaction.conversation import Talk, begin, new_chat, new_session

# What a connection says of itself, before it is anybody's.
HANDSHAKES = {"initialize", "reconnect"}
METHODS = sorted(COMMANDS.keys() - HANDSHAKES)
DEPTH = 4

Path = tuple[str | int, ...]
Twins = list[tuple[str, str]]


def everything(annotation: Any, depth: int = DEPTH) -> Any:
    """A value of the annotation with its optional fields, as deep as names of things lie."""
    if is_typeddict(annotation):
        hints = get_type_hints(annotation, include_extras=True)
        return {name: everything(hint, depth - 1) for name, hint in hints.items() if depth or not _optional(hint)}
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is NotRequired or origin is Annotated or origin in (Union, UnionType):
        return everything(inner[0], depth)
    if origin is Literal:
        return inner[0]
    if origin is list:
        return [everything(inner[0], depth - 1)] if depth > 0 else []
    return {} if origin is dict else {str: "x", int: 1, float: 1, bool: True, object: {}}.get(annotation)


def _optional(hint: Any) -> bool:
    return get_origin(hint) is NotRequired


def texts(value: Any, path: Path = ()) -> Iterator[Path]:
    """Where texts stand that could name something."""
    if isinstance(value, str):
        yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from texts(inner, (*path, key))


def put(value: Any, path: Path, text: str) -> Any:
    """The value with the text in that place."""
    made = deepcopy(value)
    at = made
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = text
    return made


async def answer(client: Client, method: str, params: Message, name: str) -> tuple[object, str]:
    """The code and the text of what comes back, with the name blotted out."""
    try:
        result = await client.request(method, params)
    except RpcError as error:
        return error.code, f"{error} {error.data}".replace(name, "NAME")
    return "result", str(sorted(result) if isinstance(result, dict) else type(result))


@pytest.fixture
async def twins(connect: Connect) -> Twins:
    """Of each kind of thing one of alice's tenant, and one that there is not."""
    alice: Client = await connect("alice")
    talk: Talk = await begin(alice)
    root = talk.session_state["workingDirectories"][0]
    await alice.request("resourceWrite", {"uri": f"{root}/there", "data": "x", "encoding": "utf-8"})
    terminal = f"ahp-terminal:/{uuid.uuid4()}"
    claim = {"kind": "client", "clientId": alice.client_id}
    await alice.request("createTerminal", {"channel": terminal, "claim": claim})
    watch = (await alice.request("createResourceWatch", {"uri": root, "recursive": False}))["channel"]
    nobody = f"test-{uuid.uuid4()}"
    return [
        (talk.session, new_session()),
        (talk.chat, new_chat()),
        (f"{talk.session}/annotations", f"{new_session()}/annotations"),
        (f"{talk.session}/content/{'0' * 64}", f"{new_session()}/content/{'0' * 64}"),
        (terminal, f"ahp-terminal:/{uuid.uuid4()}"),
        (watch, f"ahp-resource-watch:/{uuid.uuid4()}"),
        (f"{root}/there", f"{root}/not-there"),
        (alice.client_id, nobody),
        (f"virtual://{alice.client_id}/x", f"virtual://{nobody}/x"),
    ]


async def test_no_method_tells_another_tenants_things_from_missing_ones(connect: Connect, twins: Twins) -> None:
    carol = await begin(await connect("carol"))
    leaks = []
    for method in METHODS:
        params = everything(COMMANDS[method].params)
        channels = (ROOT,) if COMMANDS[method].connection_level else (carol.session, carol.chat)
        for channel in channels:
            base = {**params, "channel": channel} if "channel" in params else params
            for path in texts(base):
                names = [name for pair in twins for name in pair]
                asked = [answer(carol.client, method, put(base, path, name), name) for name in names]
                told = await asyncio.gather(*asked)
                pairs = zip(names[::2], told[::2], told[1::2], strict=True)
                leaks += [(method, path, name, there, missing) for name, there, missing in pairs if there != missing]
    assert leaks == []
