"""Verdicts of LLM judges: one record for each item and judge in, votes and an account of each judge out.

A judge that *abstained* answered and declined. A judge that *failed* gave no usable answer: an error, a timeout, a
text without a verdict. A judge that was *not asked* has no record, or one that says so. For a model all three are "no
vote"; they are counted apart, because a judge that fails on hard items is not one that abstains on them.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import numpy as np

from thumbwise._typing import AnyArray, IntArray
from thumbwise.exceptions import Argument, InvalidChoiceError, InvalidFileError, Message
from thumbwise.io.jury_records.fields import Fields, check_kind, open_fields
from thumbwise.io.jury_records.log import MOST_FAILURES, Log, write_log
from thumbwise.io.jury_records.outcomes import (
    ABSTAINED,
    FAILED,
    Records,
    Settled,
    check_names,
    check_records,
    find_outcomes,
    settle_pairs,
)
from thumbwise.io.jury_records.panel import JudgeFailure, JudgeRecord, Jury, count_judges
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.summaries import one_line
from thumbwise.tables.table_files import Table, write_table
from thumbwise.votes.reading.long_columns import as_array, plain_value
from thumbwise.votes.reading.long_votes import Duplicates
from thumbwise.votes.votes import Votes

__all__ = ["JudgeFailure", "JudgeRecord", "Jury", "read_jury", "write_jury"]

MANY_FAILED = 0.2


def read_jury(
    records: Any,
    *,
    item: str | None = None,
    judge: str | None = None,
    verdict: str | None = None,
    status: str | None = None,
    error: str | None = None,
    null_verdict: Literal["abstained", "failed"] | None = None,
    abstain: str | None = None,
    class_names: Sequence[Hashable] | None = None,
    duplicates: Duplicates = "raise",
    item_ids: Any = None,
    judge_names: Sequence[str] | None = None,
) -> Jury:
    """Read the records of LLM judges.

    Of the records of one item and judge a usable one counts, else the first failure. No gold label is looked at.

    Parameters
    ----------
    records : path, frame, mapping of columns, or iterable of mappings
        A file ends in .jsonl, .ndjson, .csv, .tsv or .parquet. Each record has an item, a judge and a verdict, and may
        have a status (voted or ok, abstained, failed, not_asked) and an error text.
    item, judge, verdict, status, error : str, optional
        Names of the fields. Absent: those names, or a synonym if there is just one, such as ``model`` for the judge;
        the notes say which.
    null_verdict : {"abstained", "failed"}, optional
        What a record means that has no verdict, no error text, and no status that explains it. Absent: an error.
    abstain : str, optional
        A verdict by which a judge abstains, such as ``"unsure"``. Among class numbers, -1 does.
    class_names : sequence, optional
        All classes in order. Absent: the verdicts that occur.
    duplicates : {"raise", "first", "last"}
        What to do with several answers (votes or abstentions) of one judge on one item. A failed record beside an
        answer is a retry and no duplicate.
    item_ids, judge_names : optional
        All items and all judges in order, also those without a record.

    Returns
    -------
    Jury
        Votes of all judges, and what became of each of their questions.

    Raises
    ------
    InvalidVotesError
        Records contradict themselves or each other, or hold values that are no names, verdicts or statuses.
    InvalidFileError
        The file cannot be read, or mixes kinds in a field.

    Examples
    --------
    >>> from thumbwise.io.jury import read_jury
    >>> jury = read_jury([
    ...     {"item": "q1", "judge": "large", "verdict": "yes"},
    ...     {"item": "q1", "judge": "small", "error": "timeout"},
    ...     {"item": "q2", "judge": "large", "verdict": "no"},
    ...     {"item": "q2", "judge": "small", "status": "abstained"},
    ...     {"item": "q3", "judge": "large", "verdict": "yes"},
    ... ])
    >>> jury
    judge  voted  abstained  failed  not asked
    large      3          0       0          0
    small      0          1       1          1
    >>> jury.votes.array.tolist()
    [[1, -1], [0, -1], [1, -1]]
    >>> jury.failures
    (JudgeFailure(item_id='q1', judge='small', message='timeout'),)
    """
    declared = None if class_names is None else tuple(class_names)
    _check_choices(null_verdict, duplicates, abstain, declared)
    given = {"item": item, "judge": judge, "verdict": verdict, "status": status, "error": error}
    fields = open_fields(records, given)
    checked = check_records(fields, declared, abstain)
    outcomes, n_null = find_outcomes(checked, null_verdict)
    settled = settle_pairs(checked, outcomes, duplicates)
    votes = _make_votes(fields, checked, settled, _check_ids(item_ids), judge_names)
    log, is_retry = write_log(fields, checked, outcomes, settled, votes)
    judges = count_judges(votes, log, is_retry)
    notes = fields.notes + _settled_notes(checked, outcomes, settled, n_null, null_verdict, abstain)
    notes += [f"classes {', '.join(map(repr, votes.class_names[:6]))}{', ...' * (votes.n_classes > 6)}"]
    failed = np.flatnonzero((log.outcomes == FAILED) & ~is_retry)
    failures = tuple(_failure(votes, log, at) for at in failed[:MOST_FAILURES].tolist())
    return Jury(votes, judges, failures, len(failed), tuple(notes + _warnings(judges)), log)


def write_jury(jury: Jury, path: str | Path, *, overwrite: bool = False) -> None:
    """Write the records of a jury to a file that :func:`read_jury` reads, whole or not at all.

    The fields are item, judge, verdict, status and error; see :meth:`Jury.to_records`. JSON lines and Parquet keep
    what is text and what is a number; CSV does not tell the name ``"1"`` from the number 1.

    Parameters
    ----------
    jury : Jury
    path : path
        Ends in .jsonl, .ndjson, .csv, .tsv or .parquet.
    overwrite : bool
        Replace a file that is there already.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from thumbwise.io.jury import read_jury, write_jury
    >>> columns = {"item": [1, 1], "judge": ["m1", "m2"], "verdict": ["yes", "no"]}
    >>> with TemporaryDirectory() as folder:
    ...     write_jury(read_jury(columns), Path(folder) / "jury.jsonl")
    ...     print((Path(folder) / "jury.jsonl").read_text().strip())
    {"item":1,"judge":"m1","verdict":"yes","status":"voted","error":null}
    {"item":1,"judge":"m2","verdict":"no","status":"voted","error":null}
    """
    columns = {name: _masked(column) for name, column in jury.record_columns().items()}
    try:
        write_table(Table(columns), path, overwrite=overwrite)
    except UnicodeError as failure:
        raise InvalidFileError(
            f"{path} could not be written: a name or an error text is no Unicode text ({failure}). Correct it."
        ) from failure


def _masked(column: list[Any]) -> np.ma.MaskedArray[Any, Any]:
    missing = [value is None for value in column]
    if any(isinstance(value, str) for value in column) or all(missing):
        return np.ma.MaskedArray(np.fromiter(column, dtype=object, count=len(column)), mask=missing)
    return np.ma.MaskedArray(np.array([0 if value is None else value for value in column]), mask=missing)


def _check_choices(
    null_verdict: str | None, duplicates: str, abstain: str | None, class_names: tuple[Hashable, ...] | None
) -> None:
    if null_verdict not in (None, "abstained", "failed"):
        raise InvalidChoiceError(Argument("null_verdict"), f' must be "abstained" or "failed"; found {null_verdict!r}.')
    if duplicates not in ("raise", "first", "last"):
        raise InvalidChoiceError(f'duplicates must be "raise", "first" or "last"; found {duplicates!r}.')
    if abstain is not None and not isinstance(abstain, str):
        raise InvalidChoiceError(f"abstain must be a verdict that is text; found {abstain!r}.")
    if abstain is not None and class_names is not None and abstain in class_names:
        raise InvalidChoiceError(
            "abstain must be no class; ", Argument("class_names"), f" lists {abstain!r} too. Leave out one."
        )


def _check_ids(item_ids: Any) -> AnyArray | None:
    if item_ids is None:
        return None
    ids = np.fromiter(item_ids, dtype=object) if isinstance(item_ids, (list, tuple)) else as_array(item_ids, "item_ids")
    checked = check_kind(ids, "item")
    check_names(checked, "item")
    return checked


def _make_votes(
    fields: Fields, records: Records, settled: Settled, item_ids: AnyArray | None, judge_names: Sequence[str] | None
) -> Votes:
    """All records keep their item and judge; those that count and are votes have a class."""
    labels = np.full(fields.n_records, ABSTAIN, dtype=records.classes.dtype)
    labels[settled.heard] = records.classes[settled.heard]
    return Votes.from_long(
        (fields.columns["item"], fields.columns["judge"], labels),
        item=fields.names["item"],
        rule=fields.names["judge"],
        class_names=records.class_names,
        item_ids=item_ids,
        rule_names=judge_names,
    )


def _failure(votes: Votes, log: Log, at: int) -> JudgeFailure:
    item_id = plain_value(votes.item_ids[log.items[at]])
    return JudgeFailure(item_id, votes.rule_names[log.judges[at]], log.messages.get(at))


def _settled_notes(
    records: Records,
    outcomes: IntArray,
    settled: Settled,
    n_null: int,
    null_verdict: str | None,
    abstain: str | None,
) -> list[str]:
    n_marked = int((records.has_verdict & (outcomes == ABSTAINED)).sum())
    mark = "-1" if abstain is None or records.table.labels.values.dtype.kind in "iuf" else repr(abstain)
    counted = [
        (
            n_null,
            f"records without verdict, status or error count as {null_verdict}, as ",
            Argument("null_verdict"),
            " says",
        ),
        (n_marked, f"verdicts {mark} count as abstained"),
        (len(settled.retried), "failed records have another record of the same item and judge: retries"),
        (settled.n_dropped, "answers were dropped as duplicates"),
    ]
    return [Message(f"{n:,} ", *what) for n, *what in counted if n]


def _warnings(judges: Sequence[JudgeRecord]) -> list[str]:
    """The judges that failed on a large share of what they were asked; ten at most by name."""
    many = [judge for judge in judges if judge.failed_share > MANY_FAILED]
    lines = [
        f"warning: judge {one_line(repr(judge.name))} failed on {judge.n_failed:,} of "
        f"{judge.n_items - judge.n_not_asked:,} items that it was asked about; if these are the hard ones, its votes "
        "on the others say little about them"
        for judge in islice(many, 10)
    ]
    return lines + ([f"warning: so did {len(many) - 10:,} more judges"] if len(many) > 10 else [])
