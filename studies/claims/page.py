"""The page of claims, written from what was measured and from nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from benchmarks.workers.rate_intervals import SLOW

from studies.claims import accepting, labels, rates, trouble, verdicts
from studies.claims.measuring import EVERY, PARTS, SIZES
from studies.coverage import allowed_misses
from studies.drawing import TITLES
from studies.rates import ERROR


@dataclass(frozen=True, eq=False)
class Measured:
    """What ``studies/results/claims.json`` holds; parts that were not run are empty."""

    content: Mapping[str, Any]

    @property
    def about(self) -> Mapping[str, Any]:
        about: Mapping[str, Any] = self.content["about"]
        return about

    def draws(self, part: str) -> int:
        return int(self.content[part]["draws"])

    def refused(self, part: str) -> list[str]:
        return list(self.content.get(part, {}).get("refused", []))

    def _found(self, part: str) -> dict[int, list[Any]]:
        return {int(size): some for size, some in self.content.get(part, {}).get("found", {}).items()}

    @cached_property
    def labels(self) -> dict[int, list[labels.Found]]:
        return {size: [labels.Found.read(one) for one in some] for size, some in self._found("labels").items()}

    @cached_property
    def rates(self) -> dict[int, list[rates.Share]]:
        return {size: [rates.Share.read(one) for one in some] for size, some in self._found("rates").items()}

    @cached_property
    def accepted(self) -> dict[int, list[accepting.Accepted]]:
        return {size: [accepting.Accepted.read(one) for one in some] for size, some in self._found("accepting").items()}

    @cached_property
    def shaken(self) -> list[trouble.Shaken]:
        return [trouble.Shaken(**one) for one in self.content.get("trouble", {}).get("shaken", [])]

    @cached_property
    def misled(self) -> list[trouble.Misled]:
        return [trouble.Misled(**one) for one in self.content.get("trouble", {}).get("misled", [])]

    @cached_property
    def claims(self) -> list[verdicts.Claim]:
        of_parts = verdicts.of_labels(self.labels), verdicts.of_rates(self.rates), verdicts.of_accepting(self.accepted)
        return [claim for claims in of_parts for claim in claims]


def page(measured: Measured) -> str:
    """Failures first, then every claim, how it was measured, and the tables."""
    claims = measured.claims
    parts = [
        headline(claims),
        *missing(measured),
        "\n".join(claim.line for claim in sorted(claims, key=lambda claim: claim.holds)),
        fold("How it was measured", describe(measured)),
        *of_labels(measured),
        *of_rates(measured),
        *of_accepting(measured),
        *of_trouble(measured),
    ]
    return "\n\n".join(parts)


def headline(claims: Sequence[verdicts.Claim]) -> str:
    """How many fail; which, the list below says first."""
    failed = sum(not claim.holds for claim in claims)
    fails = "fails" if failed <= 1 else "fail"
    return f"**{failed or 'None'} of {len(claims)} claims {fails} in this run.**{' Failures first:' if failed else ''}"


def fold(title: str, *parts: str) -> str:
    """What few readers want to see, behind a line that opens it."""
    return "\n\n".join([f"<details>\n<summary>{title}</summary>", *parts, "</details>"])


def by_size(what: str, tables: Mapping[int, str]) -> Iterator[str]:
    """The table of the size that the claims are about in the open, the others folded."""
    first, *others = main_first(tables)
    yield f"### {what}, {first} labels"
    yield tables[first]
    yield from (fold(f"{what}, {size} labels", tables[size]) for size in others)


def missing(measured: Measured) -> list[str]:
    """What belongs to the claims and was not run."""
    about = measured.about
    absent = [] if about["versions"] else ["crowd-kit, Snorkel, CROWDLAB and MAPIE (no interpreter that has them)"]
    absent += [f"{name} ({number})" for name, number in _versions(about).items() if number == "absent"]
    absent += [f"the set {TITLES.get(name, name)}" for name in EVERY if name not in about["sets"]]
    absent += [f"{size} labels" for size in SIZES if size not in about["sizes"]]
    absent += [f"the part about {name}" for name in PARTS if name not in measured.content]
    return [f"**Not in this run:** {'; '.join(absent)}."] if absent else []


def _versions(about: Mapping[str, Any]) -> dict[str, str]:
    return {**about["versions"], **about["rate_versions"]}


def describe(measured: Measured) -> str:
    """How everything was measured."""
    about = measured.about
    labels_, shares = (
        ", ".join(f"{package} {version}" for package, version in about[which].items()) or "no packages"
        for which in ("versions", "rate_versions")
    )
    taken = sum(measured.content[name]["seconds"] for name in PARTS if name in measured.content)
    return (
        f"Written by `python -m studies.claims`, seed {about['seed']}, in {taken / 60:.0f} minutes; thumbwise "
        f"{about['thumbwise']}, Python {about['python']}. For labels {labels_}; for shares {shares}. Gold is a random "
        "part of the items, at most half of them; every method is as its own pages recommend, without tuning. Sets are "
        "those of people and models who are not ours: 21 language models that rate comments, four crowds, the ten sets "
        "of the paper. In each table the rows in which ours is furthest behind come first.\n\n"
        "The *best other* is, on each set, whichever of the others turned out best there, found with the truth in "
        "sight. Nobody who labels can choose so; ours is one method on all sets. The rule is kept because it is the "
        "hardest, and each method's own count by the same rule stands beside it."
    )


def of_labels(measured: Measured) -> Iterator[str]:
    """Accuracy, log loss and calibration."""
    if not measured.labels:
        return
    yield (
        f"## (a) Labels\n\nOf items without gold; means of {measured.draws('labels')} draws. *Lead*: how much better "
        "ours is than the best other, ± standard error over the draws."
    )
    yield fold(
        "What each column is",
        "- *Lead*: its error is that of the paired difference over the draws. It knows nothing of the items, which are "
        "the same in all draws: a lead of two items in a thousand can be beyond it. Where a claim says *counting items "
        "too*, the error is also that of the mean over items, as if the set itself had been drawn; claims hold or fail "
        "by the first.\n"
        "- *Log loss*: no item counts more than a probability of 0.001 would. *Calibration error*: expected, 15 bins.\n"
        "- Dawid-Skene, majority vote and data programming (the method of Snorkel) without a package's name are "
        "thumbwise's own. CROWDLAB needs a classifier and gets the logistic regression on gold's votes. Methods that "
        "use no gold are fitted once.\n"
        f"- *{labels.RATINGS}* gives ours and the regression the ratings, and the others, which cannot read them, the "
        "verdicts; it counts for no claim but the one about majority vote.",
    )
    for number, measure in enumerate(labels.MEASURES):
        tables = {size: label_table(measured, size, number) for size in measured.labels}
        yield from by_size(measure.capitalize(), tables)
    yield from _refusals(measured.refused("labels"))


def label_table(measured: Measured, size: int, number: int) -> str:
    """The table, and below it each method's count of sets."""
    found = measured.labels[size]
    sets = [one for one in found if one.title != labels.RATINGS]
    counts = ", ".join(f"{name} {n}" for name, n in labels.tally(sets, number).items())
    below = f"Best, or within one standard error of the best, on so many of {len(sets)} sets: {counts}."
    return f"{labels.table(found, number)}\n\n{below}"


