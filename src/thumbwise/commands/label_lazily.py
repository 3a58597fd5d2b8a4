"""thumbwise label on data that need not fit into memory: files stay files, only patterns and gold come here."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from thumbwise._typing import AnyArray
from thumbwise.commands.working import running
from thumbwise.console import progress
from thumbwise.engines.files import list_files, open_files
from thumbwise.exceptions import InvalidChoiceError, InvalidFileError, InvalidLabelsError
from thumbwise.io.classes import code_gold, distinct_texts
from thumbwise.io.doubts import refuse_doubtful_classes, refuse_no_rules
from thumbwise.io.formats import NOTHING_LOADED, Column, explained, gist_of, interruptible, literal, quoted
from thumbwise.io.frames import as_column
from thumbwise.io.gold_table import open_gold, read_ids
from thumbwise.io.labeled import entropies, margins
from thumbwise.io.lazy_readings import LazyReading
from thumbwise.io.marks import new_mark
from thumbwise.io.outputs import LABELS, check_file, check_folder
from thumbwise.io.roles import Roles, check_roles, implied_layout, mend_repeated, refuse_row_per_vote, settle_id
from thumbwise.io.stamps import check_unchanged, stamp_all
from thumbwise.io.tables import Table, check_names, read_table
from thumbwise.io.whole import replacing, replacing_folder, workspace
from thumbwise.labels import UNKNOWN
from thumbwise.lazy_votes import LazyVotes
from thumbwise.models.base import LabelModel, best_classes
from thumbwise.reading.coding import settle_n_classes

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Bytes of files above which rows are not brought into memory.
LARGE = 300 * 10**6
_ENDINGS = (".parquet", ".csv", ".tsv")
# How much is read of the items to see whether columns are rules.
_CELLS_LOOKED_AT = 200_000
_LEAST_LOOKED_AT = 100
_MOST_DIGITS = 18


def is_lazy(source: Path, roles: Roles) -> bool:
    """Whether votes stay in their files: many files, or a large one."""
    if implied_layout(roles) not in (None, "wide"):
        return False
    if source.is_dir():
        return roles.layout == "wide" or not (source / "label.json").exists()
    if not source.exists():
        return has_magic(str(source))
    return source.suffix.lower() in _ENDINGS and source.stat().st_size > LARGE


@dataclass(frozen=True)
class Limits:
    """How much memory the database may take, and where it puts what exceeds it; None leaves it to the database."""

    memory: str | None = None
    spill: Path | None = None


NO_LIMITS = Limits()


@contextmanager
def database(limits: Limits) -> Iterator[DuckDBPyConnection]:
    """A DuckDB of our own, with a limit on its memory and a folder for what exceeds it."""
    import duckdb  # noqa: PLC0415  # importing thumbwise must not import it

    memory = limits.memory
    with _spill_folder(limits.spill) as folder:
        settings: dict[str, Any] = {**NOTHING_LOADED, "temp_directory": os.fspath(folder)}
        try:
            connection = duckdb.connect(":memory:", config={**settings, **({"memory_limit": memory} if memory else {})})
        except duckdb.Error as error:
            raise InvalidChoiceError(f"memory must be a size such as 4GB; found {memory!r} ({error}).") from None
        with connection:
            connection.execute("SET preserve_insertion_order = false")
            yield connection


@contextmanager
def _spill_folder(home: Path | None) -> Iterator[Path]:
    """A folder that the database makes when it needs it; gone at the end, or when the next run finds it left behind."""
    if home is not None and not home.is_dir():
        raise InvalidFileError(f"the folder for temporary files must exist; there is no folder {home}.")
    home = Path(tempfile.gettempdir()) if home is None else home
    with ExitStack() as stack:
        try:
            place = stack.enter_context(workspace(home))
        except OSError as error:
            raise InvalidFileError(
                f"the folder for temporary files must be one that can be written to; {home} is not: {error.strerror}."
            ) from error
        yield place / "spill"


def read_lazily(connection: DuckDBPyConnection, source: Path, gold: Path | None, roles: Roles) -> LazyReading:
    """Find ids, rules and classes; fetch the votes of the gold items."""
    if roles.codes is not None or roles.gold_column is not None:
        raise InvalidChoiceError(
            "votes that stay in files are read without codes and gold_column; recode them, or name a gold file."
        )
    if gold is None:
        raise InvalidLabelsError(
            "gold labels are needed: about a hundred items, drawn at random, whose class somebody checked. Name a file "
            "of ids and labels with gold=FILE."
        )
    pattern = source / "*.parquet" if source.is_dir() else source
    with explained(str(pattern)):
        stamps = stamp_all(list_files(str(pattern), connection))
        relation = open_files(str(pattern), connection)
    names = Table({name: np.ma.asarray(np.empty(0)) for name in relation.columns})
    check_roles(names, roles, roles.item_id)
    refuse_row_per_vote(names, roles)
    id_name, note = settle_id(names, roles, is_needed=True)
    known = open_gold(read_table(gold), id_name, roles)
    with progress("counting patterns"), explained(str(pattern)):
        _refuse_no_rules(relation, str(id_name), known.labels, roles)
        votes = _open_votes(relation, str(id_name), known.labels, roles)
        ids = _as_ids(relation, str(id_name), known.ids or ())
        labels = code_gold(known.labels, votes)
        gold_votes = votes.take_ids(ids[labels != UNKNOWN])
    if roles.class_names is None:
        refuse_doubtful_classes(votes, gold_votes.item_ids, labels[labels != UNKNOWN])
    check_unchanged(stamps)
    notes = tuple(text for text in (note, *known.notes, f"items stay in {pattern}; only patterns were read") if text)
    return LazyReading(votes, gold_votes, labels[labels != UNKNOWN], notes, stamps, known.design)


def _refuse_no_rules(relation: Any, id_name: str, gold: Column, roles: Roles) -> None:
    """Refuse ids that repeat and columns that are no rules among the first items; the others are checked when read."""
    import duckdb  # noqa: PLC0415  # importing thumbwise must not import it

    rules = [name for name in relation.columns if name != id_name and name not in roles.ignore]
    try:
        rows = relation.limit(max(_LEAST_LOOKED_AT, _CELLS_LOOKED_AT // len(relation.columns))).fetchall()
    except duckdb.Error:
        return
    seen = Table({name: as_column(row[j] for row in rows) for j, name in enumerate(relation.columns)})
    read_ids(seen.columns[id_name], id_name, "the votes", mend_repeated(seen, id_name))
    refuse_no_rules({name: seen.columns[name] for name in rules}, gold, roles)


def _open_votes(relation: Any, id_name: str, gold: Column, roles: Roles) -> LazyVotes:
    """Votes with the classes that are listed, or else those of the votes and of gold together."""
    options: dict[str, Any] = {"item_id": id_name, "keep": list(roles.ignore), "abstain": roles.abstain}
    votes = LazyVotes(relation, class_names=roles.class_names, **options)
    if roles.class_names is not None:
        return votes
    more = distinct_texts(gold) - {str(name) for name in votes.class_names}
    if not more or votes.class_names == tuple(range(votes.n_classes)):
        return _with_numbers(relation, votes, more, options)
    return LazyVotes(relation, class_names=sorted({*map(str, votes.class_names), *more}), **options)


def _with_numbers(relation: Any, votes: LazyVotes, more: set[str], options: dict[str, Any]) -> LazyVotes:
    largest = max((_as_class(text) for text in more if text.isascii() and text.isdigit()), default=0)
    if largest < votes.n_classes:
        return votes
    return LazyVotes(relation, n_classes=settle_n_classes(largest, None, None), **options)


def _as_class(text: str) -> int:
    """A class number; one of so many digits that it can be none is as good as any other that is too large."""
    return int(text[:_MOST_DIGITS]) if len(text) > _MOST_DIGITS else int(text)


def _as_ids(relation: Any, id_name: str, texts: Sequence[str]) -> AnyArray:
    """Ids of gold as the files hold theirs: whole numbers or texts."""
    kind = str(relation.types[relation.columns.index(id_name)])
    if "INT" not in kind:
        return np.array(texts, dtype=object)
    strange = [text for text in texts if not _is_whole(text)]
    if strange:
        raise InvalidLabelsError(
            "gold ids must be among the items, whose ids are whole numbers of 64 bits; "
            f"{len(strange)} of {len(texts)} are not, such as {strange[0][:60]!r}. Correct or drop them."
        )
    return np.array([int(text) for text in texts], dtype=np.int64)


def _is_whole(text: str) -> bool:
    """Whether a text is a whole number of 64 bits as it would be written."""
    return re.fullmatch(r"0|-?[1-9][0-9]{0,18}", text) is not None and -(2**63) <= int(text) < 2**63


def write_lazily(connection: DuckDBPyConnection, reading: LazyReading, model: LabelModel, target: Path) -> None:
    """Labels as ``thumbwise label`` writes them, one file or a folder of Parquet files; whole or not at all.

    Parameters
    ----------
    connection : DuckDB connection
    reading : LazyReading
    model : LabelModel
    target : Path
        As :func:`check_lazy_output` gives it.
    """
    votes = reading.votes
    proba = model._predict_patterns(votes)
    labels = best_classes(proba, votes.patterns)
    n_votes = votes.patterns.votes_per_pattern.astype(np.int64)
    more = {"margin": (margins(proba), 1.0), "entropy": (entropies(proba), 0.0), "n_votes": (n_votes, None)}
    answered = _in_order(votes.answer(proba, labels, model.known_, more=more), votes.n_classes)
    check_names(answered.columns)
    if target.suffix:
        with replacing(target) as part:
            _copy(connection, answered, part, target.suffix.lower())
            check_unchanged(reading.stamps)
    else:
        with replacing_folder(target) as part:
            _copy(connection, answered, part, ".parquet", f"PER_THREAD_OUTPUT true, {new_mark()}, ")
            check_unchanged(reading.stamps)


def _in_order(answered: Any, n_classes: int) -> Any:
    """Columns in the order in which other tables of labels have them: ids, label, probabilities, more, passed on."""
    columns = list(answered.columns)
    label = columns.index("label")
    item, *passed_on = columns[: label - n_classes]
    wanted = [item, "label", *columns[label - n_classes : label], *columns[label + 1 :], *passed_on]
    return answered.project(", ".join(map(quoted, wanted)))


def _copy(connection: DuckDBPyConnection, relation: Any, place: Path, ending: str, options: str = "") -> None:
    import duckdb  # noqa: PLC0415  # importing thumbwise must not import it

    kinds = {".parquet": "FORMAT parquet", ".csv": "FORMAT csv, HEADER", ".tsv": "FORMAT csv, HEADER, DELIMITER '\t'"}
    view = "thumbwise_labels"
    relation.create_view(view, replace=True)
    try:
        with running(connection, "writing"), interruptible():
            connection.execute(f"COPY (SELECT * FROM {view}) TO {literal(os.fspath(place))} ({options}{kinds[ending]})")  # noqa: S608
    except (duckdb.Error, OSError, RuntimeError) as error:
        raise InvalidFileError(f"the labels could not be written: {gist_of(error)}") from error


def check_lazy_output(output: Path, source: Path, gold: Path | None, overwrite: bool = False) -> Path:
    """Whatever is wrong with the output is said before anything is computed; return where it really lies."""
    if output.suffix and output.suffix.lower() not in _ENDINGS:
        raise InvalidFileError(
            f"{output} must end in {', '.join(_ENDINGS)}, or be a folder; its ending is {output.suffix!r}."
        )
    inputs = (source, gold)
    if output.suffix:
        target = check_file(output, LABELS, inputs=inputs, overwrite=overwrite)
    else:
        target = check_folder(output, inputs=inputs)
    if shutil.disk_usage(target.parent).free < 10**6:
        raise InvalidFileError(f"{output} cannot be written: the disk is full.")
    return target
