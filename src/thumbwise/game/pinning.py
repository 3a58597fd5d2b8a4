"""Items whose label is known: they keep it, and the game is played on the others."""

from __future__ import annotations

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.box.box import Box
from thumbwise.box.moments.linear import build_moments, find_frequencies
from thumbwise.exceptions import InvalidBoxError, InvalidLabelsError
from thumbwise.numerics.class_entropy import largest_entropy
from thumbwise.numerics.maxent import Problem
from thumbwise.votes.counted_votes import CountedVotes, locate_patterns
from thumbwise.votes.labels import KnownLabels, label_counts
from thumbwise.votes.votes import Votes


def pose_problem(votes: CountedVotes, box: Box) -> Problem:
    """The game on the patterns of some votes."""
    moments = box.moments(votes)
    n = votes.n_items
    return Problem.build(moments.features, votes.patterns.counts / n, moments.sizes / n, box.lower, box.upper)


def pose_pinned_problem(votes: Votes, box: Box, positions: IntArray, labels: IntArray) -> Problem:
    """The game on the items that are not pinned, per such item.

    What the pinned items contribute to a moment is certain. It is taken off the bounds of the sum, which then bound the
    sum over the others.
    """
    if (positions < 0).any():
        raise InvalidBoxError(
            f"known labels must belong to items of these votes; {int((positions < 0).sum())} of {len(positions)} have "
            "ids that are not among them. Make the box anew from these votes."
        )
    return _pose_without(votes, box, votes.take(positions), labels)


def pose_known_problem(votes: CountedVotes, box: Box, known: KnownLabels) -> Problem:
    """The same, with the pinned items given by their ids, which may be all that is known of where they are."""
    try:
        taken = votes.take_ids(known.item_ids)
    except InvalidLabelsError as error:
        raise InvalidBoxError(
            "known labels must belong to items of these votes: ", error, " Or make the box anew from these votes."
        ) from error
    return _pose_without(votes, box, taken, known.labels)


def _pose_without(votes: CountedVotes, box: Box, taken: Votes, labels: IntArray) -> Problem:
    moments, n = box.moments(votes), max(1, votes.n_items - taken.n_items)
    pinned = build_moments(box.builders, taken)
    sizes, totals = moments.sizes - pinned.sizes, pinned.totals(label_counts(taken, labels))
    lower, upper = ((bound * moments.sizes - totals) / np.maximum(sizes, 1) for bound in (box.lower, box.upper))
    counts = votes.patterns.counts.copy()
    counts[locate_patterns(taken.patterns, votes.patterns)] -= taken.patterns.counts
    return Problem.build(moments.features, counts / n, sizes / n, lower, upper)


def prove_without_votes(votes: CountedVotes, box: Box, known: KnownLabels | None) -> float:
    """What the class frequencies alone prove about the items whose label is not known: a mean log loss.

    The interval of each class frequency is the narrower of the box's and of ``box.class_bounds``, which has all of the
    allowed error. Classes of known items are taken off it.
    """
    return largest_entropy(*open_frequencies(votes, box, known))


def open_frequencies(votes: CountedVotes, box: Box, known: KnownLabels | None) -> tuple[FloatArray, FloatArray]:
    """Bounds of the class frequencies, without any vote, among the items whose label is not known."""
    lower, upper = frequency_bounds(box, votes)
    if known is not None and len(known) < votes.n_items:
        counts, n_open = np.bincount(known.labels, minlength=votes.n_classes), votes.n_items - len(known)
        lower, upper = (np.clip((bound * votes.n_items - counts) / n_open, 0, 1) for bound in (lower, upper))
    return lower, upper


def frequency_bounds(box: Box, votes: CountedVotes) -> tuple[FloatArray, FloatArray]:
    """Bounds of the class frequencies without any vote: of the box's own and ``class_bounds``, the narrower."""
    places = find_frequencies(box.about, votes.class_names)
    lower, upper = np.where(places < 0, 0.0, box.lower[places]), np.where(places < 0, 1.0, box.upper[places])
    if box.class_bounds is None:
        return lower, upper
    return np.maximum(lower, box.class_bounds[0]), np.minimum(upper, box.class_bounds[1])
