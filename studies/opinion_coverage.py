"""How often boxes with opinions hold the truth, and their bounds the loss: ``python -m studies.opinion_coverage``.

Gold is drawn at random from items whose classes are all known, so that what the guarantee assumes is true: the paper's
ten datasets and four crowds. Counted is the share of draws in which

(a) all moments realised on the pool lie in the default box, opinions and learned opinion included,
(b) the learned opinion's mean log loss on the pool is at most its bound, and
(c) the mean log loss realised on the pool is at most the certificate, at each of three cautions.

A box that holds the truth implies (c) at every caution, so only draws whose box misses need fits; that is checked, by
fitting, on the first draws of every dataset. Levels share the draws. With ``--output`` each draw is written down in
a file of lines beside it as soon as it is judged, and a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Literal

import numpy as np

import thumbwise as tw
from studies.coverage import FALSE_ALARM, LEVELS, allowed_misses
from studies.drawing import (
    CROWDS,
    TITLES,
    BoolArray,
    Draw,
    Population,
    box_of_draw,
    draw_gold,
    load_population,
    split_population,
)
from studies.reporting import make_parser, markdown_table, publish
from thumbwise._typing import IntArray
from thumbwise.box.budget import FEW_RULES
from thumbwise.box.gold import GoldIs
from thumbwise.box.moments.linear import LEARNED
from thumbwise.metrics import log_loss
from thumbwise.votes.labels import label_counts

SETS = (*TITLES, *CROWDS)
CAUTIONS: tuple[float | Literal["auto"], ...] = (1.0, "auto", 0.2)
# Draws of a dataset that are judged before the next dataset's turn.
_BLOCK = 25
# Rounding of sums over items.
_SLACK = 1e-9


@dataclass(frozen=True)
class Judged:
    """One draw at one level.

    Attributes
    ----------
    box, learned : bool
        Whether (a) and (b) hold; a box without a learned opinion has none that could fail.
    bounds : list of bool
        Whether (c) holds, for each of the cautions.
    was_fitted : bool
    """

    name: str
    gold_is: GoldIs
    level: float
    draw: int
    box: bool
    learned: bool
    bounds: list[bool]
    was_fitted: bool


def gold_size(population: Population, asked: int) -> int:
    """As many as asked for, or half of the items where there are not twice as many."""
    return min(asked, population.votes.n_items // 2)


def judge_draw(population: Population, draw: Draw, gold_is: GoldIs, level: float, *, number: int, fits: bool) -> Judged:
    """Make the default box, compare it with the truth, and fit where that is asked for or the box misses."""
    box = box_of_draw(draw, gold_is, level)
    inside = _inside(draw, box)
    is_learned = np.array([about.kind == LEARNED for about in box.about])
    holds, is_fitted = bool(inside.all()), fits or not inside.all()
    bounds = [bound_holds(draw, box, caution) for caution in CAUTIONS] if is_fitted else [True] * len(CAUTIONS)
    if holds and not all(bounds):
        raise RuntimeError(f"{population.name}, draw {number}: the box holds the truth, but a bound does not: {bounds}")
    return Judged(population.name, gold_is, level, number, holds, bool(inside[is_learned].all()), bounds, is_fitted)


def _inside(draw: Draw, box: tw.Box) -> BoolArray:
    """Which moments realised on the pool lie in the box."""
    moments = box.moments(draw.pool)
    truth = moments.totals(label_counts(draw.pool, draw.pool_labels)) / np.maximum(moments.sizes, 1)
    return (truth >= box.lower - _SLACK) & (truth <= box.upper + _SLACK)


def bound_holds(draw: Draw, box: tw.Box, caution: float | Literal["auto"]) -> bool:
    """Whether the loss is at most the certificate; a contradictory box has none, and counts as a miss."""
    try:
        model = tw.BalsubramaniFreund(caution=caution, pin_gold=False, tol=1e-6).fit(draw.pool, box=box)
    except tw.InfeasibleBoxError:
        return False
    loss = log_loss(draw.pool_labels, model.predict_proba(draw.pool), clip=0)
    return bool(loss <= model.certificate_.log_loss_bound + _SLACK)


def judge_draws(
    population: Population,
    gold_is: GoldIs,
    n_gold: int,
    draws: Iterable[int],
    *,
    levels: Sequence[float],
    seed: int,
    n_fitted: int,
) -> Iterator[Judged]:
    """Some draws of one dataset, at all levels."""
    draws = [*draws]
    items = draw_gold(population, gold_size(population, n_gold), gold_is, max(draws, default=-1) + 1, seed)
    for d in draws:
        draw = split_population(population, items[d], gold_is)
        for level in levels:
            yield judge_draw(population, draw, gold_is, level, number=d, fits=d < n_fitted)


def tabulate(judged: Sequence[Judged]) -> str:
    """One line a dataset and level: shares in per cent, and whether there are more misses than the level allows."""
    groups: dict[tuple[str, float], list[Judged]] = {}
    for one in judged:
        groups.setdefault((one.name, one.level), []).append(one)
    n_cells = (2 + len(CAUTIONS)) * len(groups)
    lines = []
    for (name, level), rows in sorted(groups.items()):
        held = held_counts(rows)
        worst = len(rows) - int(held.min())
        alarm = "" if worst <= allowed_misses(len(rows), level, n_cells) else "too many misses"
        shares = [f"{100 * share:.1f}" for share in held / len(rows)]
        lines.append([name, f"{100 * level:.3g} %", f"{len(rows):,}", *shares, alarm])
    names = [f"(c) caution {caution}" for caution in CAUTIONS]
    return markdown_table(["dataset", "level", "draws", "(a) box", "(b) learned", *names, ""], lines)


def in_brief(judged: Sequence[Judged]) -> str:
    """One line a dataset: for each level (a), (b) and (c) at all cautions at once; a dash where nothing is learned."""
    groups: dict[str, dict[float, list[Judged]]] = {}
    for one in judged:
        groups.setdefault(one.name, {}).setdefault(one.level, []).append(one)
    levels = sorted({one.level for one in judged})
    lines = []
    for name, by_level in groups.items():
        learns = load_population(name).votes.n_rules > FEW_RULES
        cells = [_brief_cell(by_level[level], learns) for level in levels]
        lines.append([TITLES.get(name, name), f"{len(by_level[levels[0]]):,}", *cells])
    return markdown_table(["set", "draws", *(f"{100 * level:.3g} %" for level in levels)], lines)


def _brief_cell(rows: Sequence[Judged], learns: bool) -> str:
    box, learned, bounds = (
        f"{100 * np.mean(held):.1f}"
        for held in ([row.box for row in rows], [row.learned for row in rows], [all(row.bounds) for row in rows])
    )
    return f"{box} / {learned if learns else '-'} / {bounds}"


def held_counts(rows: Sequence[Judged]) -> IntArray:
    """Draws in which (a), (b) and each of (c) hold."""
    return np.asarray(np.array([[row.box, row.learned, *row.bounds] for row in rows]).sum(axis=0), dtype=np.int64)


def _read(lines: Path | None) -> list[Judged]:
    if lines is None or not lines.exists():
        return []
    return [Judged(**json.loads(line)) for line in lines.read_text(encoding="utf-8").splitlines()]


def _run(arguments: argparse.Namespace, lines: Path | None) -> list[Judged]:
    """All draws that are not there yet, some of each dataset in turn."""
    judged = _read(lines)
    there = {(one.name, one.draw) for one in judged if one.gold_is == arguments.gold_is and one.level == LEVELS[-1]}
    started = time.perf_counter()
    for start, name in product(range(0, arguments.draws, _BLOCK), arguments.sets):
        block = [d for d in range(start, min(start + _BLOCK, arguments.draws)) if (name, d) not in there]
        news = judge_draws(
            load_population(name),
            arguments.gold_is,
            arguments.gold,
            block,
            levels=LEVELS,
            seed=arguments.seed,
            n_fitted=arguments.fitted,
        )
        for one in news:
            judged.append(one)
            if lines is not None:
                with lines.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(one)) + "\n")
        print(f"{name}: {start + len(block)} draws, {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    return judged


def main() -> None:
    """Judge all draws and print the table."""
    parser = make_parser("Coverage of boxes with opinions, and of their bounds.", draws=1000, quick=20)
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS)
    parser.add_argument("--fitted", type=int, default=5, help="draws that are fitted whether or not the box misses")
    parser.add_argument("--gold", type=int, default=100)
    parser.add_argument("--gold-is", choices=["subset", "separate"], default="subset")
    arguments = parser.parse_args()
    lines = None if arguments.output is None else arguments.output.with_suffix(".jsonl")
    judged = _run(arguments, lines)
    heading = (
        f"{arguments.draws:,} draws of {arguments.gold} gold items (at most half of them), gold is "
        f"{arguments.gold_is}, seed {arguments.seed}. Each cell: share of draws in %. Alarms of the whole table are "
        f"false with probability {FALSE_ALARM:.0e} if every coverage were exactly its level."
    )
    publish("opinion_coverage", arguments, [heading, tabulate(judged)], {"defaults": in_brief(judged)})


if __name__ == "__main__":
    main()
