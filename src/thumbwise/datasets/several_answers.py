"""Made-up tables of items with several tags, and of systems compared in pairs, with their truth."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from thumbwise.datasets.examples import draw_gold

# How often each tag is there, and how often each judge sees a tag that is there, and one that is not.
TAG_SHARES = {"insult": 0.25, "spam": 0.1, "threat": 0.05}
TAG_JUDGES = {"ann": (0.9, 0.03), "bob": (0.85, 0.05), "cleo": (0.75, 0.02), "dan": (0.8, 0.1)}
# How strong each system is: the chance that it wins is logistic in the difference.
SYSTEMS = {"aster": 0.8, "birch": 0.2, "cedar": -0.6}
# Share of ties, and of each judge how often it says the truth and how often, when it does not, the answer shown first.
TIES = 0.2
PAIR_JUDGES = {"judge-l": (0.8, 0.5), "judge-m": (0.7, 0.6), "judge-s": (0.55, 0.9)}


@dataclass(frozen=True, eq=False)
class MadeTable:
    """A table of votes, the gold that people have, and the truth.

    Attributes
    ----------
    votes : mapping of str to list
        The columns of a table, as :func:`thumbwise.read_tags` or :func:`thumbwise.read_votes` takes them.
    gold : mapping
        Of ids to tags; or the columns of a table of comparisons.
    truth : list
        The tags of each item, or the winner of each comparison.
    """

    votes: dict[str, list[Any]]
    gold: dict[Any, Any]
    truth: list[str]


def make_tags(n_items: int = 1000, *, n_gold: int = 150, random_state: int) -> MadeTable:
    """Messages tagged by four made-up judges with none, one or more of three tags, as texts such as ``spam|insult``.

    Parameters
    ----------
    n_items : int
    n_gold : int
        How many messages, drawn at random, people have tagged.
    random_state : int
        Seed of messages, judges and gold.

    Examples
    --------
    >>> from thumbwise.datasets import make_tags
    >>> made = make_tags(100, n_gold=20, random_state=1)
    >>> made.votes["ann"][:4], len(made.gold)
    (['none', 'none', 'none', 'insult'], 20)
    """
    _check_sizes(n_items, n_gold)
    rng = np.random.default_rng(random_state)
    truth = rng.random((n_items, len(TAG_SHARES))) < list(TAG_SHARES.values())
    ids = [f"m{i:0{len(str(n_items - 1))}d}" for i in range(n_items)]
    said = {
        judge: rng.random(truth.shape) < np.where(truth, sees, imagines)
        for judge, (sees, imagines) in TAG_JUDGES.items()
    }
    texts = ["|".join(tag for tag, there in zip(TAG_SHARES, row, strict=True) if there) or "none" for row in truth]
    votes = {
        judge: ["|".join(tag for tag, s in zip(TAG_SHARES, row, strict=True) if s) or "none" for row in rows]
        for judge, rows in said.items()
    }
    gold = {ids[i]: texts[i] for i in draw_gold(rng, n_items, n_gold).tolist()}
    return MadeTable({"id": ids, **votes}, gold, texts)


def make_pairs(n_questions: int = 300, *, n_gold: int = 150, random_state: int) -> MadeTable:
    """Answers of three made-up systems to the same questions, compared in pairs by three judges in both orders.

    A row is what one judge says of one pair in one order: ``question_id``, ``model_a`` (shown first), ``model_b``,
    ``judge`` and ``winner``, as in MT-bench. A weak judge that does not know says that the first answer is better.

    Parameters
    ----------
    n_questions : int
    n_gold : int
        How many comparisons, drawn at random, people have looked at.
    random_state : int
        Seed of questions, judges and gold.

    Examples
    --------
    >>> from thumbwise.datasets import make_pairs
    >>> made = make_pairs(10, n_gold=5, random_state=1)
    >>> list(made.votes), len(made.votes["winner"]), len(made.gold["winner"])
    (['question_id', 'model_a', 'model_b', 'judge', 'winner'], 180, 5)
    """
    items = [(q, *pair) for q in range(n_questions) for pair in combinations(SYSTEMS, 2)]
    _check_sizes(len(items), n_gold)
    rng = np.random.default_rng(random_state)
    ahead = np.array([SYSTEMS[a] - SYSTEMS[b] for _, a, b in items])
    wins = rng.random(len(items)) < 1 / (1 + np.exp(-ahead))
    sides = np.where(rng.random(len(items)) < TIES, 2, np.where(wins, 0, 1))  # the first of the pair, the second, tie
    names = ("model_a", "model_b", "tie")
    rows: list[tuple[Any, ...]] = []
    for judge, (knows, first) in PAIR_JUDGES.items():
        for is_swapped in (False, True):
            knowing = rng.random(len(items)) < knows
            guess = np.where(rng.random(len(items)) < first, 0, rng.integers(3, size=len(items)))  # as they are shown
            shown = np.where(knowing, np.where(sides == 2, 2, sides ^ is_swapped), guess)
            rows += [
                (q, *((b, a) if is_swapped else (a, b)), judge, names[side])
                for (q, a, b), side in zip(items, shown.tolist(), strict=True)
            ]
    columns = ("question_id", "model_a", "model_b", "judge", "winner")
    chosen = draw_gold(rng, len(items), n_gold).tolist()
    people = [(*items[i], "people", names[sides[i]]) for i in chosen]
    return MadeTable(_columns(columns, rows), _columns(columns, people), [names[side] for side in sides])


def _columns(names: tuple[str, ...], rows: list[tuple[Any, ...]]) -> dict[str, list[Any]]:
    return {name: [row[j] for row in rows] for j, name in enumerate(names)}


def _check_sizes(n_items: int, n_gold: int) -> None:
    if n_items < 1:
        raise ValueError(f"there must be at least one item; found {n_items}.")
    if not 0 <= n_gold <= n_items:
        raise ValueError(f"n_gold must lie between 0 and the number of items, {n_items:,}; found {n_gold}.")
