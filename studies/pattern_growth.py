"""How many distinct patterns there are, as a function of how many items.

Run as ``python -m studies.pattern_growth``; ``--picture`` draws the curves. Three ways to the same function D(n):

- rarefaction: from the counts of N items, the exact mean over all samples of n of them;
- theory: for rules that vote independently given the class, the exact mean over draws, for any n;
- counting: items drawn and counted in chunks, up to 10^9 votes, holding one chunk and the patterns found so far.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, xlogy

import thumbwise as tw
from studies.drawing import data_folder
from studies.reporting import make_parser, markdown_table, publish
from thumbwise._typing import FloatArray, IntArray
from thumbwise.datasets import (
    CROWD_NAMES,
    PAPER_TITLES,
    load_crowd,
    load_paper,
    make_copies,
    make_one_coin,
    make_shared_errors,
)
from thumbwise.paper.experiments.drawing import (
    BLUE,
    GREEN,
    NORMAL,
    ORANGE,
    SMALL,
    VERMILLION,
    import_figure,
    save_figure,
)

# Half of the rules are right this often, the other half that often.
ACCURACIES = (0.8, 0.65)
RULES = (5, 10, 20, 40)
ABSTAIN = (0.0, 0.5, 0.9)
CHUNK = 1_000_000


def rarefy(counts: IntArray, n: int) -> float:
    """Mean number of distinct patterns in a random sample of n of the items: sum_t 1 - C(N - c_t, n) / C(N, n)."""
    sizes, how_many = np.unique(counts, return_counts=True)
    total = int(counts.sum())
    if n > total:
        raise ValueError(f"a sample of {total} items has at most {total}; found n = {n}.")
    left = total - sizes
    possible = left >= n
    log_chance = gammaln(left[possible] + 1) - gammaln(left[possible] - n + 1) - gammaln(total + 1)
    missed = np.exp(log_chance + gammaln(total - n + 1))
    return float(how_many.sum() - how_many[possible] @ missed)


def final_slope(counts: IntArray) -> float:
    """Slope d log D / d log n at the last item: the share of patterns that occur once.

    Leaving out one item at random loses a pattern if and only if the item is alone with its pattern, so D falls by
    (patterns that occur once) / N; times N / D.
    """
    return float((counts == 1).mean())


def covered(counts: IntArray, n_patterns: int) -> float:
    """Share of the items that show one of the most frequent patterns."""
    return float(np.sort(counts)[::-1][:n_patterns].sum() / counts.sum())


@dataclass(frozen=True, eq=False)
class Cells:
    """All patterns that can occur, those of equal probability together.

    Attributes
    ----------
    log_proba : ndarray of shape (n_cells,)
        Of one pattern of the cell.
    log_sizes : ndarray of shape (n_cells,)
        Logs of the numbers of patterns.
    n_votes : ndarray of shape (n_cells,)
        Votes in each of them.
    """

    log_proba: FloatArray
    log_sizes: FloatArray
    n_votes: FloatArray

    def shown(self, n: float) -> FloatArray:
        """Mean number of patterns of each cell among n items: size * (1 - (1 - p)^n), without underflow."""
        proba = np.exp(self.log_proba)
        with np.errstate(divide="ignore"):  # a probability that underflows is not looked at
            log_exact = np.log(-np.expm1(n * np.log1p(-np.minimum(proba, 1 - 1e-16))))
        rare = self.log_proba + np.log(n) < -37  # below rounding of 1
        log_chance = np.where(rare, self.log_proba + np.log(n), log_exact)
        return np.asarray(np.exp(self.log_sizes + log_chance))

    def n_patterns(self, n: float) -> float:
        """Mean number of distinct patterns among n items."""
        return float(self.shown(n).sum())

    def votes_in_patterns(self, n: float) -> float:
        """Mean number of votes in the distinct patterns: what a driver stores."""
        return float(self.shown(n) @ self.n_votes)

    def slope(self, n: float) -> float:
        """Slope d log D / d log n."""
        return float(np.log(self.n_patterns(n * 1.01) / self.n_patterns(n / 1.01)) / (2 * np.log(1.01)))


def one_coin_cells(groups: Sequence[tuple[int, float]], abstain: float) -> Cells:
    """Cells of two balanced classes and groups of equally accurate rules (how many, accuracy) that vote independently.

    A pattern's probability depends only on how many rules of each group vote for either class.
    """
    given: list[FloatArray] = [np.zeros(1), np.zeros(1)]  # log probability given class 0, and class 1
    log_sizes: FloatArray = np.zeros(1)
    n_votes: FloatArray = np.zeros(1)
    for n_rules, accuracy in groups:
        first, second = (part.ravel() for part in np.indices((n_rules + 1, n_rules + 1)))
        first, second = (part[first + second <= n_rules] for part in (first, second))
        silent = n_rules - first - second
        right, wrong = (1 - abstain) * accuracy, (1 - abstain) * (1 - accuracy)
        sizes = gammaln(n_rules + 1) - gammaln(first + 1) - gammaln(second + 1) - gammaln(silent + 1)
        for c, (agree, differ) in enumerate([(first, second), (second, first)]):
            given[c] = _pairs(given[c], xlogy(agree, right) + xlogy(differ, wrong) + xlogy(silent, abstain))
        log_sizes, n_votes = _pairs(log_sizes, sizes), _pairs(n_votes, first + second)
    log_proba = np.logaddexp(*given) - np.log(2)
    occurs = log_proba > -np.inf
    return Cells(log_proba[occurs], log_sizes[occurs], n_votes[occurs])


def _pairs(left: FloatArray, right: npt.ArrayLike) -> FloatArray:
    return np.asarray(np.add.outer(left, right)).ravel()


def halves(n_rules: int) -> list[tuple[int, float]]:
    """The better half of the rules, which is the larger one, and the worse."""
    return [((n_rules + 1) // 2, ACCURACIES[0]), (n_rules // 2, ACCURACIES[1])]


def draw_keys(rng: np.random.Generator, n_items: int, groups: Sequence[tuple[int, float]], abstain: float) -> IntArray:
    """Patterns of random items as integers in base 3, a digit a rule: 0 for an abstention, else class + 1.

    Up to 40 rules fit an unsigned 64-bit integer. A rule is drawn at a time, so nothing of items x rules exists.
    """
    if sum(n_rules for n_rules, _ in groups) > 40:
        raise ValueError(f"at most 40 rules fit one integer; found {sum(n_rules for n_rules, _ in groups)}.")
    labels = rng.integers(0, 2, n_items, dtype=np.uint8)
    keys = np.zeros(n_items, dtype=np.uint64)
    for n_rules, accuracy in groups:
        for _ in range(n_rules):
            uniforms = rng.random(n_items, dtype=np.float32)
            is_wrong = uniforms >= abstain + (1 - abstain) * accuracy
            keys *= np.uint64(3)
            keys += (uniforms >= abstain) * (1 + (labels ^ is_wrong))
    return keys


def merge_counts(keys: IntArray, counts: IntArray, more: IntArray) -> tuple[IntArray, IntArray]:
    """Distinct keys, ascending, and how often each occurs, after some more items."""
    new, how_often = np.unique(more, return_counts=True)
    merged, place = np.unique(np.concatenate([keys, new]), return_inverse=True)
    total = np.bincount(place, np.concatenate([counts, how_often]), minlength=len(merged))
    return merged, total.astype(np.int64)


def count_in_chunks(
    n_items: int, groups: Sequence[tuple[int, float]], abstain: float, *, chunk: int = CHUNK, random_state: int
) -> Iterator[tuple[int, IntArray]]:
    """Items so far and counts of their patterns, after each chunk. Holds one chunk, and one number pair a pattern."""
    rng = np.random.default_rng(random_state)
    keys: IntArray = np.zeros(0, dtype=np.uint64)
    counts: IntArray = np.zeros(0, dtype=np.int64)
    for start in range(0, n_items, chunk):
        stop = min(start + chunk, n_items)
        keys, counts = merge_counts(keys, counts, draw_keys(rng, stop - start, groups, abstain))
        yield stop, counts


def load_all() -> dict[str, tw.Votes]:
    """The pools of the ten datasets, and the four crowds."""
    top = data_folder().parent
    votes = {title: load_paper(name, top).votes for name, title in PAPER_TITLES.items()}
    return votes | {f"{name} (crowd)": load_crowd(name, top).votes for name in CROWD_NAMES}


def describe(name: str, votes: tw.Votes) -> list[str]:
    """One row of real data."""
    counts, n = votes.patterns.counts, votes.n_items
    sizes = [n, votes.n_rules, votes.n_classes]
    grown = [rarefy(counts, n // 100), rarefy(counts, n // 10), float(len(counts))]
    shares = [float((counts == 1).sum() / n), covered(counts, 10), covered(counts, 100)]
    numbers = [*(f"{size:,}" for size in sizes), f"{votes.n_votes_per_item.mean():.1f}", *(f"{d:,.0f}" for d in grown)]
    return [name, *numbers, f"{final_slope(counts):.2f}", *(f"{share:.0%}" for share in shares)]


REAL_HEADER = ["votes", "items", "rules", "classes", "votes per item", "D(N/100)", "D(N/10)", "D(N)"]
REAL_HEADER += ["slope", "items alone", "in top 10", "in top 100"]


def compare(n_rules: int, abstain: float, n_items: int, seed: int) -> list[list[str]]:
    """Counted beside expected at powers of ten, one row each."""
    groups, rows, started = halves(n_rules), [], time.perf_counter()
    cells = one_coin_cells(groups, abstain)
    chunk = min(CHUNK, n_items // 10)
    for n, counts in count_in_chunks(n_items, groups, abstain, chunk=chunk, random_state=seed):
        if n in (n_items // 100, n_items // 10, n_items):
            seconds = time.perf_counter() - started
            expected, top = cells.n_patterns(n), covered(counts, 100)
            numbers = [f"{len(counts):,}", f"{expected:,.1f}", f"{cells.slope(n):.3f}", f"{top:.0%}", f"{seconds:.1f}"]
            rows.append([f"{n_rules} rules, {abstain:.0%} abstain", f"{n:,}", f"{n * n_rules:.0e}", *numbers])
    return rows


COUNTED_HEADER = ["votes", "items", "cells of the table", "D counted", "D expected", "slope", "in top 100", "seconds"]


def dependent_rows(seed: int) -> list[list[str]]:
    """Twenty rules that never abstain: independent, in pairs that copy, in two groups that err together."""
    n, accuracies = 100_000, np.repeat(ACCURACIES, 10)
    pairs, groups = [-1] * 10 + list(range(10)), [0] * 10 + [1] * 10
    made = {
        "independently": make_one_coin(n, accuracies, random_state=seed),
        "each of the worse half repeats one of the better on 9 items of 10": make_copies(
            n, accuracies, copied_from=pairs, copying=[0] * 10 + [0.9] * 10, random_state=seed
        ),
        "each half errs as a whole on 15 % of the items": make_shared_errors(
            n, accuracies, groups=groups, shared_errors=[0.15, 0.15], random_state=seed
        ),
    }
    counts = {how: one.votes.patterns.counts for how, one in made.items()}
    return [[how, f"{rarefy(found, n // 10):,.0f}", f"{len(found):,}"] for how, found in counts.items()]


def extrapolate(n_rules: int, abstain: float) -> list[str]:
    """Expected patterns at 10^6, 10^8 and 10^10 items, and the slope at the last."""
    cells = one_coin_cells(halves(n_rules), abstain)
    grown = [f"{cells.n_patterns(n):.3g}" for n in (1e6, 1e8, 1e10)]
    return [f"{n_rules}", f"{abstain:.0%}", *grown, f"{cells.slope(1e10):.3f}"]


def draw(votes: dict[str, tw.Votes], path: Path) -> None:
    """Left: real data by rarefaction. Right: independent rules by theory, to 10^10 items."""
    figure = import_figure()(figsize=(7.2, 3.4), dpi=110, layout="constrained")
    left, right = figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2)
    for name, real in votes.items():
        is_crowd, counts = name.endswith("(crowd)"), real.patterns.counts
        sizes = np.unique(np.geomspace(1, real.n_items, 40).astype(int))
        grown = [rarefy(counts, int(n)) for n in sizes]
        left.loglog(sizes, grown, color=VERMILLION if is_crowd else BLUE, ls="--" if is_crowd else "-", lw=1)
        left.annotate(name.removesuffix(" (crowd)"), (sizes[-1], grown[-1]), fontsize=SMALL - 2, va="center")
    sizes = np.geomspace(1, 1e10, 60)
    for abstain, style in zip(ABSTAIN, (":", "-", "--"), strict=True):
        for n_rules, color in zip(RULES, (GREEN, BLUE, ORANGE, VERMILLION), strict=True):
            cells = one_coin_cells(halves(n_rules), abstain)
            label = f"{n_rules} rules" if abstain == ABSTAIN[1] else None
            right.loglog(sizes, [cells.n_patterns(n) for n in sizes], color=color, ls=style, lw=1, label=label)
    right.legend(fontsize=SMALL, frameon=False)
    for ax, title in (
        (left, "real: rule sets solid, crowds dashed"),
        (right, "independent: abstain 0 dotted, 0.5 solid, 0.9 dashed"),
    ):
        ax.plot([1, ax.get_xlim()[1]], [1, ax.get_xlim()[1]], color="0.7", lw=0.7)
        ax.set_ylim(1, 2e10 if ax is right else 2e4)
        ax.set_title(title, fontsize=NORMAL)
        ax.set_xlabel("items", fontsize=NORMAL)
        ax.set_ylabel("distinct patterns", fontsize=NORMAL)
        ax.tick_params(labelsize=SMALL)
    save_figure(figure, path, endings=("png",))


def main() -> None:
    """Real data, made-up data to 10^9 votes, theory to 10^10 items."""
    parser = make_parser("Distinct patterns as a function of the number of items.", draws=1, quick=1)
    parser.add_argument("--picture", type=Path, help="PNG file to draw the curves to")
    arguments = parser.parse_args()
    real = load_all()
    settings = [(p, a, 1_000_000) for p in RULES for a in ABSTAIN]
    if not arguments.quick:
        settings += [(20, 0.5, 10_000_000), (20, 0.0, 50_000_000), (10, 0.5, 100_000_000), (10, 0.9, 100_000_000)]
    counted = [row for p, a, n in settings for row in compare(p, a, n, arguments.seed)]
    header = ["rules", "abstain", "D(10^6)", "D(10^8)", "D(10^10)", "slope at 10^10"]
    tables = {
        "real data": markdown_table(REAL_HEADER, [describe(name, votes) for name, votes in real.items()]),
        "counted": markdown_table(COUNTED_HEADER, counted),
        "expected": markdown_table(header, [extrapolate(p, a) for p in RULES for a in ABSTAIN]),
        "dependent": markdown_table(["how rules err", "D(10^4)", "D(10^5)"], dependent_rows(arguments.seed)),
    }
    publish("pattern_growth", arguments, [*tables.values()], tables, draws=dict.fromkeys(tables, 0))
    if arguments.picture is not None:
        draw(real, arguments.picture)


if __name__ == "__main__":
    main()
