"""Which statements keep the row of a turn in step with its actions?

Pure builders of `(statement, params)` for `view.sql`: they run in the transaction that commits the action, so that a turn can be
claimed if and only if its `chat/turnStarted` is in the log.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

Statement = tuple[str, tuple[object, ...]]
Ending = Literal["complete", "cancelled", "error"]


class TurnKey(NamedTuple):
    """Which turn."""

    tenant_id: int
    chat: str
    turn_id: str


class Accepted(NamedTuple):
    """What is known of a turn when its `chat/turnStarted` is accepted; `model` is empty where the message names none."""

    session: str
    provider: str
    user_id: int | None
    model: str = ""


# An id may come again after its first turn was truncated away: then the row begins anew, and the fence keeps rising.
STARTED = """
INSERT INTO agents_turn
    (tenant_id, chat, turn_id, session, provider, user_id, model, state, created_at,
     input_tokens, output_tokens, cached_tokens, fence)
VALUES (%s, %s, %s, %s, %s, %s, %s, 'waiting', now(), 0, 0, 0, 0)
ON CONFLICT (tenant_id, chat, turn_id) DO UPDATE SET
    session = excluded.session, provider = excluded.provider, user_id = excluded.user_id, model = excluded.model,
    state = 'waiting', error_type = NULL, created_at = now(), started_at = NULL, ended_at = NULL, duration_ms = NULL,
    input_tokens = 0, output_tokens = 0, cached_tokens = 0,
    host = NULL, lease_until = NULL, fence = agents_turn.fence + 1
"""

ENDED = """
UPDATE agents_turn SET state = %s, duration_ms = %s, error_type = %s, ended_at = now(), host = NULL, lease_until = NULL
WHERE tenant_id = %s AND chat = %s AND turn_id = %s AND state IN ('waiting', 'running')
"""

USAGE = """
UPDATE agents_turn SET
    input_tokens = coalesce(%s, input_tokens), output_tokens = coalesce(%s, output_tokens),
    cached_tokens = coalesce(%s, cached_tokens), model = coalesce(%s, model)
WHERE tenant_id = %s AND chat = %s AND turn_id = %s
"""


def started_sql(key: TurnKey, accepted: Accepted) -> Statement:
    """With `chat/turnStarted`: the row that hosts will claim."""
    # The model's name is any text of a client's; PostgreSQL's text holds no NUL.
    return STARTED, (*key, *accepted._replace(model=accepted.model.replace("\x00", "\N{REPLACEMENT CHARACTER}")))


def ended_sql(key: TurnKey, state: Ending, duration_ms: int | None = None, error_type: str | None = None) -> Statement:
    """With the action that ends the turn, or takes it away (truncation, disposal: `cancelled`)."""
    return ENDED, (state, duration_ms, error_type, *key)


def usage_sql(key: TurnKey, usage: Mapping[str, Any]) -> Statement:
    """With `chat/usage`: a later report replaces an earlier one, field by field."""
    counts = (usage.get("inputTokens"), usage.get("outputTokens"), usage.get("cacheReadTokens"), usage.get("model"))
    return USAGE, (*counts, *key)
