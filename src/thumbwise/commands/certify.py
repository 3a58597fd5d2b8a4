"""thumbwise certify: read predictions, votes and gold, print the guaranteed range of a score in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from rich.text import Text

from thumbwise import console as printed
from thumbwise._typing import FloatArray, IntArray
from thumbwise.box import Box
from thumbwise.commands.label import read
from thumbwise.console import plural, progress, stdout, visible
from thumbwise.exceptions import InvalidFileError, InvalidLabelsError
from thumbwise.io.label_tables import is_label_table
from thumbwise.io.readings import Reading
from thumbwise.io.roles import ID_NAMES, Roles
from thumbwise.io.tables import Table, as_text, read_table
from thumbwise.labels import UNKNOWN
from thumbwise.metrics import first_best
from thumbwise.prediction_costs import METRICS, Metric, agrees_with_all
from thumbwise.ranges import Range, add_rule, certify
from thumbwise.votes import Votes

MetricChoice = Literal["accuracy", "log_loss", "brier", "all"]
_LABEL_NAMES = ("label", "prediction")


@dataclass(frozen=True, eq=False)
class FilePredictions:
    """Predictions of a file in the order of the votes.

    Attributes
    ----------
    where : str
        The file.
    labels : ndarray of shape (n_items, n_classes)
        One-hot, or probabilities if the file has nothing else.
    proba : ndarray of shape (n_items, n_classes) or None
        If the file has them.
    is_ours : bool
        Whether ``thumbwise label`` wrote the file, from what gold said.
    """

    where: str
    labels: FloatArray
    proba: FloatArray | None
    is_ours: bool = False

    def why_not_unseen(self, gold: IntArray) -> str | None:
        """Why these predictions cannot be ones that know nothing of gold, in words, if that is to be seen."""
        if self.is_ours:
            return f"{self.where} holds labels that thumbwise made with gold labels, as its columns show"
        if agrees_with_all(first_best(self.labels), gold):
            n_gold = plural(int((gold != UNKNOWN).sum()), "gold label")
            return f"the predictions of {self.where} agree with all {n_gold}, as those do that were made with them"
        return None

    def for_metric(self, metric: Metric) -> FloatArray:
        """Labels count for accuracy; probabilities for everything else."""
        if metric == "accuracy":
            return self.labels
        if self.proba is None:
            raise InvalidFileError(
                f"{metric} needs a column of probabilities for each class, p_<class>; found labels only. "
                "Add the columns, or choose --metric accuracy."
            )
        return self.proba


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
) -> None:
    """Print what is guaranteed about the predictions of a file, or about the difference to those of another."""
    reading = read(votes, gold, roles)
    paths = [predictions] if versus is None else [predictions, versus]
    models = [read_predictions(read_table(path), reading, str(path), roles.item_id) for path in paths]
    metrics = _settle_metrics(metric, models)
    given = [[model.for_metric(name) for model in models] for name in metrics]
    with progress("certifying"):
        pool, box = _make_box(reading, models if gold_unseen else [], confidence)
        ranges = [
            certify(ours, pool, box, metric=name, versus=theirs[0] if theirs else None)
            for name, (ours, *theirs) in zip(metrics, given, strict=True)
        ]
    _print_ranges(str(votes), reading, ranges, roles.abstain, _about_gold(models, reading, gold_unseen))


def read_predictions(table: Table, reading: Reading, where: str, id_name: str | None = None) -> FilePredictions:
    """Predictions for every item of the votes: a column ``label`` or ``prediction``, or columns ``p_<class>``."""
    rows = _match_rows(table, reading, where, id_name)
    names = [f"p_{name}" for name in reading.votes.class_names]
    present = [name for name in names if name in table.columns]
    if present and len(present) < len(names):
        missing = [name for name in names if name not in table.columns]
        raise InvalidFileError(
            f"{where} must have a column of probabilities for every class; {', '.join(map(repr, missing[:10]))} "
            "missing."
        )
    label_name = next((name for name in _LABEL_NAMES if name in table.columns), None)
    if label_name is None and not present:
        raise InvalidFileError(
            f"{where} must have a column 'label' or 'prediction', or columns of probabilities such as {names[0]!r}; "
            f"the columns are {', '.join(map(repr, table.names[:20]))}."
        )
    proba = _read_proba(table, names, where)[rows] if present else None
    if label_name is None and proba is not None:
        return FilePredictions(where, proba, proba)
    labels = _read_labels(table, label_name or "", reading.votes, where)[rows]
    return FilePredictions(where, np.eye(reading.votes.n_classes)[labels], proba, is_label_table(table.names))


def _match_rows(table: Table, reading: Reading, where: str, id_name: str | None) -> IntArray:
    """Row of the table for each item of the votes, by the text of the ids, or in order if the votes have none."""
    n_items = reading.votes.n_items
    if reading.id_name is None:
        if table.n_rows != n_items:
            raise InvalidLabelsError(f"{where} must have a row for each of {n_items} items; found {table.n_rows} rows.")
        return np.arange(n_items)
    ids = as_text(table.columns[_find_id(table, [id_name, reading.id_name], where)])
    row_of = {text: row for row, text in enumerate(ids)}
    if len(row_of) < len(ids):
        repeated = next(text for row, text in enumerate(ids) if row_of[text] != row)
        raise InvalidLabelsError(
            f"ids of {where} must be unique; {repeated!r} is found more than once "
            f"({len(ids) - len(row_of)} rows too many)."
        )
    wanted = [str(value) for value in reading.votes.item_ids.tolist()]
    missing = [text for text in wanted if text not in row_of]
    if missing or len(row_of) > n_items:
        strange = sorted(str(text) for text in set(row_of) - set(wanted))
        raise InvalidLabelsError(
            f"{where} must hold a prediction for each of {n_items} items and no other; "
            f"{_few(missing, 'without one')} and {_few(strange, 'not among the items')}. "
            "Ids are compared character by character."
        )
    return np.array([row_of[text] for text in wanted])


def _few(ids: Sequence[str], what: str) -> str:
    return f"{len(ids):,} are {what}" + (f", such as {ids[0]!r}" if ids else "")


def _find_id(table: Table, names: Sequence[str | None], where: str) -> str:
    likely = [name for name in table.names if name.strip().lower() in ID_NAMES]
    for name in [*names, *likely]:
        if name is not None and name in table.columns:
            return name
    raise InvalidFileError(
        f"{where} must have a column of ids called {names[-1]!r}, like the votes; the columns are "
        f"{', '.join(map(repr, table.names[:20]))}."
    )


def _read_proba(table: Table, names: Sequence[str], where: str) -> FloatArray:
    columns = []
    for name in names:
        texts = as_text(table.columns[name])
        try:
            columns.append([float(text or "nothing") for text in texts])
        except ValueError:
            row = next(row for row, text in enumerate(texts) if not _is_number(text))
            raise InvalidFileError(
                f"column {name!r} of {where} must hold numbers; found {texts[row] or 'nothing'!r} in row {row}, "
                "counting from 0."
            ) from None
    return np.array(columns).T


def _is_number(text: str | None) -> bool:
    try:
        float(text or "nothing")
    except ValueError:
        return False
    return True


def _read_labels(table: Table, name: str, votes: Votes, where: str) -> IntArray:
    """Class numbers, by the spelling of the classes; ``1.0`` is class ``1``."""
    texts = as_text(table.columns[name])
    number = {str(spelled): c for c, spelled in enumerate(votes.class_names)}
    number |= {f"{spelled}.0": c for c, spelled in enumerate(votes.class_names) if isinstance(spelled, int)}
    strange = [row for row, text in enumerate(texts) if text not in number]
    if strange:
        known = ", ".join(repr(str(spelled)) for spelled in votes.class_names[:10])
        raise InvalidLabelsError(
            f"predictions must be classes of the votes ({known}); column {name!r} of {where} holds "
            f"{texts[strange[0]] or 'nothing'!r} in row {strange[0]}, counting from 0 ({len(strange)} such rows). If "
            "there are more classes, list them with --classes."
        )
    return np.array([number[str(text)] for text in texts])


def _settle_metrics(metric: MetricChoice, models: Sequence[FilePredictions]) -> list[Metric]:
    if metric != "all":
        return [metric]
    return list(METRICS) if all(model.proba is not None for model in models) else ["accuracy"]


def _make_box(reading: Reading, models: Sequence[FilePredictions], confidence: float) -> tuple[Votes, Box]:
    """The box that gold gives, about the models too if they have not seen it."""
    if not models:
        return reading.votes, reading.box(confidence_level=confidence)
    if reading.separate is not None:
        raise InvalidLabelsError(
            "--gold-unseen needs gold items that have a prediction; these gold items are not among the items of the "
            "votes. Drop --gold-unseen."
        )
    reason = _reason_seen(models, reading)
    if reason is not None:
        raise InvalidLabelsError(
            f"--gold-unseen must be true: {reason}. The range would be false. Drop --gold-unseen; the range then holds "
            "whatever the model has seen."
        )
    pool = reading.votes
    for model, name in zip(models, ("predictions", "versus"), strict=False):
        pool = add_rule(pool, model.labels, name if name not in pool.rule_names else f"{name} of the other file")
    return pool, replace(reading, votes=pool).box(confidence_level=confidence)


def _reason_seen(models: Sequence[FilePredictions], reading: Reading) -> str | None:
    """Why one of the models has seen gold, if that is to be seen in its predictions."""
    return next((reason for model in models if (reason := model.why_not_unseen(reading.gold)) is not None), None)


def _print_ranges(source: str, reading: Reading, ranges: Sequence[Range], abstain: str | None, about_gold: str) -> None:
    console = stdout()
    printed.print_understood(console, source, reading, abstain)
    console.print()
    for found in ranges:
        console.print(str(found), style="bold")
    console.print()
    console.print(Text(visible(about_gold)))


def _about_gold(models: Sequence[FilePredictions], reading: Reading, gold_unseen: bool) -> str:
    """Whether predictions on gold were used, and if not, whether they could be."""
    if gold_unseen:
        n_gold = plural(len(reading.gold_labels), "gold item")
        return f"the predictions on {n_gold} were used; this holds only if the model has not seen their labels"
    reason = _reason_seen(models, reading)
    if reason is not None:
        return f"{reason}; the range holds all the same, since nothing about other items is concluded from these labels"
    if reading.separate is not None:
        return "the range uses nothing that the predictions say on gold"
    return "if the model has not seen the gold labels, say --gold-unseen: the range will usually be tighter"
