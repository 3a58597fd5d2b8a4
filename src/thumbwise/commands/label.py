"""thumbwise label: read votes and gold, fit, print what was found, write the labels."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Literal

from sklearn.exceptions import ConvergenceWarning

from thumbwise import console as printed
from thumbwise.box import Box
from thumbwise.console import progress, stderr, stdout, visible
from thumbwise.exceptions import InvalidFileError
from thumbwise.gold_checks.label_fit import check_labels
from thumbwise.io.tables import check_writable, read_table, write_table
from thumbwise.io.wide import Roles, WideVotes, labels_table, output_names, read_wide
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
) -> None:
    """Label the items of a file, print what was found, and write the labels if there is an output."""
    check_output(output, votes, gold)
    wide = read(votes, gold, roles, writes=output is not None)
    model = fit(wide, confidence, on_infeasible)
    print_fit(str(votes), wide, model, roles.abstain)
    if output is not None:
        _write(wide, model, output)


def check_output(output: Path | None, *inputs: Path | None) -> None:
    """Whatever is wrong with the output is said before anything is computed."""
    if output is None:
        return
    target = check_writable(output)
    if target in [path.resolve() for path in inputs if path is not None]:
        raise InvalidFileError(f"the output must not be one of the inputs; {output} is. Choose another name.")


def read(votes: Path, gold: Path | None, roles: Roles, *, writes: bool = False) -> WideVotes:
    """Read and understand both files; whether names of output columns would clash is said now."""
    with progress("reading"):
        wide = read_wide(read_table(votes), None if gold is None else read_table(gold), roles)
    if writes:
        output_names(wide)
    return wide


def fit(wide: WideVotes, confidence: float, on_infeasible: OnInfeasible) -> BalsubramaniFreund:
    """Fit to the box that gold gives; a fit that did not converge is said on stderr."""
    known = wide.gold >= 0
    with progress("fitting"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        box = Box.from_gold(
            wide.votes.take(known),
            wide.gold[known],
            pool=wide.votes,
            confidence_level=confidence,
            gold_is="subset",
            n_permutations=999,
        )
        model = BalsubramaniFreund(on_infeasible=on_infeasible).fit(wide.votes, box=box)
    for warning in caught:
        stderr().print(f"warning: {visible(warning.message)}")
    return model


def print_fit(source: str, wide: WideVotes, model: BalsubramaniFreund, abstain: str | None = None) -> None:
    """What was understood, the tables of rules and classes, the certificate, and what to look out for."""
    console, votes = stdout(), wide.votes
    rows = rule_rows(model, votes)
    n_silent = int((votes.n_votes_per_item == 0).sum())
    printed.print_understood(console, source, wide, abstain)
    console.print()
    printed.print_rules(console, rows, votes.class_names)
    printed.print_classes(console, class_rows(model, votes))
    printed.print_certificate(console, model.certificate_)
    known = wide.gold >= 0
    printed.print_label_fit(console, check_labels(votes.take(known), wide.gold[known]))
    worse = worse_than_chance(rows, votes.n_classes)
    printed.print_warnings(console, worse, find_overruled(model, votes), n_silent, votes.n_classes)


def _write(wide: WideVotes, model: BalsubramaniFreund, output: Path) -> None:
    with progress("writing"):
        table = labels_table(wide, model.predict_proba(wide.votes), model.predict(wide.votes))
        write_table(table, output)
    stdout().print(f"written: {visible(output)} ({table.n_rows:,} rows, {len(table.names)} columns)")
