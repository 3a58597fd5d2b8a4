"""thumbwise sql: a saved model as one SELECT over a table of votes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.text import Text

from thumbwise.cli.console import asked, stdout, visible
from thumbwise.cli.json_output import check_json, deliver, is_stdout, print_delivered
from thumbwise.cli.saved_models import as_record, open_model
from thumbwise.models.sql_text.select import DialectName
from thumbwise.tables.outputs import Kind, check_file
from thumbwise.tables.whole_files import replacing

_SQL = Kind("SQL")


@dataclass(frozen=True)
class Stored:
    """How votes lie in the database: table, column of ids, what means abstain, class names or numbers."""

    table: str
    item_id: str | None = None
    abstain: str | None = None
    as_numbers: bool = False


def sql_files(
    model_file: Path,
    dialect: DialectName,
    stored: Stored,
    output: Path | None = None,
    *,
    json: str | None = None,
    overwrite: bool = False,
) -> None:
    """Write the SELECT to a file, or print it, which is then all that is printed."""
    check_json(json, inputs=(model_file, output), overwrite=overwrite)
    if output is not None:
        check_file(output, _SQL, inputs=(model_file,), overwrite=overwrite)
    model = open_model(model_file)
    query = _select(model, dialect, stored)
    if output is not None:
        with replacing(check_file(output, _SQL, inputs=(model_file,), overwrite=overwrite)) as part:
            part.write_text(f"{query}\n", encoding="utf-8")
    deliver({**as_record(model), "dialect": dialect, "table": stored.table, "sql": query}, json, overwrite)
    if output is not None:
        stdout().print(Text(f"written: {visible(output)} ({dialect})"))
    print_delivered(json)
    if output is None and not is_stdout(json):
        asked().print(Text(query), soft_wrap=True)


def _select(model: Any, dialect: DialectName, stored: Stored) -> str:
    names = None if stored.as_numbers else "names"
    abstain: Any = stored.abstain
    if all(isinstance(name, int) for name in model.classes_.tolist()):
        abstain = -1 if abstain is None else _number(abstain)
    table = tuple(stored.table.split("."))
    return str(model.to_sql(dialect, table=table, id_column=stored.item_id, abstain=abstain, class_values=names))


def _number(text: str) -> Any:
    try:
        return int(text)
    except ValueError:
        return text
