"""How many messages may a tenant and each of its users send, over all their sockets of all processes?

A token bucket each: so many a second in the long run, four seconds' worth at once. Every process counts for itself and adds what
it has counted to a hash of the running second in Redis; once a second is over, all take its sum from their buckets. So no message
waits for anything, and processes that share a tenant agree within two seconds. Where Redis is away, each goes by its own count.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from redis import Redis as SyncRedis
from redis.asyncio import Redis
from redis.exceptions import RedisError

from ahp_platform.protocol.errors import InvalidRequest
from ahp_platform.rpc.context import Principal
from auth_app.limits import Limits, limits
from auth_app.quotas import MESSAGES, Exceeded

logger = logging.getLogger(__name__)

SHARE_EVERY_S = 1.0
BURST_S = 4
KEPT_S = 30
REDIS_TIMEOUT_S = 0.5
EVERYBODY = 0

# A tenant and one of its users, or EVERYBODY for the tenant's own bucket.
Key = tuple[int, int]


@dataclass(slots=True)
class Bucket:
    """`left` as of the last second that is settled; `mine` what this process has counted in each second since."""

    left: float
    rate: int = 0
    mine: Counter[int] = field(default_factory=Counter)


class MessageRates:
    """The buckets of this process."""

    def __init__(self, rows: Limits) -> None:
        self._limits = rows
        self._buckets: dict[Key, Bucket] = {}
        self._second = int(time.time())
        self._limited = False

    def count(self, principal: Principal) -> InvalidRequest | None:
        """Count a message; why it is one too many, or None."""
        if not self._limited:
            return None
        pair = self._limits.of(principal.tenant_id, MESSAGES)
        counted = []
        for per, limit, user in zip(("tenant", "user"), pair, (EVERYBODY, principal.user_id), strict=True):
            if limit is None:
                continue
            bucket = self._buckets.setdefault((principal.tenant_id, user), Bucket(BURST_S * limit))
            if bucket.left - bucket.mine.total() < 1:
                found = Exceeded(MESSAGES, per, limit, max(limit, bucket.rate))
                return InvalidRequest(str(found), found.data())
            counted.append(bucket)
        # Only now: what is refused to one user takes nothing from the others.
        for bucket in counted:
            bucket.mine[self._second] += 1
        return None

    async def share(self, redis: Redis, now: int) -> None:
        """Begin the second `now`: tell the others what was counted here, and settle what is over."""
        over, self._second = self._second, now
        if now <= over:
            return
        try:
            totals = await self._totals(redis, over)
        except (RedisError, OSError) as error:
            logger.warning("messages are counted by each process for itself: %s", type(error).__name__)
            totals = {}
        self._settle(totals, over, now)

    def know(self) -> None:
        """The limits have been read anew."""
        self._limited = self._limits.are_any(MESSAGES)
        if not self._limited:
            self._buckets.clear()

    async def _totals(self, redis: Redis, over: int) -> Mapping[Key, int]:
        """What all processes have counted up to the second before the one that is just over, which some still add to."""
        keys = list(self._buckets)
        if not keys:
            return {}
        pipeline = redis.pipeline(transaction=False)
        for key in keys:
            if self._buckets[key].mine[over]:
                pipeline.hincrby(_hash(over), _field(key), self._buckets[key].mine[over])
        pipeline.expire(_hash(over), KEPT_S)
        pipeline.hmget(_hash(over - 1), [_field(key) for key in keys])
        counted = (await pipeline.execute())[-1]
        return {key: int(total or 0) for key, total in zip(keys, counted, strict=True)}

    def _settle(self, totals: Mapping[Key, int], over: int, now: int) -> None:
        for key, bucket in tuple(self._buckets.items()):
            own = sum(bucket.mine.pop(second) for second in list(bucket.mine) if second < over)
            bucket.rate = max(own, totals.get(key, 0))
            limit = self._limits.of(key[0], MESSAGES)[key[1] != EVERYBODY]
            if limit is None:
                del self._buckets[key]
                continue
            bucket.left = min(BURST_S * limit, bucket.left + limit * (now - over)) - bucket.rate
            if bucket.left >= BURST_S * limit and not bucket.mine:
                del self._buckets[key]


async def share_forever() -> None:
    """Once a second: read the limits anew and settle what was counted."""
    redis: Any = Redis.from_url(
        settings.REDIS_URL, socket_timeout=REDIS_TIMEOUT_S, socket_connect_timeout=REDIS_TIMEOUT_S
    )
    try:
        while True:
            try:
                await limits.refresh()
                rates.know()
                await rates.share(redis, int(time.time()))
            except Exception as error:  # noqa: BLE001 - whatever it is, the next second tries again
                logger.warning("limits could not be read: %s", type(error).__name__)
            await asyncio.sleep(SHARE_EVERY_S)
    finally:
        await redis.aclose()


def in_last_second(tenant_id: int) -> int:
    """How many messages a limited tenant sent in the last second that all have told of; for synchronous code."""
    with SyncRedis.from_url(
        settings.REDIS_URL, socket_timeout=REDIS_TIMEOUT_S, socket_connect_timeout=REDIS_TIMEOUT_S
    ) as redis:
        return int(redis.hget(_hash(int(time.time()) - 2), _field((tenant_id, EVERYBODY))) or 0)


def _hash(second: int) -> str:
    return f"{settings.AHP_REDIS_PREFIX}:messages:{second}"


def _field(key: Key) -> str:
    return f"{key[0]}:{key[1]}"


rates = MessageRates(limits)
