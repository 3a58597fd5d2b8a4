"""thumbwise compare: methods side by side on gold, which differences are real, and what the rules say twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.text import Text

from thumbwise.assess.baselines import CLIP, MethodChoice
from thumbwise.assess.comparison import Comparison, compare
from thumbwise.assess.scale_scores import ScaleScore
from thumbwise.cli import console as printed
from thumbwise.cli.console import progress, stdout, visible
from thumbwise.cli.json_output import check_json, deliver, print_delivered
from thumbwise.cli.label import read
from thumbwise.cli.wording import in_command_words
from thumbwise.io.roles import Roles
from thumbwise.outward import level, round_down, round_up

_SHOWN_PAIRS = 10


def compare_files(
    votes: Path,
    gold: Path | None,
    roles: Roles,
    *,
    methods: MethodChoice = "default",
    confidence: float = 0.95,
    json: str | None = None,
    overwrite: bool = False,
) -> None:
    """Read votes and gold, compare the methods, and print scores, differences and the verdict."""
    check_json(json, inputs=(votes, gold), overwrite=overwrite)
    reading = read(votes, gold, roles)
    with progress("comparing"):
        comparison = compare(reading, confidence_level=confidence, methods=methods)
    deliver(as_content(comparison), json, overwrite)
    console = stdout()
    printed.print_understood(console, str(votes), reading, roles.abstain)
    console.print()
    print_comparison(console, comparison)
    print_delivered(json)


def as_content(comparison: Comparison) -> dict[str, Any]:
    """What was found, under the keys that other programs may rely on."""
    content = asdict(replace(comparison, held_out=np.empty(0)))
    del content["held_out"]  # a row of numbers for each gold item
    remarks = [in_command_words(remark) for remark in comparison.remarks]
    return {**content, "remarks": remarks, "sentence": in_command_words(str(comparison))}


def print_comparison(console: Console, comparison: Comparison) -> None:
    """The tables, how to read them, and the verdict."""
    sure = level(comparison.confidence_level)
    headers = [
        "method",
        "log\nloss",
        f"log loss,\n{sure}",
        "accu-\nracy",
        f"accuracy,\n{sure}",
        "Brier",
        "fitted\non gold",
        "seconds",
    ]
    printed.print_table(console, "On gold", headers, _scores(comparison), groups=[1, 3, 5])
    console.print(
        Text(
            f"each gold item is predicted by a fit that has not seen its label ({comparison.n_folds} folds); log loss "
            f"counts no probability as less than {CLIP:g}; its intervals are bootstrapped, those of accuracy "
            "Clopper-Pearson; seconds: one fit to all items, mean of the folds, each begun where the one before ended"
        )
    )
    console.print()
    headers = ["method", "difference", sure, "p", "real"]
    printed.print_table(console, "Against Balsubramani-Freund", headers, _differences(comparison), groups=[1, 3])
    console.print(
        Text("difference: log loss minus that of Balsubramani-Freund; above 0, Balsubramani-Freund is better")
    )
    _print_scale(console, comparison, sure)
    console.print()
    if comparison.error_pairs:
        headers = ["rule", "rule", "correlation\nof errors", "shared\ngold votes"]
        printed.print_table(console, "Rules that err together", headers, _pairs(comparison), left=(0, 1))
    console.print(Text(visible(in_command_words(str(comparison))), style="bold"))


def _print_scale(console: Console, comparison: Comparison, sure: str) -> None:
    """How far labels are off, if classes are ordered."""
    rows = [[score.method, *_scale_cells(score.scale)] for score in comparison.scores if score.scale is not None]
    if rows:
        headers = ["method", "mean\nerror", sure, "difference", sure, "quadratic\nkappa", sure]
        printed.print_table(console, "On the scale", headers, rows)
        console.print(
            Text(
                "mean error: distance of the most probable class to gold; difference: that minus "
                "Balsubramani-Freund's; intervals are bootstrapped, each for itself"
            )
        )


def _scale_cells(scale: ScaleScore) -> list[str]:
    return [
        f"{scale.mean_absolute_error:.3f}",
        _range(scale.mean_absolute_error_interval),
        f"{scale.difference:+.3f}",
        _range(scale.difference_interval, "+"),
        f"{scale.quadratic_kappa:.3f}",
        _range(scale.quadratic_kappa_interval),
    ]


def _scores(comparison: Comparison) -> Iterator[list[str]]:
    for row in comparison.scores:
        yield [
            row.method,
            f"{row.log_loss:.3f}",
            _range(row.log_loss_interval),
            f"{row.accuracy:.3f}",
            _range(row.accuracy_interval),
            f"{row.brier:.3f}",
            "yes" if row.uses_gold else "no",
            f"{row.seconds:.2g}",
        ]


def _differences(comparison: Comparison) -> Iterator[list[str]]:
    for row in comparison.differences:
        interval, is_real = _range(row.interval, "+"), "yes" if row.is_real else "no"
        yield [row.method, f"{row.mean:+.3f}", interval, f"{row.p_value:.4f}", is_real]


def _pairs(comparison: Comparison) -> Iterator[list[str]]:
    for pair in comparison.error_pairs[:_SHOWN_PAIRS]:
        yield [pair.first, pair.second, f"{pair.correlation:+.2f}", f"{pair.n_shared:,}"]


def _range(bounds: tuple[float, float], sign: str = "") -> str:
    return f"{round_down(bounds[0]):{sign}.3f} .. {round_up(bounds[1]):{sign}.3f}"
