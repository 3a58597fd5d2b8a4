"""thumbwise draw: random items to be labeled by hand."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from thumbwise.cli.reading_options import DelimiterOption, EncodingOption, SheetOption
from thumbwise.cli.shared_options import Json


class DrawnFormat(StrEnum):
    """What drawn items are written as."""

    TABLE = "table"
    LABEL_STUDIO = "label-studio"


def draw(
    items: Annotated[Path, typer.Argument(help="A row per item, no votes needed (.csv .tsv .parquet .jsonl).")],
    n: Annotated[int, typer.Option("-n", metavar="N", help="How many items to draw at random.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Table to fill in, or tasks for Label Studio (.json); a new file.")
    ],
    seed: Annotated[int, typer.Option(help="Of the draw.")] = 0,
    item_id: Annotated[str | None, typer.Option("--id", help="Column of ids. [default: id, item, ...]")] = None,
    columns: Annotated[
        str | None, typer.Option(metavar="NAME,...", help="Columns to pass on, besides the ids. [default: all]")
    ] = None,
    format: Annotated[  # noqa: A002  # the name of the option
        DrawnFormat | None, typer.Option(help="What to write. [default: as the ending of the output says]")
    ] = None,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = None,
    sheet: SheetOption = None,
    json: Json = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace JSON that is there already.")] = False,
) -> None:
    """Draw random items to be labeled by hand.

    Filled in, the file is gold that says how it was drawn.
    """
    from thumbwise.cli.draw import draw_items
    from thumbwise.cli.reading_options import fields_of
    from thumbwise.cli.standard_output import table_to
    from thumbwise.tables.file_formats import FileFormat

    passed_on = None if columns is None else fields_of(columns)
    is_studio = None if format is None else format is DrawnFormat.LABEL_STUDIO
    form = FileFormat(delimiter, encoding, sheet=sheet)
    with table_to(output) as place:
        draw_items(
            items,
            n,
            place or output,
            seed=seed,
            item_id=item_id,
            columns=passed_on,
            is_studio=is_studio,
            form=form,
            json=json,
            overwrite=overwrite,
        )
