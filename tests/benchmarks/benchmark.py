"""What is a benchmark?

Sides that are measured in turn, ours first, and targets that compare ours with another one. Figures of one machine on
one day mean little; ratios of two sides measured next to each other do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

OURS = "ours"

Figures = Mapping[str, float]
Measure = Callable[[], Figures]


class Skipped(Exception):
    """A side cannot be measured on this machine; the text says why."""


class Spoiled(Exception):
    """A measurement ended without figures that mean anything."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How long and how often to measure, and the folder for what is made on the way."""

    folder: Path
    runs: int = 3
    seconds: float | None = None

    def seconds_or(self, usual: float) -> float:
        """For how long to measure one side once."""
        return self.seconds if self.seconds is not None else usual


# Makes everything ready, gives the function that measures once, and clears up.
Side = Callable[[Settings], AbstractContextManager[Measure]]


@dataclass(frozen=True, slots=True)
class Target:
    """A bound on what `ratio` makes of the figures of ours and of the side that it is held against."""

    against: str
    says: str
    ratio: Callable[[Figures, Figures], float]
    at_least: float | None = None
    at_most: float | None = None
    unit: str = "×"

    def met(self, value: float) -> bool:
        """Whether the value is within the bound."""
        return (self.at_least is None or value >= self.at_least) and (self.at_most is None or value <= self.at_most)

    @property
    def bound(self) -> str:
        """The bound as a person reads it."""
        return f"≥ {self.at_least:g}" if self.at_least is not None else f"≤ {self.at_most:g}"


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One row of DESIGN.md section 8. `shows` names the figure of each side that the table gives, with its format."""

    name: str
    title: str
    sides: Mapping[str, Side]
    targets: Sequence[Target]
    shows: str
    includes: str
    needs_cores: int = field(default=1)
