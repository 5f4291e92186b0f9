"""How are the results shown? A Markdown table for people, JSON for whoever compares days."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.benchmarks.benchmark import OURS, Settings
from tests.benchmarks.runner import Result, Verdict

HEAD = (
    "| benchmark | against, in the same run | figure | ours | theirs | ratio | target | met |",
    "|---|---|---|---:|---:|---:|---|---|",
)


def table(results: Sequence[Result]) -> str:
    """One line per target."""
    return "\n".join([*HEAD, *(_line(result, verdict) for result in results for verdict in result.verdicts)])


def circumstances(settings: Settings, facts: Mapping[str, Any]) -> str:
    """One sentence on how and where it was measured, to stand below the table."""
    lasting = "" if settings.seconds is None else f" of {settings.seconds:g} s"
    database = facts["postgresql"]
    return (
        f"Medians of {settings.runs} runs{lasting}. {facts['cores']} cores ({facts['processor']}), "
        f"{facts['memory_gib']} GiB, Python {facts['python']}, PostgreSQL {database['server_version']} "
        f"(fsync {database['fsync']}), commit {facts['commit']}."
    )


def write(results: Sequence[Result], settings: Settings, facts: Mapping[str, Any]) -> Path:
    """Keep everything that was measured, run by run; the path of the file."""
    now = datetime.now(UTC)
    path = settings.folder / f"{now:%Y-%m-%d-%H%M%S}.json"
    document = {
        "at": now.isoformat(timespec="seconds"),
        "machine": facts,
        "settings": {"runs": settings.runs, "seconds": settings.seconds},
        "benchmarks": [_kept(result) for result in results],
    }
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def _line(result: Result, verdict: Verdict) -> str:
    benchmark, target = result.benchmark, verdict.target
    value = "–" if verdict.value is None else f"{verdict.value:.2f} {target.unit}"
    word = f"{verdict.word}: {verdict.why}" if verdict.why and verdict.word != "yes" else verdict.word
    ours, theirs = (_shown(result.shown(side)) for side in (OURS, target.against))
    theirs = "–" if target.against == OURS else theirs
    cells = (benchmark.title, target.says, benchmark.shows, ours, theirs, value, target.bound, word)
    return f"| {' | '.join(cells)} |"


def _shown(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _kept(result: Result) -> dict[str, Any]:
    return {
        "name": result.benchmark.name,
        "title": result.benchmark.title,
        "includes": result.benchmark.includes,
        "targets": [
            {
                "against": verdict.target.against,
                "says": verdict.target.says,
                "bound": verdict.target.bound,
                "value": verdict.value,
                "outcome": verdict.word.strip("*"),
                "note": verdict.why,
            }
            for verdict in result.verdicts
        ],
        "runs": [{side: dict(figures) for side, figures in run.items()} for run in result.runs],
    }
