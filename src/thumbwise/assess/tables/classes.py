"""Classes: who votes for them, how many items get them, how often gold shows them; labels that overrule votes."""

from __future__ import annotations

from typing import Any

import numpy as np

from thumbwise._typing import AnyArray, IntArray
from thumbwise.assess.tables.fitted import moment_columns, read_fitted
from thumbwise.assess.tables.tidy import Tidy
from thumbwise.box.box import Box
from thumbwise.box.moments.linear import FREQUENCY, LEARNED, OPINION
from thumbwise.models.balsubramani_freund import BalsubramaniFreund
from thumbwise.models.base import best_classes
from thumbwise.numerics.shared_features import as_rows
from thumbwise.votes.counted_votes import CountedVotes, locate_patterns
from thumbwise.votes.labels import UNKNOWN, code_labels

# Kinds of moments that are about no single rule.
_OTHERS = ((OPINION, LEARNED), (FREQUENCY,))


def classes_table(model: BalsubramaniFreund, votes: Any, gold_labels: Any = None) -> Tidy:
    """One row per class: its votes, the items without a gold label that get it, the gold items of it, its frequency.

    Parameters
    ----------
    model, votes
        As for :func:`rules_table`.
    gold_labels : array-like of shape (n_gold,), optional
        Classes of the gold items, -1 or missing where unknown. Absent: those of the Reading, or what the box counted.

    Returns
    -------
    Tidy
        Columns ``class``, ``n_votes``, ``vote_share``, ``n_labeled``, ``labeled_share``, ``n_gold``, ``gold_share``,
        ``lower``, ``upper`` (interval of the frequency), ``weight``, ``active``; facts ``n_items`` (without a gold
        label) and ``never`` (classes of gold that no such item gets). Shares are None where nothing was counted.

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0], [1], [1], [0]], rule_names=["a"], class_names=["ham", "spam"])
    >>> model = tw.BalsubramaniFreund().fit(votes, box=tw.Box.from_bounds(votes, {"a": (0.75, 1)}))
    >>> table = tw.displays.classes_table(model, votes, ["spam"])
    >>> table["n_labeled"], table["n_gold"]
    ((2, 2), (0, 1))
    """
    pool = read_fitted(model, votes)
    own = getattr(votes, "gold_labels", None)  # of a reading
    if gold_labels is not None:
        coded = code_labels(gold_labels, pool.class_names, len(gold_labels))
        own = coded[coded != UNKNOWN]
    return describe_classes(pool, model.box_, model, own)


def describe_classes(
    votes: CountedVotes,
    box: Box | None = None,
    model: BalsubramaniFreund | None = None,
    gold_labels: IntArray | None = None,
) -> Tidy:
    """The table of classes as far as there are gold (class numbers), a box and a fit; None where there is none."""
    n_votes = votes.patterns.vote_table.sum(axis=0)
    moments = moment_columns(box, model, "frequency", votes.class_names)
    moments.pop("gold_drawn")
    counted = [right or 0 for right in moments.pop("gold_right")]
    gold = np.array(counted) if gold_labels is None else np.bincount(gold_labels, minlength=votes.n_classes)
    labeled = None if model is None else count_labels(model, votes)
    never = () if labeled is None else np.flatnonzero((gold > 0) & (labeled == 0) & (labeled.sum() > 0))
    return Tidy.of(
        {
            "class": votes.class_names,
            "n_votes": n_votes,
            "vote_share": _shares(n_votes),
            "n_labeled": [None] * votes.n_classes if labeled is None else labeled,
            "labeled_share": [None] * votes.n_classes if labeled is None else _shares(labeled),
            "n_gold": gold,
            "gold_share": _shares(gold),
            **moments,
        },
        n_items=None if labeled is None else int(labeled.sum()),
        never=tuple(votes.class_names[c] for c in never),
    )


def _shares(counts: IntArray) -> list[float | None]:
    return [None] * len(counts) if not counts.sum() else (counts / counts.sum()).tolist()


def _counts_without_gold(model: BalsubramaniFreund, votes: CountedVotes) -> IntArray:
    """Items of each pattern that do not keep a gold label."""
    counts = votes.patterns.counts.copy()
    if model.known_ is not None:
        inside = votes.contains_ids(model.known_.item_ids)
        taken = votes.take_ids(model.known_.item_ids[inside])
        counts[locate_patterns(taken.patterns, votes.patterns)] -= taken.patterns.counts
    return counts


