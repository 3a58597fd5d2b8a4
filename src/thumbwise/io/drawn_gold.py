"""Gold files of ``thumbwise bench`` as gold: the labels that count, and the design they were drawn by.

What counts, and how much of it, is decided by the header of the file and the order of the draw, never by what labels
say: under a fixed number of labels the first so many of the draw, under planned looks those up to the last look that
was reached.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from thumbwise.exceptions import Argument, InvalidLabelsError
from thumbwise.io.distinct import are_numbers, spelling
from thumbwise.io.gold_design import GoldDesign, StratifiedGold
from thumbwise.io.gold_lines.answers import Answer
from thumbwise.io.gold_lines.files import GoldLines, read_gold_lines
from thumbwise.io.gold_lines.headers import UNCLEAR, Header
from thumbwise.io.gold_lines.settling import Settled, said, settle
from thumbwise.io.roles import Roles

_WAY_OUT = "label them: thumbwise bench goes on where it stopped"


@dataclass(frozen=True, eq=False)
class DrawnGold:
    """Gold labels by id, and how they were drawn.

    Attributes
    ----------
    ids, labels : tuple of str
    id_name : str or None
        Column of ids of the items that were drawn from; None if they were numbered from 0.
    classes : tuple of str
        Classes that could be answered, whether they were or not; "unclear" is among them if anybody used it.
    design : GoldDesign or StratifiedGold
    notes : tuple of str
    """

    ids: tuple[str, ...]
    labels: tuple[str, ...]
    id_name: str | None
    classes: tuple[str, ...]
    design: GoldDesign | StratifiedGold
    notes: tuple[str, ...]

    def listed_in(self, roles: Roles) -> Roles:
        """Roles under which the classes of this gold are listed, and "unclear" is one if anybody used it."""
        listed = replace(roles, listed=self.classes)
        if UNCLEAR not in self.classes:
            return listed
        _refuse_unclear_as_mark(roles)
        if roles.codes is not None:
            return replace(listed, codes={**roles.codes, UNCLEAR: UNCLEAR})
        named = [*(roles.class_names or [name for name in self.classes if name != UNCLEAR])]
        if are_numbers(map(str, named)):  # votes are numbers, and unclear is none
            codes = {**{str(name): str(name) for name in named}, UNCLEAR: UNCLEAR}
            marks = [mark for mark in ("-1", roles.abstain) if mark is not None and spelling(mark) not in codes]
            return replace(listed, class_names=None, abstain=None, codes={**codes, **dict.fromkeys(marks)})
        if roles.class_names is None or UNCLEAR in map(str, roles.class_names):
            return listed
        return replace(listed, class_names=(*roles.class_names, UNCLEAR))


def _refuse_unclear_as_mark(roles: Roles) -> None:
    marks = [roles.abstain, *(value for value, name in (roles.codes or {}).items() if name is None)]
    if UNCLEAR in [str(mark) for mark in marks if mark is not None]:
        raise InvalidLabelsError(
            f"{UNCLEAR!r} is what people called some gold items, a class of its own; it cannot mean abstain too, for "
            "then these items would be left out. Write votes that abstain in another way than ",
            Argument("abstain", repr(UNCLEAR)),
            ".",
        )


def read_drawn_gold(path: Path) -> DrawnGold:
    """The gold that a file of answers holds."""
    lines = read_gold_lines(path)
    settled = settle(lines.answers)
    header = lines.header
    counted = [answer for answer in settled.gold if answer.place <= _horizon(header, len(settled.gold))]
    if not counted:
        raise InvalidLabelsError(
            f"there must be at least one gold label; {path} holds {len(lines.answers):,} answers and no label that "
            "stands. Go on labeling with thumbwise bench."
        )
    labels = tuple(said(answer) for answer in counted)
    classes = (*header.classes, *([UNCLEAR] if UNCLEAR in labels else []))
    design = _as_design(header, counted, len(settled.gold) - len(counted))
    notes = (*_notes(lines, settled, labels), design.note)
    return DrawnGold(tuple(str(answer.id) for answer in counted), labels, header.id, classes, design, notes)


def _horizon(header: Header, n_labeled: int) -> int:
    """Up to which place of the draw labels count: all that were planned, or those of the last look reached."""
    stopping = header.stopping
    reached = [look for look in stopping.looks or () if look <= n_labeled]
    if reached:
        return reached[-1]
    return stopping.n or header.items.n


def _as_design(header: Header, counted: list[Answer], n_beyond: int) -> GoldDesign | StratifiedGold:
    places = [answer.place for answer in counted]
    stopping = header.stopping
    planned = stopping.n if stopping.rule == "fixed" else (stopping.looks or (None,))[-1]
    n_drawn = max(places[-1], min(planned or 0, header.items.n))
    about = {
        "n_drawn": n_drawn,
        "n_candidates": header.items.n,
        "seed": header.design.seed,
        "n_labeled": len(counted),
        "has_gaps": places != list(range(1, len(places) + 1)),
        "stopping": stopping,
        "way_out": _WAY_OUT,
        "n_beyond": n_beyond,
        "n_from": header.items.n,
    }
    if header.design.kind == "random":
        return GoldDesign(**about)  # type: ignore[arg-type]
    return StratifiedGold(
        sizes={stratum.name: stratum.size for stratum in header.design.strata},
        stratum_of={str(answer.id): str(answer.stratum) for answer in counted},
        **about,  # type: ignore[arg-type]
    )


def _notes(lines: GoldLines, settled: Settled, labels: tuple[str, ...]) -> list[str]:
    """What was understood, but for the draw."""
    people = len({answer.by for answer in settled.gold})
    notes = [f"gold is {len(labels):,} labels of thumbwise bench, by {people:,} {'people' if people > 1 else 'person'}"]
    if UNCLEAR in labels:
        notes.append(f"{labels.count(UNCLEAR):,} gold items were called {UNCLEAR!r}, which is a class of its own")
    if settled.pairs:
        agreed = sum(pair.agree for pair in settled.pairs)
        notes.append(f"{len(settled.pairs):,} second answers are not gold; {agreed:,} of them agree with it")
    if lines.torn:
        notes.append("the last line of the gold file is half written and was not used")
    if lines.unknown:
        shown = ", ".join(map(repr, lines.unknown[:5])) + (", ..." if len(lines.unknown) > 5 else "")
        notes.append(f"fields of the gold file that this version does not know were ignored: {shown}")
    return notes
