"""Do several processes serve as one, and does each come back?"""

from __future__ import annotations

import os
import signal

import httpx
import pytest

from tests.service import RunningService

# With two processes behind a port, so many connections that all reach the same one are no bad luck (2 to the -30th).
CONNECTIONS = 30


def pids_behind(service: RunningService, until: int) -> set[int]:
    """The web processes that answer new connections, asked until so many were met."""
    met: set[int] = set()
    for _ in range(CONNECTIONS):
        met.add(httpx.get(f"{service.http}/healthz").json()["pid"])
        if len(met) == until:
            break
    return met


def test_connections_spread_over_both_web_processes(cluster: RunningService) -> None:
    assert pids_behind(cluster, until=2) == {cluster.pid("web-1"), cluster.pid("web-2")}


def test_each_web_process_has_a_port_of_its_own(cluster: RunningService) -> None:
    met = [httpx.get(f"http://127.0.0.1:{port}/healthz").json()["pid"] for port in cluster.web_ports()]
    assert met == [cluster.pid("web-1"), cluster.pid("web-2")]


def test_a_killed_web_process_is_not_missed_and_comes_back(cluster: RunningService) -> None:
    killed = cluster.pid("web-1")
    cluster.kill("web-1")
    met = pids_behind(cluster, until=2)
    restarted = cluster.wait_restarted("web-1", after=killed)
    # It may have come back while we asked.
    assert {cluster.pid("web-2")} <= met <= {cluster.pid("web-2"), restarted}


@pytest.mark.parametrize(("name", "known_as"), [("valkey", "redis"), ("postgres", "database")])
def test_a_server_that_does_not_answer_is_named_until_it_does(
    cluster: RunningService, name: str, known_as: str
) -> None:
    os.kill(cluster.pid(name), signal.SIGSTOP)
    away = httpx.get(f"{cluster.http}/readyz", timeout=10)
    os.kill(cluster.pid(name), signal.SIGCONT)
    assert (away.status_code, away.json()["away"]) == (503, [known_as])
    assert away.elapsed.total_seconds() < 4
    cluster.wait_answer("/readyz", 200)


@pytest.mark.parametrize("name", ["valkey", "postgres", "celery", "host-1"])
def test_what_is_killed_comes_back(cluster: RunningService, name: str) -> None:
    killed = cluster.pid(name)
    cluster.kill(name)
    cluster.wait_restarted(name, after=killed)
    cluster.wait_answer("/readyz", 200)


def test_a_cluster_that_was_hurt_still_ends_in_order(cluster: RunningService) -> None:
    assert cluster.stop() == 0
    assert not [line for line in cluster.lines if "is killed" in line]
