"""thumbwise certify: read predictions, votes and gold, print the guaranteed range of a score in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from rich.text import Text

from thumbwise.cli import console as printed
from thumbwise.cli.console import progress, stdout, visible
from thumbwise.cli.json_output import check_json, deliver, print_delivered
from thumbwise.cli.label import read
from thumbwise.game.models_as_rules import box_with_models, reason_seen
from thumbwise.game.prediction_costs import METRICS, Metric, Predictions
from thumbwise.game.ranges import Range, certify
from thumbwise.io.predictions import read_prediction_file
from thumbwise.io.readings import Reading
from thumbwise.io.roles import Roles
from thumbwise.summaries import plural

MetricChoice = Literal["accuracy", "log_loss", "brier", "all"]


def certify_files(
    predictions: Path,
    votes: Path,
    gold: Path | None,
    roles: Roles,
    *,
    metric: MetricChoice = "accuracy",
    versus: Path | None = None,
    gold_unseen: bool = False,
    confidence: float = 0.95,
    json: str | None = None,
    overwrite: bool = False,
) -> None:
    """Print what is guaranteed about the predictions of a file, or about the difference to those of another."""
    check_json(json, inputs=(predictions, votes, gold, versus), overwrite=overwrite)
    reading = read(votes, gold, roles)
    paths = [predictions] if versus is None else [predictions, versus]
    models = [read_prediction_file(path, reading, item_id=roles.item_id, form=roles.form.as_hint) for path in paths]
    metrics = _settle_metrics(metric, models)
    with progress("certifying"):
        ranges = _find_ranges(models, reading, metrics, gold_unseen, confidence)
    about_gold = _about_gold(models, reading, gold_unseen)
    deliver(as_content(reading, ranges, about_gold), json, overwrite)
    reading = replace(reading, notes=(*reading.notes, *(note for model in models for note in model.notes)))
    _print_ranges(str(votes), reading, ranges, roles.abstain, about_gold)
    print_delivered(json)


def as_content(reading: Reading, ranges: Sequence[Range], about_gold: str) -> dict[str, Any]:
    """What was found, under the keys that other programs may rely on."""
    evidence = ranges[0].evidence
    return {
        "ranges": [
            {
                "metric": certified.metric,
                "what": certified.what,
                "lower": certified.lower,
                "upper": certified.upper,
                "proves_something": certified.proves_something,
                "sentence": str(certified),
            }
            for certified in ranges
        ],
        "is_guarantee": evidence.is_guarantee,
        "confidence_level": evidence.confidence_level,
        "assumption": evidence.assumption,
        "weakness": None if evidence.is_guarantee else evidence.weakness,
        "n_items": reading.votes.n_items,
        "n_gold": len(reading.gold_labels),
        "remark": about_gold,
    }


def _settle_metrics(metric: MetricChoice, models: Sequence[Predictions]) -> list[Metric]:
    if metric != "all":
        return [metric]
    return list(METRICS) if all(model.proba is not None for model in models) else ["accuracy"]


def _find_ranges(
    models: Sequence[Predictions], reading: Reading, metrics: Sequence[Metric], gold_unseen: bool, confidence: float
) -> list[Range]:
    """One box for all metrics."""
    for name in metrics:
        for model in models:
            model.for_metric(name)  # what is missing is said before anything is computed
    if gold_unseen:
        pool, box = box_with_models(reading, models, confidence_level=confidence)
    else:
        pool, box = reading.votes, reading.box(confidence_level=confidence)
    ours, *theirs = models
    return [certify(ours, pool, box, metric=name, versus=theirs[0] if theirs else None) for name in metrics]


def _print_ranges(source: str, reading: Reading, ranges: Sequence[Range], abstain: str | None, about_gold: str) -> None:
    console = stdout()
    printed.print_understood(console, source, reading, abstain)
    console.print()
    for certified in ranges:
        console.print(str(certified), style="bold")
    console.print()
    console.print(Text(visible(about_gold)))


def _about_gold(models: Sequence[Predictions], reading: Reading, gold_unseen: bool) -> str:
    """Whether predictions on gold were used, and if not, whether they could be."""
    if gold_unseen:
        n_gold = plural(len(reading.gold_labels), "gold item")
        return f"the predictions on {n_gold} were used; this holds only if the model has not seen their labels"
    reason = reason_seen(models, reading.gold)
    if reason is not None:
        return f"{reason}; the range holds all the same, since nothing about other items is concluded from these labels"
    if reading.separate is not None:
        return "the range uses nothing that the predictions say on gold"
    return "if the model has not seen the gold labels, say --gold-unseen: the range will usually be tighter"
