"""Triage: how many labels are accepted, beside an oracle and what people would use: ``python -m studies.triage``.

Gold is a random part of the items. The oracle accepts the largest set of the same ranking that is truly precise enough.
The hold-out teaches the same regression with half of gold, and tests twenty thresholds with the other half by
Clopper-Pearson bounds, the error shared evenly (Bonferroni). Where the package MAPIE is installed, its controller tests
its default hundred thresholds on the ranking of triage, with the same certifying labels; whether the proposed label is
right is its binary class. It comes as it is (Holm's procedure), and with its fixed sequence from the highest threshold
down from five starts, and in the order that the teaching labels suggest (its split fixed sequence). Items whose label
is known are accepted by all. All of them at 95 %.

Draws go through the ranking, the ladders and the looks of :func:`thumbwise.triage`; the first of each data set go
through the function itself too, which must accept the same.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt
from benchmarks.tables import write_whole
from benchmarks.workers.precise_thresholds import WAYS, Judged, find_threshold
from scipy.stats import beta

import thumbwise as tw
from studies.drawing import CROWDS, JUDGES, TITLES, Population, draw_gold, load_population
from studies.opinion_coverage import gold_size
from studies.reporting import make_parser, markdown_table, publish
from thumbwise._typing import IntArray
from thumbwise.assess.accepting.looks import look_at
from thumbwise.assess.accepting.ranked import Parts, Ranked, gold_places, rank
from thumbwise.assess.accepting.targets import Targets, count_tests, families, good_enough
from thumbwise.box.gold import GoldSample
from thumbwise.exceptions import InvalidLabelsError
from thumbwise.rates.asked import open_asked

SETS = ("aa2", "sms", "youtube", "basketball", "rte", "dog", "web", JUDGES, "imdb")
PRECISIONS = 0.8, 0.9, 0.95
RECALL = 0.9
# Of the items, that people can look at.
LOOKED_AT = 0.2
_ERROR = 0.05
_THRESHOLDS = 20
# First draws of each data set that go through `triage` itself.
_COMPARED = 3
PEERS = WAYS

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Items:
    """All items by pattern and true class, which is all that judging needs."""

    population: Population

    @cached_property
    def by_class(self) -> IntArray:
        """How many there are, shape (n_patterns, n_classes)."""
        table = np.zeros((self.population.votes.patterns.n_patterns, self.population.votes.n_classes), dtype=np.int64)
        np.add.at(table, (self.population.votes.inverse, self.population.labels), 1)
        return table

    @cached_property
    def counts(self) -> IntArray:
        return np.asarray(self.by_class.sum(axis=1))

    def sample(self, gold: IntArray) -> GoldSample:
        """Gold as the library opens it."""
        return open_asked(self.population.votes, self.labels_of(gold), "subset").sample

    def labels_of(self, gold: IntArray) -> IntArray:
        y = np.full(len(self.population.labels), -1)
        y[gold] = self.population.labels[gold]
        return y

    def wrong(self, proposed: IntArray) -> IntArray:
        """Items of each pattern of which the proposed label is wrong."""
        return self.counts - self.by_class[np.arange(len(proposed)), proposed]


@dataclass(frozen=True, eq=False)
class Draw:
    """One draw of gold, and a ranking that a part of it taught."""

    items: Items
    gold: IntArray
    sample: GoldSample
    parts: Parts

    @classmethod
    def of(cls, items: Items, gold: IntArray) -> Draw:
        sample = items.sample(gold)
        return cls(items, gold, sample, Parts.of(sample, 0))

    @cached_property
    def places(self) -> IntArray:
        return gold_places(self.sample)

    @cached_property
    def ranked(self) -> Ranked:
        return rank(self.sample, self.parts)

    def halved(self) -> Draw:
        """The same gold, of which half teaches."""
        return replace(self, parts=Parts(*np.array_split(np.random.default_rng(0).permutation(len(self)), 2)))

    def __len__(self) -> int:
        return len(self.sample)

    @cached_property
    def gold_wrong(self) -> BoolArray:
        """Whether the label that would be proposed for each gold item is wrong."""
        return np.asarray(self.ranked.proposed[self.places] != self.sample.labels)

    def judged(self) -> tuple[Judged, Judged]:
        """How sure labels of gold items are and whether they are right: of those that teach, and that certify."""
        taught, sure = self.parts.teach, self.ranked.sureness
        right = (~self.gold_wrong[taught]).astype(np.int64), (~self.ranked.is_wrong).astype(np.int64)
        return (sure[self.places[taught]], right[0]), (sure[self.ranked.place], right[1])

    def above(self, level: float) -> BoolArray:
        """Patterns whose label is at least so sure."""
        return np.asarray(self.ranked.sureness >= level)


@dataclass(frozen=True)
class Kept:
    """Share of all items that is accepted, and whether the accepted labels are as good as was asked."""

    share: float
    holds: bool


def judge(draw: Draw, taken: BoolArray, precision: float) -> Kept:
    """Gold keeps its known label; of the items whose pattern is taken enough must be right."""
    n_taken = int(draw.items.counts[taken].sum())
    wrong = int(draw.items.wrong(draw.ranked.proposed)[taken].sum()) - int(draw.gold_wrong[taken[draw.places]].sum())
    share = (n_taken + int((~taken[draw.places]).sum())) / draw.items.counts.sum()
    return Kept(share, wrong <= (1 - precision) * n_taken + 1e-9)


def accept(ranked: Ranked, targets: Targets) -> BoolArray:
    """Patterns that triage accepts; none if gold is too small."""
    parts = families(ranked, targets)
    error = _ERROR / count_tests(parts, targets)
    taken = np.zeros(len(ranked.size), dtype=bool)
    for part in parts:
        claimed = np.flatnonzero(good_enough(ranked, part, parts, targets, error))
        if len(claimed):
            taken |= part.among & (ranked.sureness >= part.ladder.threshold[claimed[-1]])
    return taken


def oracle(draw: Draw, precision: float) -> BoolArray:
    """The largest set of surest items that is precise enough once gold keeps its known label."""
    sure, wrong = draw.ranked.sureness, draw.items.wrong(draw.ranked.proposed)
    wrong = wrong - np.bincount(draw.places, draw.gold_wrong, minlength=len(wrong))
    order = np.argsort(-sure, kind="stable")
    fits = np.cumsum(wrong[order]) <= (1 - precision) * np.cumsum(draw.items.counts[order]) + 1e-9
    is_last = np.append(sure[order][1:] != sure[order][:-1], True)
    good = np.flatnonzero(fits & is_last)
    return np.asarray(sure >= sure[order][good[-1]]) if len(good) else np.zeros(len(sure), dtype=bool)


def hold_out(draw: Draw, precision: float) -> BoolArray:
    """The lowest of some thresholds above which Clopper and Pearson find enough right ones."""
    ranked = draw.ranked
    sure = np.repeat(ranked.sureness, draw.items.counts)
    levels = np.unique(np.quantile(sure, np.linspace(0, 0.95, _THRESHOLDS)))
    for level in levels:
        right = ~ranked.is_wrong[ranked.sureness[ranked.place] >= level]
        n_right = int(right.sum())
        if n_right and beta.ppf(_ERROR / len(levels), n_right, len(right) - n_right + 1) >= precision:
            return np.asarray(ranked.sureness >= level)
    return np.zeros(len(ranked.sureness), dtype=bool)


def mapie(draw: Draw, precision: float, peer: str) -> BoolArray:
    """What its controller accepts, in one of its ways."""
    level = find_threshold(peer, precision, 1 - _ERROR, *draw.judged())
    return np.zeros(len(draw.ranked.sureness), dtype=bool) if level is None else draw.above(level)


def has_mapie() -> bool:
    """Whether the package is installed."""
    return find_spec("mapie") is not None


def of_recall(draw: Draw) -> Kept:
    """Share accepted so that at most so many of the second class are accepted under another label."""
    taken = accept(draw.ranked, Targets({}, {1: RECALL}))
    missing = taken & (draw.ranked.proposed != 1)
    missed = int(draw.items.by_class[missing, 1].sum()) - int((missing[draw.places] & (draw.sample.labels == 1)).sum())
    holds = missed <= (1 - RECALL) * draw.items.by_class[:, 1].sum() + 1e-9
    return Kept(judge(draw, taken, 0.5).share, bool(holds))


def of_budget(draw: Draw, number: int) -> tuple[float, float, bool]:
    """Right labels that are guaranteed, those that there are, and whether the guarantee holds.

    Which items of a pattern are looked at, if not all, is drawn.
    """
    n_items, proposed = int(draw.items.counts.sum()), draw.ranked.proposed
    looks = look_at(draw.ranked, n_items, round(LOOKED_AT * n_items), _ERROR)
    free = draw.items.counts - np.bincount(draw.places, minlength=len(proposed))
    wrong = draw.items.wrong(proposed) - np.bincount(draw.places[draw.gold_wrong], minlength=len(proposed))
    found = np.random.default_rng([7, number]).hypergeometric(wrong, free - wrong, looks.looked_at)
    left = int((wrong - found).sum())
    return looks.accuracy_at_least, 1 - left / n_items, left <= looks.most_wrong


def compare_with_triage(items: Items, gold: IntArray) -> None:
    """What is accepted here is what the function itself accepts."""
    draw, y = Draw.of(items, gold), items.labels_of(gold)
    second = items.population.votes.class_names[1]
    for precision in PRECISIONS:
        _compare(accept(draw.ranked, Targets({None: precision}, {})), items, y, precision=precision)
    _compare(accept(draw.ranked, Targets({}, {1: RECALL})), items, y, recall={second: RECALL})
    budget = round(LOOKED_AT * len(y))
    looks = tw.triage(items.population.votes, y, budget=budget).looks
    if looks is None or looks.most_wrong != look_at(draw.ranked, len(y), budget, _ERROR).most_wrong:
        raise AssertionError("triage guarantees something else for a budget than this study")


def _compare(taken: BoolArray, items: Items, y: IntArray, **asked: Any) -> None:
    try:
        accepts = tw.triage(items.population.votes, y, **asked).accepts
    except InvalidLabelsError:
        accepts = np.zeros(len(taken), dtype=bool)
    if not (taken == accepts).all():
        raise AssertionError(f"triage accepts other labels than this study: {asked}")


def row_of_precision(draws: Sequence[Draw], halved: Sequence[Draw], precision: float, n_peers: int) -> list[str]:
    """Losses first: how often it failed, then shares."""
    targets = Targets({None: precision}, {})
    kept = {
        "triage": [judge(draw, accept(draw.ranked, targets), precision) for draw in draws],
        "oracle": [judge(draw, oracle(draw, precision), precision) for draw in draws],
        "hold-out": [judge(draw, hold_out(draw, precision), precision) for draw in halved],
    }
    if n_peers and has_mapie():
        for peer in PEERS:
            kept[peer] = [judge(draw, mapie(draw, precision, peer), precision) for draw in draws[:n_peers]]
    share = {name: float(np.mean([one.share for one in column])) for name, column in kept.items()}
    fails = {name: sum(not one.holds for one in column) for name, column in kept.items()}
    cells = [_title(draws[0].items.population.name), f"{precision:g}", str(fails["triage"]), str(fails["hold-out"])]
    cells += [f"{share['oracle']:.3f}", f"{share['triage']:.3f}", f"{share['triage'] / share['oracle']:.2f}"]
    cells += [f"{share['hold-out']:.3f}"]
    return cells + [f"{share[peer]:.3f}" if peer in share else "" for peer in PEERS]


HEADER = ["", "precision", "failed", "hold-out failed", "oracle", "accepted", "ratio", "hold-out", *PEERS]


def row_of_others(draws: Sequence[Draw]) -> list[str]:
    """Recall and budget."""
    recall = [of_recall(draw) for draw in draws]
    looks = [of_budget(draw, number) for number, draw in enumerate(draws)]
    proved, right, held = np.mean(np.array(looks, dtype=float), axis=0)
    cells = [str(sum(not one.holds for one in recall)), str(round((1 - held) * len(draws)))]
    cells += [f"{np.mean([one.share for one in recall]):.3f}", f"{proved:.3f}", f"{right:.3f}"]
    return [_title(draws[0].items.population.name), *cells]


OTHERS = ["", "recall failed", "budget failed", "accepted at recall 0.9", "guaranteed right", "right"]


def _title(name: str) -> str:
    return TITLES.get(name, name)


def rows_of(name: str, n_gold: int, n_draws: int, n_peers: int, seed: int) -> tuple[list[list[str]], list[str]]:
    """Of one data set: a row for each precision, and one for recall and budget."""
    started, population = time.perf_counter(), load_population(name)
    items = Items(population)
    gold = draw_gold(population, gold_size(population, n_gold), "subset", n_draws, seed)
    for one in gold[:_COMPARED]:
        compare_with_triage(items, one)
    draws = [Draw.of(items, one) for one in gold]
    halved = [draw.halved() for draw in draws]
    rows = [row_of_precision(draws, halved, precision, n_peers) for precision in PRECISIONS]
    others = row_of_others(draws)
    print(f"{name} {n_gold}: {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    return rows, others


def tables(
    n_gold: int, rows: Sequence[Sequence[str]], others: Sequence[Sequence[str]], n_draws: int, n_peers: int
) -> str:
    """Both tables for one number of gold labels."""
    about = f"{n_gold} gold labels (at most half of the items), {n_draws} draws, 95 %; failed: of all draws."
    about += f" MAPIE: the first {min(n_peers, n_draws)} of these draws." if has_mapie() and n_peers else ""
    more = f"The same draws; recall of the second class, and {LOOKED_AT:.0%} of the items looked at."
    return f"{about}\n\n{markdown_table(HEADER, rows)}\n\n{more}\n\n{markdown_table(OTHERS, others)}"


def beside_each_other(
    kept: Mapping[int, tuple[Sequence[Sequence[str]], Sequence[Sequence[str]]]], n_draws: int
) -> dict[str, str]:
    """Both tables in brief: the largest number of gold labels in full, and beside it what matters of the others."""
    most, *fewer = sorted(kept, reverse=True)
    peers = [8 + i for i in range(len(PEERS)) if kept[most][0][0][8 + i]]  # those that were drawn
    more = [f"{n} labels: {column}" for n in fewer for column in ("missed", "accepted", "hold-out")]
    head = ["set", "precision", f"missed of {n_draws:,}", "oracle", "accepted", "hold-out"]
    head += [*(HEADER[place] for place in peers), *more]
    rows = [
        [*_parts(row, 0, 1, 2, 4, 5, 7, *peers), *(part for n in fewer for part in _parts(kept[n][0][i], 2, 5, 7))]
        for i, row in enumerate(kept[most][0])
    ]
    more = [f"{n} labels: {column}" for n in fewer for column in ("recall missed", "budget missed")]
    others_head = ["set", "recall missed", "accepted at recall 0.9", "budget missed", "guaranteed right", "right"]
    others = [
        [*_parts(row, 0, 1, 3, 2, 4, 5), *(part for n in fewer for part in _parts(kept[n][1][i], 1, 2))]
        for i, row in enumerate(kept[most][1])
    ]
    return {
        "precision": markdown_table(head, rows),
        "recall and budget": markdown_table([*others_head, *more], others),
    }


def _parts(row: Sequence[str], *places: int) -> list[str]:
    return [row[place] for place in places]


def main() -> None:
    """Read the arguments, and publish tables for each number of gold labels; what is done is written as it comes."""
    parser = make_parser(__doc__, draws=1000, quick=5)
    parser.add_argument("--sets", nargs="+", choices=(*TITLES, *CROWDS, JUDGES), default=SETS, metavar="SET")
    parser.add_argument("--mapie", type=int, default=100, help="draws for MAPIE, if it is installed")
    parser.add_argument("--gold", type=int, nargs="+", default=[100, 300])
    given = parser.parse_args()
    kept: dict[int, tuple[list[list[str]], list[list[str]]]] = {}
    done: list[str] = []
    for n_gold in given.gold:
        rows: list[list[str]] = []
        others: list[list[str]] = []
        for name in given.sets:
            new, other = rows_of(name, n_gold, given.draws, given.mapie, given.seed)
            rows, others = [*rows, *new], [*others, other]
            if given.output is not None:
                write_whole(given.output, "\n\n".join([*done, tables(n_gold, rows, others, given.draws, given.mapie)]))
        done.append(tables(n_gold, rows, others, given.draws, given.mapie))
        kept[n_gold] = rows, others
    publish("triage", given, done, beside_each_other(kept, given.draws))


if __name__ == "__main__":
    main()
