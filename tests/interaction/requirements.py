"""Which rules of the protocol are built so far? Each has a sentence of ours, and a test that bears its name.

The keys name section and subject; the sentences are the rules of PROTOCOL.md sections 0 to 8, 15 and 16 that concern what a
host without files, terminals, changesets and MCP servers does. `test_requirements.py` fails when a rule has no test.
"""

from __future__ import annotations

from typing import Final

import pytest

FRAMES: Final = {
    "frames.parse": "A binary frame, or text that is no JSON, is answered with -32700 and a null id.",
    "frames.message": "JSON that is no JSON-RPC message is answered with -32600.",
    "frames.unknown-method": "A method that we do not have is answered with -32601.",
    "frames.params": "Params of another shape than the method's are answered with -32602, which names the path.",
    "frames.silent-notifications": "A notification gets no reply, whatever is wrong with it.",
    "frames.ids": "Numbers and strings are ids, and come back unchanged.",
    "frames.responses": "A response to a request that we did not make changes nothing.",
    "frames.root-channel": "Methods of the connection take the root channel or none; another one is -32602.",
    "frames.order": "The effects of what one connection sends appear in the order in which it was sent.",
    "frames.beside": "A slow request holds up neither a ping nor a stream of actions.",
    "frames.unknown-kept": "Fields and variants that we do not know are kept through storage and relay.",
    "frames.numbers": "Numbers above 2^31 survive.",
    "frames.text": "Odd characters are stored and replayed the same for everybody, or refused once.",
    "frames.discreet": "An error never tells a path, a query or a trace of ours.",
}
VERSIONS: Final = {
    "versions.highest": "The highest offered version that we implement is chosen.",
    "versions.none": "Where no offered version is ours: -32005 with those we support, then the connection is closed.",
    "versions.malformed": "A version that is not MAJOR.MINOR.PATCH is answered with -32602.",
    "versions.only-known": "A connection gets only actions that its version knows.",
    "versions.directories": "Before 0.7.0 there is one working directory where now there are several.",
    "versions.older-talk": "A whole conversation works in every version that we support.",
}
LIFECYCLE: Final = {
    "lifecycle.first": "Before the handshake only ping is answered; other requests get -32600, notifications are dropped.",
    "lifecycle.once": "A second initialize on a connection is answered with -32600.",
    "lifecycle.ping": "Ping is answered with null, at any time.",
    "lifecycle.result": "The handshake tells version, number, server, default directory and snapshots.",
    "lifecycle.live": "What the handshake subscribes to is live from its snapshot on.",
    "lifecycle.left-out": "A channel that is unknown or forbidden is left out of the handshake, which succeeds.",
    "lifecycle.locale": "The locale of the handshake chooses the language of labels, with English where we lack it.",
    "lifecycle.client-id": "A client id belongs to the user of the tenant who used it first.",
    "lifecycle.shared-id": "Several sockets may share one client id, and all of them are served.",
}
RECONNECT: Final = {
    "reconnect.replay": "What was missed is replayed whole, in order, and only of the channels named.",
    "reconnect.missing": "Channels that are gone or no longer permitted are named as missing.",
    "reconnect.too-old": "Where the log does not reach back so far, there are snapshots instead.",
    "reconnect.too-new": "A number higher than ours is answered with snapshots.",
    "reconnect.joins": "What happens meanwhile follows the reply: nothing twice, nothing lost.",
    "reconnect.no-notices": "Notifications are never replayed.",
    "reconnect.stranger": "A client id never seen before gets snapshots or missing channels, never an empty replay.",
}
SUBSCRIPTIONS: Final = {
    "subscriptions.joins": "Snapshot and stream join: nothing at or below fromSeq follows, nothing above it is missing.",
    "subscriptions.rising": "Numbers rise strictly over all channels of a connection.",
    "subscriptions.again": "Subscribing again gives a fresh snapshot and replaces the options.",
    "subscriptions.unknown": "An unknown channel is -32001 for sessions, else -32008.",
    "subscriptions.latency": "Joined deltas give the same state, rise in number, and never pass another action.",
    "subscriptions.window": "A window holds the latest turns and a cursor; without one, all turns come.",
    "subscriptions.end": "After unsubscribe nothing of the channel arrives.",
}
ACTIONS: Final = {
    "actions.echo": "An accepted action reaches every subscriber, its sender too, with its origin.",
    "actions.refused": "A refused action returns to its sender alone, unchanged, with a reason and without a new number.",
    "actions.no-channel": "An action on a channel that does not exist is ignored.",
    "actions.judged": "Actions of the host alone, of another kind of channel or of a wrong shape are refused.",
    "actions.dispatchable": "Clients may dispatch the listed actions and no others.",
    "actions.once": "One clientSeq of a client is applied once, also when it is sent again after a reconnect.",
    "actions.unchanged": "An accepted action that changes nothing returns to its sender alone.",
    "actions.converge": "An old state and the actions since then make the fresh state.",
}
ROOT: Final = {
    "root.state": "The root shows the agents with models and capabilities, and how many sessions there are.",
    "root.list": "Sessions are listed most recently modified first.",
    "root.pages": "Pages join without a gap or an overlap while rows move; a bad cursor is -32602.",
    "root.no-limit": "Without a limit the first page is long.",
    "root.notices": "Root subscribers who may see a session hear that it came, changed or went.",
    "root.changes": "A changed summary tells only what changed, never what cannot, and a cleared field as null.",
    "root.config": "The configuration of new sessions comes whole each time, with its resolved values.",
    "root.git": "In a git repository a session may work in a worktree, from a branch that can be completed.",
    "root.progress": "Progress rises, ends with its total, and goes to the client that asked.",
    "root.config-changed": "A configuration that the schema does not allow is refused.",
}
SESSIONS: Final = {
    "sessions.create": "createSession returns null; the session is creating and then ready, with a default chat.",
    "sessions.taken": "A URI that is taken is -32003, however close the two requests are.",
    "sessions.provider": "An unknown provider is -32002; one that lacks a token of the user is -32007.",
    "sessions.opaque": "A URI is an opaque key in the client's own spelling.",
    "sessions.fork": "A forked session has the turns through the named one and the directories of its source.",
    "sessions.own-client": "The active client of a new session must be the caller.",
    "sessions.dispose": "A disposed session ends its turns, chats and subscriptions, and may be created anew.",
    "sessions.aggregate": "The status is that of the default chat, raised when any chat waits or failed.",
    "sessions.flags": "Read and archived are flags of the session, changed by clients.",
    "sessions.input-needed": "Every open block of every chat is mirrored, and removed when it closes.",
    "sessions.answer-anywhere": "A block may be answered by a client that is not subscribed to its chat.",
    "sessions.mutable": "Only properties marked as mutable can be changed in a session.",
    "sessions.default-chat": "The default chat can be any of the catalogue and none else.",
    "sessions.clients": "A client becomes active under its own id, and leaves when it says so or unsubscribes.",
    "sessions.grace": "A client that stays away beyond the grace period, or returns without the session, is active no more.",
    "sessions.orphaned-tools": "The running tool calls of a client that left end without success, and the turn goes on.",
    "sessions.directories": "Working directories of a session lie in the tenant's own.",
}
CHATS: Final = {
    "chats.create": "createChat adds a chat, which may begin with a message.",
    "chats.directories": "The working directories of a chat are a subset of its session's.",
    "chats.fork": "A fork copies the turns through a completed one.",
    "chats.side": "A side chat copies no turns, may stand beside the active one, and keeps its selection, which has text.",
    "chats.dispose": "disposeChat removes the chat from its session.",
    "chats.one-turn": "A second turn is refused while one is active, and so are words of anybody but the user.",
    "chats.stream": "Text is a part that is appended to.",
    "chats.end": "A turn ends once, with its duration, whatever its agent does.",
    "chats.cancel": "Cancelling reaches the agent at once, and nothing of that turn follows.",
    "chats.open-calls": "The end of a turn skips open tool calls, releases who waits, and keeps unanswered questions.",
    "chats.confirm": "A tool call runs after its approval, with the edited input and the chosen option.",
    "chats.deny": "A denied tool call does not run, and the agent hears why.",
    "chats.first-wins": "The first confirmation counts; later ones are refused.",
    "chats.ask": "An input request takes drafts and ends with accepted, declined or cancelled answers.",
    "chats.answers": "Answers to unknown or closed requests, of a wrong kind or incomplete, are refused.",
    "chats.queue": "Queued messages start by themselves, first in first out, at the end of a turn or at once.",
    "chats.steer": "A steering message goes into the running turn, and waits while there is none.",
    "chats.pending": "A pending message that is not there cannot be removed.",
    "chats.truncate": "Truncation keeps the turns through the named one, or none, and stops the active turn.",
    "chats.fetch": "fetchTurns sends older turns before it answers, to the asking connection alone and without a number.",
    "chats.load-first": "Before anything names a turn that a window does not hold, the older turns are loaded.",
    "chats.attachments": "Attachments stay as they were sent; a chat can be attached through a completed turn of its session.",
    "chats.client-tools": "A tool of an active client runs there, and only there can it be completed.",
    "chats.worker": "A worker chat names the tool call that it works for, which links to it.",
    "chats.context": "Drafts and working directories of a chat are shared by everybody in it.",
}
WHO: Final = {
    "who.tenants": "Another tenant's URI is answered like one that does not exist.",
    "who.private": "A private session is there for its owner alone.",
    "who.viewers": "A viewer looks and does not act.",
}
LIMITS: Final = {
    "limits.frame": "A frame beyond the limit closes the connection with 1009.",
    "limits.depth": "A message nested deeper than 200 levels is refused.",
    "limits.subscriptions": "A connection holds so many subscriptions and no more.",
    "limits.outbox": "A reader who falls too far behind is closed with 1013, and nobody else notices.",
    "limits.rate": "Too many messages are answered with an error and closed with 1008.",
}

RULES: Final[dict[str, str]] = {
    **FRAMES,
    **VERSIONS,
    **LIFECYCLE,
    **RECONNECT,
    **SUBSCRIPTIONS,
    **ACTIONS,
    **ROOT,
    **SESSIONS,
    **CHATS,
    **WHO,
    **LIMITS,
}


def covers(*rules: str) -> pytest.MarkDecorator:
    """The test shows these rules."""
    return pytest.mark.covers(*rules)
