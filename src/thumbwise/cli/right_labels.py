"""How many labels are right, first of all that a command says of them; and all of it for other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.text import Text

from thumbwise.assess.tables.accuracy import MOST_CLASSES, accuracy_table
from thumbwise.assess.tables.classes import count_labels
from thumbwise.assess.tables.tidy import Tidy
from thumbwise.cli.console import print_table
from thumbwise.outward import level, percent_at_least
from thumbwise.summaries import NOTHING, whole

if TYPE_CHECKING:
    from thumbwise.game.certificate import Certificate
    from thumbwise.io.readings import Reading


def print_right_labels(console: Console, certificate: Certificate) -> None:
    """The sentence about right labels, that about the log loss, and precision and recall of each class."""
    console.print(Text(sentences(certificate), style="bold"))
    if certificate.is_guarantee and certificate.confidence_level is not None and certificate.n_open:
        sure = level(certificate.confidence_level)
        console.print(Text(f"each of these two statements holds with {sure} confidence on its own"))
    console.print()
    print_by_class(console, accuracy_table(certificate))


def sentences(certificate: Certificate) -> str:
    """What is proved of labels, then of probabilities, a line each."""
    accuracy = [] if certificate.accuracy is None or certificate.n_open == 0 else [str(certificate.accuracy)]
    return "\n".join([*accuracy, str(certificate)])


def print_by_class(console: Console, table: Tidy) -> None:
    """Precision and recall of each class, at least; nothing where all is known."""
    if table.facts["n_items"] == 0:
        return
    if not len(table):
        n_classes = table.facts["n_classes"]
        console.print(f"precision and recall are found for up to {MOST_CLASSES} classes; there are {n_classes:,}")
        console.print()
        return
    rows = [
        [str(row["class"]), whole(row["n_labeled"]), _share(row["precision_at_least"]), _share(row["recall_at_least"])]
        for row in table.rows()
    ]
    headers = ["class", "items\nlabeled so", "precision\nat least", "recall\nat least"]
    print_table(console, "Right labels by class, without gold", headers, rows, groups=[1, 2])


def _share(share: float | None) -> str:
    return NOTHING if share is None else percent_at_least(share)


def as_json(reading: Reading, model: Any, method: str) -> dict[str, Any]:
    """What ``thumbwise label`` found, under the keys that other programs may rely on."""
    certificate, table = model.certificate_, accuracy_table(model.certificate_)
    evidence = certificate.evidence
    return {
        "accuracy_at_least": table.facts["accuracy_at_least"],
        "accuracy_at_least_all": table.facts["accuracy_at_least_all"],
        "accuracy_expected": table.facts["expected"],
        "log_loss_bound": certificate.log_loss_bound,
        "is_guarantee": certificate.is_guarantee,
        "proves_something": certificate.proves_something,
        "counts": _counts(reading, model),
        "confidence_level": evidence.confidence_level,
        "assumption": evidence.assumption,
        "weakness": None if evidence.is_guarantee else evidence.weakness,
        "n_items": certificate.n_items,
        "n_gold": evidence.n_gold,
        "n_known": certificate.n_known,
        "n_reviewed": certificate.n_reviewed,
        "method": method,
        "intervals": evidence.method,
        "classes": [dict(row) for row in table.rows()] if len(table) else None,
    }


def _counts(reading: Reading, model: Any) -> dict[str, int]:
    """Labels of all items by class, those that keep their gold label among them."""
    counts = count_labels(model, model._read(reading.votes))
    if model.known_ is not None:
        counts = counts + np.bincount(model.known_.labels, minlength=len(counts))
    return dict(zip(map(str, reading.votes.class_names), counts.tolist(), strict=True))