def of_rates(measured: Measured) -> Iterator[str]:
    """Width and coverage."""
    if not measured.rates:
        return
    every = [one for some in measured.rates.values() for one in some]
    n_cells, n_slow = every[0].n_cells, max(one.told[name].n_drawn for one in every for name in SLOW)
    yield (
        f"## (b) A share\n\nMean width of {1 - ERROR:.0%} intervals, cut at 0 and 1, and how often they hold the "
        "truth; bold where they miss so often that chance alone brings it about anywhere in a table less than once in "
        f"a million times: {'; '.join(_draws_of(size, some) for size, some in sorted(measured.rates.items()))}. "
        f"{', '.join(SLOW)}, which takes far longer than the others: the first {n_slow} draws. A star: the method "
        "refused some draws, which are left out. *Gold alone* is exact; *thumbwise, asymptotic* is not the default. "
        "First column: width of ours as a part of the narrowest other that is not bold. An interval depends on a few "
        f"counts; each combination of them that is drawn is asked about once. A table has {n_cells} intervals."
    )
    yield f"### Over all {len(every)} settings"
    yield rates.summary(every)
    yield from by_size("A share", {size: rates.table(some) for size, some in measured.rates.items()})
    yield from _refusals(measured.refused("rates"))


def _draws_of(size: int, found: Sequence[rates.Share]) -> str:
    n_draws, n_cells = max(one.told[rates.OURS].n_drawn for one in found), found[0].n_cells
    return f"with {size} labels more than {allowed_misses(n_draws, 1 - ERROR, n_cells)} of {n_draws:,} draws"


