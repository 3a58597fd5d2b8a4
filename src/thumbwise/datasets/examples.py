"""An example: votes, the truth about all items, and which items' labels are taken as known."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from thumbwise._typing import AnyArray, IntArray
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.tables.table_files import Table, check_table_file, write_table
from thumbwise.tables.whole_files import making_folder
from thumbwise.votes.labels import UNKNOWN
from thumbwise.votes.votes import Votes


@dataclass(frozen=True, eq=False)
class Demo:
    """Votes with the truth.

    Attributes
    ----------
    votes : Votes
    labels : ndarray of shape (n_items,)
        True class of every item.
    gold : ndarray of shape (n_gold,)
        Positions of the items whose label is taken as known, drawn at random, whatever their labels and votes.
    gold_labels : ndarray of shape (n_items,)
        Class number of each gold item, -1 for all others.
    item_ids : ndarray of shape (n_items,)
    description : str

    Examples
    --------
    >>> import thumbwise as tw
    >>> demo = tw.datasets.load_demo()
    >>> box = tw.Box.from_gold(demo.votes.take(demo.gold), demo.labels[demo.gold], pool=demo.votes, gold_is="subset")
    >>> tw.BalsubramaniFreund().fit(demo.votes, box=box).certificate_.proves_something
    True
    """

    votes: Votes
    labels: IntArray
    gold: IntArray
    item_ids: AnyArray
    description: str

    @property
    def gold_labels(self) -> IntArray:
        """Class number of each gold item, -1 for all others."""
        labels = np.full(len(self.labels), UNKNOWN)
        labels[self.gold] = self.labels[self.gold]
        return labels


def draw_gold(rng: np.random.Generator, n_items: int, n_gold: int) -> IntArray:
    """Positions of gold items, in order: every set of that size is equally likely."""
    if not 1 <= n_gold <= n_items:
        raise ValueError(f"n_gold must be at least 1 and at most the {n_items:,} items; found {n_gold}.")
    return np.sort(rng.choice(n_items, n_gold, replace=False))


def write_demo(demo: Demo, folder: Path, *, overwrite: bool = False) -> None:
    """Write ``votes.csv`` and ``gold.csv`` as a user would have them: class names, empty where a rule abstains.

    ``items.csv`` has what a person would look at to label an item, which in a made-up case is its number. Files of
    these names that are there already are replaced only with ``overwrite=True``.
    """
    names = np.array([*demo.votes.class_names, None], dtype=object)
    named_votes = names[demo.votes.array]  # ABSTAIN, -1, meets the None at the end
    rules = {
        name: np.ma.array(named_votes[:, j], mask=demo.votes.array[:, j] == ABSTAIN)
        for j, name in enumerate(demo.votes.rule_names)
    }
    gold = {"id": np.ma.asarray(demo.item_ids[demo.gold]), "label": np.ma.asarray(names[demo.labels[demo.gold]])}
    ids = np.ma.asarray(demo.item_ids)
    texts = np.array([f"made-up item {i:,}: there is nothing to read" for i in range(len(ids))], dtype=object)
    items = {"id": ids, "text": np.ma.asarray(texts)}
    tables = {"votes.csv": Table({"id": ids, **rules}), "gold.csv": Table(gold), "items.csv": Table(items)}
    with making_folder(folder):
        for name in tables:
            check_table_file(folder / name, overwrite=overwrite)
        for name, table in tables.items():
            write_table(table, folder / name, overwrite=overwrite)
