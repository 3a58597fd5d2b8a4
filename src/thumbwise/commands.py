"""What the commands do: read, fit, print, write."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Literal

from sklearn.exceptions import ConvergenceWarning

from thumbwise import console as printed
from thumbwise.box import Box
from thumbwise.console import progress, stderr, stdout, visible
from thumbwise.datasets.demo import load_demo, score_methods, write_demo
from thumbwise.exceptions import InvalidFileError
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
    _check_output(output, votes, gold)
    wide = _read(votes, gold, roles, writes=output is not None)
    model = _fit(wide, confidence, on_infeasible)
    _print_fit(str(votes), wide, model, roles.abstain)
    if output is not None:
        _write(wide, model, output)


def show_demo(folder: Path | None) -> None:
    """Label the demo, print what was found, and compare with the truth; write its files if there is a folder."""
    data = load_demo()
    if folder is not None:
        write_demo(data, folder)
    wide = WideVotes(data.votes, data.gold_labels, "id")
    console = stdout()
    console.print(data.description)
    console.print()
    model = _fit(wide, 0.95, "raise")
    _print_fit("demo", wide, model)
    _print_demo_end(score_methods(data, model), model, folder)


def _print_demo_end(scores: list[tuple[str, float, float]], model: BalsubramaniFreund, folder: Path | None) -> None:
    console = stdout()
    console.print()
    printed.print_scores(console, scores, model.certificate_.log_loss_bound)
    console.print()
    if folder is not None:
        console.print(f"Written: {visible(folder / 'votes.csv')}, {visible(folder / 'gold.csv')}")
    where = "" if folder is None else f"{visible(folder)}/"
    console.print(f"On files of your own: thumbwise label {where}votes.csv --gold {where}gold.csv -o labels.csv")
    if folder is None:
        console.print("To see such files: thumbwise demo --write DIR")


def _check_output(output: Path | None, *inputs: Path | None) -> None:
    """Whatever is wrong with the output is said before anything is computed."""
    if output is None:
        return
    target = check_writable(output)
    if target in [path.resolve() for path in inputs if path is not None]:
        raise InvalidFileError(f"the output must not be one of the inputs; {output} is. Choose another name.")


def _read(votes: Path, gold: Path | None, roles: Roles, *, writes: bool) -> WideVotes:
    with progress("reading"):
        wide = read_wide(read_table(votes), None if gold is None else read_table(gold), roles)
    if writes:
        output_names(wide)
    return wide


def _fit(wide: WideVotes, confidence: float, on_infeasible: OnInfeasible) -> BalsubramaniFreund:
    known = wide.gold >= 0
    with progress("fitting"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        box = Box.from_gold(
            wide.votes.take(known), wide.gold[known], pool=wide.votes, confidence_level=confidence, gold_is="subset"
        )
        model = BalsubramaniFreund(on_infeasible=on_infeasible).fit(wide.votes, box=box)
    for warning in caught:
        stderr().print(f"warning: {visible(warning.message)}")
    return model


def _print_fit(source: str, wide: WideVotes, model: BalsubramaniFreund, abstain: str | None = None) -> None:
    console, votes = stdout(), wide.votes
    rows = rule_rows(model, votes)
    n_silent = int((votes.n_votes_per_item == 0).sum())
    printed.print_understood(console, source, wide, abstain)
    console.print()
    printed.print_rules(console, rows, votes.class_names)
    printed.print_classes(console, class_rows(model, votes))
    printed.print_certificate(console, model.certificate_)
    worse = worse_than_chance(rows, votes.n_classes)
    printed.print_warnings(console, worse, find_overruled(model, votes), n_silent, votes.n_classes)


def _write(wide: WideVotes, model: BalsubramaniFreund, output: Path) -> None:
    with progress("writing"):
        table = labels_table(wide, model.predict_proba(wide.votes), model.predict(wide.votes))
        write_table(table, output)
    stdout().print(f"written: {visible(output)} ({table.n_rows:,} rows, {len(table.names)} columns)")
