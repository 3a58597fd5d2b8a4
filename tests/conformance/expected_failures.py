"""Checks of scikit-learn that fail for a reason. An entry whose check passes is an error too."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ExpectedFailure:
    """Why a check fails, and for which classes of models; none named means all."""

    reason: str
    models: tuple[str, ...] = ()


EXPECTED = {
    "check_positive_only_tag_during_fit": ExpectedFailure(
        "It passes numbers below -1. A vote is a class number from 0, or -1 for an abstention."
    ),
    "check_classifiers_classes": ExpectedFailure(
        "It passes numbers as votes and names as labels, and expects the names in classes_. Nothing says which number "
        "stands for which name: Votes with class_names does."
    ),
    "check_classifiers_train": ExpectedFailure(
        "It rounds measurements into more classes than the labels have, and expects as many columns of probabilities "
        "as labels. Classes are those that rules vote for."
    ),
    "check_classifiers_one_label": ExpectedFailure(
        "It expects the only label that occurs everywhere. These models answer with what the rules say.",
        ("MajorityVote", "AMCL", "HyperLabelModel"),
    ),
    "check_requires_y_none": ExpectedFailure(
        "It expects an error saying that y is required. These models fit without y if they get a box or gold votes, "
        "and their error says so.",
        ("AMCL", "BalsubramaniFreund", "Stack"),
    ),
    "check_transformer_general": ExpectedFailure(
        "It expects rows of another length to be refused. An item is whatever the rules understand.",
        ("RuleVotes",),
    ),
}


def expected_of(model: object) -> dict[str, str]:
    """Check name and reason of what must fail for a model, as scikit-learn's ``expected_failed_checks``."""
    name = type(model).__name__
    return {check: one.reason for check, one in EXPECTED.items() if not one.models or name in one.models}
