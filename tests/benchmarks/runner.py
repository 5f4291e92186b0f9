"""How is a benchmark run, and what comes out of it?

All sides are made ready first and measured in turn, in the opposite order every other time, so that a machine that gets
slower or faster on the way does so for all of them. What is reported is the median of the ratios of the single runs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import median

from tests.benchmarks.benchmark import OURS, Benchmark, Figures, Measure, Settings, Skipped, Target

Run = Mapping[str, Figures]


@dataclass(frozen=True, slots=True)
class Verdict:
    """One target with what came out; no `value` where it could not be measured, `why` says why or what to know."""

    target: Target
    value: float | None
    why: str = ""

    @property
    def word(self) -> str:
        """The outcome in a word."""
        if self.value is None:
            return "skipped"
        if self.target.met(self.value):
            return "yes"
        return "does not count" if self.why else "**no**"


@dataclass(frozen=True, slots=True)
class Result:
    """Everything that was measured."""

    benchmark: Benchmark
    runs: Sequence[Run]
    verdicts: Sequence[Verdict]

    def shown(self, side: str) -> float | None:
        """The median of the side's figure for the table."""
        values = [run[side][self.benchmark.shows] for run in self.runs if side in run]
        return median(values) if values else None


def run(benchmark: Benchmark, settings: Settings, say: Callable[[str], None]) -> Result:
    """Measure every side `settings.runs` times."""
    with ExitStack() as stack:
        measures, skipped = _ready(benchmark, settings, stack)
        for name, reason in skipped.items():
            say(f"{benchmark.name}: SKIPPED {name}: {reason}")
        runs = []
        for number in range(settings.runs):
            order = list(measures) if number % 2 == 0 else list(reversed(measures))
            figures = {name: measures[name]() for name in order}
            runs.append(figures)
            for name in measures:
                say(f"{benchmark.name}: run {number + 1}, {name}: {_line(figures[name])}")
    return Result(benchmark, runs, [_judge(benchmark, target, runs, skipped) for target in benchmark.targets])


def _ready(benchmark: Benchmark, settings: Settings, stack: ExitStack) -> tuple[dict[str, Measure], dict[str, str]]:
    measures: dict[str, Measure] = {}
    skipped: dict[str, str] = {}
    for name, side in benchmark.sides.items():
        try:
            measures[name] = stack.enter_context(side(settings))
        except Skipped as reason:
            skipped[name] = str(reason)
    return measures, skipped


def _judge(benchmark: Benchmark, target: Target, runs: Sequence[Run], skipped: Mapping[str, str]) -> Verdict:
    if target.against in skipped:
        return Verdict(target, None, skipped[target.against])
    value = median(target.ratio(run[OURS], run[target.against]) for run in runs)
    cores = os.cpu_count() or 1
    why = f"needs {benchmark.needs_cores} cores, has {cores}" if cores < benchmark.needs_cores else ""
    return Verdict(target, value, why)


def _line(figures: Figures) -> str:
    return ", ".join(f"{name} {value:,.4g}" for name, value in figures.items())
