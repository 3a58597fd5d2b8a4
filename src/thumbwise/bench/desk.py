"""The desk: what the page may ask, and what becomes of an answer. It knows neither sockets nor HTTP."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from thumbwise._typing import IntArray
from thumbwise.bench.agreement import agreement_sentences
from thumbwise.bench.items import Items
from thumbwise.bench.journal import Journal
from thumbwise.bench.keys import keys_of
from thumbwise.bench.progress import Measuring, measure
from thumbwise.bench.reading_requests import (
    BadRequestError,
    answer_in,
    known_in,
    name_in,
    note_in,
    place_in,
    seconds_in,
)
from thumbwise.bench.turns import last_place, next_again, next_place, standing_of, tenth
from thumbwise.bench.votes_on_items import VotesOnItems
from thumbwise.exceptions import InvalidFileError
from thumbwise.io.gold_lines import Answer, Settled, settle

# Somebody who has not answered for so long is not waited for.
_AWAY_SECONDS = 900
_LISTED = 500


@dataclass
class Desk:
    """Items, their order, and the journal that answers go to.

    Attributes
    ----------
    items : Items
    journal : Journal
    order : ndarray of shape (n_items,)
        Row of the item in each place of the draw.
    strata : sequence of str or None
        Stratum of each place, if the draw is stratified.
    votes : VotesOnItems or None
        Votes on the items, shown after they were labeled.
    measuring : Measuring or None
        What progress is measured with.
    by : str
        Who labels, until somebody gives another name.
    """

    items: Items
    journal: Journal
    order: IntArray
    strata: Sequence[str] | None = None
    votes: VotesOnItems | None = None
    measuring: Measuring | None = None
    by: str = ""
    _settled: tuple[int, Settled] = field(default=(-1, Settled()), init=False)
    _looking: dict[str, tuple[int, float]] = field(default_factory=dict, init=False)
    _measured: tuple[Settled | None, dict[str, Any]] = field(default=(None, {}), init=False)
    _measuring: threading.Lock = field(default_factory=threading.Lock, init=False)
    _lock: threading.RLock = field(default_factory=threading.RLock, init=False)

    def __post_init__(self) -> None:
        self._furthest = 0
        for answer in self.journal.answers:
            if str(answer.id) != str(self.items.id_of(int(self.order[answer.place - 1]))):
                raise InvalidFileError(
                    f"{self.journal.path} must hold answers in the order of its draw; place {answer.place} is item "
                    f"{self.items.id_of(int(self.order[answer.place - 1]))!r} by its seed, and {answer.id!r} in the "
                    "file. It was begun by another version, or edited: begin another gold file."
                )
            self._furthest = max(self._furthest, answer.place)

    @property
    def settled(self) -> Settled:
        """What the answers come to by now."""
        with self._lock:
            answers = self.journal.answers
            if self._settled[0] != len(answers):
                self._settled = (len(answers), settle(answers))
            return self._settled[1]

    def start(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """What the page must know at first, and the first item; a name of one's own comes before that of the run."""
        header, own = self.journal.header, request.get("by")
        by = name_in({"by": (self.by or request.get("usual") or "") if own is None else own})
        classes = zip(header.classes, keys_of(header.classes), strict=True)
        return {
            "classes": [{"name": name, "keys": keys} for name, keys in classes],
            "file": self.items.path.name,
            "gold": self.journal.path.name,
            "n": len(self.items),
            "by": by,
            "has_votes": self.votes is not None,
            **self.turn({**request, "by": by}),
        }

    def turn(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The item that is next for somebody, in the first round or in the second; counts beside it."""
        by, again = name_in(request), request.get("again") is True
        with self._lock:
            self.journal.refresh()
            place = self._next(by, again)
            item = None if place is None else self._item(place, by, again)
            return {"item": item, "counts": self._counts(by)}

    def look(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """An item that was shown before, by its place in the draw or by its id, with one's own answer to it."""
        by = name_in(request)
        with self._lock:
            place = self._find(str(request.get("place", "")).strip())
            return {"item": self._item(place, by, again=False), "counts": self._counts(by)}

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Keep an answer; when this returns it is on disk. Sent twice, it is kept once."""
        by, again = name_in(request), request.get("again") is True
        with self._lock:
            place = self._asked_place(request, again)
            wanted = self._as_answer(request, place, by, again)
            self.journal.append(lambda answers: _unless_there(answers, wanted, known_in(request)))
            self._looking.pop(by, None)
            return {"last": self._last(wanted), **self.turn(request)}

    def undo(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Take back somebody's last answer that still stands, and show its item again."""
        by = name_in(request)
        with self._lock:
            undone = self.journal.append(lambda answers: _undo_last(answers, by))
            if undone is None:
                raise BadRequestError("there is no answer of yours to take back")
            self._looking[by] = (undone.place, time.monotonic())
            item = self._item(undone.place, by, undone.again)
            return {"item": item, "counts": self._counts(by), "again": undone.again}

    def listed(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """One's own answers, the last first, all or those of a kind."""
        by, wanted = name_in(request), request.get("filter")
        latest = {(answer.place, answer.again): answer for answer in standing_of(self.journal.answers, by)}
        rows = [
            {
                "place": a.place,
                "id": str(a.id)[:200],
                "kind": a.kind,
                "answer": a.answer,
                "note": a.note,
                "again": a.again,
            }
            for a in reversed(latest.values())
            if wanted in (None, "", a.answer, a.kind if a.kind != "label" else None) or (wanted == "note" and a.note)
        ]
        return {"answers": rows[:_LISTED], "n": len(rows)}

    def progress(self, _: Mapping[str, Any]) -> dict[str, Any]:
        """What the labels say by now, in words that hold under the stopping rule, and how far people agree."""
        with self._measuring:
            settled, header = self.settled, self.journal.header
            if self._measured[0] is not settled:
                known: dict[str, Any] = {"agreement": agreement_sentences(settled, header)}
                if settled.gold and self.measuring is not None:
                    known |= measure(self.measuring, settled).as_dict()
                self._measured = (settled, known)
            return self._measured[1]

    def row_of(self, place: int) -> int:
        """The row of an item that has been shown, by its place in the draw."""
        if not 1 <= place <= self._furthest:
            raise BadRequestError("no such place in the draw has been reached")
        return int(self.order[place - 1])

    def _next(self, by: str, again: bool) -> int | None:
        if again:
            return next_again(self.journal.header, self.settled, self.journal.answers, by)
        now = time.monotonic()
        taken = {place for name, (place, since) in self._looking.items() if name != by and now - since < _AWAY_SECONDS}
        place = next_place(self.journal.header, self.settled, taken)
        if place is not None:
            self._looking[by] = (place, now)
            self._furthest = max(self._furthest, place)
        return place

    def _find(self, text: str) -> int:
        """A place, or the place of an id, as far as the draw has come; an id that is a number comes first."""
        reached = [str(self.items.id_of(int(row))) for row in self.order[: self._furthest]]
        if text in reached:
            return reached.index(text) + 1
        if text.isdecimal() and len(text) < 20 and 1 <= int(text) <= self._furthest:
            return int(text)
        raise BadRequestError(
            f"no item {text[:80]!r} has come up yet: {self._furthest} have, and the rest come in the order drawn"
        )

    def _item(self, place: int, by: str, again: bool) -> dict[str, Any]:
        row = int(self.order[place - 1])
        own = [a for a in standing_of(self.journal.answers, by) if a.place == place and a.again == again]
        mine = own[-1] if own else None
        return {
            "place": place,
            "id": str(self.items.id_of(row)),
            "fields": self.items.shown(row),
            "again": again,
            "mine": None if mine is None else {"kind": mine.kind, "answer": mine.answer, "note": mine.note},
            "votes": self._votes_on(mine),
        }

    def _asked_place(self, request: Mapping[str, Any], again: bool) -> int:
        """The place that an answer is for, if it may be answered."""
        place = place_in(request)
        row = self.row_of(place)
        if str(self.items.id_of(row)) != request.get("id"):
            raise BadRequestError("another item is in that place; reload the page")
        if again and place not in tenth(self.journal.header, self._furthest):
            raise BadRequestError("this item is not among those that are labeled a second time")
        return place

    def _as_answer(self, request: Mapping[str, Any], place: int, by: str, again: bool) -> Answer:
        kind, answer = answer_in(request, self.journal.header.classes)
        item = self.items.id_of(self.row_of(place))
        stratum = None if self.strata is None else self.strata[place - 1]
        return Answer(item, place, answer, kind, by, seconds_in(request), _now(), note_in(request), again, stratum)

    def _last(self, answer: Answer) -> dict[str, Any]:
        """What was answered, and, now that it is, the votes on the item."""
        said = {"place": answer.place, "id": str(answer.id), "kind": answer.kind, "answer": answer.answer}
        return {**said, "votes": self._votes_on(answer)}

    def _votes_on(self, answer: Answer | None) -> list[dict[str, str]] | None:
        """Votes on an item, only for somebody who has answered it."""
        if self.votes is None or answer is None or answer.kind == "skip":
            return None
        return self.votes.on(self.row_of(answer.place))

    def _counts(self, by: str) -> dict[str, Any]:
        settled, header = self.settled, self.journal.header
        n_again = len(tenth(header, max((answer.place for answer in settled.gold), default=0)))
        own_again = {a.place for a in standing_of(self.journal.answers, by) if a.again and a.kind != "skip"}
        return {
            "labeled": len(settled.gold),
            "skipped": len(settled.skipped),
            "unclear": settled.n_unclear,
            "last": last_place(header) if header.stopping.rule != "anytime" else None,
            "again": {"done": len(own_again), "of": n_again},
        }


def _unless_there(answers: Sequence[Answer], wanted: Answer, seen: tuple[Any, Any] | None) -> Answer | None:
    """The answer, unless it stands already; an answer of the same person that the page did not know of is kept."""
    own = [a for a in standing_of(answers, wanted.by) if a.place == wanted.place and a.again == wanted.again]
    there = own[-1] if own else None
    if there is None or wanted.kind == "skip" or there.kind == "skip":
        return wanted
    if (there.kind, there.answer, there.note) == (wanted.kind, wanted.answer, wanted.note):
        return None
    if seen != (there.kind, there.answer):
        what = there.answer or there.kind
        raise BadRequestError(
            f"this item was answered meanwhile, perhaps in another tab: {what}. Go back to it to change it"
        )
    return wanted


def _undo_last(answers: Sequence[Answer], by: str) -> Answer | None:
    standing = standing_of(answers, by)
    if not standing:
        return None
    last = standing[-1]
    return Answer(last.id, last.place, None, "undo", by, None, _now(), None, last.again, last.stratum)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
