"""Files of triage: labels that are accepted, and a review for people to fill in; for items in memory or in files."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from thumbwise._typing import AnyArray, IntArray
from thumbwise.assess.accepting.ranked import gold_places
from thumbwise.assess.accepting.reasons import Names, give_reasons
from thumbwise.assess.accepting.result import Triage
from thumbwise.exceptions import InvalidChoiceError
from thumbwise.io.labels_elsewhere import check_elsewhere, write_relation
from thumbwise.io.readings import Reading
from thumbwise.io.triaged import TriagedItems, accepted_names, accepted_table, find_text, review_names, review_table
from thumbwise.io.triaged_elsewhere import TriagedPatterns, accepted_relation, review_relation
from thumbwise.tables.collisions import check_different
from thumbwise.tables.outputs import TABLE
from thumbwise.tables.spreadsheets import check_for_spreadsheets, harmless_relation, harmless_table
from thumbwise.tables.table_files import check_table_file, write_table
from thumbwise.votes.labels import KnownLabels

FilePath: TypeAlias = str | PathLike[str]


def write_triage(
    reading: Reading,
    triage: Triage,
    *,
    accepted: FilePath | None = None,
    review: FilePath | None = None,
    text: str | None = None,
    overwrite: bool = False,
    for_spreadsheets: bool = False,
) -> None:
    """Write accepted labels and the items that a person should look at, each file whole or not at all.

    Nothing is decided here: which labels are accepted was settled by :func:`triage`. The review comes back, filled in,
    through ``thumbwise label --reviewed`` or :meth:`Box.with_reviewed`.

    Parameters
    ----------
    reading : Reading
        What :func:`triage` was asked about. If its items stay in files, the database writes, and rows of the review
        that are as sure as each other come in the order of their ids.
    triage : Triage
    accepted : path, optional
        Ids, ``label``, ``probability`` (1 for gold, which is accepted with its label), and columns passed on.
    review : path, optional
        ``rank``, the least sure label first; ids; the text, if there is one; the vote of each rule, empty where it
        abstains, or ``votes`` of all rules in words if there are more than 50; ``proposed`` label, its ``probability``,
        and ``why``: which votes speak for it and against it; and ``label``, empty, to be filled in.
    text : str, optional
        A column that was passed on, for the review. Absent: the one that is called ``text``, if there is one.
    overwrite : bool
        Replace files that are there already. A review may hold labels that people filled in.
    for_spreadsheets : bool
        Put an apostrophe before texts that a spreadsheet would run as formulas, in .csv and .tsv.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> import thumbwise as tw
    >>> made = tw.datasets.make_one_coin(2000, [0.9, 0.8, 0.7], random_state=0)
    >>> frame = pd.DataFrame(made.votes.array, columns=["large", "small", "tiny"]).rename_axis("id").reset_index()
    >>> reading = tw.read_votes(frame, gold=dict(enumerate(made.labels[:300].tolist())))
    >>> sorted_out = tw.triage(reading, precision=0.9)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tw.write_triage(reading, sorted_out, review=Path(folder, "review.csv"))
    ...     print(Path(folder, "review.csv").read_text().splitlines()[0])
    rank,id,large,small,tiny,proposed,probability,why,label
    """
    _check_same(reading, triage)
    if for_spreadsheets:
        check_for_spreadsheets(accepted, review)
    check_triage_files(accepted, review, stays=reading.files is not None, overwrite=overwrite)
    column = check_triage_names(reading, accepted, review, text)
    if reading.files is not None:
        _write_elsewhere(reading, triage, accepted, review, column, overwrite, for_spreadsheets)
        return
    harmless = harmless_table if for_spreadsheets else _as_it_is
    pool: Any = triage.asked.sample.pool
    items = _items(triage)
    if accepted is not None:
        write_table(harmless(accepted_table(reading, pool, items)), Path(accepted), overwrite=overwrite)
    if review is not None:
        used, place = np.unique(pool.inverse[items.review], return_inverse=True)
        table = review_table(reading, pool, items, reasons_of(triage, used)[place], column)
        write_table(harmless(table), Path(review), overwrite=overwrite)


def _as_it_is(rows: Any) -> Any:
    return rows


def check_triage_files(
    accepted: FilePath | None,
    review: FilePath | None,
    *,
    inputs: Sequence[FilePath | None] = (),
    stays: bool = False,
    overwrite: bool = False,
) -> None:
    """Find out whether the files may be written before anything is computed for them; ``stays``: items are in files."""
    given = [Path(path) for path in (accepted, review) if path is not None]
    check_different(given)
    apart = [None if path is None else Path(path) for path in inputs]
    for path in given:
        if stays:
            check_elsewhere(path, apart, overwrite, TABLE)
        else:
            check_table_file(path, inputs=apart, overwrite=overwrite)


def check_triage_names(
    reading: Reading, accepted: FilePath | None, review: FilePath | None, text: str | None
) -> str | None:
    """Find out whether names of columns would clash; return the column of texts."""
    column = find_text(reading, text)
    if accepted is not None:
        accepted_names(reading)
    if review is not None:
        review_names(reading, column)
    return column


def _check_same(reading: Reading, sorted_out: Triage) -> None:
    if reading.votes.fingerprint != sorted_out.asked.sample.pool.fingerprint:
        raise InvalidChoiceError(
            "what is written must be about the items that were sorted out; the votes of this reading are others. Pass "
            "the reading that triage was asked about."
        )


def _items(sorted_out: Triage) -> TriagedItems:
    rows = np.flatnonzero(sorted_out.accepted)
    return TriagedItems(sorted_out.proposed, sorted_out.sureness, rows, sorted_out.in_review_order())


def reasons_of(sorted_out: Triage, places: IntArray) -> AnyArray:
    """Why labels are proposed for some patterns of the pool; empty where no one regression proposes them.

    In a cascade, items are left for people by the last stage, so that these are its reasons.
    """
    pool, cascade = sorted_out.asked.sample.pool, sorted_out.cascade
    taught = sorted_out.ranked.taught if cascade is None else cascade.stages[-1].taught
    why = np.full(len(places), "", dtype=object)
    if taught is not None and len(places):
        patterns = pool.patterns.take(places, pool.patterns.counts[places])
        why[:] = give_reasons(taught, patterns, Names(pool.rule_names, pool.class_names))
    return why


def _write_elsewhere(
    reading: Reading,
    sorted_out: Triage,
    accepted: FilePath | None,
    review: FilePath | None,
    text: str | None,
    overwrite: bool,
    for_spreadsheets: bool,
) -> None:
    harmless = harmless_relation if for_spreadsheets else _as_it_is
    files, pool = reading.files, sorted_out.asked.sample.pool
    inputs, stamps = (files.inputs, files.stamps) if files else ((), {})
    decided = _patterns(sorted_out)
    votes: Any = pool
    if accepted is not None:
        target = check_elsewhere(accepted, inputs, overwrite, TABLE)
        write_relation(harmless(accepted_relation(reading, votes, decided)), target, accepted, stamps)
    if review is not None:
        target = check_elsewhere(review, inputs, overwrite, TABLE)
        why = reasons_of(sorted_out, np.flatnonzero(decided.n_looks > 0))
        write_relation(harmless(review_relation(reading, votes, decided, why, text)), target, review, stamps)


def _patterns(sorted_out: Triage) -> TriagedPatterns:
    """What becomes of each pattern; gold items that are among the items keep their label."""
    sample, ranked, looks = sorted_out.asked.sample, sorted_out.ranked, sorted_out.looks
    counts = sample.pool.patterns.counts.astype(np.int64)
    known, n_free = None, counts
    if sorted_out.is_gold_placed:
        known = KnownLabels(sample.votes.item_ids, sample.labels)
        n_free = counts - np.bincount(gold_places(sample), minlength=len(counts))
    n_looks = np.where(sorted_out.accepts, 0, n_free) if looks is None else looks.looked_at[: len(counts)]
    return TriagedPatterns(ranked.proposed[: len(counts)], ranked.sureness[: len(counts)], n_looks, n_free, known)
