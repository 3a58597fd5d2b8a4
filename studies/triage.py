"""Triage: how many labels are accepted, beside an oracle and what people would use: ``python -m studies.triage``.

Gold is a random part of the items. The oracle accepts the largest set of the same ranking that is truly precise enough.
The hold-out teaches the same regression with half of gold, and tests twenty thresholds with the other half by
Clopper-Pearson bounds, the error shared evenly (Bonferroni). Where the package MAPIE is installed, its controller tests
its default hundred thresholds on the ranking of triage, with the same certifying labels; whether the proposed label is
right is its binary class. Items whose label is known are accepted by all. All of them at 95 %.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import beta

import thumbwise as tw
from studies.drawing import CROWDS, JUDGES, TITLES, Population, draw_gold, load_population
from studies.opinion_coverage import gold_size
from studies.reporting import markdown_table, publish
from thumbwise._typing import FloatArray, IntArray
from thumbwise.assess.accepting.ranked import Parts, Ranked, rank
from thumbwise.assess.triage import Triage
from thumbwise.exceptions import InvalidLabelsError

SETS = ("aa2", "sms", "youtube", "basketball", "rte", "dog", "web", JUDGES, "imdb")
PRECISIONS = 0.8, 0.9, 0.95
RECALL = 0.9
# Of the items, that people can look at.
LOOKED_AT = 0.2
_ERROR = 0.05
_THRESHOLDS = 20

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Kept:
    """Share of all items that is accepted, and whether the accepted labels are as good as was asked."""

    share: float
    holds: bool


def judge(population: Population, gold: IntArray, by_rule: BoolArray, labels: IntArray, precision: float) -> Kept:
    """Gold keeps its known label; of those that the rule takes enough must be right."""
    wrong_ones = by_rule & (labels != population.labels)
    accepted = by_rule.copy()
    accepted[gold], wrong_ones[gold] = True, False
    wrong = int(wrong_ones.sum())
    return Kept(float(accepted.mean()), wrong <= (1 - precision) * by_rule.sum() + 1e-9)


def oracle(sure: FloatArray, right: BoolArray, precision: float) -> BoolArray:
    """The largest set of surest items that is precise enough."""
    levels = np.unique(sure)[::-1]
    sizes = np.array([(sure >= level).sum() for level in levels])
    wrong = np.array([(~right & (sure >= level)).sum() for level in levels])
    fits = np.flatnonzero(wrong <= (1 - precision) * sizes + 1e-9)
    return np.asarray(sure >= levels[fits[-1]]) if len(fits) else np.zeros(len(sure), dtype=bool)


def hold_out(sure: FloatArray, right: BoolArray, certify: IntArray, precision: float) -> BoolArray:
    """The lowest of some thresholds above which Clopper and Pearson find enough right ones."""
    levels = np.unique(np.quantile(sure, np.linspace(0, 0.95, _THRESHOLDS)))
    for level in levels:
        taken = certify[sure[certify] >= level]
        n_right = int(right[taken].sum())
        if n_right and beta.ppf(_ERROR / len(levels), n_right, len(taken) - n_right + 1) >= precision:
            return np.asarray(sure >= level)
    return np.zeros(len(sure), dtype=bool)


def mapie(sure: FloatArray, right: BoolArray, certify: IntArray, precision: float) -> BoolArray | None:
    """Its controller as it comes; None where it is not installed."""
    try:
        from mapie.risk_control import BinaryClassificationController
    except ImportError:
        return None
    controller: Any = BinaryClassificationController(
        lambda rows: np.column_stack([1 - rows[:, 0], rows[:, 0]]), "precision", precision, confidence_level=1 - _ERROR
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        controller.calibrate(sure[certify][:, None], right[certify].astype(np.int64))
    best = controller.best_predict_param
    return np.zeros(len(sure), dtype=bool) if best is None else np.asarray(sure >= best)


def by_item(population: Population, ranked: Ranked) -> tuple[FloatArray, IntArray]:
    """How sure each item's label is, and the label."""
    inverse = population.votes.inverse
    return ranked.sureness[inverse], ranked.proposed[inverse]


def ask(population: Population, gold: IntArray, **asked: Any) -> Triage | None:
    """What triage says; None where it finds gold too small."""
    y = np.full(len(population.labels), -1)
    y[gold] = population.labels[gold]
    try:
        return tw.triage(population.votes, y, gold_is="subset", **asked)
    except InvalidLabelsError:
        return None


def of_precision(population: Population, gold: IntArray, precision: float) -> list[Kept | None]:
    """Triage, oracle, hold-out and MAPIE, of one draw."""
    found = ask(population, gold, precision=precision)
    known = found or ask(population, gold, budget=0)
    assert known is not None and known.asked.positions is not None
    sure, labels = by_item(population, known.ranked)
    right, parts, order = labels == population.labels, Parts.of(known.asked.sample, 0), known.asked.positions
    ours = np.zeros(len(right), dtype=bool) if found is None else found.accepts[population.votes.inverse]
    half = Parts(*np.array_split(np.random.default_rng(0).permutation(len(gold)), 2))
    half_sure, half_labels = by_item(population, rank(known.asked.sample, half))
    half_right = half_labels == population.labels
    theirs = mapie(sure, right, order[parts.certify], precision)
    return [
        judge(population, gold, ours, labels, precision),
        judge(population, gold, oracle(sure, right, precision), labels, precision),
        judge(
            population, gold, hold_out(half_sure, half_right, order[half.certify], precision), half_labels, precision
        ),
        None if theirs is None else judge(population, gold, theirs, labels, precision),
    ]


