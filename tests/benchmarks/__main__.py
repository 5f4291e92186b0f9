"""How are the benchmarks run? `./ahp bench`, on a database of their own, which is dropped in the end."""

from __future__ import annotations

import argparse
import io
import os
import resource
import secrets
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import django
import psycopg
from django.conf import settings as django_settings
from django.core.management import call_command
from psycopg import sql
from psycopg.conninfo import make_conninfo

from ahp_platform import local
from ahp_platform.embedded.servers import running_servers
from ahp_platform.env import env_secret
from ahp_platform.row_security import roles
from ahp_platform.row_security.names import APPLICATION
from tests.benchmarks import machine, report, runner
from tests.benchmarks.benchmark import Settings, Skipped, Spoiled


def main() -> int:
    """Run the benchmarks that were asked for; 1 where one of them could not be measured."""
    asked = _arguments()
    folder = local.data_dir() / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    settings = Settings(folder, asked.runs, asked.seconds)
    _allow_many_files()
    # Ended from outside, we still drop our database and end our servers.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with running_servers(folder / "servers") as urls:
        os.environ |= urls
        with _own_database() as database:
            return _run(asked.names, settings, database)


def _run(names: list[str], settings: Settings, database: str) -> int:
    django.setup()
    call_command("prepare", stdout=io.StringIO())
    django_settings.AHP_DATABASE_ROLE = APPLICATION
    # Only now: the rows import models.
    from tests.benchmarks.rows import BENCHMARKS

    unknown = set(names) - {benchmark.name for benchmark in BENCHMARKS}
    if unknown:
        _say(f"no such benchmark: {', '.join(sorted(unknown))}; there are {', '.join(b.name for b in BENCHMARKS)}")
        return 2
    results, failed = [], []
    for benchmark in BENCHMARKS:
        if names and benchmark.name not in names:
            continue
        try:
            results.append(runner.run(benchmark, settings, _say))
        except (Skipped, Spoiled) as reason:
            _say(f"{benchmark.name}: NOT MEASURED: {reason}")
            failed.append(benchmark.name)
    facts = machine.facts(database)
    path = report.write(results, settings, facts)
    said = (report.table(results), report.circumstances(settings, facts), f"Everything that was measured: {path}")
    sys.stdout.write("\n" + "\n\n".join(said) + "\n")
    return 1 if failed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./ahp bench", description="The benchmarks of DESIGN.md section 8.")
    parser.add_argument("names", nargs="*", help="which ones; all where none is named")
    parser.add_argument("--runs", type=int, default=3, help="how often each side is measured")
    parser.add_argument("--seconds", type=float, help="for how long, instead of what each benchmark has")
    return parser.parse_args()


@contextmanager
def _own_database() -> Iterator[str]:
    server, name = env_secret("DATABASE_URL"), f"ahp_bench_{secrets.token_hex(4)}"
    admin = make_conninfo(server, dbname="postgres")
    with psycopg.connect(admin, autocommit=True) as conn:
        conn.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    own = make_conninfo(server, dbname=name)
    os.environ.pop("DATABASE_URL_FILE", None)
    os.environ |= {"DATABASE_URL": own, "AHP_REDIS_PREFIX": name, "AHP_HTTPS": "0", "AHP_LOG_LEVEL": "WARNING"}
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ahp_platform.settings")
    local.adopt()
    try:
        yield own
    finally:
        with psycopg.connect(admin, autocommit=True) as conn:
            conn.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
            for statement in roles.drop(name):
                conn.execute(statement)


def _allow_many_files() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
