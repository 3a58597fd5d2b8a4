"""Votes beside the model that was fitted to them, and what box and fit say of the moments of rules and classes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, Literal

from thumbwise.box.box import Box
from thumbwise.exceptions import InvalidChoiceError, InvalidVotesError
from thumbwise.models.balsubramani_freund import BalsubramaniFreund
from thumbwise.votes.counted_votes import CountedVotes

ACTIVE = {1: "lower", -1: "upper", 0: "none"}


def check_model(model: Any) -> BalsubramaniFreund:
    """Refuse what has no box and no certificate."""
    if isinstance(model, BalsubramaniFreund) and hasattr(model, "certificate_"):
        return model
    kind = f"{type(model).__name__}{' that is not fitted' if isinstance(model, BalsubramaniFreund) else ''}"
    raise InvalidChoiceError(
        f"model must be a fitted BalsubramaniFreund, which alone has a box and a certificate; found {kind}. Call fit "
        "first."
    )


def check_fitted_to(model: Any, votes: CountedVotes) -> BalsubramaniFreund:
    """Refuse votes that a model was not fitted to, as far as sizes and names tell."""
    fitted = check_model(model)
    same = fitted.rule_names_ == votes.rule_names and tuple(fitted.classes_.tolist()) == votes.class_names
    if not same or fitted.certificate_.n_items != votes.n_items:
        raise InvalidVotesError(
            f"model must be fitted to these votes; it was fitted to {fitted.certificate_.n_items:,} items and "
            f"{len(fitted.rule_names_):,} rules, and these are {votes.n_items:,} items and {votes.n_rules:,} rules, or "
            "rules and classes have other names. Pass the votes that it was fitted to."
        )
    return fitted


def read_fitted(model: Any, votes: Any) -> CountedVotes:
    """Votes of any kind that a model was fitted to, with its rules in the order of the fit."""
    read: CountedVotes = check_model(model)._read(votes)
    check_fitted_to(model, read)
    return read


def moment_columns(
    box: Box | None,
    model: BalsubramaniFreund | None,
    kind: Literal["accuracy", "frequency", "within one step"],
    names: Iterable[Hashable],
) -> Any:
    """Columns of a table with a row for each of some moments: counts on gold, interval, weight and active bound.

    None where the box does not speak of a moment, or counted nothing, and where there is no fit.
    """
    places = [None for _ in names] if box is None else box.places(kind, names)

    def column(of_moments: Any, convert: Any) -> list[Any]:
        return [None if m is None or of_moments is None else convert(of_moments[m]) for m in places]

    return {
        "gold_drawn": column(None if box is None else box.gold_drawn, int),
        "gold_right": column(None if box is None else box.gold_right, int),
        "lower": column(None if box is None else box.lower, float),
        "upper": column(None if box is None else box.upper, float),
        "weight": column(None if model is None else model.weights_, float),
        "active": column(None if model is None else model.active_, lambda side: ACTIVE[int(side)]),
    }