def of_recall(population: Population, gold: IntArray) -> Kept:
    """Share accepted so that at most so many of the second class are accepted under another label."""
    found = ask(population, gold, recall={population.votes.class_names[1]: RECALL})
    if found is None:
        return Kept(len(gold) / len(population.labels), True)
    is_so = population.labels == 1
    missed = is_so & found.accepted & (found.proposed != 1)
    return Kept(found.n_accepted / found.n_items, bool(missed.sum() <= (1 - RECALL) * is_so.sum() + 1e-9))


def of_budget(population: Population, gold: IntArray) -> tuple[float, float, bool]:
    """Right labels that are guaranteed, those that there are, and whether the guarantee holds."""
    found = ask(population, gold, budget=round(LOOKED_AT * len(population.labels)))
    assert found is not None and found.looks is not None
    wrong = int((found.accepted & (found.proposed != population.labels)).sum())
    right = 1 - wrong / len(population.labels)
    return found.looks.accuracy_at_least, right, wrong <= found.looks.most_wrong


def row_of_precision(population: Population, draws: IntArray, precision: float) -> list[str]:
    """Losses first: how often it failed, then shares."""
    kept = [of_precision(population, gold, precision) for gold in draws]
    names = ["triage", "oracle", "hold-out", "MAPIE"]
    columns = {name: [row[place] for row in kept] for place, name in enumerate(names) if kept[0][place] is not None}
    share = {name: float(np.mean([one.share for one in column if one])) for name, column in columns.items()}
    fails = {name: sum(not one.holds for one in column if one) for name, column in columns.items()}
    cells = [_title(population.name), f"{precision:g}", str(fails["triage"]), str(fails["hold-out"])]
    cells += [str(fails.get("MAPIE", "")), f"{share['oracle']:.3f}", f"{share['triage']:.3f}"]
    cells += [f"{share['triage'] / share['oracle']:.2f}", f"{share['hold-out']:.3f}"]
    return [*cells, f"{share['MAPIE']:.3f}" if "MAPIE" in share else ""]


HEADER = [
    "",
    "precision",
    "failed",
    "hold-out failed",
    "MAPIE failed",
    "oracle",
    "accepted",
    "ratio",
    "hold-out",
    "MAPIE",
]


def row_of_others(population: Population, draws: IntArray) -> list[str]:
    """Recall and budget."""
    recall = [of_recall(population, gold) for gold in draws]
    looks = [of_budget(population, gold) for gold in draws]
    proved, right, held = np.mean(np.array(looks, dtype=float), axis=0)
    cells = [str(sum(not one.holds for one in recall)), str(round((1 - held) * len(draws)))]
    cells += [f"{np.mean([one.share for one in recall]):.3f}", f"{proved:.3f}", f"{right:.3f}"]
    return [_title(population.name), *cells]


OTHERS = ["", "recall failed", "budget failed", "accepted at recall 0.9", "guaranteed right", "right"]


def _title(name: str) -> str:
    return TITLES.get(name, name)


def report(n_gold: int, sets: Sequence[str], n_draws: int, n_others: int, seed: int) -> str:
    """Both tables for one number of gold labels."""
    rows, others = [], []
    for name in sets:
        started, population = time.perf_counter(), load_population(name)
        draws = draw_gold(population, gold_size(population, n_gold), "subset", n_draws, seed)
        rows += [row_of_precision(population, draws, precision) for precision in PRECISIONS]
        others.append(row_of_others(population, draws[:n_others]))
        print(f"{name} {n_gold}: {time.perf_counter() - started:.0f} s", file=sys.stderr)
        for row in (*rows[-len(PRECISIONS) :], others[-1]):
            print("|", " | ".join(row), "|", file=sys.stderr, flush=True)
    about = f"{n_gold} gold labels (at most half of the items), {n_draws} draws, 95 %; failed: of all draws."
    more = f"The same gold, {n_others} draws; recall of the second class, and {LOOKED_AT:.0%} of the items looked at."
    return f"{about}\n\n{markdown_table(HEADER, rows)}\n\n{more}\n\n{markdown_table(OTHERS, others)}"


def main() -> None:
    """Read the arguments, and publish tables for each number of gold labels."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", choices=(*TITLES, *CROWDS, JUDGES), default=SETS, metavar="SET")
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--others", type=int, default=200, help="draws of recall and budget")
    parser.add_argument("--gold", type=int, nargs="+", default=[100, 300])
    parser.add_argument("--seed", type=int, default=2024)
    parser.add_argument("--output", type=Path, help="Markdown file to write the tables to")
    given = parser.parse_args()
    numbers = given.sets, given.draws, min(given.draws, given.others), given.seed
    publish([report(n_gold, *numbers) for n_gold in given.gold], given.output)


if __name__ == "__main__":
    main()
