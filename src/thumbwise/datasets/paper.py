"""The ten datasets of An and Dasgupta (2024), read from the files that the authors published."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from thumbwise._typing import IntArray
from thumbwise.datasets.folders import data_folder, folder_origin, holds_any
from thumbwise.exceptions import InvalidChoiceError, InvalidFileError
from thumbwise.io.mat_files import TEST, TRAINING, VALIDATION, Part, count_classes, read_parts
from thumbwise.io.three_parts import ThreeParts
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.votes.votes import Votes

PAPER_TITLES: dict[str, str] = {
    "aa2": "AwA",
    "basketball": "Basketball",
    "breast_cancer": "Cancer",
    "cardio": "Cardio",
    "domain": "Domain",
    "imdb": "IMDB",
    "obs": "OBS",
    "sms": "SMS",
    "yelp": "Yelp",
    "youtube": "Youtube",
}
PAPER_NAMES: tuple[str, ...] = tuple(PAPER_TITLES)


@dataclass(frozen=True, eq=False)
class _Named:
    name: str


@dataclass(frozen=True, eq=False)
class PaperData(ThreeParts, _Named):  # the name comes first
    """One dataset of the paper, as :func:`load_paper` reads it. The authors split it into its three parts.

    Attributes
    ----------
    name : str
        One of ``PAPER_NAMES``.
    votes : Votes
        Training items: the pool.
    labels : ndarray of shape (n_items,)
        Their true classes, by which predictions are judged.
    gold_votes, gold_labels : Votes, ndarray of shape (n_gold,)
        Validation items: where the paper draws its 100 labels from.
    test_votes, test_labels : Votes, ndarray of shape (n_test,)
        Items that the paper does not use.
    filled_votes, filled_gold_votes : Votes
        ``votes`` and ``gold_votes`` with every abstention replaced by a class that the authors drew at random; the
        same objects where nobody abstains.
    """

    filled_votes: Votes
    filled_gold_votes: Votes


def find_paper_folder(folder: str | Path | None = None) -> Path:
    """The folder that holds the files of the paper's datasets.

    Parameters
    ----------
    folder : str or Path, optional
        The folder itself, or one that holds it under the name ``paper``. Absent: the folder that the environment
        variable ``THUMBWISE_DATA`` names; if that is not set, the user's cache, where
        :func:`~thumbwise.datasets.fetch_paper` puts them.

    Raises
    ------
    InvalidFileError
        None of the files is there.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from thumbwise.datasets import find_paper_folder
    >>> with TemporaryDirectory() as folder:
    ...     Path(folder, "paper").mkdir()
    ...     _ = Path(folder, "paper", "imdb.mat").write_bytes(b"")
    ...     find_paper_folder(folder).name
    'paper'
    """
    top = data_folder(folder)
    for place in paper_places(top):
        if holds_any(place, [f"{name}.mat" for name in PAPER_NAMES]):
            return place
    looked = " nor in ".join(map(str, paper_places(top)))
    raise InvalidFileError(
        f"the paper's datasets must be in a folder as {PAPER_NAMES[0]}.mat and so on; there is none of them in "
        f"{looked} ({folder_origin(folder)}). Download them with thumbwise.datasets.fetch_paper(), or name a folder "
        "that has them: the argument folder, or the environment variable THUMBWISE_DATA."
    )


def paper_places(top: Path) -> tuple[Path, Path]:
    """Where in a folder the files may be."""
    return top, top / "paper"


def load_paper(name: str, folder: str | Path | None = None) -> PaperData:
    """Read one of the paper's ten datasets.

    Classes are numbered 0, 1, ... as far as labels or votes of any part go; rules and items have no names in the files.

    Parameters
    ----------
    name : str
        One of ``PAPER_NAMES``; AwA is ``"aa2"``, Cancer is ``"breast_cancer"``.
    folder : str or Path, optional
        See :func:`find_paper_folder`.

    Returns
    -------
    PaperData

    Raises
    ------
    InvalidFileError
        The files are not there, or do not hold what they should.

    Examples
    --------
    >>> from thumbwise.datasets import fetch_paper, load_paper
    >>> fetch_paper()  # doctest: +SKIP
    >>> load_paper("imdb").votes  # doctest: +SKIP
    Votes: 20,000 items x 5 rules, 43 patterns; classes 0, 1; -1 = abstain (76.4 % of votes)
    """
    if name not in PAPER_TITLES:
        raise InvalidChoiceError(f"name must be one of {', '.join(map(repr, PAPER_NAMES))}; found {name!r}.")
    home = find_paper_folder(folder)
    parts = read_parts(home / f"{name}.mat", (TRAINING, VALIDATION, TEST))
    n_classes = count_classes(parts)
    (pool, labels), (gold, gold_labels), (test, test_labels) = parts
    votes, gold_votes = _as_votes(pool, n_classes), _as_votes(gold, n_classes)
    filled_votes, filled_gold_votes = votes, gold_votes
    if (pool == ABSTAIN).any() or (gold == ABSTAIN).any():
        filled = _read_filled(home / f"{name}_filled.mat", parts[:2], n_classes)
        filled_votes, filled_gold_votes = (_as_votes(array, n_classes) for array in filled)
    return PaperData(
        name=name,
        votes=votes,
        labels=labels,
        gold_votes=gold_votes,
        gold_labels=gold_labels,
        test_votes=_as_votes(test, n_classes),
        test_labels=test_labels,
        filled_votes=filled_votes,
        filled_gold_votes=filled_gold_votes,
    )


def _as_votes(array: IntArray, n_classes: int) -> Votes:
    return Votes(array, n_classes=n_classes, copy=False)


def _read_filled(path: Path, parts: list[Part], n_classes: int) -> list[IntArray]:
    """Votes without abstentions that say what the rules said wherever they voted."""
    names = (TRAINING, VALIDATION)
    filled = [votes for votes, _ in read_parts(path, names)]
    for votes, (original, _), (name, _) in zip(filled, parts, names, strict=True):
        if votes.shape != original.shape:
            raise InvalidFileError(
                f"{name!r} of {path} must have the shape {original.shape} of the votes that it fills in; its shape is "
                f"{votes.shape}."
            )
        off = (votes < 0) | (votes >= n_classes) | ((original != ABSTAIN) & (votes != original))
        if off.any():
            item, rule = map(int, np.argwhere(off)[0])
            raise InvalidFileError(
                f"{name!r} of {path} must repeat the votes and hold a class where a rule abstains; found "
                f"{votes[item, rule]} for {original[item, rule]} at item {item}, rule {rule} ({int(off.sum())} such "
                "entries)."
            )
    return filled
