"""Do the benchmarks judge as they say?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from tests.benchmarks import report, runner
from tests.benchmarks.benchmark import OURS, Benchmark, Figures, Measure, Settings, Side, Skipped, Target

SETTINGS = Settings(Path("unused"))


def quiet(_: str) -> None:
    """Nobody listens."""


def side(name: str, values: Sequence[float], calls: list[str]) -> Side:
    rest = iter(values)

    def measure() -> Figures:
        calls.append(name)
        return {"per_s": next(rest)}

    @contextmanager
    def ready(_: Settings) -> Iterator[Measure]:
        yield measure

    return ready


def missing(_: Settings) -> AbstractContextManager[Measure]:
    raise Skipped("it is not installed")


def benchmark(ours: Side, theirs: Side, needs_cores: int = 1) -> Benchmark:
    ratio = Target("theirs", "the other one", lambda o, t: o["per_s"] / t["per_s"], at_least=0.7)
    return Benchmark("speed", "speed", {OURS: ours, "theirs": theirs}, [ratio], "per_s", "nothing", needs_cores)


def test_sides_take_turns_and_change_their_order() -> None:
    calls: list[str] = []
    runner.run(benchmark(side("a", [1, 1, 1], calls), side("b", [1, 1, 1], calls)), SETTINGS, quiet)
    assert calls == ["a", "b", "b", "a", "a", "b"]


def test_the_verdict_is_the_median_of_the_ratios_of_single_runs() -> None:
    result = runner.run(benchmark(side("a", [8, 50, 9], []), side("b", [10, 10, 10], [])), SETTINGS, quiet)
    (verdict,) = result.verdicts
    assert (verdict.value, verdict.word) == (0.9, "yes")


def test_a_missed_target_stands_out() -> None:
    result = runner.run(benchmark(side("a", [1, 1, 1], []), side("b", [2, 2, 2], [])), SETTINGS, quiet)
    assert report.table([result]).endswith("| 1 | 2 | 0.50 × | ≥ 0.7 | **no** |")


def test_a_side_that_cannot_be_measured_is_named_and_not_judged() -> None:
    said: list[str] = []
    result = runner.run(benchmark(side("a", [1, 1, 1], []), missing), SETTINGS, said.append)
    assert said[0] == "speed: SKIPPED theirs: it is not installed"
    assert "skipped: it is not installed" in report.table([result])


def test_a_machine_with_too_few_cores_proves_nothing() -> None:
    result = runner.run(benchmark(side("a", [1, 1, 1], []), side("b", [2, 2, 2], []), 10_000), SETTINGS, quiet)
    assert "does not count: needs 10000 cores" in report.table([result])