def count_labels(model: BalsubramaniFreund, votes: CountedVotes) -> IntArray:
    """How many items that do not keep a gold label get each class, shape (n_classes,)."""
    best = best_classes(model._predict_patterns(votes), votes.patterns)
    counts = np.zeros(votes.n_classes, dtype=np.int64)
    np.add.at(counts, best, _counts_without_gold(model, votes))
    return counts


def overruled_table(model: BalsubramaniFreund, votes: Any) -> Tidy:
    """One row per pattern on which all rules that vote agree, but the label is another class; the most frequent first.

    Items that keep a gold label are left out. Parameters are those of :func:`rules_table`.

    Returns
    -------
    Tidy
        Columns ``rules`` (names of those that vote), ``voted``, ``label``, ``n_items``, ``reason`` and ``pattern``, its
        position in ``votes.patterns``; fact ``n_items``, in all. The reason is "gold" if the weights of these rules add
        up to less than 0, because gold says that they are mostly wrong; "opinions" or "classes" if the weights of these
        outweigh them; None if the box does not bound the accuracy of all of them.

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0], [1], [1], [0]], rule_names=["a"], class_names=["ham", "spam"])
    >>> model = tw.BalsubramaniFreund().fit(votes, box=tw.Box.from_bounds(votes, {"a": (0, 0.25)}))
    >>> [(row["voted"], row["label"], row["reason"]) for row in tw.displays.overruled_table(model, votes).rows()]
    [('ham', 'spam', 'gold'), ('spam', 'ham', 'gold')]
    """
    pool = read_fitted(model, votes)
    patterns, counts = pool.patterns, _counts_without_gold(model, pool)
    best = best_classes(model._predict_patterns(pool), patterns)
    per_class = patterns.votes_per_class
    is_unanimous = (per_class > 0).sum(axis=1) == 1
    against = np.flatnonzero(is_unanimous & (best != per_class.argmax(axis=1)) & (counts > 0))
    shown = against[np.argsort(-counts[against], kind="stable")]
    rules = [patterns.rules[patterns.starts[pattern] : patterns.starts[pattern + 1]].tolist() for pattern in shown]
    weights = moment_columns(model.box_, model, "accuracy", pool.rule_names)["weight"]
    voted = per_class[shown].argmax(axis=1)
    by_opinions = _outweighed_by_opinions(model, pool, shown, voted, best[shown])
    return Tidy.of(
        {
            "rules": [tuple(pool.rule_names[j] for j in voting) for voting in rules],
            "voted": [pool.class_names[c] for c in voted],
            "label": [pool.class_names[c] for c in best[shown]],
            "n_items": counts[shown],
            "reason": [
                _reason([weights[j] for j in voting], more)
                for voting, more in zip(rules, by_opinions.tolist(), strict=True)
            ],
            "pattern": shown,
        },
        n_items=int(counts[shown].sum()),
    )


def _outweighed_by_opinions(
    model: BalsubramaniFreund, votes: CountedVotes, patterns: IntArray, voted: IntArray, label: IntArray
) -> AnyArray:
    """For each of some patterns, whether opinions speak more than classes for the label and against what was voted."""
    is_opinion, is_class = (np.array([moment.kind in kinds for moment in model.box_.about]) for kinds in _OTHERS)
    if not is_opinion.any() or not len(patterns):
        return np.zeros(len(patterns), dtype=bool)
    rows, cells = as_rows(model.box_.moments(votes).features), patterns.astype(np.int64) * votes.n_classes
    difference = rows[cells + label] - rows[cells + voted]
    by_opinions, by_classes = (difference @ np.where(part, model.weights_, 0.0) for part in (is_opinion, is_class))
    return np.asarray(by_opinions > by_classes)


def _reason(weights: list[float | None], is_by_opinions: bool) -> str | None:
    known = [weight for weight in weights if weight is not None]
    if len(known) < len(weights):
        return None
    return "gold" if sum(known) < 0 else "opinions" if is_by_opinions else "classes"
