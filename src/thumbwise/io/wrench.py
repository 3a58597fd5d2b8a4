"""Datasets in the layout of the WRENCH benchmark: a folder of JSON files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from thumbwise._typing import IntArray
from thumbwise.exceptions import InvalidFileError
from thumbwise.io.three_parts import ThreeParts
from thumbwise.io.wrench_format import MAX_BYTES, WrenchPart, read_class_names, read_labeled_ids, read_part
from thumbwise.votes.votes import Votes


@dataclass(frozen=True, eq=False)
class WrenchData(ThreeParts):
    """Votes of a WRENCH folder. Ids begin with their file, ``train/12``, because the files number items alike.

    Attributes
    ----------
    votes : Votes
        The pool: items of train.json whose label was not given away.
    labels : ndarray of shape (n_items,)
        Classes that train.json tells of them, -1 where it does not; for judging predictions.
    gold_votes, gold_labels : Votes, ndarray of shape (n_gold,)
        Items of valid.json.
    test_votes, test_labels : Votes, ndarray of shape (n_test,)
        Items of test.json.
    texts, gold_texts, test_texts : tuple of str, or None
        Texts of the items, if all of a file have one.
    leaked_ids : tuple of str
        Items of train.json that labeled_ids.json names: their labels were known to whoever wrote the rules.
    """

    texts: tuple[str, ...] | None
    gold_texts: tuple[str, ...] | None
    test_texts: tuple[str, ...] | None
    leaked_ids: tuple[str, ...]


def load_wrench(folder: str | Path, *, max_bytes: int = MAX_BYTES) -> WrenchData:
    """Read a WRENCH folder: train.json, valid.json, test.json, label.json and, if there, labeled_ids.json.

    Parameters
    ----------
    folder : str or Path
    max_bytes : int
        Files larger than this are refused.

    Returns
    -------
    WrenchData
        Which items are the pool, gold and test is what the files say; no label decides it.

    Raises
    ------
    InvalidFileError
        A file is missing, too large, or does not hold what it should.

    Examples
    --------
    >>> import json, tempfile
    >>> from pathlib import Path
    >>> from thumbwise.datasets import load_wrench
    >>> items = {"0": {"label": 1, "weak_labels": [-1, 1]}, "1": {"label": 0, "weak_labels": [0, 1]}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for part in ("train", "valid", "test"):
    ...         _ = Path(folder, f"{part}.json").write_text(json.dumps(items))
    ...     _ = Path(folder, "label.json").write_text('{"0": "ham", "1": "spam"}')
    ...     wrench = load_wrench(folder)
    >>> wrench.votes
    Votes: 2 items x 2 rules, 2 patterns; classes 'ham', 'spam'; -1 = abstain (25.0 % of votes)
    >>> wrench.gold_votes.item_ids.tolist(), wrench.gold_labels.tolist()
    (['valid/0', 'valid/1'], [1, 0])
    """
    home = Path(folder).expanduser()
    names = read_class_names(home / "label.json", max_bytes)
    parts = {part: read_part(home / f"{part}.json", len(names), max_bytes) for part in ("train", "valid", "test")}
    _check_same_rules(home, parts)
    train, leaked = _without_leaked(home, parts["train"], max_bytes)
    return WrenchData(
        votes=_as_votes(train, "train", names),
        labels=train.labels,
        gold_votes=_as_votes(parts["valid"], "valid", names),
        gold_labels=parts["valid"].labels,
        test_votes=_as_votes(parts["test"], "test", names),
        test_labels=parts["test"].labels,
        texts=train.texts,
        gold_texts=parts["valid"].texts,
        test_texts=parts["test"].texts,
        leaked_ids=tuple(f"train/{value}" for value in leaked),
    )


def _as_votes(part: WrenchPart, prefix: str, names: tuple[str, ...]) -> Votes:
    ids = np.strings.add(f"{prefix}/", np.array(part.ids))
    return Votes(part.votes, class_names=names, item_ids=ids, copy=False)


def _check_same_rules(home: Path, parts: dict[str, WrenchPart]) -> None:
    n_rules = parts["train"].votes.shape[1]
    for name, part in parts.items():
        if part.votes.shape[1] != n_rules:
            raise InvalidFileError(
                f"all files of {home} must have the same rules; train.json has {n_rules} and {name}.json "
                f"{part.votes.shape[1]}."
            )


def _without_leaked(home: Path, train: WrenchPart, max_bytes: int) -> tuple[WrenchPart, tuple[str, ...]]:
    path = home / "labeled_ids.json"
    if not path.exists():
        return train, ()
    leaked = read_labeled_ids(path, max_bytes)
    known = set(train.ids)
    strange = [value for value in leaked if value not in known]
    if strange:
        raise InvalidFileError(
            f"{path} must name items of train.json; {len(strange)} of {len(leaked)} are not, such as {strange[0]!r}."
        )
    kept = np.flatnonzero(~np.isin(np.array(train.ids), np.array(leaked, dtype=str)))
    if not len(kept):
        raise InvalidFileError(f"{path} must leave items for the pool; it names all {len(known)} of train.json.")
    return _take(train, kept), leaked


def _take(part: WrenchPart, items: IntArray) -> WrenchPart:
    return WrenchPart(
        tuple(part.ids[i] for i in items),
        part.votes[items],
        part.labels[items],
        None if part.texts is None else tuple(part.texts[i] for i in items),
    )
