"""thumbwise triage: labels that may be accepted, with a proof, and items that people should look at."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from thumbwise.assess.accepting.files import check_triage_files, check_triage_names, write_triage
from thumbwise.assess.accepting.result import Triage
from thumbwise.assess.tables.tidy import Tidy
from thumbwise.assess.triage import triage
from thumbwise.cli.console import print_table, print_understood, progress, stdout, visible
from thumbwise.cli.costs import print_stages, read_costs
from thumbwise.cli.json_output import check_json, is_stdout, write_json
from thumbwise.cli.progress import running, while_reading
from thumbwise.cli.standard_output import shown_output
from thumbwise.exceptions import InvalidChoiceError
from thumbwise.io.elsewhere import are_many, is_large
from thumbwise.io.readings import Reading, no_gold
from thumbwise.io.roles import Roles
from thumbwise.io.sampled_gold import read_sampled
from thumbwise.io.sources import lacks_gold
from thumbwise.outward import level, percent, percent_at_least
from thumbwise.summaries import NOTHING, plural
from thumbwise.tables.collisions import check_different
from thumbwise.tables.databases import database
from thumbwise.tables.spreadsheets import check_for_spreadsheets

_AT_LEAST = "right, at least: share of the accepted labels, {}"
_SURE = "probability: how sure the ranking must be of a label for it to be accepted"
_CLASSES = (
    _AT_LEAST,
    "accepted: labels of the class that may be used as they are, of those proposed",
    "estimate, gold wrong: what gold that was kept back to certify says of them",
    _SURE,
)
_CURVE = (
    _AT_LEAST,
    "accepted: share of all items whose label may then be used as it is",
    "estimate: share of these that is right, as gold has it that was kept to certify",
    _SURE,
)
_SHARED = (
    "the {} rows hold together with {} confidence, the sentence above by itself:",
    "they share the error evenly, so that you may look first and choose then; asked",
    "for alone, a row may accept more",
)


@dataclass(frozen=True)
class TriageChoices:
    """What the options ask for: targets and costs as they were typed, or a number of items that people can look at."""

    precision: Sequence[str] = ()
    recall: Sequence[str] = ()
    per_class: bool = False
    budget: int | None = None
    confidence: float = 0.95
    seed: int = 0
    require_guarantee: bool = False
    costs: Sequence[str] = ()

    @property
    def precisions(self) -> float | dict[str, float] | None:
        """One share, or one for each class."""
        if len(self.precision) == 1 and "=" not in self.precision[0]:
            return _share(self.precision[0], "--precision", self.precision[0])
        return _by_class(self.precision, "--precision") or None

    @property
    def recalls(self) -> dict[str, float] | None:
        """One share for each class."""
        return _by_class(self.recall, "--recall") or None


@dataclass(frozen=True)
class TriageOutputs:
    """Where accepted labels, the review and JSON go; and the column of texts that the review shows."""

    accepted: Path | None = None
    review: Path | None = None
    text: str | None = None
    json: str | None = None
    overwrite: bool = False
    for_spreadsheets: bool = False

    def check(self, votes: Path, gold: Path | None, *, stays: bool) -> None:
        """Whatever is wrong with a place is said before anything is read."""
        as_file = None if is_stdout(self.json) else self.json
        if self.for_spreadsheets:
            check_for_spreadsheets(self.accepted, self.review)
        check_different([self.accepted, self.review, as_file])
        check_triage_files(self.accepted, self.review, inputs=(votes, gold), stays=stays, overwrite=self.overwrite)
        check_json(self.json, inputs=(votes, gold), overwrite=self.overwrite)


def _by_class(texts: Sequence[str], option: str) -> dict[str, float]:
    shares: dict[str, float] = {}
    for text in texts:
        name, sign, number = text.rpartition("=")
        if sign and name in shares:
            raise InvalidChoiceError(f"{option} must be said once for each class; found {name!r} twice. Drop one.")
        shares[name] = _share(number if sign else "", option, text)
    return shares


def _share(number: str, option: str, text: str) -> float:
    """A share as a number; whether it lies between 0 and 1 is seen where it is used."""
    try:
        return float(number)
    except ValueError:
        by_class = "CLASS=SHARE, such as toxic=0.95"
        what = by_class if option == "--recall" else f"one share such as 0.95, or for each class {by_class}"
        raise InvalidChoiceError(f"{option} must be {what}; found {text!r}.") from None


def triage_files(votes: Path, gold: Path | None, roles: Roles, choices: TriageChoices, outputs: TriageOutputs) -> None:
    """Read votes and gold, sort the items out, write what is to be written, print; or JSON on stdout, and no more."""
    asked: dict[str, Any] = {"precision": choices.precisions, "recall": choices.recalls}
    asked["costs"] = read_costs(choices.costs) or None
    if outputs.text is not None and outputs.text not in roles.ignore:
        roles = replace(roles, ignore=(*roles.ignore, outputs.text))
    stays = are_many(votes, roles) or is_large(votes, roles)
    outputs.check(votes, gold, stays=stays)
    if lacks_gold(votes, gold, roles):
        raise no_gold()
    with database(writes=[outputs.accepted, outputs.review]) if stays else nullcontext() as home:
        with while_reading(home):
            reading = read_sampled(votes, gold, roles, home=home, stays=stays)
            check_triage_names(reading, outputs.accepted, outputs.review, outputs.text)
        with progress("sorting out"):
            sorted_out = _sort_out(reading, choices, asked)
            curve = sorted_out.curve()
        is_missing = choices.require_guarantee and not sorted_out.proves_something
        if not is_missing:
            with progress("writing") if home is None else running(home, "writing"):
                _write(reading, sorted_out, outputs)
        if outputs.json is not None and (is_stdout(outputs.json) or not is_missing):
            write_json({**sorted_out.as_dict(), "curve": [*curve.rows()]}, outputs.json, outputs.overwrite)
    if not is_stdout(outputs.json):
        _print(str(votes), reading, roles.abstain, sorted_out, curve)
        for line in [] if is_missing else _written(sorted_out, outputs):
            stdout().print(Text(line))
    if is_missing:
        sorted_out.require()


def _sort_out(reading: Reading, choices: TriageChoices, asked: dict[str, Any]) -> Triage:
    if not len(reading.gold_labels):
        raise no_gold()
    return triage(
        reading,
        **asked,
        per_class=choices.per_class,
        budget=choices.budget,
        confidence_level=choices.confidence,
        random_state=choices.seed,
    )


def _write(reading: Reading, sorted_out: Triage, outputs: TriageOutputs) -> None:
    if outputs.accepted is not None or outputs.review is not None:
        write_triage(
            reading,
            sorted_out,
            accepted=outputs.accepted,
            review=outputs.review,
            text=outputs.text,
            overwrite=outputs.overwrite,
            for_spreadsheets=outputs.for_spreadsheets,
        )


def _written(sorted_out: Triage, outputs: TriageOutputs) -> list[str]:
    n_known = sorted_out.n_known
    gold = f", those of {plural(n_known, 'gold item')} among them" if n_known else ""
    places = [
        (outputs.accepted, f"{plural(sorted_out.n_accepted, 'label')}{gold}"),
        (outputs.review, plural(sorted_out.n_review, "item")),
        (outputs.json, "JSON"),
    ]
    return [f"written: {shown_output(path)} ({what})" for path, what in places if path is not None]


def _print(source: str, reading: Reading, abstain: str | None, sorted_out: Triage, curve: Tidy) -> None:
    """The sentence that may be quoted first of all; then what was understood, and the tables."""
    console = stdout()
    console.print(Text(visible(str(sorted_out), keep_lines=True), style="bold"))
    console.print()
    print_understood(console, source, reading, abstain)
    _say(console, _parts_of_gold(sorted_out), *_advice(sorted_out))
    if len(sorted_out.families) > 1 or (sorted_out.targets is not None and sorted_out.targets.is_per_class):
        _print_classes(console, sorted_out)
    if sorted_out.cascade is not None:
        print_stages(console, sorted_out.cascade)
    _print_curve(console, sorted_out, curve)


def _parts_of_gold(sorted_out: Triage) -> str:
    n_gold, n_taught = len(sorted_out.asked.sample), sorted_out.ranked.n_taught
    return f"gold: {n_taught:,} of {n_gold:,} labels taught which labels are sure; the others certify"


def _advice(sorted_out: Triage) -> list[str]:
    """What could be done where nothing is accepted, and whether votes speak against a random sample."""
    check = sorted_out.evidence.sample_check
    said = [] if check is None or sorted_out.evidence.doubt is not None else [str(check)]
    share = None if sorted_out.targets is None else sorted_out.targets.precision.get(None)
    if share is not None and sorted_out.proves_nothing:
        said.append(f"thumbwise plan --precision {share:g} says how many labels more gold would let be accepted")
    return said


def _print_classes(console: Console, sorted_out: Triage) -> None:
    headers = ["class", "proposed", "accepted", "right,\nat least", "esti-\nmate", "proba-\nbility", "gold\nwrong"]
    rows = [
        [
            str(row["class"]),
            f"{row['n_items']:,}",
            f"{row['n_accepted']:,}",
            NOTHING if row["precision_at_least"] is None else percent_at_least(row["precision_at_least"]),
            *_known(row["estimate"], row["threshold"]),
            f"{row['n_wrong']:,} of {row['n_gold']:,}",
        ]
        for row in sorted_out.rows()
    ]
    print_table(console, "Accepted by class", headers, rows)
    _say(console, *(line.format(_verdict(sorted_out)) for line in _CLASSES))


def _print_curve(console: Console, sorted_out: Triage, curve: Tidy) -> None:
    rows = [
        [percent_at_least(row["precision"]), percent(row["accepted"], 1), *_known(row["estimate"], row["threshold"])]
        for row in curve.rows()
    ]
    headers = ["right,\nat least", "accepted", "esti-\nmate", "proba-\nbility"]
    print_table(console, "How many labels could be accepted", headers, rows)
    shared = _SHARED if sorted_out.is_guarantee else ()
    sure = level(curve.facts["confidence_level"])
    _say(
        console,
        *(line.format(_verdict(sorted_out)) for line in _CURVE),
        *(line.format(len(curve), sure) for line in shared),
    )


def _verdict(sorted_out: Triage) -> str:
    return "guaranteed" if sorted_out.is_guarantee else "for which there is no guarantee, see above"


def _known(estimate: float | None, threshold: float | None) -> list[str]:
    return [NOTHING if estimate is None else percent(estimate, 1), NOTHING if threshold is None else f"{threshold:.3f}"]


def _say(console: Console, *lines: str) -> None:
    for line in lines:
        console.print(Text(visible(line)))
    console.print()
