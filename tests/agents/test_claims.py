"""Is every turn run by one host at most, and held only as long as it is renewed?"""

from __future__ import annotations

import asyncio

from ahp_platform.agents import claims
from ahp_platform.eventlog.pool import fetch
from tests.agents.conftest import CHAT, SESSION, Bench, holder


async def test_a_turn_can_be_claimed_once_it_is_in_the_log(bench: Bench) -> None:
    host = holder()
    assert await bench.claim(host) == []
    await bench.start("t1", model={"id": "big\x00"})
    (claim,) = await bench.claim(host)
    assert (claim.key.chat, claim.key.turn_id, claim.session) == (CHAT, "t1", SESSION)
    assert (claim.provider, claim.user_id) == ("demo", 7)
    row = await bench.row("t1")
    assert (row["state"], row["host"], row["fence"], row["model"]) == (
        "running",
        host.host,
        1,
        "big\N{REPLACEMENT CHARACTER}",
    )
    assert await bench.claim(holder()) == []


async def test_a_turn_cancelled_before_it_was_claimed_never_runs(bench: Bench) -> None:
    await bench.start("t1")
    await bench.cancel("t1")
    assert await bench.claim(holder()) == []
    assert (await bench.row("t1"))["state"] == "cancelled"


async def test_hosts_that_claim_at_once_share_the_turns(bench: Bench) -> None:
    for number in range(20):
        await bench.start(f"t{number}")
        await bench.cancel(f"t{number}")
    query = "UPDATE agents_turn SET state = 'waiting' WHERE tenant_id = %s RETURNING id"
    await fetch(query, (bench.log.tenant_id,), tenant=bench.log.tenant_id)
    found = await asyncio.gather(*(claims.TURNS.claim(holder(), 3) for _ in range(8)))
    taken = [claim.lease.id for batch in found for claim in batch]
    assert len(taken) == len(set(taken))
    assert len(taken) + len(await claims.TURNS.claim(holder(), 100)) == 20


async def test_a_lease_that_is_renewed_is_not_taken_over(bench: Bench) -> None:
    host = holder()
    await bench.start("t1")
    (claim,) = await bench.claim(host)
    assert await claims.TURNS.renew(host, [claim.lease]) == {claim.lease}
    assert await claims.TURNS.take_over(holder(), 10) == []


async def test_a_lease_that_ran_out_is_taken_over_by_one_and_lost_to_the_other(bench: Bench) -> None:
    dead, living = holder(lease_s=-1), holder()
    await bench.start("t1")
    (old,) = await bench.claim(dead)
    (new,) = await claims.TURNS.take_over(living, 10)
    assert new.lease == (old.lease.id, old.lease.fence + 1)
    assert await claims.TURNS.take_over(holder(), 10) == []
    assert await claims.TURNS.renew(dead, [old.lease]) == set()
    await claims.close(old.lease, "cancelled")
    assert (await bench.row("t1"))["state"] == "running"


async def test_a_turn_taken_over_is_never_claimed_to_run_again(bench: Bench) -> None:
    await bench.start("t1")
    await bench.claim(holder(lease_s=-1))
    await claims.TURNS.take_over(holder(lease_s=-1), 10)
    assert await bench.claim(holder()) == []


async def test_a_turn_that_ended_is_no_longer_held(bench: Bench) -> None:
    host = holder()
    await bench.start("t1")
    (claim,) = await bench.claim(host)
    await bench.act("chat/usage", turnId="t1", usage={"inputTokens": 3, "outputTokens": 4, "model": "m"})
    await bench.act("chat/error", turnId="t1", duration=12, error={"errorType": "x", "message": "y"})
    row = await bench.row("t1")
    assert (row["state"], row["duration_ms"], row["error_type"], row["host"]) == ("error", 12, "x", None)
    assert (row["input_tokens"], row["output_tokens"], row["model"]) == (3, 4, "m")
    assert await claims.TURNS.renew(host, [claim.lease]) == set()


async def test_an_id_that_comes_again_after_truncation_is_a_turn_of_its_own(bench: Bench) -> None:
    host = holder()
    await bench.start("t1")
    (first,) = await bench.claim(host)
    await bench.act("chat/truncated")
    assert (await bench.row("t1"))["state"] == "cancelled"
    await bench.start("t1")
    (second,) = await bench.claim(host)
    assert second.lease.fence > first.lease.fence
    assert await claims.TURNS.renew(host, [first.lease]) == set()
