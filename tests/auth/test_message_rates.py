"""Do processes that serve the same people agree on how many messages they send?"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from django.conf import settings
from redis.asyncio import Redis

from ahp_platform.protocol.errors import InvalidRequest
from auth_app.limits import NONE, Limits
from auth_app.message_rates import BURST_S, MessageRates
from auth_app.principal import Principal
from auth_app.quotas import MESSAGES, NAMES

LIMIT = 10


class Fixed(Limits):
    """Tenant 1 may send ten messages a second and each of its users seven; nobody else is limited."""

    def __init__(self) -> None:
        super().__init__()
        self._rows = {1: {**dict.fromkeys(NAMES, NONE), MESSAGES: (LIMIT, 7)}}


@pytest.fixture
async def redis() -> AsyncIterator[Any]:
    connection = Redis.from_url(settings.REDIS_URL)
    yield connection
    await connection.aclose()


def somebody(user_id: int = 1, tenant_id: int = 1) -> Principal:
    return Principal(tenant_id, "demo", user_id, "somebody", "member", frozenset(), None, "token:1")


def process(now: int) -> MessageRates:
    made = MessageRates(Fixed())
    made._second = now
    made.know()
    return made


def sent(rates: MessageRates, who: Principal, count: int) -> int:
    """How many of so many messages pass."""
    return sum(rates.count(who) is None for _ in range(count))


def test_four_seconds_worth_comes_at_once_and_no_more() -> None:
    rates = process(1000)
    assert sent(rates, somebody(1), 100) == 7 * BURST_S
    assert sent(rates, somebody(2), 100) == (LIMIT - 7) * BURST_S
    told = rates.count(somebody(3))
    assert isinstance(told, InvalidRequest)
    assert isinstance(told.data, dict)
    assert told.data["quota"] == {"name": MESSAGES, "per": "tenant", "limit": LIMIT, "used": LIMIT}
    assert sent(rates, somebody(1, tenant_id=2), 1000) == 1000


async def test_what_one_process_lets_through_is_missing_in_the_other(redis: Any) -> None:
    one, other = process(5000), process(5000)
    assert sent(one, somebody(), 28) == 28
    assert sent(other, somebody(), 1) == 1
    for now in (5001, 5002, 5003):
        for rates in (one, other):
            await rates.share(redis, now)
    # 29 of 28 were spent, and of the seconds that are settled one has come back: the same for both.
    assert (sent(one, somebody(), 100), sent(other, somebody(), 100)) == (6, 6)


async def test_whoever_waits_may_send_again(redis: Any) -> None:
    rates = process(7000)
    sent(rates, somebody(), 28)
    assert sent(rates, somebody(), 1) == 0
    for now in range(7001, 7010):
        await rates.share(redis, now)
    assert sent(rates, somebody(), 100) == 28


async def test_without_redis_each_process_goes_by_its_own_count() -> None:
    away: Any = Redis.from_url("redis://127.0.0.1:1")
    rates = process(9000)
    assert sent(rates, somebody(), 100) == 28
    for now in (9001, 9002, 9003):
        await rates.share(away, now)
    assert sent(rates, somebody(), 100) == 7
    await away.aclose()
