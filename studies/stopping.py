"""Stopping when it is good enough: how often intervals then hold, and what rules cost: ``python -m studies.stopping``.

A labeler looks at the interval every so many labels and stops as soon as the goal shows: the share is known to within
five points, or so many labels can be accepted. How often does the interval hold at that moment? Beside the rules, naive
peeking: the interval for a number of labels that was fixed before, looked at all the time. And a malicious labeler, who
stops as soon as the interval misses the truth, which is the worst that anybody can do: for intervals from counts the
chance is computed exactly, by following all paths.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, partial

import numpy as np

from studies.reporting import make_parser, markdown_table, publish
from thumbwise._typing import FloatArray, IntArray
from thumbwise.bench.seen import Seen, Surest
from thumbwise.bench.valid_now import Rule, accepted_share
from thumbwise.box.stopping import StoppingRule
from thumbwise.numerics.anytime import anytime_bounds
from thumbwise.numerics.hypergeometric import log_chance
from thumbwise.numerics.intervals import hypergeometric_bounds
from thumbwise.rates.counts import Counts, Said
from thumbwise.rates.intervals import assisted
from thumbwise.rates.whenever import whenever

ERROR, WITHIN = 0.05, 0.05
SHARES = (0.5, 0.8, 0.95)
LOOKS = (50, 100, 150, 200)
MOST, EVERY = 400, 10
# How often the panel is right where it helps, and the share that is asked about then: these take longer.
PANEL, WITH_PANEL = 0.85, 0.8
N_PANEL_DRAWS = 8
# Paths of counts with less chance are not followed; all of them together have less than a ten-millionth.
_FAINT = 1e-12


@cache
def _fixed(right: int, drawn: int, population: int, error: float) -> tuple[float, float]:
    low, high = hypergeometric_bounds(right, drawn, population, error)
    return int(low) / population, int(high) / population


@cache
def _anytime(right: int, drawn: int, population: int) -> tuple[float, float]:
    low, high = anytime_bounds(right, drawn, population, ERROR)
    return int(low) / population, int(high) / population


def from_counts(is_so: np.ndarray, population: int, error: float | None, n: int) -> tuple[float, float]:
    """Interval of the first n labels: for a fixed number at an error, or for every moment."""
    right = int(is_so[:n].sum())
    return _anytime(right, n, population) if error is None else _fixed(right, n, population, error)


def with_panel(
    is_so: np.ndarray, says: np.ndarray, totals: IntArray, error: float | None, n: int
) -> tuple[float, float]:
    """The same helped by the panel."""
    said, here = says[:n], is_so[:n]
    counts = Counts(np.bincount(said, here, minlength=2).astype(np.int64), np.bincount(said, minlength=2), totals)
    found = (
        whenever(counts, ERROR, Said(said.astype(bool), here.astype(bool), np.ones(n, dtype=bool)))
        if error is None
        else assisted(counts, error)
    )
    return found.lower, found.upper


def stopped(ask: Callable[[int], tuple[float, float]], moments: range | tuple[int, ...]) -> tuple[int, float, float]:
    """When the labeler stops, at the latest at the last moment, and the interval at that moment."""
    for n in moments:
        low, high = ask(n)
        if high - low <= 2 * WITHIN:
            break
    return n, low, high


def goal_row(name: str, share: float, population: int, n_runs: int, seed: int) -> list[str]:
    """How often the interval holds when the labeler stops, and how many labels that took."""
    rng = np.random.default_rng([seed, int(100 * share), *name.encode()])
    truth = np.arange(population) < round(share * population)
    says = np.where(rng.random(population) < PANEL, truth, ~truth).astype(np.int64)
    totals = np.bincount(says, minlength=2)
    moments = LOOKS if "looks" in name else range(30, MOST + 1, EVERY * (1 + ("panel" in name)))
    error = {"naive peeking": ERROR, "4 looks": ERROR / 4, "anytime": None}[name.removesuffix(", panel")]
    held, n_labels = 0, []
    for _ in range(n_runs):
        order = rng.permutation(population)[:MOST]
        is_so, said = truth[order], says[order]
        if "panel" in name:
            n, low, high = stopped(partial(with_panel, is_so, said, totals, error), moments)
        else:
            n, low, high = stopped(partial(from_counts, is_so, population, error), moments)
        held += low <= truth.mean() + 1e-12 and high >= truth.mean() - 1e-12
        n_labels.append(n)
    print(f"{name} {share}: {held / n_runs:.4f} {np.median(n_labels):.0f}", file=sys.stderr)
    return [name, f"{share:.2f}", f"{held / n_runs:.3f}", f"{np.median(n_labels):.0f}"]


def worst_chance(total: int, population: int, most: int, error: float | None, looks: tuple[int, ...] | None) -> float:
    """Chance that the interval ever misses so many right ones, exactly: all paths of counts are followed."""
    alive, missed = np.array([1.0]), 0.0
    for n in range(1, most + 1):
        x = np.arange(n, dtype=float)
        chance = np.clip((total - x) / (population - n + 1), 0, 1)
        alive = np.append(alive * (1 - chance), 0.0) + np.append(0.0, alive * chance)
        if looks is not None and n not in looks:
            continue
        counts = np.flatnonzero(alive > _FAINT)
        bounds = anytime_bounds if error is None else hypergeometric_bounds
        low, high = bounds(counts, n, population, ERROR if error is None else error)
        misses = (low > total) | (high < total)
        missed += float(alive[counts[misses]].sum())
        alive[counts[misses]] = 0.0
    return missed


def worst_row(name: str, share: float, population: int) -> list[str]:
    """Of one rule."""
    total = round(share * population)
    error = {"naive peeking": ERROR, "4 looks": ERROR / 4, "anytime": None}[name]
    chance = worst_chance(total, population, MOST, error, LOOKS if name == "4 looks" else None)
    return [name, f"{share:.2f}", f"{chance:.4f}"]


def accepted_row(rule: StoppingRule, n_runs: int, population: int, seed: int) -> list[str]:
    """How often what is accepted is as precise as is said, when the labeler stops with 70 % accepted at 90 %."""
    rng = np.random.default_rng([seed, 7])
    levels, rates = np.array([0.6, 0.7, 0.8, 0.9, 0.97]), np.array([0.7, 0.82, 0.9, 0.95, 0.97])
    kind = rng.integers(5, size=population)
    sureness, is_right = levels[kind], rng.random(population) < rates[kind]
    order_of = [rng.permutation(population) for _ in range(n_runs)]
    at_stop = {bar: is_right[sureness >= bar].mean() for bar in np.unique(sureness)}
    wrong, n_labels, accepted = 0, [], []
    whole = Rule(rule, None, 1 - ERROR, population)
    for order in order_of:
        surest = Surest.of(sureness[order], 0.7)
        found = 0.0
        for n in rule.looks or range(50, MOST + 1, 25):
            seen = Seen(np.zeros(n, dtype=np.int64))
            found = accepted_share(whole, seen, is_right[order][:n], surest, 0.9)
            if found >= 0.7:
                break
        n_labels.append(n)
        accepted.append(found)
        bar = next((b for b in sorted(at_stop, reverse=True) if (sureness >= b).mean() >= found - 1e-9), 1.0)
        wrong += found > 0 and at_stop[bar] < 0.9
    name = "4 looks" if rule.looks else "anytime"
    return [name, f"{1 - wrong / n_runs:.3f}", f"{np.mean(accepted):.2f}", f"{np.median(n_labels):.0f}"]


def price_rows(population: int) -> list[list[str]]:
    """Widths of intervals by number of labels."""
    rows = []
    for share in SHARES:
        for n in (50, 100, 150, 200, 300):
            right = round(share * n)
            widths = [np.subtract(*_fixed(right, n, population, ERROR / parts)[::-1]) for parts in (1, 4, 10)]
            widths += [np.subtract(*_anytime(right, n, population)[::-1]), _ratio_width(right, n, population)]
            rows.append([f"{share:.2f}", str(n), *(f"{width:.3f}" for width in widths)])
    return rows


def panel_rows(population: int, seed: int, n_draws: int) -> list[list[str]]:
    """Mean widths with and without the panel's help, by how often it is right."""
    rng = np.random.default_rng([seed, 8])
    truth = np.arange(population) < WITH_PANEL * population
    rows = []
    for right in (0.7, 0.85, 0.95):
        says = np.where(rng.random(population) < right, truth, ~truth).astype(np.int64)
        totals = np.bincount(says, minlength=2)
        for n in (50, 100, 200, 300):
            orders = [rng.permutation(population)[:n] for _ in range(n_draws)]
            ends = [
                [from_counts(truth[order], population, error, n) for order in orders]
                if is_alone
                else [with_panel(truth[order], says[order], totals, error, n) for order in orders]
                for error in (ERROR, ERROR / 4, None)
                for is_alone in (True, False)
            ]
            rows.append([f"{right:.2f}", str(n), *(f"{np.mean([b - a for a, b in some]):.3f}" for some in ends)])
    return rows


