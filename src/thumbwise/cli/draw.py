"""thumbwise draw: random items to be labeled by hand, in a table or in Label Studio, with how they were drawn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from thumbwise.cli.console import progress, stdout, visible
from thumbwise.cli.json_output import check_json, deliver, print_delivered
from thumbwise.cli.progress import while_reading
from thumbwise.cli.standard_output import shown_output
from thumbwise.exceptions import Argument, InvalidChoiceError, InvalidFileError
from thumbwise.io.exports.label_studio import ENDING, TASKS, write_tasks
from thumbwise.io.gold_draws import items_to_label
from thumbwise.io.roles import Roles, listed, settle_id
from thumbwise.summaries import plural
from thumbwise.tables.file_formats import PLAIN, FileFormat
from thumbwise.tables.outputs import check_file
from thumbwise.tables.table_files import Table, check_table_file, read_table, write_table


def draw_items(
    items: Path,
    n_items: int,
    output: Path,
    *,
    seed: int = 0,
    item_id: str | None = None,
    columns: Sequence[str] | None = None,
    is_studio: bool | None = None,
    form: FileFormat = PLAIN,
    json: str | None = None,
    overwrite: bool = False,
) -> None:
    """Draw, write and say what to do next; whatever is wrong with the output is said before anything is read.

    Items and their order are decided by the seed and the number of items, before any label is seen.
    """
    is_studio = _check_output(items, output, is_studio)
    check_json(json, inputs=(items, output), overwrite=overwrite)
    with while_reading():
        table, id_name = _read_items(items, item_id, columns, form)
    drawn = items_to_label(table, id_name, n_items, seed=seed)
    with progress("writing"):
        if is_studio:
            write_tasks(drawn, output)
        else:
            write_table(drawn, output)
    content = {"output": shown_output(output), "format": "label-studio" if is_studio else "table", "id_column": id_name}
    deliver({**content, "n_items": table.n_rows, "n_drawn": n_items, "seed": seed}, json, overwrite)
    _print(output, table, n_items, seed, is_studio=is_studio)
    print_delivered(json)


def _check_output(items: Path, output: Path, is_studio: bool | None) -> bool:
    is_json = output.suffix.lower() == ENDING
    if is_studio is not None and is_studio != is_json:
        raise InvalidChoiceError(
            f"tasks for Label Studio are a {ENDING} file, and no table is; found {output} and --format "
            f"{'label-studio' if is_studio else 'table'}. Change one of them."
        )
    if output.exists():  # it may hold labels that somebody filled in
        raise InvalidFileError(f"{output} must be a new file; it is there already. Choose another name, or move it.")
    if is_json:
        check_file(output, TASKS, inputs=(items,))
    else:
        check_table_file(output, inputs=(items,))
    return is_json


def _read_items(path: Path, item_id: str | None, columns: Sequence[str] | None, form: FileFormat) -> tuple[Table, str]:
    """The items and the name of their ids; without ids, labels would not find their items again."""
    table = read_table(path, form=form)
    named = [name for name in (item_id, *(columns or ())) if name is not None]
    unknown = [name for name in named if name not in table.columns]
    if unknown:
        raise InvalidFileError(f"the items must have a column {unknown[0]!r}; {listed(table)}")
    id_name, _ = settle_id(table, Roles(item_id=item_id), is_needed=False)
    if id_name is None:
        raise InvalidFileError(
            f"the items must have a column of ids, by which labels find them again; {listed(table)} Say which it is "
            "with ",
            Argument("item_id", "NAME"),
            ".",
        )
    kept = [name for name in table.names if columns is None or name in columns or name == id_name]
    return Table({name: table.columns[name] for name in kept}, table.notes), id_name


def _print(output: Path, table: Table, n_items: int, seed: int, *, is_studio: bool) -> None:
    console, shown = stdout(), shown_output(output)
    for note in table.notes:
        console.print(Text(visible(note)))
    drawn = f"{n_items:,} of {plural(table.n_rows, 'item')} drawn at random with seed {seed}"
    console.print(Text(f"written: {shown} ({drawn}, to be labeled)"))
    if is_studio:
        console.print(
            Text(
                "import it into Label Studio, label every task in the order given, with one Choices control, and "
                "export as JSON; then: thumbwise label VOTES --gold EXPORT.json"
            )
        )
        return
    console.print(
        Text(
            "fill in column 'label' of every row, from top to bottom, and skip none; then: "
            f"thumbwise label VOTES --gold {shown}"
        )
    )
