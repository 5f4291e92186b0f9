"""How does a message become a prompt, with what it refers to and what its chat has said before?"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Sequence

from ahp_platform.agents.backend import Desk, Json, Object, TurnRequest

# Of earlier turns this much is told, the latest last.
MAX_CONTEXT = 60_000

EARLIER = "This conversation began before you took part in it. What was said so far, the latest last:"
MEANWHILE = "Since your last answer the following happened in this conversation without you:"
ASIDE = "This is a side conversation about another one. That one, up to the turn it is about:"


def text(words: str) -> Json:
    """A block of text."""
    return {"type": "text", "text": words}


def context(introduction: str, turns: Sequence[Object]) -> list[Json]:
    """Turns that the agent does not know, for the beginning of a prompt."""
    if not turns:
        return []
    told = transcript(turns)
    cut = "[…]\n" if len(told) > MAX_CONTEXT else ""
    return [text(f"{introduction}\n\n<conversation>\n{cut}{told[-MAX_CONTEXT:]}\n</conversation>")]


def transcript(turns: Iterable[Object]) -> str:
    """Turns as text."""
    return "\n\n".join(_told(turn) for turn in turns)


async def prompt(turn: TurnRequest, desk: Desk, capabilities: Object) -> list[Json]:
    """The blocks of the message itself; `capabilities` are the agent's `PromptCapabilities`."""
    blocks = [text(turn.message["text"])]
    for attachment in turn.message.get("attachments", ()):
        blocks += await _attached(attachment, desk, capabilities)
    return blocks


def _told(turn: Object) -> str:
    lines = [f"User: {turn['message']['text']}"]
    said = "".join(part["content"] for part in turn.get("responseParts", ()) if part["kind"] == "markdown")
    for part in turn.get("responseParts", ()):
        if part["kind"] == "toolCall":
            lines.append(f"(tool: {part['toolCall'].get('invocationMessage') or part['toolCall']['displayName']})")
    return "\n".join([*lines, f"Assistant: {said}"] if said else lines)


async def _attached(attachment: Object, desk: Desk, capabilities: Object) -> list[Json]:
    label = attachment["label"]
    match attachment["type"]:
        case "simple":
            # One of a completion of ours says nothing that the message does not say.
            told = attachment.get("modelRepresentation")
            return [text(f"{label}:\n{told}")] if told else []
        case "embeddedResource":
            return [_embedded(attachment, capabilities)]
        case "resource":
            return [_linked(attachment), *_selected(attachment)]
        case "chat":
            said = transcript(await desk.turns(attachment["resource"], attachment["endTurn"]))
            return [text(f"The conversation {label}:\n\n{said[-MAX_CONTEXT:]}")]
        case "annotations":
            found = await desk.annotations(attachment.get("annotationIds"))
            return [text(f"Annotations ({label}):\n{json.dumps(list(found), ensure_ascii=False)[:MAX_CONTEXT]}")]
    return []


def _embedded(attachment: Object, capabilities: Object) -> Json:
    kind, data, label = attachment["contentType"], attachment["data"], attachment["label"]
    if kind.startswith("image/") and capabilities.get("image"):
        return {"type": "image", "data": data, "mimeType": kind}
    if kind.startswith("audio/") and capabilities.get("audio"):
        return {"type": "audio", "data": data, "mimeType": kind}
    readable = _text_of(kind, data)
    uri = f"attachment:///{label}"
    if readable is not None:
        if capabilities.get("embeddedContext"):
            return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": readable}}
        return text(f"{label}:\n{readable}")
    if capabilities.get("embeddedContext"):
        return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "blob": data}}
    return text(f"({label}, {kind}, is attached, but you cannot be shown attachments of this kind.)")


def _text_of(kind: str, data: str) -> str | None:
    if not kind.startswith("text/") and kind not in ("application/json", "application/xml"):
        return None
    try:
        return base64.b64decode(data).decode(errors="replace")
    except (binascii.Error, ValueError):
        return None


def _linked(attachment: Object) -> Json:
    link: Json = {"type": "resource_link", "uri": attachment["uri"], "name": attachment["label"]}
    known = {"mimeType": attachment.get("contentType"), "size": attachment.get("sizeHint")}
    return {**link, **{name: value for name, value in known.items() if value is not None}}


def _selected(attachment: Object) -> list[Json]:
    """Which part of it is meant; the protocol counts lines from 0, people from 1."""
    lines = attachment.get("selection", {}).get("range")
    if not lines:
        return []
    first, last = lines["start"]["line"] + 1, lines["end"]["line"] + 1
    return [text(f"({attachment['label']}: lines {first} to {last} are meant.)")]