def _ratio_width(right: int, drawn: int, population: int) -> float:
    """The prior-posterior ratio with an even prior, beside it: K stays if L(K) > error times the mean of L."""
    totals = np.arange(population + 1)
    counts = [np.full(len(totals), n) for n in (right, drawn, population)]
    logs: FloatArray = log_chance(counts[0], counts[1], counts[2], totals)
    kept = np.flatnonzero(logs > np.log(ERROR) - np.log(drawn + 1))
    return float(kept[-1] - kept[0]) / population


def main() -> None:
    """Read the arguments, and publish the tables."""
    parser = make_parser(__doc__, draws=2000, quick=50)
    parser.add_argument("--items", type=int, default=5000)
    given = parser.parse_args()
    rules = ("naive peeking", "4 looks", "anytime", "4 looks, panel", "anytime, panel")
    asked = [(rule, share) for share in SHARES for rule in rules if "panel" not in rule or share == WITH_PANEL]
    goals = [goal_row(rule, share, given.items, given.draws, given.seed) for rule, share in asked]
    worst = [worst_row(rule, share, given.items) for share in SHARES for rule in rules[:3]]
    accepted = [
        accepted_row(StoppingRule.of(looks), given.draws, given.items, given.seed) for looks in (LOOKS, "anytime")
    ]
    prices = ["share", "labels", "fixed", "4 looks", "10 looks", "anytime", "ratio"]
    helped = ["panel", "labels", "fixed", "with panel", "4 looks", "with panel", "anytime", "with panel"]
    tables = {
        "goals": markdown_table(["rule", "share", "holds", "labels"], goals),
        "worst": markdown_table(["rule", "share", "ever misses"], worst),
        "accepted": markdown_table(["rule", "holds", "accepted", "labels"], accepted),
        "price": markdown_table(prices, price_rows(given.items)),
        "panel": markdown_table(helped, panel_rows(given.items, given.seed, N_PANEL_DRAWS)),
    }
    parts = [
        f"{given.items:,} items, {1 - ERROR:.0%}, {given.draws:,} runs. A labeler looks every {EVERY} labels (with a "
        f"panel {2 * EVERY}) from 30 to {MOST} (at the planned looks: {', '.join(map(str, LOOKS))}) and stops when the "
        f"share is known to within {100 * WITHIN:.0f} points. How often the interval then holds, and the median number "
        f"of labels. The panel is right on {PANEL:.0%} of the items.",
        tables["goals"],
        f"Chance that the interval misses at any moment up to {MOST} labels, or at any planned look, exactly.",
        tables["worst"],
        "Labels accepted at 90 % precision, until 70 % are: how often what is accepted is that precise, the mean "
        "share, and the median number of labels.",
        tables["accepted"],
        "Widths by number of labels: fixed before; at 4 and at 10 planned looks; at every moment; the prior-posterior "
        "ratio beside it.",
        tables["price"],
        f"Mean widths over {N_PANEL_DRAWS} draws at a share of {WITH_PANEL:.2f}, alone and with the panel, by how "
        "often it is right.",
        tables["panel"],
    ]
    publish("stopping", given, parts, tables, draws={"worst": 0, "price": 0, "panel": N_PANEL_DRAWS})


if __name__ == "__main__":
    main()
