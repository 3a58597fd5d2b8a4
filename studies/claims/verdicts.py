"""Claims, each with what was found and whether it holds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from studies.claims.accepting import Accepted
from studies.claims.labels import MAJORITY, RATINGS, Found, tally
from studies.claims.labels import OURS as LABELS
from studies.claims.rates import OURS, RIVALS, Share, too_often

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
        names = f"; not on {_list(one.title for one in losses)}" if losses else ""
        runner_up, n_best = next((name, n) for name, n in tally(sets, 0).items() if name != LABELS)
        yield Claim(
            "a",
            f"With {MAIN_SIZE} labels our accuracy is the best, or within one standard error of it, on at least "
            f"{needed} of {len(sets)} sets.",
            f"{len(sets) - len(losses)} of {len(sets)}{names}; of the others {runner_up} comes closest with {n_best}."
            + _if_counted(sets, f" Counting items too: {sum(one.is_level for one in sets)} of {len(sets)}."),
            len(sets) - len(losses) >= needed,
        )
    every = [one for some in found.values() for one in some]
    if every:
        worse = [one for one in every if one.is_worse(MAJORITY, 0)]
        text = "Our accuracy is never below that of majority vote by more than two standard errors."
        beyond = sum(one.is_behind(MAJORITY, 2) for one in worse)
        counted = _if_counted(worse, f"; counting items too, on {beyond or 'none'} of them")
        where = f"it is on {_list(map(_behind_majority, worse))}{counted}." if worse else f"on none of {len(every)}."
        yield Claim("a", text, where, not worse)


def _if_counted(found: Sequence[Found], words: str) -> str:
    """Nothing where results are of a time before items were counted."""
    return words if all(one.counts_items for one in found) else ""


def _behind_majority(one: Found) -> str:
    ours, theirs = (one.scores[name].mean[0] for name in (LABELS, MAJORITY))
    return f"{one.title} with {one.n_gold} labels ({ours:.3f} against {theirs:.3f})"


def of_rates(found: Mapping[int, Sequence[Share]]) -> Iterator[Claim]:
    """Holds everywhere, alone in this; narrower than gold alone where the panel is good."""
    every = [one for some in found.values() for one in some]
    if not every:
        return
    missed = too_often(every)
    where = [f"{one.title} with {one.n_gold} labels" for one in every if one.misses_too_often(OURS)]
    text = "Our interval for a share misses nowhere more often than 5 % and chance explain."
    yield Claim("b", text, f"it does on {_list(where)}." if where else f"on none of {len(every)}.", not where)
    others = [name for name in RIVALS if any(name in one.told and one.told[name].n_said for one in every)]
    tally_ = _list(f"{name} {missed[name]}" for name in others)
    as_good = [_as_good(every, name) for name in others if not missed[name]]
    hold_too = f". As seldom as chance, with their width beside ours: {_list(as_good)}" if as_good else ""
    yield Claim(
        "b",
        "Of intervals that use the judges, no other misses as seldom.",
        f"settings of {len(every)} in which each misses too often: {tally_ or 'no other was there'}{hold_too}.",
        bool(others) and not as_good,
    )
    good = [one for one in found.get(MAIN_SIZE, ()) if one.agreement >= AGREES]
    if good:
        middle = _median_of_gold_alone(good)
        yield Claim(
            "b",
            f"With {MAIN_SIZE} labels its width is at most {NARROWER} of that of gold alone, at the median of the sets "
            f"whose panel is right on {AGREES:.0%} or more.",
            f"{middle:.2f} on {len(good)} sets.",
            middle <= NARROWER,
        )


def _as_good(every: Sequence[Share], name: str) -> str:
    """What it costs to hold as well: how wide it is at the median, and where it gives no interval."""
    wide = float(np.median([one.times_ours(name) for one in every if one.told[name].n_said]))
    refused = max(one.told[name].refused for one in every)
    return f"{name} {wide:.2f}{f' (none in up to {refused:.0%} of the draws of a set)' if refused else ''}"


def _median_of_gold_alone(sets: Sequence[Share]) -> float:
    return float(np.median([one.of_gold_alone for one in sets]))


def _list(parts: Iterable[str]) -> str:
    return ", ".join(parts)


def of_accepting(found: Mapping[int, Sequence[Accepted]]) -> Iterator[Claim]:
    """At least as much as the best valid rival, on nearly all sets."""
    for size, some in found.items():
        needed = math.ceil(ACCEPTS_MOST * len(some) - 1e-9)
        losses = [one.title for one in some if not one.is_best]
        yield Claim(
            "c",
            f"With {size} labels ours accepts at least what the best valid rival accepts on {needed} of {len(some)} "
            "sets.",
            f"{len(some) - len(losses)} of {len(some)}{'; not on ' + _list(losses) if losses else ''}.",
            len(some) - len(losses) >= needed,
        )


def in_words(
    labels: Mapping[int, Sequence[Found]],
    shares: Mapping[int, Sequence[Share]],
    accepted: Mapping[int, Sequence[Accepted]],
) -> Iterator[tuple[str, str]]:
    """Single figures by name, for sentences of other pages; about the sets and the size that the claims are about."""
    sets = [one for one in labels.get(MAIN_SIZE, ()) if one.title != RATINGS]
    if sets:
        yield "sets", str(len(sets))
        yield "best in accuracy", str(sum(one.is_best(0) for one in sets))
        yield "accuracy", _percent(np.mean([one.scores[LABELS].mean[0] for one in sets]))
        yield "accuracy of majority vote", _percent(np.mean([one.scores[MAJORITY].mean[0] for one in sets]))
    good = [one for one in shares.get(MAIN_SIZE, ()) if one.agreement >= AGREES]
    if good:
        yield "width of gold alone", f"{_median_of_gold_alone(good):.2f}"
        yield "least coverage", _percent(min(one.told[OURS].held for some in shares.values() for one in some))
        yield "share settings", str(sum(map(len, shares.values())))
    if MAIN_SIZE in accepted:
        yield "accepts most", str(sum(one.is_best for one in accepted[MAIN_SIZE]))
        yield "accepting sets", str(len(accepted[MAIN_SIZE]))


def _percent(share: float | np.floating[Any]) -> str:
    return f"{100 * share:.1f} %"


def first_line(claims: Sequence[Claim]) -> str:
    """Which claims fail."""
    failed = [f"({claim.part}) {claim.text} Found: {claim.found}" for claim in claims if not claim.holds]
    if not failed:
        return f"**None of {len(claims)} claims fails in this run.**"
    fail = "fails" if len(failed) == 1 else "fail"
    return f"**{len(failed)} of {len(claims)} claims {fail} in this run:** {' '.join(failed)}"
