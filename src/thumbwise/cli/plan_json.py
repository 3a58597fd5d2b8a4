"""Plans as records for other programs: what was asked, what is needed, and what each number of labels would buy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from thumbwise.assess.planned_accuracy import AccuracyPlan
from thumbwise.assess.planned_rates import RatePlan
from thumbwise.assess.planned_triage import TriagePlan
from thumbwise.assess.planning import Plan

# What a plan is for, and which of its attributes say what was asked and found, besides rows and sentence.
_ABOUT: dict[type, tuple[str, tuple[str, ...]]] = {
    Plan: ("log_loss", ("target", "bound", "floor", "random_gain", "opinion_gain", "is_consistent", "keeps_gold")),
    RatePlan: ("rate", ("of", "within", "needed", "is_reached", "method", "confidence_level")),
    AccuracyPlan: (
        "accuracy",
        ("at_least", "needed", "is_reached", "expected", "is_guarantee", "confidence_level"),
    ),
    TriagePlan: ("precision", ("precision", "most", "confidence_level")),
}


def plan_records(plans: Sequence[Plan | RatePlan | AccuracyPlan | TriagePlan]) -> dict[str, Any]:
    """One object, with a record for each plan under ``plans``."""
    return {"plans": [_record(planned) for planned in plans]}


def _record(planned: Plan | RatePlan | AccuracyPlan | TriagePlan) -> dict[str, Any]:
    kind, names = _ABOUT[type(planned)]
    frame = planned.frame()
    rows = [dict(zip(frame, numbers, strict=True)) for numbers in zip(*frame.values(), strict=True)]
    found = {name: getattr(planned, name) for name in names}
    if isinstance(planned, Plan):
        found["needed"] = None if planned.target is None else planned.needed(planned.target)
        found["rule_gains"], found["worth"] = (
            [asdict(row) for row in part] for part in (planned.rule_gains, planned.worth)
        )
    return {"plan": kind, "n_gold": planned.n_gold, **found, "rows": rows, "sentence": str(planned)}
