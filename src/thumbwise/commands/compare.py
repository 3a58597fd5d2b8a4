"""thumbwise compare: methods side by side on gold, which differences are real, and what the rules say twice."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from thumbwise import console as printed
from thumbwise.baselines import CLIP, MethodChoice
from thumbwise.commands.label import read
from thumbwise.comparison import Comparison, compare
from thumbwise.console import _cell, _grid, progress, stdout, visible
from thumbwise.io.roles import Roles
from thumbwise.outward import level, round_down, round_up

_SHOWN_PAIRS = 10


def compare_files(
    votes: Path, gold: Path | None, roles: Roles, *, methods: MethodChoice = "default", confidence: float = 0.95
) -> None:
    """Read votes and gold, compare the methods, and print scores, differences and the verdict."""
    reading = read(votes, gold, roles)
    with progress("comparing"):
        found = compare(
            reading.gold_votes,
            reading.gold_labels,
            pool=reading.votes,
            confidence_level=confidence,
            gold_is=reading.gold_is,
            methods=methods,
        )
    console = stdout()
    printed.print_understood(console, str(votes), reading, roles.abstain)
    console.print()
    print_comparison(console, found)


def print_comparison(console: Console, found: Comparison) -> None:
    """The tables, how to read them, and the verdict."""
    console.print(_scores(found))
    console.print(
        Text(
            f"each gold item is predicted by a fit that has not seen its label ({found.n_folds} folds); log loss "
            f"counts no probability as less than {CLIP:g}; its intervals are bootstrapped, those of accuracy "
            "Clopper-Pearson; seconds are those of one fit to all items"
        )
    )
    console.print(_differences(found))
    console.print(
        Text("difference: log loss minus that of Balsubramani-Freund; above 0, Balsubramani-Freund is better")
    )
    if found.error_pairs:
        console.print(_pairs(found))
    console.print()
    console.print(Text(visible(found), style="bold"))


def _scores(found: Comparison) -> Grid:
    sure = level(found.confidence_level)
    grid = _grid("On gold", ["method", "log loss", sure, "accuracy", sure, "Brier", "fitted on gold", "seconds"])
    for row in found.scores:
        cells = [
            f"{row.log_loss:.3f}",
            _range(row.log_loss_interval),
            f"{row.accuracy:.3f}",
            _range(row.accuracy_interval),
            f"{row.brier:.3f}",
            "yes" if row.uses_gold else "no",
            f"{row.seconds:.2g}",
        ]
        grid.add_row(*map(_cell, [row.method, *cells]))
    return grid


def _differences(found: Comparison) -> Grid:
    sure = level(found.confidence_level)
    grid = _grid("Against Balsubramani-Freund", ["method", "difference", sure, "p", "real"])
    for row in found.differences:
        cells = [f"{row.mean:+.3f}", _range(row.interval, "+"), f"{row.p_value:.4f}", "yes" if row.is_real else "no"]
        grid.add_row(*map(_cell, [row.method, *cells]))
    return grid


def _pairs(found: Comparison) -> Grid:
    grid = _grid("Rules that err together", ["rule", "rule", "correlation\nof errors", "shared\ngold votes"])
    for pair in found.error_pairs[:_SHOWN_PAIRS]:
        grid.add_row(*map(_cell, [pair.first, pair.second, f"{pair.correlation:+.2f}", f"{pair.n_shared:,}"]))
    return grid


def _range(bounds: tuple[float, float], sign: str = "") -> str:
    return f"{round_down(bounds[0]):{sign}.3f} .. {round_up(bounds[1]):{sign}.3f}"
