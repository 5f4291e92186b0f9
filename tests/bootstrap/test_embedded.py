"""Do the embedded servers start, keep what they must, and stop with us?"""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
import redis

from ahp_platform.embedded.servers import running_servers


@pytest.fixture
def nothing_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "REDIS_URL"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(f"{name}_FILE", raising=False)


@pytest.mark.usefixtures("nothing_named")
def test_postgres_is_durable_and_keeps_its_data_over_a_restart(tmp_path: Path) -> None:
    with running_servers(tmp_path) as urls, psycopg.connect(urls["DATABASE_URL"]) as connection:
        assert connection.execute("SHOW fsync").fetchone() == ("on",)
        assert connection.execute("SHOW server_encoding").fetchone() == ("UTF8",)
        connection.execute("CREATE TABLE kept AS SELECT 7 AS number")
    with running_servers(tmp_path) as urls, psycopg.connect(urls["DATABASE_URL"]) as connection:
        assert connection.execute("SELECT number FROM kept").fetchone() == (7,)


@pytest.mark.usefixtures("nothing_named")
def test_valkey_answers_only_those_who_know_its_password(tmp_path: Path) -> None:
    with running_servers(tmp_path) as urls:
        with redis.Redis.from_url(urls["REDIS_URL"]) as ours:
            assert ours.ping()
            port = ours.connection_pool.connection_kwargs["port"]
        with redis.Redis(port=port) as stranger, pytest.raises(redis.AuthenticationError):
            stranger.ping()
    with redis.Redis.from_url(urls["REDIS_URL"]) as gone, pytest.raises(redis.ConnectionError):
        gone.ping()


@pytest.mark.usefixtures("nothing_named")
def test_a_path_too_long_for_a_socket_still_works(tmp_path: Path) -> None:
    with running_servers(tmp_path / ("deep-" * 20)) as urls, psycopg.connect(urls["DATABASE_URL"]) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_server_that_is_named_is_not_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://elsewhere/ahp")
    monkeypatch.setenv("REDIS_URL", "redis://elsewhere/0")
    with running_servers(tmp_path) as urls:
        assert dict(urls) == {}
        assert list(tmp_path.iterdir()) == []