def of_accepting(measured: Measured) -> Iterator[str]:
    """Shares of labels that are accepted."""
    if not measured.accepted:
        return
    n_draws, n_cells = measured.draws("accepting"), next(iter(measured.accepted.values()))[0].n_cells
    allowed = allowed_misses(n_draws, 1 - accepting.ERROR, n_cells)
    yield (
        f"## (c) Accept or look\n\nShare of the items whose label is accepted at a precision of {accepting.PRECISION}, "
        f"guaranteed with {1 - accepting.ERROR:.0%}; means of {n_draws} draws, in brackets in how many the precision "
        f"was missed, bold where in more than {allowed}, which chance alone brings about anywhere in the table less "
        "than once in a million times. Lead: over the best other that is not bold, on the same draws. All have the "
        "same gold; the hold-out teaches a regression with half of it and tests twenty thresholds with the other half; "
        "MAPIE gets our ranking, and tests its hundred thresholds as it does by default, as a fixed sequence from five "
        f"starts, and in an order learned first (the first {accepting.N_SLOW} draws)."
    )
    yield from by_size("Accepted", {size: accepting.table(some) for size, some in measured.accepted.items()})
    yield from _refusals(measured.refused("accepting"))


def of_trouble(measured: Measured) -> Iterator[str]:
    """Copies, failures, and gold that is not random."""
    if not measured.shaken:
        return
    yield (
        f"## (d) Trouble\n\n{trouble.N_GOLD} labels, {measured.draws('trouble')} draws. Accuracy with the trouble, and "
        "in brackets the change that it brings; and what `thumbwise check` finds then, more often than without "
        "trouble. What other packages would print was not looked at."
    )
    yield trouble.shaken_table(measured.shaken)
    yield (
        "Gold that is not random: how often `thumbwise check` says so (TW201), how often our bound on the log loss "
        "and 95 % intervals for a share hold (exact: gold alone; asymptotic: by a normal approximation, as in PPI). "
        "What misses silently comes first."
    )
    yield trouble.misled_table(measured.misled)


def _refusals(lines: Sequence[str]) -> list[str]:
    return [fold("What was refused", "\n".join(f"- {line.removeprefix('- ')}" for line in lines))] if lines else []


def main_first(found: Mapping[int, Any]) -> list[int]:
    """The size that the claims are about, then the others."""
    return sorted(found, key=lambda size: (size != verdicts.MAIN_SIZE, size))


def figures(content: Mapping[str, Any]) -> dict[str, str]:
    """By name what pages show: the whole page, and single figures for a sentence elsewhere."""
    measured = Measured(content)
    said = {"page": page(measured), "first line": verdicts.first_line(measured.claims)}
    return {**said, **dict(verdicts.in_words(measured.labels, measured.rates, measured.accepted))}
