"""thumbwise label: read votes and gold, fit, print what was found, write the labels."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Literal

from sklearn.exceptions import ConvergenceWarning

from thumbwise import console as printed
from thumbwise.commands.label_lazily import (
    NO_LIMITS,
    Limits,
    check_lazy_output,
    database,
    is_lazy,
    read_lazily,
    write_lazily,
)
from thumbwise.console import progress, stderr, stdout, visible
from thumbwise.exceptions import InvalidLabelsError
from thumbwise.gold_checks.label_fit import check_labels
from thumbwise.io.labeled import Shape, output_names, write_labels
from thumbwise.io.lazy_readings import LazyReading
from thumbwise.io.outputs import LABELS
from thumbwise.io.readings import Reading
from thumbwise.io.roles import Roles
from thumbwise.io.sources import read_source
from thumbwise.io.tables import check_table_file
from thumbwise.models.balsubramani_freund import BalsubramaniFreund
from thumbwise.overview import class_rows, find_overruled, rule_rows, worse_than_chance

OnInfeasible = Literal["raise", "widen"]


def label_files(
    votes: Path,
    gold: Path | None,
    output: Path | None,
    roles: Roles,
    *,
    confidence: float = 0.95,
    on_infeasible: OnInfeasible = "raise",
    shape: Shape = "table",
    limits: Limits = NO_LIMITS,
    overwrite: bool = False,
) -> None:
    """Label the items of a file, print what was found, and write the labels if there is an output."""
    if is_lazy(votes, roles):
        _label_lazily(votes, gold, output, roles, confidence, on_infeasible, limits, overwrite)
        return
    if output is not None:
        check_table_file(output, LABELS, inputs=(votes, gold), overwrite=overwrite)
    reading = read(votes, gold, roles)
    if output is not None:
        output_names(reading, shape)  # whether names of columns would clash is said now
    model = fit(reading, confidence, on_infeasible)
    # Whoever reads what is printed may stop reading at any line; the labels are there before the first.
    if output is not None:
        with progress("writing"):
            table = write_labels(reading, model, output, shape=shape, overwrite=overwrite)
    print_fit(str(votes), reading, model, roles.abstain)
    if output is not None:
        stdout().print(f"written: {visible(output)} ({table.n_rows:,} rows, {len(table.names)} columns)")


def _label_lazily(
    votes: Path,
    gold: Path | None,
    output: Path | None,
    roles: Roles,
    confidence: float,
    on_infeasible: OnInfeasible,
    limits: Limits,
    overwrite: bool,
) -> None:
    if output is not None:
        check_lazy_output(output, votes, gold, overwrite)
    with database(limits) as connection:
        reading = read_lazily(connection, votes, gold, roles)
        model = fit(reading, confidence, on_infeasible)
        if output is not None:
            write_lazily(connection, reading, model, check_lazy_output(output, votes, gold, overwrite))
        print_fit(str(votes), reading, model, roles.abstain)
        if output is not None:
            stdout().print(f"written: {visible(output)} ({reading.votes.n_items:,} rows)")


def read(votes: Path, gold: Path | None, roles: Roles) -> Reading:
    """Read and understand both files; without gold there is no certificate."""
    with progress("reading"):
        reading = read_source(votes, gold, roles)
    if not len(reading.gold_labels):
        raise InvalidLabelsError(
            "gold labels are needed: about a hundred items, drawn at random, whose class somebody checked. Name a file "
            "of ids and labels with gold=FILE, or a column of the votes with gold_column=NAME."
        )
    return reading


def fit(reading: Reading | LazyReading, confidence: float, on_infeasible: OnInfeasible) -> BalsubramaniFreund:
    """Fit to the box that gold gives; a fit that did not converge is said on stderr."""
    with progress("fitting"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        box = reading.box(confidence_level=confidence, n_permutations=999)
        model = BalsubramaniFreund(on_infeasible=on_infeasible).fit(reading.votes, box=box)
    for warning in caught:
        stderr().print(f"warning: {visible(warning.message)}")
    return model


def print_fit(
    source: str, reading: Reading | LazyReading, model: BalsubramaniFreund, abstain: str | None = None
) -> None:
    """What was understood, the tables of rules and classes, the certificate, and what to look out for."""
    console, votes = stdout(), reading.votes
    rows = rule_rows(model, votes)
    n_silent = int(votes.patterns.counts[votes.patterns.votes_per_pattern == 0].sum())
    printed.print_understood(console, source, reading, abstain)
    console.print()
    printed.print_rules(console, rows, votes.class_names)
    printed.print_classes(console, class_rows(model, votes))
    printed.print_certificate(console, model.certificate_)
    printed.print_label_fit(console, check_labels(reading.gold_votes, reading.gold_labels))
    worse = worse_than_chance(rows, votes.n_classes)
    printed.print_warnings(console, worse, find_overruled(model, votes), n_silent, votes.n_classes)
