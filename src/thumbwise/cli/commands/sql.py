"""thumbwise sql: a saved model for votes in a database."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from thumbwise.cli.shared_options import Json, ModelArgument, Overwrite


class DialectChoice(StrEnum):
    """Databases whose SQL is written."""

    DUCKDB = "duckdb"
    POSTGRESQL = "postgresql"
    SPARK = "spark"


def sql(
    model: ModelArgument,
    dialect: Annotated[DialectChoice, typer.Option(help="Whose SQL to write.")] = DialectChoice.DUCKDB,
    table: Annotated[
        str, typer.Option(metavar="NAME", help="Table with a row per item and a column per rule: votes, or a.b.")
    ] = "votes",
    item_id: Annotated[
        str | None, typer.Option("--id", metavar="NAME", help="Column of ids; gold items then keep their label.")
    ] = None,
    abstain: Annotated[
        str | None, typer.Option(metavar="VALUE", help="What means abstain, besides NULL. [default: -1, of numbers]")
    ] = None,
    numbers: Annotated[
        bool, typer.Option("--numbers", help="Votes are stored as class numbers 0, 1, ..., not as names.")
    ] = False,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="The SELECT. [default: printed]")] = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Write a saved model as one SELECT, for votes in a database."""
    from thumbwise.cli.sql import Stored, sql_files

    stored = Stored(table, item_id, abstain, numbers)
    sql_files(model, dialect.value, stored, output, json=json, overwrite=overwrite)
