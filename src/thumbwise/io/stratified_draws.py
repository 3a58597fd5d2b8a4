"""Stratified draws of items to be labeled: strata and how many of each from votes alone, in an order that is even."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.box.designs import Stratified
from thumbwise.exceptions import Argument, InvalidChoiceError
from thumbwise.io.gold_lines.headers import Stratum
from thumbwise.numerics.panel import Panel
from thumbwise.rates.asked import class_number
from thumbwise.votes.inputs import as_votes, in_memory
from thumbwise.votes.votes import Votes

# The panel's own doubt is taken to lie between these: it may be surer than it should, and no stratum is left bare.
_LEAST_DOUBT, _MOST_DOUBT = 0.1, 0.5
# Labels that each stratum gets at least, as far as there are that many in all.
_FLOOR = 5
_HALVINGS = 80


@dataclass(frozen=True, eq=False)
class StratifiedDraw:
    """All items in the order in which they are to be labeled, and the strata that they are drawn from.

    Attributes
    ----------
    order : ndarray of shape (n_items,)
        Position of the item in each place of the draw.
    places : tuple of str
        Name of the stratum of each place.
    strata : tuple of Stratum
        Name, size, and how many of the first ``n`` items are of it.
    ids : ndarray of shape (n,)
        Ids of the items to be labeled; positions, if the votes have none.
    """

    order: IntArray
    places: tuple[str, ...]
    strata: tuple[Stratum, ...]
    ids: AnyArray

    def design(self, n_labels: int | None = None) -> Stratified:
        """How the first so many items were drawn, in the order of ``ids``: what gold takes as ``drawn``."""
        n = len(self.ids) if n_labels is None else n_labels
        sizes: dict[Hashable, int] = {stratum.name: stratum.size for stratum in self.strata}
        return Stratified("subset", strata=np.array([*self.places[:n], None], dtype=object)[:-1], sizes=sizes)


def draw_stratified(
    votes: Any, n_items: int, *, of: Hashable | None = None, n_levels: int = 1, random_state: int = 0
) -> StratifiedDraw:
    """Items to be labeled, drawn at random within strata that the votes make.

    Strata are the items of which the panel of rules says each class, or the class ``of`` and another one; with
    ``n_levels=2`` each of these is cut in two,
    by whether the panel is at least as sure as it is of half of all items. Of each stratum as many are drawn as would
    make the estimate of a share most precise if the panel were as often wrong as it says (Neyman, 1934), but no fewer
    than five, and as if it doubted at least a tenth. Within a stratum the order is random; strata take turns, so that
    in every prefix each has its part, up to one item.

    All of this is decided by votes, ``n_items`` and the seed, before any label is seen. How many items of each stratum
    are in a prefix follows from its length alone: so at planned looks, and at a number of labels that was fixed before,
    labels are a random sample of each stratum. Where labels decide after each of them whether to go on, intervals for
    stratified gold do not hold.

    *Guarantee*: none by itself; it makes ``designs.Stratified`` true, which has one. Measured on the paper's sets, it
    makes no share more precise than a plain random draw whose interval leans on the same panel (docs/stopping.md), so a
    random draw is the default everywhere. It is for those who want labels of every kind of item.

    Parameters
    ----------
    votes : Votes, array-like or frame
        All items, in memory.
    n_items : int
        How many are to be labeled.
    of : hashable, optional
        The class whose share is asked for.
    n_levels : {1, 2}
        With 1 and two classes, or ``of``, there are two strata, for which exact intervals exist; more have wider ones.
    random_state : int
        The same seed draws the same items from the same votes.

    Examples
    --------
    >>> import numpy as np
    >>> import thumbwise as tw
    >>> made = tw.datasets.make_one_coin(1000, [0.9, 0.85, 0.8, 0.75, 0.7], random_state=0)
    >>> drawn = tw.draw_stratified(made.votes, 100, random_state=1)
    >>> [(stratum.name, stratum.size, stratum.n) for stratum in drawn.strata]
    [('0', 508, 51), ('1', 492, 49)]
    >>> chosen = drawn.order[:100]
    >>> gold = tw.Gold(made.votes.take(chosen), made.labels[chosen], drawn.design())
    >>> print(tw.rate(made.votes, gold, of=1))  # doctest: +NORMALIZE_WHITESPACE
    With 95 % confidence the share of 1 among all 1,000 items lies between 43.2 % and 53.1 % (estimate 48.2 %), if the
    100 gold items are drawn at random within each group.
    """
    pool = in_memory(as_votes(votes), "a stratified draw")
    _check(n_items, random_state, n_levels, pool.n_items)
    names, codes, doubts = _strata(pool, of, n_levels)
    sizes = np.bincount(codes, minlength=len(names))
    wanted = allocate(sizes, np.sqrt(doubts * (1 - doubts)), n_items)
    order = interleave(codes, wanted, random_state)
    strata = tuple(Stratum(*row) for row in zip(names, sizes.tolist(), wanted.tolist(), strict=True))
    places = tuple(names[code] for code in codes[order].tolist())
    return StratifiedDraw(order, places, strata, np.asarray(pool.item_ids[order[:n_items]]))


def _check(n: int, seed: int, n_levels: int, n_items: int) -> None:
    if not 1 <= n <= n_items:
        raise InvalidChoiceError(
            f"the number of items to draw must be 1 or more, and at most the {n_items:,} items; found {n:,}."
        )
    if seed < 0:
        raise InvalidChoiceError(Argument("random_state"), f" must be 0 or more; found {seed}.")
    if n_levels not in (1, 2):
        raise InvalidChoiceError(f"the panel's verdicts can be cut into 1 or 2 levels of sureness; found {n_levels}.")


def _strata(votes: Votes, of: Hashable | None, n_levels: int) -> tuple[list[str], IntArray, FloatArray]:
    """Names of the strata that have items, the number of each item's, and how much the panel doubts each."""
    panel, patterns = Panel.of_informative(votes.patterns), votes.patterns
    sure = panel.sureness(patterns)
    is_sure = sure >= _weighted_median(sure, patterns.counts) if n_levels == 2 else np.ones(len(sure), dtype=bool)
    verdict, texts = panel.verdicts(patterns), [str(name) for name in votes.class_names]
    if of is not None:
        verdict, texts = (verdict != class_number(of, votes.class_names)).astype(np.int64), [str(of), f"not {of}"]
    kind = verdict * n_levels + ~is_sure
    kinds, code = np.unique(kind, return_inverse=True)
    levels = [", sure", ", unsure"] if n_levels == 2 else [""]
    names = [f"{texts[k // n_levels]}{levels[k % n_levels]}" for k in kinds.tolist()]
    doubts = np.bincount(code, patterns.counts * (1 - sure)) / np.bincount(code, patterns.counts)
    return names, code[votes.inverse], np.clip(doubts, _LEAST_DOUBT, _MOST_DOUBT)


