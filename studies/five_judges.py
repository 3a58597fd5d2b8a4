"""Five real judges, or all 21, and 120 human labels: ``python -m studies.five_judges``.

Language models rate 5,000 comments from 0 to 9; a rating of 5 or more is the verdict *toxic*. People say which comments
are toxic. Of each of five families one model was taken, by its name, before any figure was seen. In each draw 120
comments, drawn at random, are gold, and everything else is as by default: the share of toxic comments, labels, and what
triage accepts at a precision of 80 %. It is the real counterpart of docs/tutorials/evaluate-a-chatbot.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import thumbwise as tw
from studies.drawing import JUDGES, Population, load_population
from studies.ratings import load_case
from studies.reporting import make_parser, markdown_table, publish
from thumbwise._typing import IntArray

FIVE = (
    "Llama-3.1-8B-Instruct",
    "Mistral-7B-Instruct-v0.3",
    "Phi-4-mini-instruct",
    "Qwen2.5-7B-Instruct",
    "gemma-2-9b-it",
)
N_GOLD, PRECISION = 120, 0.8
TOXIC = 1
ROWS = (
    "labels right",
    "labels right, at least (guaranteed)",
    "labels of a majority vote right",
    "width of the interval for the share of toxic comments",
    "its width from people's labels alone",
    "draws in which it held",
    "labels accepted at 80 %",
    "accepted labels right",
    "draws in which both guarantees for labels held",
)


class Outcome(NamedTuple):
    """One draw of gold."""

    right: float
    right_at_least: float
    majority_right: float
    width: float
    width_alone: float
    rate_holds: bool
    accepted: float
    accepted_right: float
    accepted_hold: bool


def panels() -> dict[str, Population]:
    """Five judges, and all of them."""
    everyone = load_population(JUDGES)
    columns = [list(load_case().ratings.columns).index(name) for name in FIVE]
    five = tw.Votes(everyone.votes.array[:, columns], n_classes=2)
    return {"five judges": Population(JUDGES, five, everyone.labels), "all 21 judges": everyone}


def look(population: Population, gold: IntArray) -> Outcome:
    """What is said after one draw, and whether it holds."""
    votes, truth = population.votes, population.labels
    y = np.full(len(truth), -1)
    y[gold] = truth[gold]
    rest = y < 0
    model = tw.BalsubramaniFreund().fit(votes, y)
    right = float(np.mean(model.predict(votes)[rest] == truth[rest]))
    majority = float(np.mean(tw.MajorityVote().fit(votes).predict(votes)[rest] == truth[rest]))
    ours, alone = (tw.rate(votes, y, of=TOXIC, method=method).rows[0] for method in ("assisted", "exact"))
    sorted_out = tw.triage(votes, y, precision=PRECISION)
    taken = sorted_out.accepted & rest
    good = float(np.mean(sorted_out.proposed[taken] == truth[taken])) if taken.any() else np.nan
    at_least = model.certificate_.accuracy_at_least or 0.0
    holds = ours.lower <= np.mean(truth == TOXIC) <= ours.upper
    accepted_hold = not good < PRECISION
    widths = (ours.upper - ours.lower, alone.upper - alone.lower)
    return Outcome(right, at_least, majority, *widths, bool(holds), float(taken.mean()), good, accepted_hold)


def column(outcomes: list[Outcome]) -> list[str]:
    """Means over the draws, and in how many what was guaranteed held."""
    table = np.array(outcomes, dtype=float)
    mean = Outcome(*np.ma.masked_invalid(table).mean(axis=0).filled(np.nan))
    n_held = sum(each.accepted_hold and each.right >= each.right_at_least for each in outcomes)
    shares = [f"{100 * value:.1f} %" for value in (mean.right, mean.right_at_least, mean.majority_right)]
    widths = [f"{100 * value:.1f} points" for value in (mean.width, mean.width_alone)]
    accepted = [f"{100 * mean.accepted:.1f} %", f"{100 * mean.accepted_right:.1f} %" if mean.accepted else "-"]
    held = f"{sum(each.rate_holds for each in outcomes)} of {len(outcomes)}"
    return [*shares, *widths, held, *accepted, f"{n_held} of {len(outcomes)}"]


def main() -> None:
    """Draw, look, print the table."""
    parser = make_parser(__doc__, draws=20, quick=3)
    parser.add_argument("--only", type=int, help="so many of the panels, from the first on")
    arguments = parser.parse_args()
    n_draws = arguments.draws
    columns = {}
    for name, population in list(panels().items())[: arguments.only]:
        rng = np.random.default_rng(arguments.seed)
        draws = [rng.choice(len(population.labels), N_GOLD, replace=False) for _ in range(n_draws)]
        columns[name] = column([look(population, gold) for gold in draws])
    lines = [list(cells) for cells in zip(ROWS, *columns.values(), strict=True)]
    table = markdown_table([f"{N_GOLD} human labels", *columns], lines)
    publish("five_judges", arguments, [table], {"panels": table})


if __name__ == "__main__":
    main()
