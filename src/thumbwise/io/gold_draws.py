"""Random items to be labeled next, and the tables in which somebody fills their labels in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from thumbwise._typing import AnyArray, IntArray
from thumbwise.exceptions import Argument, InvalidChoiceError, InvalidFileError, InvalidLabelsError
from thumbwise.io.gold_design import DESIGN, DRAW, GoldDesign
from thumbwise.io.gold_table import read_ids
from thumbwise.io.readings import Reading
from thumbwise.tables.table_files import Table, check_names
from thumbwise.votes.labels import UNKNOWN, code_labels
from thumbwise.votes.votes import Votes


def draw_gold(votes: Votes | Reading, n_items: int, *, gold: Any = None, random_state: int = 0) -> AnyArray:
    """Ids of items to be labeled next, drawn uniformly at random from those without a gold label, in random order.

    The draw depends on the seed, on which items have a gold label and on how many there are: on no label and on no
    vote. So which items are drawn, and in which order, is decided before any of their labels is seen, and nothing
    after.

    *Guarantee*: if the gold at hand is a random part of the items, it is one together with these: draw, label all, and
    ``Box.from_gold(..., gold_is="subset")`` keeps its guarantee. Deciding after each look at the bound whether to draw
    more does not: the level is then that of all looks together (two looks at 97.5 % hold at 95 %).

    Parameters
    ----------
    votes : Votes or Reading
        The pool. A :class:`Reading` brings its gold.
    n_items : int
        How many to draw.
    gold : array-like of shape (n_pool,), optional
        Classes of the items, -1 or missing where unknown; with Votes.
    random_state : int
        The same seed draws the same items from the same pool and gold.

    Returns
    -------
    ndarray of shape (n_items,)
        Ids; positions, if the votes have none.

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0], [1], [1], [0]], item_ids=["q7", "q2", "q9", "q4"])
    >>> sorted(tw.draw_gold(votes, 3, gold=[0, -1, -1, -1]).tolist())
    ['q2', 'q4', 'q9']
    """
    pool, known = _pool_and_known(votes, gold)
    return np.asarray(pool.item_ids[_draw_rows(known, n_items, random_state)])


def _draw_rows(known: AnyArray, n_items: int, seed: int) -> IntArray:
    """Rows of items that are not known yet, in random order."""
    candidates = np.flatnonzero(~known)
    _check_size(n_items, len(candidates), seed)
    # A stream of its own for every round: one stream for all would draw like places in each.
    rng = np.random.default_rng([seed, int(known.sum())])
    return np.asarray(rng.choice(candidates, n_items, replace=False))


def _pool_and_known(votes: Any, gold: Any) -> tuple[Votes, AnyArray]:
    if isinstance(votes, Reading):
        if gold is not None:
            raise InvalidChoiceError("gold must come from one place; a Reading holds its own, and gold was given too.")
        if votes.cluster is not None:
            raise InvalidChoiceError(
                "items are drawn one by one, and gold of these votes comes in whole clusters, ",
                Argument("cluster", repr(votes.cluster)),
                ". Draw clusters: from a table with a row for each of them.",
            )
        if votes.separate is not None:
            raise InvalidChoiceError(
                "items can be drawn where gold is part of the items to be labeled; this gold is a sample of its own, "
                "and items drawn from the pool would be another one. Read the votes without it."
            )
        return votes.votes, votes.gold != UNKNOWN
    labels: IntArray = np.full(votes.n_items, UNKNOWN)
    if gold is not None:
        labels = code_labels(gold, votes.class_names, votes.n_items)
    return votes, labels != UNKNOWN


def _check_size(n_items: int, n_candidates: int, seed: int) -> None:
    if not 1 <= n_items <= n_candidates:
        raise InvalidChoiceError(
            f"the number of items to draw must be 1 or more, and at most the number without a gold label; found "
            f"{n_items:,} for {n_candidates:,} such items."
        )
    if seed < 0:
        raise InvalidChoiceError(Argument("random_state"), f" must be 0 or more; found {seed}.")


def gold_to_label(reading: Reading, n_items: int, *, seed: int = 0) -> Table:
    """A gold table to be filled in: the gold labels at hand, then drawn items without a label, in the order drawn.

    Columns are ids, those that were passed on, ``label``, and two that keep the design: ``draw``, the place of an item
    in the draw, and ``design``, the draw in words. Votes are not shown, so that they sway nobody. Filled in, the table
    is read as gold like any other, and what its design says is checked. Items and order are those of
    :func:`draw_gold`, decided before any of their labels is seen.
    """
    if reading.id_name is None:
        raise InvalidFileError(
            "the votes must have a column of ids, by which labels find their items. Name it with ",
            Argument("item_id", "NAME"),
            ".",
        )
    if reading.gold_design is not None and reading.gold_design.n_unlabeled:
        raise InvalidLabelsError(
            f"items that were drawn must be labeled before more are drawn; {reading.gold_design.n_unlabeled:,} of "
            f"{reading.gold_design.n_drawn:,} have no label. They are as random as any: label them first."
        )
    drawn = draw_gold(reading, n_items, random_state=seed)
    position = {item: i for i, item in enumerate(reading.votes.item_ids.tolist())}
    before = np.flatnonzero(reading.gold != UNKNOWN)
    rows = np.concatenate([before, [position[item] for item in drawn.tolist()]]).astype(np.int64)
    is_new = np.arange(len(rows)) >= len(before)
    design = GoldDesign(n_items, reading.votes.n_items - len(before), seed)
    names = np.array([*map(str, reading.votes.class_names), None], dtype=object)
    columns = {
        reading.id_name: np.ma.asarray(reading.votes.item_ids[rows]),
        **{name: column[rows] for name, column in reading.passed_on.items()},
        "label": np.ma.array(names[reading.gold[rows]], mask=is_new),  # UNKNOWN, -1, meets the None at the end
        DRAW: np.ma.array(np.arange(len(rows)) - len(before) + 1, mask=~is_new),
        DESIGN: np.ma.array(np.full(len(rows), str(design), dtype=object), mask=~is_new),
    }
    check_columns([str(reading.id_name), *reading.passed_on])
    return Table(columns)


def items_to_label(items: Table, id_name: str, n_items: int, *, seed: int = 0) -> Table:
    """A gold table to be filled in, from items that nobody voted on yet: random ones, in random order.

    Columns are ids, all others of the items, ``label``, and ``draw`` and ``design``, which keep how the items were
    drawn; filled in, the table is read as gold with its design. The rows drawn depend on the seed and on how many items
    there are, and are those that :func:`draw_gold` draws from votes on the same items without gold. Nothing is decided
    after a label is seen.

    Parameters
    ----------
    items : Table
        A row per item.
    id_name : str
        Column of ids, which are there and unique.
    n_items : int
        How many to draw.
    seed : int
    """
    others = [name for name in items.names if name != id_name]
    try:
        check_columns([id_name, *others])
    except InvalidFileError as error:
        raise InvalidFileError(error, " Or say which are passed on: ", Argument("columns", [...]), ".") from None
    read_ids(items.columns[id_name], id_name, "the items")
    rows = _draw_rows(np.zeros(items.n_rows, dtype=bool), n_items, seed)
    design = GoldDesign(n_items, items.n_rows, seed)
    return Table(
        {
            **{name: items.columns[name][rows] for name in (id_name, *others)},
            "label": np.ma.array(np.full(n_items, None, dtype=object), mask=True),
            DRAW: np.ma.asarray(np.arange(n_items) + 1),
            DESIGN: np.ma.asarray(np.full(n_items, str(design), dtype=object)),
        }
    )


def check_columns(given: Sequence[str]) -> None:
    """Refuse ids and columns passed on that are called like one of those to be filled in."""
    names = [*given, "label", DRAW, DESIGN]
    try:
        check_names(names)
    except InvalidFileError as error:
        raise InvalidFileError(
            f"the table would have the columns {', '.join(map(repr, names[:20]))}: ", error
        ) from None
