"""thumbwise label: read votes and gold, fit, print what was found, write the labels."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
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
from thumbwise.console import in_command_words, progress, stderr, stdout, visible
from thumbwise.displays.classes import classes_table
from thumbwise.exceptions import InvalidFileError, InvalidLabelsError
from thumbwise.gold_checks.label_fit import check_labels
from thumbwise.io.labeled import Shape, output_names, write_labels
from thumbwise.io.lazy_readings import LazyReading
from thumbwise.io.readings import Reading
from thumbwise.io.roles import Roles
from thumbwise.io.sources import read_source
from thumbwise.io.tables import check_writable
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
    drop: Sequence[str] = (),
) -> None:
    """Label the items of a file, print what was found, and write the labels if there is an output."""
    if is_lazy(votes, roles):
        _label_lazily(votes, gold, output, roles, confidence, on_infeasible, limits, drop)
        return
    check_output(output, votes, gold)
    reading = read(votes, gold, roles)
    if output is not None:
        output_names(reading, shape)  # whether names of columns would clash is said now
    model = fit(reading, confidence, on_infeasible, drop)
    print_fit(str(votes), reading, model, roles.abstain, drop)
    if output is not None:
        _write(reading, model, output, shape)


def _label_lazily(
    votes: Path,
    gold: Path | None,
    output: Path | None,
    roles: Roles,
    confidence: float,
    on_infeasible: OnInfeasible,
    limits: Limits,
    drop: Sequence[str],
) -> None:
    check_lazy_output(output, votes, gold)
    with database(limits) as connection:
        reading = read_lazily(connection, votes, gold, roles)
        model = fit(reading, confidence, on_infeasible, drop)
        print_fit(str(votes), reading, model, roles.abstain, drop)
        if output is not None:
            n_rows = write_lazily(connection, reading, model, output)
            stdout().print(f"written: {visible(output)} ({n_rows:,} rows)")


def check_output(output: Path | None, *inputs: Path | None) -> None:
    """Whatever is wrong with the output is said before anything is computed."""
    if output is None:
        return
    target = check_writable(output)
    if target in [path.resolve() for path in inputs if path is not None]:
        raise InvalidFileError(f"the output must not be one of the inputs; {output} is. Choose another name.")


def read(votes: Path, gold: Path | None, roles: Roles, *, is_gold_needed: bool = True) -> Reading:
    """Read and understand both files; without gold there is no certificate."""
    with progress("reading"):
        reading = read_source(votes, gold, roles)
    if is_gold_needed and not len(reading.gold_labels):
        raise InvalidLabelsError(
            "gold labels are needed: about a hundred items, drawn at random, whose class somebody checked. Name a file "
            "of ids and labels with gold=FILE, or a column of the votes with gold_column=NAME."
        )
    return reading


def fit(
    reading: Reading | LazyReading, confidence: float, on_infeasible: OnInfeasible, drop: Sequence[str] = ()
) -> BalsubramaniFreund:
    """Fit to the box that gold gives, with nothing said about some rules; what did not converge is said on stderr.

    Rules are left out after gold labels were seen, so their parts of the error budget stay spent.
    """
    with progress("fitting"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        box = reading.box(confidence_level=confidence).without_rules(drop)
        model = BalsubramaniFreund(on_infeasible=on_infeasible).fit(reading.votes, box=box)
    for warning in caught:
        stderr().print(f"warning: {visible(in_command_words(str(warning.message)))}")
    return model


def print_fit(
    source: str,
    reading: Reading | LazyReading,
    model: BalsubramaniFreund,
    abstain: str | None = None,
    drop: Sequence[str] = (),
) -> None:
    """What was understood, the tables of rules and classes, the certificate, and what to look out for."""
    console, votes = stdout(), reading.votes
    rows = rule_rows(model, votes)
    n_silent = int(votes.patterns.counts[votes.patterns.votes_per_pattern == 0].sum())
    printed.print_understood(console, source, reading, abstain)
    printed.print_dropped(console, drop)
    console.print()
    printed.print_rules(console, rows, votes.class_names)
    printed.print_classes(console, class_rows(model, votes))
    printed.print_labels(console, classes_table(model, votes, reading.gold_labels))
    printed.print_certificate(console, model.certificate_)
    printed.print_label_fit(console, check_labels(reading.gold_votes, reading.gold_labels))
    worse = worse_than_chance(rows, votes.n_classes)
    printed.print_warnings(console, worse, find_overruled(model, votes), n_silent, votes.n_classes)


def _write(reading: Reading, model: BalsubramaniFreund, output: Path, shape: Shape) -> None:
    with progress("writing"):
        table = write_labels(reading, model, output, shape=shape)
    stdout().print(f"written: {visible(output)} ({table.n_rows:,} rows, {len(table.names)} columns)")
