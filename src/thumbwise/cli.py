"""The command line: parses, calls and turns errors into messages.

What computes is imported when a command runs, so that help is quick and an interrupt is always met by a message.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thumbwise import __version__
from thumbwise.console import in_command_words, stderr, visible
from thumbwise.exceptions import ThumbwiseError

if TYPE_CHECKING:
    from thumbwise.baselines import MethodChoice
    from thumbwise.io.wide import Roles

app = typer.Typer(
    help="Certified labels from rules of thumb.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


class OnInfeasible(StrEnum):
    """What to do if the intervals contradict each other."""

    RAISE = "raise"
    WIDEN = "widen"


def main() -> None:
    """Entry point: a name that the terminal cannot show is escaped and never an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    app()


@contextmanager
def _reported() -> Iterator[None]:
    """Errors on purpose become one message and exit code 2, an interrupt 130; anything else is a bug and stays one."""
    try:
        yield
    except ThumbwiseError as error:
        stderr().print(f"error: {visible(in_command_words(str(error)))}")
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        stderr().print("interrupted")
        raise typer.Exit(130) from None


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        print(f"thumbwise {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


_Votes = Annotated[Path, typer.Argument(help="Votes: a row per item, a column per rule (.csv .tsv .parquet .jsonl).")]
_Gold = Annotated[Path | None, typer.Option(help="File of ids and labels of items whose class is known.")]
_GoldColumn = Annotated[str | None, typer.Option(help="Column of VOTES that holds gold labels, empty where unknown.")]
_GoldId = Annotated[str | None, typer.Option(help="Column of ids in the gold file. [default: as in VOTES]")]
_GoldLabel = Annotated[str | None, typer.Option(help="Column of labels in the gold file. [default: the other one]")]
_IdName = Annotated[str | None, typer.Option("--id", help="Column of ids. [default: id, item, item_id, ...]")]
_Ignore = Annotated[
    list[str] | None, typer.Option(help="Column that is no rule, passed on to the output; repeat for more.")
]
_Classes = Annotated[str | None, typer.Option(help="Names of the classes in order: a,b,c.")]
_Abstain = Annotated[str | None, typer.Option(help="Value that means abstain, besides empty (and -1).")]
_Confidence = Annotated[float, typer.Option(help="Probability that all intervals hold at once.")]


def _roles(
    id_name: str | None,
    gold_column: str | None,
    gold_id: str | None,
    gold_label: str | None,
    ignore: list[str] | None,
    classes: str | None,
    abstain: str | None,
) -> Roles:
    from thumbwise.io.wide import Roles  # noqa: PLC0415

    names = None if classes is None else next(csv.reader([classes], skipinitialspace=True), [])
    return Roles(id_name, gold_column, gold_id, gold_label, ignore or (), names, abstain)


@app.command()
def label(
    votes: _Votes,
    gold: _Gold = None,
    gold_column: _GoldColumn = None,
    gold_id: _GoldId = None,
    gold_label: _GoldLabel = None,
    id_name: _IdName = None,
    ignore: _Ignore = None,
    classes: _Classes = None,
    abstain: _Abstain = None,
    confidence: _Confidence = 0.95,
    on_infeasible: Annotated[
        OnInfeasible, typer.Option(help="If the intervals contradict each other: stop, or widen them (no guarantee).")
    ] = OnInfeasible.RAISE,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Labels and probabilities.")] = None,
) -> None:
    """Turn votes and gold labels into labels with a bound on their error."""
    with _reported():
        from thumbwise.commands.label import label_files  # noqa: PLC0415

        roles = _roles(id_name, gold_column, gold_id, gold_label, ignore, classes, abstain)
        label_files(votes, gold, output, roles, confidence=confidence, on_infeasible=on_infeasible.value)


@app.command()
def demo(
    write: Annotated[Path | None, typer.Option(metavar="DIR", help="Also write votes.csv and gold.csv there.")] = None,
) -> None:
    """Label real data that needs no file, and compare with the truth."""
    with _reported():
        from thumbwise.commands.demo import show_demo  # noqa: PLC0415

        show_demo(write)


@app.command()
def plan(
    votes: _Votes,
    gold: _Gold = None,
    gold_column: _GoldColumn = None,
    gold_id: _GoldId = None,
    gold_label: _GoldLabel = None,
    id_name: _IdName = None,
    ignore: _Ignore = None,
    classes: _Classes = None,
    abstain: _Abstain = None,
    confidence: _Confidence = 0.95,
    target: Annotated[float | None, typer.Option(help="A bound on the mean log loss that is wanted.")] = None,
) -> None:
    """Say how much bound more gold labels would buy, and what to do next."""
    with _reported():
        from thumbwise.commands.plan import plan_files  # noqa: PLC0415

        roles = _roles(id_name, gold_column, gold_id, gold_label, ignore, classes, abstain)
        plan_files(votes, gold, roles, confidence=confidence, target=target)


@app.command()
def compare(
    votes: _Votes,
    gold: _Gold = None,
    gold_column: _GoldColumn = None,
    gold_id: _GoldId = None,
    gold_label: _GoldLabel = None,
    id_name: _IdName = None,
    ignore: _Ignore = None,
    classes: _Classes = None,
    abstain: _Abstain = None,
    methods: Annotated[
        str, typer.Option(help='"default", "all", or names as the table shows them, separated by commas.')
    ] = "default",
    confidence: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
) -> None:
    """Compare methods on gold labels that they have not seen, and say which differences are real."""
    with _reported():
        from thumbwise.commands.compare import compare_files  # noqa: PLC0415

        roles = _roles(id_name, gold_column, gold_id, gold_label, ignore, classes, abstain)
        compare_files(votes, gold, roles, methods=_method_choice(methods), confidence=confidence)


def _method_choice(text: str) -> MethodChoice:
    if text == "all":
        return "all"
    return "default" if text == "default" else [name.strip() for name in text.split(",") if name.strip()]


class MetricChoice(StrEnum):
    """What is certified."""

    ACCURACY = "accuracy"
    LOG_LOSS = "log_loss"
    BRIER = "brier"
    ALL = "all"


@app.command()
def certify(
    predictions: Annotated[
        Path, typer.Argument(help="Ids and a column label or prediction, or a column p_<class> for each class.")
    ],
    votes: Annotated[Path, typer.Option(help="Votes: a row per item, a column per rule.")],
    gold: _Gold = None,
    metric: Annotated[MetricChoice, typer.Option(help="Score to certify.")] = MetricChoice.ACCURACY,
    versus: Annotated[Path | None, typer.Option(help="Another model's predictions: certify the difference.")] = None,
    gold_unseen: Annotated[
        bool,
        typer.Option("--gold-unseen", help="The models have not seen the gold labels: use how right they are there."),
    ] = False,
    gold_column: _GoldColumn = None,
    gold_id: _GoldId = None,
    gold_label: _GoldLabel = None,
    id_name: _IdName = None,
    ignore: _Ignore = None,
    classes: _Classes = None,
    abstain: _Abstain = None,
    confidence: _Confidence = 0.95,
) -> None:
    """Guarantee a range for the score of any model's predictions."""
    with _reported():
        from thumbwise.commands.certify import certify_files  # noqa: PLC0415

        roles = _roles(id_name, gold_column, gold_id, gold_label, ignore, classes, abstain)
        certify_files(
            predictions,
            votes,
            gold,
            roles,
            metric=metric.value,
            versus=versus,
            gold_unseen=gold_unseen,
            confidence=confidence,
        )


class Reproduced(StrEnum):
    """What of the paper is reproduced."""

    TABLES = "tables"
    FIGURES = "figures"
    ALL = "all"


@app.command()
def reproduce(
    what: Annotated[Reproduced, typer.Argument(help="The result tables, the figures, or both.")],
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder with the paper's datasets. [default: THUMBWISE_DATA, or the cache]"),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="DIR", help="Where to write. [default: reproduced, or reproduced-quick]"
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Three datasets, three runs: under a minute.")] = False,
    processes: Annotated[int, typer.Option(min=1, help="How many fits to run at a time.")] = 2,
) -> None:
    """Run the paper's experiments beside its own numbers; go on where an interrupted run was."""
    with _reported():
        from thumbwise.commands.reproduce import reproduce as reproduce_paper  # noqa: PLC0415

        reproduce_paper(what.value, data, output, quick=quick, processes=processes)
