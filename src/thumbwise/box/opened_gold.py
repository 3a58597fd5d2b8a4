"""Gold as people pass it, beside the pool, read and checked: the one way in for everything that takes gold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

from thumbwise._typing import AnyArray, IntArray
from thumbwise.box.designs.clusters import Clusters
from thumbwise.box.designs.plain import Separate, Subset
from thumbwise.box.gold import Design, Gold, GoldIs, GoldSample
from thumbwise.box.stopping import FIXED, Looks, StoppingRule
from thumbwise.exceptions import Argument, InPython, InvalidBoxError, InvalidChoiceError, InvalidLabelsError
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.inputs import VotesAndGold, read_gold
from thumbwise.votes.labels import UNKNOWN, code_labels
from thumbwise.votes.votes import Votes

_BY_NAME: dict[object, Design] = {"separate": Separate(), "subset": Subset()}


def as_design(drawn: object) -> Design:
    """A design, or the one that a word stands for."""
    if isinstance(drawn, Design):
        return drawn
    if drawn not in _BY_NAME:
        raise InvalidBoxError(
            Argument("gold_is"),
            f" must be one of 'separate', 'subset', or a design of thumbwise.box.designs; found {drawn!r}.",
        )
    return _BY_NAME[drawn]


def open_gold(
    gold_votes: Any,
    gold_labels: Any,
    pool: Any,
    gold_is: GoldIs | Design | None,
    *,
    class_names: Sequence[Hashable] | None = None,
    looks: Looks = None,
) -> GoldSample:
    """Gold items with a known label under the rules and classes of the pool, with the design they were drawn by.

    Parameters
    ----------
    gold_votes : Votes, array-like, frame, Gold or Reading
        A :class:`Gold` brings its labels and design, a reading its pool too; a sample that was opened stays as it is.
    gold_labels, pool : optional
        Where ``gold_votes`` does not bring them.
    gold_is : {"separate", "subset"}, Design or None
        None is what gold itself says, or else separate.
    class_names : sequence, optional
        Classes under which arrays and frames are read.
    looks : sequence of int, "anytime" or None
        When labeling could stop; None is what gold itself says, or else a number that was fixed before.
    """
    if isinstance(gold_votes, GoldSample):
        return stopped(gold_votes, looks)
    votes, labels, pool, drawn = _take_apart(gold_votes, gold_labels, pool, gold_is)
    design = as_design(drawn).in_item_order(votes)
    votes, pool, labels = read_gold(votes, pool, labels, class_names=class_names)
    votes, coded, known = known_gold(votes, labels, pool)
    design = design.take(known)
    sample = GoldSample(votes, coded, pool, design)
    check_roles(votes, pool, design)
    design.check(sample)
    return stopped(sample, looks)


def stopped(sample: GoldSample, looks: Looks) -> GoldSample:
    """The sample with its stopping rule, from what was passed or what the draw itself tells.

    The rule must have been settled before the first label was seen; nothing is decided here.
    """
    told = sample.stopping if sample.stopping != FIXED else StoppingRule.of(sample.design.looks)
    rule = told if looks is None else StoppingRule.of(looks)
    if looks is not None and told not in (FIXED, rule):
        raise InvalidChoiceError(
            Argument("looks"),
            " must be those that were planned; gold says of itself that labeling could stop ",
            f"{'at any moment' if told.is_anytime else told.looks}. Leave it out.",
        )
    if rule != FIXED and isinstance(sample.design, Clusters):
        raise InvalidChoiceError(
            Argument("looks"),
            " count gold labels, and gold that was drawn in whole clusters comes in clusters. Leave them out: the "
            "number of clusters must have been settled before the first label was seen.",
        )
    rule.check(len(sample))
    if rule.is_anytime and not (sample.design.is_plain and sample.gold_is == "subset"):
        if looks is None:
            return sample  # what is made of it is no guarantee
        raise InvalidChoiceError(
            Argument("looks", '"anytime"'),
            " is for gold that is a plain random part of the pool, ",
            Argument("gold_is", '"subset"'),
            f"; found {type(sample.design).__name__}. Plan the looks, such as ",
            Argument("looks", "[50, 100, 150, 200]"),
            ".",
        )
    return replace(sample, stopping=rule, design=sample.design.heeding_looks())


def known_gold(votes: Votes, labels: Any, pool: CountedVotes) -> tuple[Votes, IntArray, AnyArray]:
    """Gold items with a known label, their class numbers, and which of all they are."""
    _check_same_names(votes, pool)
    coded = code_labels(labels, votes.class_names, votes.n_items)
    known = coded != UNKNOWN
    if not known.any():
        raise InvalidLabelsError("there must be at least one gold label; all of them are -1 or missing.")
    return votes if known.all() else votes.take(known), coded[known], known


def _take_apart(gold: Any, labels: Any, pool: Any, gold_is: Any) -> tuple[Any, Any, Any, Any]:
    """Votes, labels, pool and design, each from one place."""
    if isinstance(gold, VotesAndGold):
        _refuse_second(labels, "gold_labels", "a Reading")
        names = [gold.votes.class_names[c] for c in gold.gold_labels.tolist()]  # numbers may be names of other classes
        return gold.gold_votes, names, gold.votes if pool is None else pool, gold_is or gold.gold_drawn
    if pool is None:
        raise InvalidLabelsError(
            "gold needs the items that it speaks of; pass them as ", Argument("pool", "VOTES"), "."
        )
    pool = pool.votes if isinstance(pool, VotesAndGold) else pool
    if isinstance(gold, Gold):
        _refuse_second(labels, "gold_labels", "a Gold")
        return gold.votes, gold.labels, pool, gold_is or gold.drawn
    if labels is None:
        raise InvalidLabelsError("gold must be votes and labels; ", Argument("gold_labels"), " is missing.")
    return gold, labels, pool, gold_is or "separate"


def _refuse_second(given: Any, argument: str, holder: str) -> None:
    if given is not None:
        raise InvalidLabelsError(
            f"gold must come from one place; {holder} holds its own labels, and ",
            Argument(argument),
            " was given too. Drop one of them.",
        )


def open_plain_gold(gold_votes: Any, gold_labels: Any, pool: Any, gold_is: GoldIs | Design | None) -> GoldSample:
    """The same, for what speaks of plain random gold only."""
    sample = open_gold(gold_votes, gold_labels, pool, gold_is)
    check_plain(sample.design)
    return sample


def check_plain(design: Design) -> None:
    """Refuse gold that is no plain random sample."""
    if not design.is_plain:
        raise InvalidBoxError(
            "this speaks of gold that is a plain random sample; found ",
            f"{design.called}. Draw such a sample for it",
            InPython(', and pass gold_is="subset" or gold_is="separate"'),
            ".",
        )


def _check_same_names(gold: Votes, pool: CountedVotes) -> None:
    if gold.rule_names != pool.rule_names or gold.class_names != pool.class_names:
        raise InvalidLabelsError(
            f"gold and pool must have the same rules and classes; gold has {gold.n_rules} rules and classes "
            f"{_few(gold.class_names)}, the pool {pool.n_rules} rules and {_few(pool.class_names)}. Give both the "
            "same ",
            Argument("rule_names"),
            " and ",
            Argument("class_names"),
            ".",
        )


def _few(names: Sequence[Hashable]) -> str:
    return ", ".join(map(repr, names[:5])) + (", ..." if len(names) > 5 else "")


def check_roles(gold: Votes, pool: CountedVotes, design: Design) -> None:
    """Where ids are known, no item counts twice, a subset lies in the pool, and separate gold does not."""
    if gold.has_ids and not design.may_repeat:
        _check_once(gold.item_ids.tolist())
    if not (gold.has_ids and pool.has_ids):
        return
    inside = pool.contains_ids(gold.item_ids)
    if design.gold_is == "subset" and not inside.all():
        outside = gold.item_ids[~inside].tolist()
        raise InvalidLabelsError(
            Argument("gold_is", '"subset"'),
            f" needs every gold id in the pool; {len(outside)} of {len(gold)} are not, such as {outside[0]!r}. Drop "
            "them, or pass ",
            Argument("gold_is", '"separate"'),
            " if gold is a sample of its own.",
        )
    if design.gold_is == "separate" and inside.any():
        shared = gold.item_ids[inside].tolist()
        raise InvalidLabelsError(
            Argument("gold_is", '"separate"'),
            f" needs gold ids that are not in the pool; {len(shared)} of {len(gold)} are, such as {shared[0]!r}. Pass ",
            Argument("gold_is", '"subset"'),
            " if gold is part of the pool, or drop the ids if they are unrelated.",
        )


def _check_once(ids: list[Hashable]) -> None:
    if len(set(ids)) == len(ids):
        return
    repeated = [value for value, times in Counter(ids).items() if times > 1]
    raise InvalidLabelsError(
        f"every gold item may count once; {len(repeated)} of {len(set(ids))} gold ids occur more than once, such as "
        f"{repeated[0]!r}. Keep one row of each",
        InPython("; if items were drawn with replacement, pass gold_is=designs.WithReplacement(...)"),
        ".",
    )
