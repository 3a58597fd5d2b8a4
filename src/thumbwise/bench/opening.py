"""The opening of a bench: items, votes, the draw and the gold file, new or gone on with, come together at a desk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from thumbwise._typing import IntArray
from thumbwise.bench.beginning import Asked, check_same, new_header, open_items
from thumbwise.bench.desk import Desk
from thumbwise.bench.items import Items
from thumbwise.bench.journal import Journal, check_journal
from thumbwise.bench.progress import prepare
from thumbwise.bench.turns import draw_order, last_place
from thumbwise.bench.votes_on_items import VotesOnItems, read_votes_on
from thumbwise.exceptions import Argument, InvalidChoiceError, InvalidFileError
from thumbwise.io.gold_lines import Header, Stratum, read_gold_lines
from thumbwise.io.stratified_draws import draw_stratified
from thumbwise.tables.file_formats import PLAIN, FileFormat


@dataclass(frozen=True, eq=False)
class Draw:
    """All items in the order in which they are labeled.

    Attributes
    ----------
    order : ndarray of shape (n_items,)
        Row of the item in each place.
    places : tuple of str or None
        Stratum of each place, if the draw is stratified.
    strata : tuple of Stratum
    """

    order: IntArray
    places: tuple[str, ...] | None = None
    strata: tuple[Stratum, ...] = ()


def open_bench(
    path: Path,
    gold: Path,
    asked: Asked,
    *,
    votes: Path | None = None,
    item_id: str | None = None,
    show: Sequence[str] = (),
    by: str = "",
    form: FileFormat = PLAIN,
) -> Desk:
    """Begin a gold file, or go on with one, after checking that it is of these items and by these rules.

    Decided before the first label, and written to the file before it is made: classes, the draw, the stopping rule.
    After it: nothing.

    Parameters
    ----------
    path : Path
        Items: a table or a folder.
    gold : Path
        Where answers go. A file that is no gold file stays as it is.
    asked : Asked
    votes : Path, optional
        Votes on the items. Nobody sees them before an item is labeled; a stratified draw needs them.
    item_id, show
        As for :func:`thumbwise.bench.table_items.open_table`.
    by : str
        Who labels.
    form : FileFormat
        What is said of how a table of items is written.
    """
    old = read_gold_lines(gold).header if check_journal(gold) else None
    classes = asked.classes or () if old is None else old.classes
    items = open_items(path, item_id=item_id, show=show, classes=classes, form=form)
    if old is not None:
        check_same(gold, old, items, asked)
    voted = None if votes is None else read_votes_on(items, votes, tuple(classes))
    header, draw = _settled(items, asked, voted) if old is None else (old, draw_by(old, voted))
    journal = Journal(gold, header)
    if journal.header.design != header.design:  # somebody else began it meanwhile
        check_same(gold, journal.header, items, asked)
        draw = draw_by(journal.header, voted)
    _check_strata(gold, journal.header, draw)
    measuring = prepare(journal.header, None if voted is None else voted.votes, draw.order)
    return Desk(items, journal, draw.order, draw.places, voted, measuring, by)


def _settled(items: Items, asked: Asked, voted: VotesOnItems | None) -> tuple[Header, Draw]:
    """The header of a new file, and the draw that it tells of."""
    header = new_header(items, asked)
    draw = draw_by(header, voted)
    return replace(header, design=replace(header.design, strata=draw.strata)), draw


def draw_by(header: Header, voted: VotesOnItems | None) -> Draw:
    """The draw that a header tells of, done again; by its seed, and by votes if it is stratified."""
    design = header.design
    if design.kind == "random":
        return Draw(draw_order(header.items.n, design.seed))
    if voted is None:
        raise InvalidChoiceError(
            "a stratified draw needs votes on the items, which make the strata. Name their file with ",
            Argument("votes", "FILE"),
            ".",
        )
    if header.stopping.rule == "anytime":
        raise InvalidChoiceError(
            "a stratified draw has no interval that holds at any moment; plan a number of labels, or looks."
        )
    drawn = draw_stratified(voted.votes, last_place(header), random_state=design.seed, of=header.stopping.of)
    return Draw(drawn.order, drawn.places, drawn.strata)


def _check_strata(gold: Path, header: Header, draw: Draw) -> None:
    if draw.strata != header.design.strata:
        raise InvalidFileError(
            f"the votes must be those that {gold} was begun with; they make other strata now, so that the order would "
            "be another. Name the same file of votes, or begin another gold file."
        )
