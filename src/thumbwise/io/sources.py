"""Votes and gold labels from files, folders and frames: the one way in."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thumbwise.exceptions import Argument, InvalidChoiceError, InvalidFileError, InvalidLabelsError, InvalidVotesError
from thumbwise.io.drawn_gold import read_drawn_gold
from thumbwise.io.elsewhere import are_many, read_elsewhere
from thumbwise.io.exports import label_studio
from thumbwise.io.exports.formats import find_export, find_export_frame, may_be_export
from thumbwise.io.exports.reading import read_exported
from thumbwise.io.gold_lines.files import is_gold_lines
from thumbwise.io.layouts import read_as_table, read_mat, read_wrench
from thumbwise.io.readings import Reading
from thumbwise.io.roles import LAYOUTS, Duplicates, Layout, NullVerdict, Roles
from thumbwise.tables.dataset_folders import is_dataset, read_dataset
from thumbwise.tables.file_formats import PLAIN, FileFormat
from thumbwise.tables.frames import as_column, as_table
from thumbwise.tables.given_paths import check_plain
from thumbwise.tables.many_objects import many_objects
from thumbwise.tables.table_files import Table, read_table
from thumbwise.votes.reading.read_votes import check_class_names
from thumbwise.votes.reading.score_cells import ScoresAre

if TYPE_CHECKING:
    from thumbwise.tables.databases import Database


def read_votes(
    source: Any,
    *,
    gold: Any = None,
    layout: Layout | None = None,
    item_id: str | None = None,
    rule: str | None = None,
    label: str | None = None,
    gold_column: str | None = None,
    gold_id: str | None = None,
    gold_label: str | None = None,
    ignore: Sequence[str] = (),
    class_names: Iterable[Hashable] | None = None,
    codes: Mapping[Any, Hashable | None] | None = None,
    abstain: str | None = None,
    duplicates: Duplicates = "raise",
    null_verdict: NullVerdict | None = None,
    scores: Hashable | None = None,
    scores_are: ScoresAre | None = None,
    threshold: float | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    file_format: str | None = None,
    ordered: bool = False,
    cluster: str | None = None,
    systems: Sequence[str] | None = None,
    gold_majority: bool = False,
) -> Reading:
    """Read votes, with ids, rule names and class names, from a file, a folder or a frame.

    What is not said is inferred and noted; what may mean two things is refused with the argument that settles it.
    ``docs/reading.md`` specifies every layout. Nothing is chosen by what gold labels say, but for the classes if they
    are not listed: those of the votes and of gold together.

    Parameters
    ----------
    source : path, frame or mapping of columns
        A .csv, .tsv, .txt, .parquet, .jsonl, .ndjson or .xlsx file, text also with .gz or .zst behind; an export of a
        tool for evaluation or labeling, a .mat file as in the paper, a WRENCH folder, a folder of Hugging Face
        datasets, or a frame of pandas, polars or PyArrow. Wildcards, ``"votes/*.parquet"``, or a folder of Parquet
        files stand for many files, in which the items then stay: ``votes`` of the reading are :class:`LazyVotes`.
    gold : path, frame, mapping of ids to labels, or one label per item, optional
        Gold labels, if the source does not hold them. The index of a pandas Series holds ids, or counts the items. A
        file that ``thumbwise bench`` or ``thumbwise draw`` made says itself how its items were drawn.
    layout : {"wide", "long", "jury", "pairs", "wrench", "mat", "datasets", "promptfoo", "inspect", ...}, optional
        Wide: a row per item, a column per rule. Long: a row per vote. Jury: a record per item and judge. Pairs:
        comparisons of two systems. The others are what tools write, also "langfuse", "label-studio", "mlflow" and
        "prodigy"; ``docs/exports.md`` specifies them.
    item_id, rule, label : str, optional
        Columns of ids and, of long votes and records, of who voted and what.
    gold_column : str, optional
        Column of the source that holds gold labels.
    gold_id, gold_label : str, optional
        Columns of gold.
    ignore : sequence of str
        Columns that are no rules; they are passed on.
    class_names : sequence, optional
        Classes in order; for votes that a fitted model shall label, ``model.classes_``.
    codes : mapping, optional
        Class of each value, None for abstain. FlyingSquid's coding is ``{-1: "no", 1: "yes", 0: None}``.
    abstain : str, optional
        A value that means abstain, besides an empty field (and -1 among numbers).
    duplicates : {"raise", "first", "last"}
        What to do when a rule votes on an item more than once.
    null_verdict : {"abstained", "failed"}, optional
        What a judge's empty verdict means if the record does not say.
    scores : class, optional
        If columns hold scores and not votes: the class that high ones speak for. The votes are then
        :class:`ScoredVotes`.
    scores_are : {"ratings", "probabilities", "log-probabilities", "confidences"}, optional
        Their kind; ratings if only ``scores`` is said. Probabilities with a column per judge and class, and confidences
        beside verdicts, need no ``scores``.
    threshold : float, optional
        From which rating on a verdict is for that class. Absent: from each judge's own middle on.
    delimiter : str, optional
        What separates the fields of CSV, one character or "tab". Absent: found from the start of the file.
    encoding : str, optional
        Of a text file, such as "windows-1252". Absent: UTF-8, what marks at its start say, or Windows-1252, noted.
    decimal : {",", "."}, optional
        What stands before fractions in CSV. Absent: a comma only where semicolons separate fields.
    sheet : str, optional
        Of a workbook. Absent: the first.
    file_format : {"csv", "tsv", "jsonl", "parquet", "xlsx"}, optional
        What the file is. Absent: as its ending says.
    ordered : bool
        Whether the classes are steps of a scale, such as ratings from 1 to 5: numbers are in order by themselves, words
        are listed from the lowest to the highest with ``class_names``.
    cluster : str, optional
        Column whose values say which rows belong together (turns of a conversation, epochs of a sample): whole clusters
        were drawn at random for gold, and all of their rows labeled. Intervals then allow for it
        (:class:`thumbwise.box.designs.Clusters`).
    systems : pair of str, optional
        Of comparisons: the two columns of systems, the one that was shown first before the other.
    gold_majority : bool
        Of comparisons: an item on which people disagree has the label of most of them, and otherwise a tie.

    Returns
    -------
    Reading
        Votes, gold labels, and notes on what was inferred.

    Examples
    --------
    >>> import pandas as pd
    >>> import thumbwise as tw
    >>> rules = {"caps": ["ham", "spam"], "link": [None, "spam"]}
    >>> frame = pd.DataFrame({"id": ["q7", "q2"], "text": ["Hi!", "WIN"], **rules})
    >>> reading = tw.read_votes(frame, ignore=["text"], gold={"q2": "spam"})
    >>> print(reading)
    Votes: 2 items x 2 rules, 2 patterns; classes 'ham', 'spam'; -1 = abstain (25.0 % of votes)
    1 gold labels, of these items
    a row per item, a column per rule
    ids are taken from column 'id'
    gold ids are taken from column 'id', gold labels from 'label'
    >>> tw.labels_frame(reading, tw.MajorityVote().fit(reading.votes))[["id", "label", "p_spam", "text"]]
       id label  p_spam text
    0  q7   ham     0.0  Hi!
    1  q2  spam     1.0  WIN
    """
    roles = Roles(
        layout=layout,
        item_id=item_id,
        rule=rule,
        label=label,
        gold_column=gold_column,
        gold_id=gold_id,
        gold_label=gold_label,
        ignore=tuple(ignore),
        class_names=None if class_names is None else check_class_names(tuple(class_names)),
        codes=codes,
        abstain=abstain,
        duplicates=duplicates,
        null_verdict=null_verdict,
        scores=scores,
        scores_are=scores_are,
        threshold=threshold,
        delimiter=delimiter,
        encoding=encoding,
        decimal=decimal,
        sheet=sheet,
        file_format=file_format,
        ordered=ordered,
        cluster=cluster,
        systems=systems,
        gold_majority=gold_majority,
    )
    return read_source(source, gold, roles)


def read_source(
    source: Any,
    gold: Any,
    roles: Roles,
    *,
    home: Database | None = None,
    stays: bool | None = None,
) -> Reading:
    """:func:`read_votes` with what the user says gathered in one object.

    Parameters
    ----------
    home : Database, optional
        What reads items that stay in files.
    stays : bool, optional
        Whether items stay in their files. Absent: where there are many files.
    """
    if roles.tags is not None:
        raise InvalidChoiceError(
            "several tags per item are asked about by thumbwise label, rate, judges and triage; this command reads one "
            "class per item. Drop ",
            Argument("tags"),
            ".",
        )
    if roles.layout is not None and roles.layout not in LAYOUTS:
        raise InvalidChoiceError(f"layout must be one of {', '.join(map(repr, LAYOUTS))}; found {roles.layout!r}.")
    if gold is not None and roles.gold_column is not None:
        raise InvalidLabelsError(
            "gold must come from one place; found both ",
            Argument("gold", "FILE"),
            " and ",
            Argument("gold_column", "NAME"),
            ". Drop one.",
        )
    if isinstance(source, (str, os.PathLike)):
        check_plain(Path(source))
        return _read_path(Path(source), gold, roles, home, stays)
    export = None if isinstance(source, Mapping) else find_export_frame(source, roles)
    if export is not None:
        return replace(read_exported(*export, *open_gold(gold, roles)), source=source)
    reading = read_as_table(open_source(source, roles.form), *open_gold(gold, roles))
    return reading if isinstance(source, Mapping) else replace(reading, source=source)


def open_source(source: Any, form: FileFormat = PLAIN) -> Table:
    """The table that a path, a frame or a mapping of columns is."""
    if isinstance(source, (str, os.PathLike)):
        return read_table(Path(source), form=form)
    if isinstance(source, Mapping):
        return _as_columns(source)
    table = as_table(source)
    if table is None:
        raise InvalidVotesError(
            f"votes must be a path or a frame to be read; found {type(source).__name__}. Arrays, lists and sparse "
            "matrices are read by Votes, Votes.from_long and Votes.from_sparse."
        )
    return table


def lacks_gold(source: Path, gold: Any, roles: Roles) -> bool:
    """Whether it is plain before anything is read that no gold label will be known."""
    return gold is None and roles.gold_column is None and not may_be_export(source, roles)


def _read_path(path: Path, gold: Any, roles: Roles, home: Database | None, stays: bool | None) -> Reading:
    """What a file or folder holds, by its fields, its names or its ending."""
    with many_objects():
        export = find_export(path, roles)
        if export is not None:
            return read_exported(*export, *open_gold(gold, roles))
    if _is_dataset(path, roles):
        return _read_dataset(path, *open_gold(gold, roles))
    if are_many(path, roles) if stays is None else stays:
        gold_file = Path(gold) if isinstance(gold, (str, os.PathLike)) else None
        gold, roles = open_gold(gold, roles)
        return read_elsewhere(path, gold, roles, home, gold_file)
    if roles.layout == "wrench" or (roles.layout is None and path.is_dir()):
        return read_wrench(path, gold, roles)
    if roles.layout == "mat" or path.suffix.lower() == ".mat":
        return read_mat(path, gold, roles)
    if has_magic(str(path)) and not path.exists():
        raise InvalidFileError(
            f"votes in many files must have a row per item and a column per rule; {path} is to be read in another "
            "way. Put the votes into one file."
        )
    return read_as_table(read_table(path, form=roles.form), *open_gold(gold, roles))


def _is_dataset(path: Path, roles: Roles) -> bool:
    """Whether a folder is one of Hugging Face datasets, as named or as its files tell."""
    return roles.layout == "datasets" or (roles.layout in (None, "wide", "long", "jury") and is_dataset(path))


def _read_dataset(path: Path, gold: Any, roles: Roles) -> Reading:
    """The rows of a dataset, as those of any table are read."""
    table, notes = read_dataset(path)
    layout = None if roles.layout == "datasets" else roles.layout
    reading = read_as_table(table, gold, replace(roles, layout=layout))
    return replace(reading, notes=(*notes, *reading.notes))


def _as_columns(source: Mapping[Any, Any]) -> Table:
    if any(isinstance(values, (str, bytes)) or not isinstance(values, Iterable) for values in source.values()):
        raise InvalidVotesError("a mapping of columns must hold a list or array for each name; found a single value.")
    table = Table({str(name): as_column(values) for name, values in source.items()})
    lengths = {len(column) for column in table.columns.values()}
    if len(lengths) != 1:
        raise InvalidVotesError(
            f"columns of a mapping must be equally long; found {', '.join(map(str, sorted(lengths))) or 'no columns'}."
        )
    return table


def open_gold(gold: Any, roles: Roles) -> tuple[Any, Roles]:
    """What a path to gold holds, and roles under which its classes are listed if it lists them."""
    if not isinstance(gold, (str, os.PathLike)):
        return gold, roles
    path = Path(gold)
    check_plain(path)
    if path.suffix.lower() == label_studio.ENDING:
        return label_studio.read_export(path, roles.gold_label), replace(roles, gold_label=label_studio.LABEL)
    if is_dataset(path):
        return read_dataset(path)[0], roles
    if not is_gold_lines(path):
        return read_table(path, form=roles.form.as_hint), roles
    _refuse_columns(roles)
    drawn = read_drawn_gold(path)
    return drawn, drawn.listed_in(roles)


def _refuse_columns(roles: Roles) -> None:
    if roles.gold_id is not None or roles.gold_label is not None:
        raise InvalidLabelsError(
            "the gold file says itself which of it are ids and labels. Drop ",
            Argument("gold_id"),
            " and ",
            Argument("gold_label"),
            ".",
        )
