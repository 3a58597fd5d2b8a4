"""Claims, each with what was found and whether it holds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from studies.claims.accepting import Accepted
from studies.claims.labels import MAJORITY, RATINGS, Found
from studies.claims.labels import OURS as LABELS
from studies.claims.rates import GOLD_ALONE, NAMES, OURS, Share, too_often

MAIN_SIZE = 100
# Of the sets, on how many ours is to be best, in accuracy and in what is accepted.
BEST, ACCEPTS_MOST = 12 / 15, 8 / 9
AGREES, NARROWER = 0.85, 0.85


@dataclass(frozen=True)
class Claim:
    """A sentence, and what was found."""

    part: str
    text: str
    found: str
    holds: bool

    @property
    def line(self) -> str:
        return f"- **{'holds' if self.holds else 'FAILS'}** ({self.part}) {self.text} Found: {self.found}"


def of_labels(found: Mapping[int, Sequence[Found]]) -> Iterator[Claim]:
    """Best or nearly so in accuracy; never worse than majority vote. Keys: numbers of gold labels."""
    sets = [one for one in found.get(MAIN_SIZE, ()) if one.title != RATINGS]
    if sets:
        losses = [one for one in sets if not one.is_best(0)]
        needed = math.ceil(BEST * len(sets) - 1e-9)
        names = f"; not on {', '.join(one.title for one in losses)}" if losses else ""
        yield Claim(
            "a",
            f"With {MAIN_SIZE} labels our accuracy is the best, or within one standard error of it, on at least "
            f"{needed} of {len(sets)} sets.",
            f"{len(sets) - len(losses)} of {len(sets)}{names}.",
            len(sets) - len(losses) >= needed,
        )
    worse = [
        f"{one.title} with {one.n_gold} labels ({one.mean(LABELS, 0):.3f} against {one.mean(MAJORITY, 0):.3f})"
        for some in found.values()
        for one in some
        if one.is_worse(MAJORITY, 0)
    ]
    text = "Our accuracy is never below that of majority vote by more than two standard errors."
    yield Claim("a", text, f"it is on {', '.join(worse)}." if worse else "never.", not worse)


def of_rates(found: Mapping[int, Sequence[Share]]) -> Iterator[Claim]:
    """Holds everywhere, alone in this; narrower than gold alone where the panel is good."""
    every = [one for some in found.values() for one in some]
    missed = too_often(every)
    where = [f"{one.title} with {one.n_gold} labels" for one in every if one.told[OURS].misses_too_often]
    text = "Our interval for a share misses nowhere more often than 5 % and chance explain."
    yield Claim("b", text, f"it does on {', '.join(where)}." if where else f"on none of {len(every)}.", not where)
    said = {name for one in every for name, told in one.told.items() if told.n_said}
    others = [name for name in missed if name in said and name not in (OURS, GOLD_ALONE, "asymptotic")]
    as_good = [name for name in others if not missed[name]]
    tally = ", ".join(f"{NAMES.get(name, name)} {missed[name]}" for name in others)
    yield Claim(
        "b",
        "Of intervals that use the judges, no other does that.",
        f"settings of {len(every)} in which each misses too often: {tally}.",
        not as_good,
    )
    good = [one for one in found.get(MAIN_SIZE, ()) if one.agreement >= AGREES]
    if good:
        middle = float(np.median([one.of_gold_alone for one in good]))
        yield Claim(
            "b",
            f"With {MAIN_SIZE} labels its width is at most {NARROWER} of that of gold alone, at the median of the sets "
            f"whose panel is right on {AGREES:.0%} or more.",
            f"{middle:.2f} on {len(good)} sets.",
            middle <= NARROWER,
        )


def of_accepting(found: Mapping[int, Sequence[Accepted]]) -> Iterator[Claim]:
    """At least as much as the best valid rival, on nearly all sets."""
    for size, some in found.items():
        if size not in (MAIN_SIZE, max(found)):
            continue
        needed = math.ceil(ACCEPTS_MOST * len(some) - 1e-9)
        losses = [one.title for one in some if not one.is_best]
        yield Claim(
            "c",
            f"With {size} labels ours accepts at least what the best valid rival accepts on {needed} of {len(some)} "
            "sets.",
            f"{len(some) - len(losses)} of {len(some)}{'; not on ' + ', '.join(losses) if losses else ''}.",
            len(some) - len(losses) >= needed,
        )


def first_line(claims: Sequence[Claim]) -> str:
    """Which claims fail."""
    failed = [f"({claim.part}) {claim.text} Found: {claim.found}" for claim in claims if not claim.holds]
    if not failed:
        return f"**None of {len(claims)} claims fails in this run.**"
    return f"**{len(failed)} of {len(claims)} claims fail in this run:** {' '.join(failed)}"
