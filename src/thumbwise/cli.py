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
from typing import Annotated

import typer

from thumbwise import __version__
from thumbwise.console import in_command_words, stderr, visible
from thumbwise.exceptions import ThumbwiseError

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


@app.command()
def label(
    votes: Annotated[
        Path, typer.Argument(help="Votes: a row per item, a column per rule (.csv .tsv .parquet .jsonl).")
    ],
    gold: Annotated[Path | None, typer.Option(help="File of ids and labels of items whose class is known.")] = None,
    gold_column: Annotated[
        str | None, typer.Option(help="Column of VOTES that holds gold labels, empty where unknown.")
    ] = None,
    gold_id: Annotated[str | None, typer.Option(help="Column of ids in the gold file. [default: as in VOTES]")] = None,
    gold_label: Annotated[
        str | None, typer.Option(help="Column of labels in the gold file. [default: the other one]")
    ] = None,
    id_name: Annotated[
        str | None, typer.Option("--id", help="Column of ids. [default: id, item, item_id, ...]")
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(help="Column that is no rule, passed on to the output; repeat for more.")
    ] = None,
    classes: Annotated[str | None, typer.Option(help="Names of the classes in order: a,b,c.")] = None,
    abstain: Annotated[str | None, typer.Option(help="Value that means abstain, besides empty (and -1).")] = None,
    confidence: Annotated[float, typer.Option(help="Probability that all intervals hold at once.")] = 0.95,
    on_infeasible: Annotated[
        OnInfeasible, typer.Option(help="If the intervals contradict each other: stop, or widen them (no guarantee).")
    ] = OnInfeasible.RAISE,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Labels and probabilities.")] = None,
) -> None:
    """Turn votes and gold labels into labels with a bound on their error."""
    with _reported():
        from thumbwise.commands.label import label_files  # noqa: PLC0415
        from thumbwise.io.wide import Roles  # noqa: PLC0415

        names = None if classes is None else next(csv.reader([classes], skipinitialspace=True), [])
        roles = Roles(id_name, gold_column, gold_id, gold_label, ignore or (), names, abstain)
        label_files(votes, gold, output, roles, confidence=confidence, on_infeasible=on_infeasible.value)


@app.command()
def demo(
    write: Annotated[Path | None, typer.Option(metavar="DIR", help="Also write votes.csv and gold.csv there.")] = None,
) -> None:
    """Label real data that needs no file, and compare with the truth."""
    with _reported():
        from thumbwise.commands.demo import show_demo  # noqa: PLC0415

        show_demo(write)
