"""Predictions of a model for each item, as a lazy frame: two joins with small tables, done where the items are."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.exceptions import InvalidVotesError
from thumbwise.numerics.patterns import Patterns
from thumbwise.tables.sql_dialects import DIALECTS, name_outputs
from thumbwise.votes.engines.frames import LazyFrame
from thumbwise.votes.engines.items import Items
from thumbwise.votes.engines.vote_digits import pack_rows
from thumbwise.votes.labels import KnownLabels


def answer(
    items: Items,
    patterns: Patterns,
    proba: FloatArray | None,
    labels: IntArray,
    known: KnownLabels | None,
    more: Mapping[str, tuple[AnyArray, float | None]],
) -> Any:
    """A native lazy frame with the columns that are kept, ``p_<class>`` for each class, ``label``, and more."""
    classes = [] if proba is None else list(range(proba.shape[1]))
    names = _output_names(items, classes, list(more))
    frame = join_answers(items, patterns, proba, label_names(items.class_names)[labels], known, more)
    return items.engine.rename(frame, names).to_native()


def join_answers(
    items: Items,
    patterns: Patterns,
    proba: FloatArray | None,
    labels: AnyArray,
    known: KnownLabels | None,
    more: Mapping[str, tuple[AnyArray, float | None]],
    *,
    known_as: AnyArray | None = None,
) -> LazyFrame:
    """The items with columns of our own names: k0, ... kept, p0, ... probabilities, ``said``, m0, ... more.

    Parameters
    ----------
    labels : ndarray of shape (n_patterns,)
        What is written as the label.
    known_as : ndarray of shape (n_classes,), optional
        What is written as the label of an item that is known to be of each class; absent: the name of the class.
    """
    kept = {f"k{j}": nw.col(inner) for j, inner in enumerate(items.kept.values())}
    words = items.words
    classes = [] if proba is None else list(range(proba.shape[1]))
    shares = {f"p{c}": proba[:, c] for c in classes} if proba is not None else {}
    names = label_names(items.class_names) if known_as is None else known_as
    further = {f"m{j}": column for j, (column, _) in enumerate(more.values())}
    certain = {f"m{j}": value for j, (_, value) in enumerate(more.values()) if value is not None}
    small = {**pack_rows(patterns.to_rows(), items.base), **shares, "said": labels, **further}
    taken = {**kept, **words}
    selected = items.frame.select(**taken) if known is None else _add_known(items, known, **taken)
    joined = selected.join(items.engine.send(small, selected), on=list(words), how="left")
    answered = _keep_known(joined, classes, names, certain) if known is not None else joined
    return answered.select(*kept, *shares, "said", *further)


def _add_known(items: Items, known: KnownLabels, **selected: nw.Expr) -> LazyFrame:
    return items.join_ids({"known_id": known.item_ids, "known": known.labels}, how="left", **selected)


def _keep_known(frame: LazyFrame, classes: Sequence[int], names: AnyArray, certain: Mapping[str, float]) -> LazyFrame:
    """Probability 1 for what is known, and what else certainty means."""
    known = nw.col("known")
    label = nw.col("said")
    for c, name in enumerate(names.tolist()):
        label = nw.when(known == c).then(nw.lit(name)).otherwise(label)
    proba = {
        f"p{c}": nw.when(known.is_null())
        .then(nw.col(f"p{c}"))
        .otherwise(nw.when(known == c).then(nw.lit(1.0)).otherwise(nw.lit(0.0)))
        for c in classes
    }
    more = {
        name: nw.when(known.is_null()).then(nw.col(name)).otherwise(nw.lit(value)) for name, value in certain.items()
    }
    return frame.with_columns(**proba, **more, said=label)


def label_names(class_names: Sequence[Hashable]) -> AnyArray:
    """Class names as texts, or as whole numbers if all of them are."""
    if all(type(name) is int for name in class_names):
        return np.array(class_names, dtype=np.int64)
    return np.array([str(name) for name in class_names], dtype=object)


def _output_names(items: Items, classes: Sequence[int], more: Sequence[str]) -> list[str]:
    """The user's names, then ours; engines that do not tell A from a must be able to hold them."""
    kept = list(items.kept)
    clashing = [name for name in kept if name.lower() in {"label", *more}]
    if clashing:
        raise InvalidVotesError(
            f"a column that predictions carry must not be called {clashing[0]}; rename it in the frame."
        )
    wanted = [f"p_{items.class_names[c]}" for c in classes]
    return [*kept, *name_outputs(wanted, ["label", *more, *kept], DIALECTS["spark"]), "label", *more]
