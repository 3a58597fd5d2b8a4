"""Views of votes, boxes, certificates and models in a notebook and in a terminal: one small table each, names as text.

Imports nothing of thumbwise but how bounds are written, so that everything may use it; rich is imported when a
terminal asks for it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any

from thumbwise.outward import at_least, at_most

if TYPE_CHECKING:
    from rich.console import Group

_LONGEST_NAME = 60
# What a table shows where nothing is known.
NOTHING = "-"
# The kind of a moment that is a log loss: nothing is counted for it.
_LEARNED = "learned opinion"
_PARTS = {"rules": "rules and classes", "opinions": "with opinions", "learned": "with what gold taught"}
_MOST_CLASSES = 6
_MOST_COLUMNS = 12
# Tables show the first and the last rows if there are more than these together.
_FIRST, _LAST = 12, 6


@dataclass(frozen=True)
class Shown:
    """A sentence, a table under it, and further sentences.

    Attributes
    ----------
    title : str
    headers : tuple of str
    rows : tuple of tuple of str
    remarks : tuple of str
    n_left_out : int
        Rows that are not shown, after the first 12.
    """

    title: str
    headers: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    remarks: tuple[str, ...] = ()
    n_left_out: int = 0

    def html(self) -> str:
        """For a notebook; every text is escaped."""
        parts = [f"<p>{_escaped(self.title)}</p>"]
        if self.rows:
            head = "".join(f'<th scope="col">{_escaped(header)}</th>' for header in self.headers)
            body = "".join(
                "<tr>" + "".join(f"<td>{_escaped(cell)}</td>" for cell in row) + "</tr>" for row in self._all()
            )
            parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
        return "<div>" + "".join([*parts, *(f"<p>{_escaped(remark)}</p>" for remark in self.remarks)]) + "</div>"

    def rich(self) -> Group:
        """For a terminal; no text is taken for markup."""
        from rich.console import Group  # noqa: PLC0415  # only a terminal needs it
        from rich.table import Table  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        parts: list[Any] = [Text(_lines(self.title))]
        if self.rows:
            grid = Table(box=None, pad_edge=False)
            for j, header in enumerate(self.headers):
                grid.add_column(
                    Text(_lines(header)), justify="left" if j == 0 else "right", overflow="fold", no_wrap=j > 0
                )
            for row in self._all():
                grid.add_row(*(Text(_lines(cell)) for cell in row))
            parts.append(grid)
        return Group(*parts, *(Text(_lines(remark)) for remark in self.remarks))

    def _all(self) -> list[tuple[str, ...]]:
        gap = (f"... {self.n_left_out:,} more", *[""] * (len(self.headers) - 1))
        return [*self.rows[:_FIRST], *([gap] if self.n_left_out else []), *self.rows[_FIRST:]]


class ShowsItself(ABC):
    """Gives a class its look in notebooks and terminals; it says what is shown in ``_shown``."""

    @abstractmethod
    def _shown(self) -> Shown:
        """What is shown."""

    def _repr_html_(self) -> str:
        return self._shown().html()

    def __rich__(self) -> Group:
        return self._shown().rich()


def show_votes(votes: Any) -> Shown:
    """Sizes and coding, and for each rule its coverage and its votes by class.

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0, 1], [-1, 1]], rule_names=["short", "<b>"], class_names=["ham", "spam"])
    >>> show_votes(votes).rows
    (('short', '50.0 %', '1', '0'), ('<b>', '100.0 %', '0', '2'))
    """
    table, n_items = votes.patterns.vote_table, max(1, votes.n_items)
    by_class = votes.n_classes <= _MOST_CLASSES
    classes = [one_line(name) for name in votes.class_names] if by_class else ["votes"]
    shown, n_left_out = _ends(votes.n_rules)
    rows = [
        (one_line(votes.rule_names[j]), f"{100 * table[j].sum() / n_items:.1f} %", *_counts(table[j], by_class))
        for j in shown
    ]
    head = ("rule", "coverage", *classes)
    return Shown(repr(votes), head, tuple(rows), ("pattern: a distinct row of votes",), n_left_out)


def show_box(box: Any) -> Shown:
    """The intervals, what was counted on gold, and what must hold."""
    shown, n_left_out = _ends(len(box.names))
    drawn, right = box.gold_drawn, box.gold_right
    counted = () if drawn is None or right is None else ("gold",)
    rows = [
        (
            one_line(box.names[m]),
            at_least(box.lower[m]),
            at_most(box.upper[m]),
            *(NOTHING if box.about[m].kind == _LEARNED else f"{right[m]:,} of {drawn[m]:,}" for _ in counted),
        )
        for m in shown
    ]
    title = f"Box: {len(box.names):,} intervals, {box.evidence.method}"
    remarks = ("moment: an average that gold estimates, such as how often a rule is right", _grounds(box.evidence))
    return Shown(title, ("moment", "lower", "upper", *counted), tuple(rows), remarks, n_left_out)


def show_reading(reading: Any) -> Shown:
    """The votes, how many gold labels came with them, and what was inferred."""
    lines = repr(reading).split("\n")
    votes = show_votes(reading.votes)
    return replace(votes, title=lines[0], remarks=(*lines[1:], *votes.remarks))


def show_table(table: Any) -> Shown:
    """The first and the last rows of a table, and its first columns if there are many.

    Parameters
    ----------
    table : Table
        Masked columns of equal length by name, under ``columns``.
    """
    shown, n_left_out = _ends(table.n_rows)
    names = table.names[:_MOST_COLUMNS]
    rows = tuple(tuple(_cell(table.columns[name][i : i + 1].tolist()[0]) for name in names) for i in shown)
    more = len(table.names) - len(names)
    remarks = (f"{plural(more, 'column')} more",) if more else ()
    title = f"{plural(table.n_rows, 'row')}, {plural(len(table.names), 'column')}"
    return Shown(title, tuple(map(one_line, names)), rows, remarks, n_left_out)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else one_line(value)


def list_box(box: Any) -> str:
    """The intervals as text, one a line; the middle is left out if there are many."""
    n = len(box)
    shown = range(n) if n <= 20 else [*range(12), *range(n - 6, n)]
    width = max(len(box.names[m]) for m in shown)
    lines = [f"  {box.names[m]:<{width}}  {at_least(box.lower[m])} .. {at_most(box.upper[m])}" for m in shown]
    if n > 20:
        lines.insert(12, f"  ... {n - 18} more")
    return "\n".join([f"Box: {n} intervals, {box.evidence.method}", *lines])


def show_certificate(certificate: Any) -> Shown:
    """The sentence that may be quoted, and the numbers behind it."""
    rows = tuple(
        (level_name(what), level_value(what, value, 4)) for what, value in certificate_levels(certificate).items()
    )
    return Shown(str(certificate), ("mean log loss", "nats"), rows)


def certificate_levels(certificate: Any) -> dict[str, float]:
    """Mean log losses: guessing, what the class frequencies alone prove if that is more, the bound, the entropy."""
    return {
        "guessing": certificate.guessing,
        **({} if certificate.knows_no_frequencies else {"baseline": certificate.baseline}),
        "bound": certificate.log_loss_bound,
        "entropy": certificate.entropy,
    }


def level_name(what: str) -> str:
    """What a level of a certificate is called."""
    return {"baseline": "class frequencies alone", "floor": "floor (estimate)"}.get(what, what)


def level_value(what: str, value: float, digits: int = 3) -> str:
    """A level in digits; a bound is rounded upward, because what is shown must still be one."""
    return at_most(value, digits) if what in ("baseline", "bound") else f"{value:.{digits}f}"


def caution_sentence(caution: float) -> str:
    """What a caution below 1 means, and that it voids nothing."""
    return f"weights aim at gold too (caution {caution:g}); the bound holds all the same"


def parts_sentence(parts: Mapping[str, Sequence[Any]]) -> str:
    """What opinions add to the bound that rules and classes give, each at its share of the error.

    Examples
    --------
    >>> parts_sentence({"part": ["rules", "learned"], "bound": [0.5, 0.4]})[:95]
    'bound by part, in this box of intervals: rules and classes 0.500, with what gold taught 0.400 ('
    """
    bounds = zip(parts["part"], parts["bound"], strict=True)
    named = ", ".join(f"{_PARTS[part]} {at_most(bound)}" for part, bound in bounds)
    return f"bound by part, in this box of intervals: {named} (caution 1; each part at its share of the error)"


def show_model(model: Any) -> Shown:
    """What a model was fitted to and what it proves; its parameters alone before the fit."""
    if not hasattr(model, "classes_"):
        return Shown(repr(model))
    sizes = f"{len(model.rule_names_):,} rules, {len(model.classes_):,} classes"
    proved = (str(model.certificate_),) if hasattr(model, "certificate_") else ()
    weights = _rule_weights(model)
    if weights is None:
        return Shown(f"{model!r}, fitted: {sizes}", remarks=proved)
    shown, n_left_out = _ends(len(model.rule_names_))
    rows = tuple((one_line(model.rule_names_[j]), signed(weights[j], 2)) for j in shown)
    return Shown(f"{model!r}, fitted: {sizes}", ("rule", "weight"), rows, proved, n_left_out)


def _rule_weights(model: Any) -> list[float | None] | None:
    """What a vote of each rule weighs; None for a model that has no such weights."""
    if not hasattr(model, "weights_"):
        return None
    if not hasattr(model, "box_"):
        return list(model.weights_) if len(model.weights_) >= len(model.rule_names_) else None
    places = model.box_.places("accuracy", model.rule_names_)
    return [None if m is None else float(model.weights_[m]) for m in places]


def findings_as_html(summary: str, findings: Iterable[Any], skipped: Mapping[str, str]) -> str:
    """What checks found, as a table for a notebook."""
    rows = tuple((f.code, f.severity, f.title, f.explanation, f.advice) for f in findings)
    head = ("code", "severity", "what", "found", "what to do")
    left_out = tuple(f"{code} not checked: {why}" for code, why in skipped.items())
    return Shown(summary, head, rows, left_out).html()


def fixed(value: float | None, digits: int = 3) -> str:
    """A number in digits, a dash if it is not known."""
    return NOTHING if value is None else f"{value:.{digits}f}"


def signed(value: float | None, digits: int = 3) -> str:
    """A number with its sign; 0 has none."""
    return NOTHING if value is None else f"{value:+.{digits}f}" if value else "0"


def whole(value: int | None) -> str:
    """A count."""
    return NOTHING if value is None else f"{value:,}"


def lower_end(value: float | None) -> str:
    """The lower end of an interval, rounded outward."""
    return NOTHING if value is None else at_least(value)


def upper_end(value: float | None) -> str:
    """The upper end of an interval, rounded outward."""
    return NOTHING if value is None else at_most(value)


def side(active: str | None) -> str:
    """Which bound is active; a dash if none is."""
    return NOTHING if active in (None, "none") else str(active)


def one_line(text: object, longest: int = _LONGEST_NAME) -> str:
    r"""Text in one line, with white space joined, shortened, and what does not show written as an escape.

    Examples
    --------
    >>> one_line("two\nlines \x07"), one_line("abcdefgh", 5)
    ('two lines \\x07', 'ab...')
    """
    start = str(text)[: 4 * longest + 64]  # a name of a gigabyte is not split into words
    line = visible(" ".join(start.split()))
    return line if len(line) <= longest else line[: longest - 3] + "..."


def plural(n: int, word: str) -> str:
    """1 item, 2 items, 2 classes."""
    ending = "" if n == 1 else "es" if word.endswith("s") else "s"
    return f"{n:,} {word}{ending}"


def visible(text: object, *, keep_lines: bool = False) -> str:
    r"""Text with control characters, and others that do not show, written as escapes; line breaks too, or not.

    Examples
    --------
    >>> visible("a\nb\x07"), visible("a\nb\x07", keep_lines=True)
    ('a\\nb\\x07', 'a\nb\\x07')
    """
    return "".join(
        c if c.isprintable() or (keep_lines and c == "\n") else c.encode("unicode_escape", "surrogatepass").decode()
        for c in str(text)
    )


def _lines(text: object) -> str:
    return visible(text, keep_lines=True)


def _escaped(text: str) -> str:
    return escape(_lines(text))


def _counts(row: Any, by_class: bool) -> Sequence[str]:
    return [f"{n:,}" for n in row] if by_class else [f"{row.sum():,}"]


def _ends(n_rows: int) -> tuple[list[int], int]:
    """Which rows are shown, and how many are left out after the first ones."""
    if n_rows <= _FIRST + _LAST + 2:
        return list(range(n_rows)), 0
    return [*range(_FIRST), *range(n_rows - _LAST, n_rows)], n_rows - _FIRST - _LAST


def _grounds(evidence: Any) -> str:
    return str(evidence.state("all intervals hold")) if evidence.is_guarantee else f"No guarantee: {evidence.weakness}."
