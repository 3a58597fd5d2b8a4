"""Specifications of experiments: frozen, so that each can be named by a fingerprint and resumed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TypeAlias

Value: TypeAlias = float | int | str | None
Row: TypeAlias = dict[str, Value]


@dataclass(frozen=True, order=True)
class Fit:
    """The key of one row: what is fitted, to what.

    Attributes
    ----------
    dataset, method : str
    run : int
        Number of the run: seed of a random method, number of the draw of gold.
    n_gold : int
        Gold labels drawn; 0 for a method that needs none.
    n_items : int
        Items used, of data that is generated; 0 for all.
    """

    dataset: str
    method: str
    run: int = 0
    n_gold: int = 0
    n_items: int = 0

    @property
    def key(self) -> str:
        """The same text for the same fit, always."""
        return "/".join(map(str, astuple(self)))


@dataclass(frozen=True)
class Settings:
    """What is the same for all fits of an experiment.

    Attributes
    ----------
    data : Path or None
        Where the datasets are; does not count for the fingerprint.
    n_starts : int
        Random starts of EBCC.
    """

    data: Path | None = None
    n_starts: int = 100


Measure: TypeAlias = Callable[[Fit, Settings], Mapping[str, Value]]


def equal_cost(_fit: Fit) -> float:
    """For fits that all take about the same time."""
    return 1.0


@dataclass(frozen=True)
class Experiment:
    """Fits to be made, and the function that makes one.

    Attributes
    ----------
    name : str
        Of its files.
    fits : tuple of Fit
        Each once.
    measure : function
        Takes a fit and the settings and returns the values of its row. At the top level of a module, because worker
        processes import it.
    settings : Settings
    cost : function
        Roughly the seconds that a fit takes. Slow ones are started first, so that no process is left alone with a long
        one at the end, and the time left is judged by it. It does not count for the fingerprint.
    """

    name: str
    fits: tuple[Fit, ...]
    measure: Measure
    settings: Settings = Settings()
    cost: Callable[[Fit], float] = equal_cost

    def __post_init__(self) -> None:
        if len(set(self.fits)) < len(self.fits):
            raise ValueError(f"the fits of experiment {self.name!r} must differ; some occur twice.")

    @property
    def fingerprint(self) -> str:
        """Of everything that rows depend on, but for the order of the fits and where data lies."""
        measure = f"{self.measure.__module__}.{self.measure.__qualname__}"
        content = [self.name, measure, self.settings.n_starts, sorted(fit.key for fit in self.fits)]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]