def _weighted_median(values: FloatArray, counts: IntArray) -> float:
    order = np.argsort(-values, kind="stable")
    return float(values[order][np.searchsorted(np.cumsum(counts[order]), counts.sum() / 2)])


def allocate(sizes: IntArray, spread: FloatArray, n: int) -> IntArray:
    """How many of each stratum: in proportion to size times spread, with a floor, no more than there are; n in all.

    Examples
    --------
    >>> allocate(np.array([900, 90, 10]), np.array([0.3, 0.5, 0.5]), 100).tolist()
    [81, 14, 5]
    """
    least, weight = np.minimum(sizes, min(_FLOOR, n // len(sizes))), sizes * spread
    low, high = 0.0, float((sizes / weight).max())
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        is_small = np.clip(middle * weight, least, sizes).sum() <= n
        low, high = (middle, high) if is_small else (low, middle)
    part = np.clip(low * weight, least, sizes)
    wanted = np.floor(part + 1e-9).astype(np.int64)
    # What rounding left over goes to those that it cost most.
    room = np.argsort(np.where(wanted < sizes, wanted - part, np.inf), kind="stable")
    wanted[room[: n - int(wanted.sum())]] += 1
    return wanted


def interleave(codes: IntArray, wanted: IntArray, seed: int) -> IntArray:
    """All items, random within each stratum, strata in turns: the j-th of one that gets w comes at (j - 1/2) / w.

    Items are sorted by the raw numbers of PCG64, a stream that NumPy keeps the same in all versions, so that the draw
    can be done again.
    """
    shuffled = np.argsort(np.random.PCG64(seed).random_raw(len(codes)), kind="stable")
    by_stratum = shuffled[np.argsort(codes[shuffled], kind="stable")]
    sizes = np.bincount(codes, minlength=len(wanted))
    turn = np.arange(len(codes)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    when = (turn + 0.5) / np.maximum(np.repeat(wanted, sizes), 0.5)
    return np.asarray(by_stratum[np.argsort(when, kind="stable")])
