"""thumbwise plan --rate, --accuracy, --precision: what more gold labels buy, in points, right or accepted labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from thumbwise.assess.planned_accuracy import AccuracyPlan, plan_accuracy
from thumbwise.assess.planned_rates import RatePlan, plan_rate, points
from thumbwise.assess.planned_triage import TriagePlan, plan_triage
from thumbwise.box.box import Box
from thumbwise.cli.console import print_table, progress, visible
from thumbwise.exceptions import InvalidChoiceError
from thumbwise.io.readings import Reading, no_gold
from thumbwise.outward import percent, percent_at_least
from thumbwise.rates.asked import class_number


@dataclass(frozen=True)
class Aims:
    """What is wanted.

    A bound on the log loss, the share of a class within so much, a share of right labels, or labels to accept.
    """

    target: float | None = None
    rate: str | None = None
    within: float | None = None
    accuracy: float | None = None
    precision: float | None = None

    @property
    def is_loss_planned(self) -> bool:
        """Whether the bound on the log loss is planned: if it is asked for, or nothing else is."""
        return self.target is not None or (self.rate, self.accuracy, self.precision) == (None, None, None)

    @property
    def is_gold_needed(self) -> bool:
        """Whether there is nothing to say without gold; of a share there is."""
        return self.is_box_needed or self.precision is not None

    @property
    def is_box_needed(self) -> bool:
        """Whether a box is to be made of gold."""
        return self.is_loss_planned or self.accuracy is not None


LOSS = Aims()
Planned = RatePlan | AccuracyPlan | TriagePlan


def check_aims(
    target: float | None,
    rate: str | None,
    within: float | None,
    accuracy: float | None,
    precision: float | None = None,
) -> Aims:
    """What is wanted, with both of what belongs together."""
    if (rate is None) != (within is None):
        raise InvalidChoiceError(
            "--rate CLASS says whose share is wanted, and --within SHARE how near, such as 0.03; found one without the "
            "other."
        )
    return Aims(target, rate, within, accuracy, precision)


def plan_aims(reading: Reading, aims: Aims, confidence: float, box: Box | None) -> list[Planned]:
    """Plans for a share, for right labels and for accepted ones, as far as they are asked for."""
    plans: list[Planned] = []
    with progress("planning"):
        if aims.rate is not None and aims.within is not None:
            number = class_number(aims.rate, reading.votes.class_names, "rate")
            name = reading.votes.class_names[number]
            plans.append(plan_rate(reading, of=name, within=aims.within, confidence_level=confidence))
        if aims.accuracy is not None:
            if box is None:
                raise no_gold()
            plans.append(plan_accuracy(reading, at_least=aims.accuracy, confidence_level=confidence, box=box))
        if aims.precision is not None:
            plans.append(plan_triage(reading, precision=aims.precision, confidence_level=confidence))
    return plans


def print_aims(console: Console, plans: Sequence[Planned]) -> None:
    """A table and a sentence for each plan."""
    for planned in plans:
        if isinstance(planned, RatePlan):
            rows = [[f"{n_gold:,}", points(within)] for n_gold, within in planned.rows]
            print_table(console, f"Planned share of {planned.of}", ["gold labels", "within\npoints"], rows)
        elif isinstance(planned, TriagePlan):
            rows = [[f"{n_gold:,}", percent(share)] for n_gold, share in planned.rows]
            print_table(console, "Planned share of accepted labels", ["gold labels", "accepted"], rows)
        else:
            rows = [[f"{n_gold:,}", percent_at_least(share)] for n_gold, share in planned.rows]
            print_table(console, "Planned share of right labels", ["gold labels", "guaranteed"], rows)
        console.print(Text(visible(planned), style="bold"))
        console.print()
