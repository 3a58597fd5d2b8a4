"""thumbwise demo: label a made-up case that needs no file, and compare with the truth."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.text import Text

from thumbwise.cli import console as printed
from thumbwise.cli.console import progress, stdout, visible
from thumbwise.cli.json_output import check_json, deliver, print_delivered
from thumbwise.cli.right_labels import sentences
from thumbwise.datasets.demo import load_demo, misled, others, score_methods
from thumbwise.datasets.examples import Demo, write_demo
from thumbwise.metrics import log_loss
from thumbwise.models.balsubramani_freund import BalsubramaniFreund


def show_demo(folder: Path | None, *, overwrite: bool = False, json: str | None = None) -> None:
    """Label the demo, print what was found, and compare with the truth; write its files if there is a folder."""
    check_json(json, overwrite=overwrite)
    demo = load_demo()
    if folder is not None:
        write_demo(demo, folder, overwrite=overwrite)
    with progress("fitting"):
        model = BalsubramaniFreund().fit(demo.votes, demo.gold_labels)
        scores = score_methods(demo, model)
    items = others(demo)
    loss = log_loss(demo.labels[items], model.predict_proba(demo.votes.take(items)), clip=0)
    deliver(_as_content(demo, model, scores, loss, folder), json, overwrite)
    console = stdout()
    console.print(demo.description)
    console.print()
    _print_judges(console, demo, model)
    console.print(Text(f"{sentences(model.certificate_)}\n", style="bold"))
    printed.print_scores(console, scores, loss, model.certificate_.log_loss_bound)
    _print_misled(console, demo, model)
    _print_what_next(console, folder)
    print_delivered(json)


def _as_content(
    demo: Demo, model: BalsubramaniFreund, scores: Sequence[tuple[str, float, float]], loss: float, folder: Path | None
) -> dict[str, Any]:
    """What was found, under the keys that other programs may rely on."""
    certificate = model.certificate_
    written = [] if folder is None else [str(folder / name) for name in ("votes.csv", "gold.csv")]
    return {
        "n_items": demo.votes.n_items,
        "n_gold": len(demo.gold),
        "log_loss": loss,
        "log_loss_bound": certificate.log_loss_bound,
        "bound_held": bool(loss <= certificate.log_loss_bound),
        "confidence_level": certificate.confidence_level,
        "scores": [dict(zip(("method", "log_loss", "accuracy"), row, strict=True)) for row in scores],
        "sentence": sentences(certificate),
        "written": written,
    }


def _print_judges(console: Console, demo: Demo, model: BalsubramaniFreund) -> None:
    """Each judge on gold, the interval that gold gives, and the truth, which only a made-up case can show."""
    headers = ["judge", "grades", "right\non gold", "lower\nbound", "upper\nbound", "right\nin truth"]
    box, rows = model.box_, []
    for j, (name, votes) in enumerate(zip(demo.votes.rule_names, demo.votes.array.T, strict=True)):
        voted, is_right = votes >= 0, votes == demo.labels
        shares = [is_right[demo.gold][voted[demo.gold]].mean(), box.lower[j], box.upper[j], is_right[voted].mean()]
        rows.append([name, f"{voted.sum():,}", *(f"{share:.2f}" for share in shares)])
    printed.print_table(console, "Judges, and how often their grades are right", headers, rows)


def _print_misled(console: Console, demo: Demo, model: BalsubramaniFreund) -> None:
    items = misled(demo)
    names = np.array(demo.votes.class_names)[demo.labels[items]]
    share = (model.predict(demo.votes.take(items)) == names).mean()
    percent = f"{100 * share:.0f} %"
    console.print(f"Where most grades are wrong ({len(items)} answers), thumbwise is right on {percent}.")


def _print_what_next(console: Console, folder: Path | None) -> None:
    console.print()
    if folder is not None:
        written = ", ".join(visible(folder / name) for name in ("votes.csv", "gold.csv", "items.csv"))
        console.print(f"Written: {written}")
    where = "" if folder is None else f"{visible(folder)}/"
    console.print(f"On files of your own: thumbwise label {where}votes.csv --gold {where}gold.csv -o labels.csv")
    if folder is None:
        console.print("To see such files: thumbwise demo --write DIR")
