"""thumbwise bench: a page where gold labels are made."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from thumbwise.cli.reading_options import DelimiterOption, EncodingOption, SheetOption


class DrawnHow(StrEnum):
    """How items are drawn to be labeled."""

    RANDOM = "random"
    STRATIFIED = "stratified"


def bench(
    items: Annotated[
        Path, typer.Argument(help="Items, a row each (.csv .tsv .parquet .jsonl), or a folder of texts or images.")
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The gold file, .jsonl; one that was begun is gone on with.")
    ],
    classes: Annotated[str | None, typer.Option(help="Names of the classes in order: a,b,c.")] = None,
    votes: Annotated[
        Path | None, typer.Option(help="Votes on the items; nobody sees them before an item is labeled.")
    ] = None,
    show: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Column to show, with its kind if need be (answer:markdown); repeat for more."
        ),
    ] = None,
    item_id: Annotated[str | None, typer.Option("--id", help="Column of ids. [default: id, item, ...]")] = None,
    n: Annotated[
        int | None, typer.Option("--n", "-n", help="How many labels, fixed at the start. [default: 100]")
    ] = None,
    looks: Annotated[
        str | None, typer.Option(metavar="50,100,...", help="Or: numbers of labels at which you may look and stop.")
    ] = None,
    anytime: Annotated[bool, typer.Option("--anytime", help="Or: look and stop whenever you like.")] = False,
    of: Annotated[str | None, typer.Option(metavar="CLASS", help="The class whose share is wanted.")] = None,
    goal: Annotated[
        str | None,
        typer.Option(metavar="GOAL", help="What it is for: within=0.05, or accepted=0.7,precision=0.95."),
    ] = None,
    confidence: Annotated[
        float | None, typer.Option(help="Probability that what is shown holds. [default: 0.95]")
    ] = None,
    design: Annotated[
        DrawnHow | None, typer.Option(help="All items alike, or more where the votes disagree. [default: random]")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Of the draw. [default: a new one]")] = None,
    by: Annotated[str, typer.Option(metavar="NAME", help="Who labels; can be changed on the page.")] = "",
    host: Annotated[
        str, typer.Option(help="Address to serve the page at; others than this machine's own are open to the network.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the page; 0 for one that is free.")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address and open nothing.")] = False,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = None,
    sheet: SheetOption = None,
) -> None:
    """Open a page where random items are labeled by hand.

    What it writes is gold for every other command, and says how it was drawn.
    """
    from thumbwise.cli.bench import Serving, as_asked, bench_files
    from thumbwise.tables.file_formats import FileFormat

    drawn = None if design is None else design.value
    asked = as_asked(
        classes, n, looks, anytime=anytime, of=of, goal=goal, confidence=confidence, design=drawn, seed=seed
    )
    wanted, form = Serving(host, port, not no_browser, by), FileFormat(delimiter, encoding, sheet=sheet)
    bench_files(items, output, votes, asked, wanted, item_id=item_id, show=show or (), form=form)
