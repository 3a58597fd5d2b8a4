"""Which opinions a box has: decided from votes and numbers of items, before gold labels are seen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from thumbwise.box.budget import FEW_RULES
from thumbwise.box.gold import GoldSample
from thumbwise.box.opinions.opinion import Opinion, WeightedVote
from thumbwise.box.opinions.tiers import InTiers
from thumbwise.box.opinions.written import ask
from thumbwise.exceptions import Argument, InvalidBoxError
from thumbwise.numerics.even_panel import first_of_copies, panel_of
from thumbwise.numerics.patterns import Patterns
from thumbwise.votes.counted_votes import CountedVotes, put_together
from thumbwise.votes.inputs import in_memory
from thumbwise.votes.votes import Votes

MAJORITY, PANEL, LEARNED = "majority", "panel", "learned"
OpinionLike: TypeAlias = "str | InTiers | Callable[[Votes], Any]"
Opinions: TypeAlias = "Literal['auto'] | Sequence[OpinionLike]"
# With fewer gold labels there is too little to learn from.
LEAST_GOLD = 30
# Patterns times classes up to which a learned opinion, which has a number for each, is made.
MOST_CELLS = 2 * 10**7
MANY_CLASSES = 30
# Of the allowed error, what the learned opinion gets; the others share the rest.
FOR_LEARNED = 0.9
_POSSIBLE = "'majority', 'panel', 'learned', InTiers(...) and functions of votes"


@dataclass(frozen=True, eq=False)
class Panel:
    """Opinions that were chosen.

    Attributes
    ----------
    opinions : tuple of Opinion
    learns : bool
        Whether a learned opinion is to be made.
    population : Patterns
        What they were chosen on: the pool, and gold too if it is outside of the pool.
    """

    opinions: tuple[Opinion, ...]
    learns: bool
    population: Patterns

    @property
    def error_for_learned(self) -> float:
        """Share of the allowed error that is not for moments which gold counts."""
        return FOR_LEARNED if self.learns else 0.0


def choose_opinions(
    sample: GoldSample,
    asked: Opinions,
    *,
    has_features: bool = False,
    has_scores: bool = False,
    n_gold: int | None = None,
) -> Panel:
    """Opinions for some gold: those asked for, or, by default, what panels of that size are best served with.

    By default: nothing for up to four distinct rules, which each say more than they say together; for more, majority
    vote and the panel; and with at least 30 gold labels, drawn plainly at random, a learned opinion, which then gets
    nine tenths of the error; but not if labeling could stop at any moment, since it goes through gold in orders that
    mix early and late labels. Where items have features or scores, there is always something to learn.
    No label has a part in this. A plan asks for another number of gold labels than there are, ``n_gold``.
    """
    population, asked = population_of(sample), read_opinions(asked)
    is_auto = asked == "auto"
    is_few = first_of_copies(population).sum() <= FEW_RULES
    wanted = ([] if is_few else [MAJORITY, PANEL, LEARNED]) if is_auto else list(asked)
    wanted += [LEARNED] * ((has_features or (has_scores and is_auto)) and LEARNED not in wanted)
    objection = _cannot_learn(sample, len(sample) if n_gold is None else n_gold)
    if LEARNED in wanted and objection and (has_features or not is_auto):
        raise InvalidBoxError("a learned opinion ", objection, "; leave it out, and ", Argument("features"), " too.")
    found = [opinion for like in wanted if like != LEARNED for opinion in _make(like, sample, population)]
    _check_names(found)
    return Panel(tuple(found), LEARNED in wanted and objection is None, population)


def population_of(sample: GoldSample) -> Patterns:
    """What gold was drawn from: the pool, and gold too if it is outside of the pool."""
    if sample.gold_is == "subset":
        return sample.pool.patterns
    return put_together(sample.pool.patterns, sample.votes.patterns)


def read_opinions(asked: Any) -> Opinions:
    """What was asked for, as "auto" or a list: one that stands alone is a list of one."""
    if isinstance(asked, (str, InTiers)) or callable(asked):
        return "auto" if asked == "auto" else _checked([asked])
    if not isinstance(asked, Iterable):
        raise InvalidBoxError(
            Argument("opinions"), f" must be 'auto', () for none, or some of {_POSSIBLE}; found {asked!r}."
        )
    return _checked(list(asked))


def _checked(wanted: list[Any]) -> list[OpinionLike]:
    for like in wanted:
        is_name = isinstance(like, str) and like in (MAJORITY, PANEL, LEARNED)
        if not (isinstance(like, InTiers) or callable(like) or is_name):
            raise InvalidBoxError("each of ", Argument("opinions"), f" must be one of {_POSSIBLE}; found {like!r}.")
    return wanted


def _cannot_learn(sample: GoldSample, n_gold: int) -> str | None:
    """Why nothing is learned from this gold, if so; from numbers of items and the design."""
    n_classes, n_patterns = sample.pool.n_classes, sample.pool.patterns.n_patterns
    if not sample.design.is_plain:
        return "needs gold that is a plain random sample"
    if sample.stopping.is_anytime:
        return "goes through gold in several orders, and so needs a number of labels that was fixed before, or looks"
    if n_gold < LEAST_GOLD:
        return f"needs at least {LEAST_GOLD} gold labels, to learn from and to test; found {n_gold}"
    if n_classes >= MANY_CLASSES or n_patterns * n_classes > MOST_CELLS:
        return f"is for fewer than {MANY_CLASSES} classes and {MOST_CELLS:,} numbers; found {n_classes} classes"
    return None


def _make(like: OpinionLike, sample: GoldSample, population: Patterns) -> Sequence[Opinion]:
    if callable(like):
        return [ask(like, _items(sample))]
    if isinstance(like, InTiers):
        whole = _by_name(like.opinion, sample.pool, population)
        return like.split(whole, population)
    return [_by_name(like, sample.pool, population)]


def _by_name(name: str, pool: CountedVotes, population: Patterns) -> WeightedVote:
    counted, log_odds = panel_of(population)
    if name == MAJORITY:
        return WeightedVote(MAJORITY, pool.rule_names, counted)
    if name == PANEL:
        return WeightedVote(PANEL, pool.rule_names, log_odds)
    raise InvalidBoxError(f"tiers are of 'majority' or 'panel'; found {name!r}.")


def _items(sample: GoldSample) -> Votes:
    """All items of the population, which a function of one's own is asked about."""
    pool = in_memory(sample.pool, "an opinion of your own")
    if sample.gold_is == "subset":
        return pool
    rows = np.concatenate([pool.array, sample.votes.array])
    return Votes(rows, class_names=pool.class_names, rule_names=pool.rule_names, ordered=pool.is_ordered)


def _check_names(found: Sequence[Opinion]) -> None:
    names = [opinion.name for opinion in found]
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise InvalidBoxError(
            "each of ", Argument("opinions"), f" must have its own name; found {repeated[0]!r} twice."
        )
