"""thumbwise label: read votes and gold, fit, print what was found, write the labels."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple

from rich.text import Text
from sklearn.exceptions import ConvergenceWarning

from thumbwise.assess.baselines import REFERENCE, find_method
from thumbwise.assess.tables.bounds import parts_table
from thumbwise.assess.tables.classes import classes_table, overruled_table
from thumbwise.assess.tables.opinions import opinions_table
from thumbwise.assess.tables.rules import rules_table, worse_than_chance
from thumbwise.assess.tables.steps import steps_table
from thumbwise.box.box import Box
from thumbwise.box.gold_checks.label_fit import check_labels
from thumbwise.cli import console as printed
from thumbwise.cli.console import progress, stdout, visible
from thumbwise.cli.json_output import check_json, is_stdout, write_json
from thumbwise.cli.methods import AUTO, certify_method, check_method, print_caught, print_labeled, settle_method
from thumbwise.cli.progress import running, while_reading
from thumbwise.cli.right_labels import as_json, print_right_labels
from thumbwise.cli.standard_output import shown_output
from thumbwise.exceptions import Argument, InvalidChoiceError, InvalidFileError
from thumbwise.io.elsewhere import are_many, is_large
from thumbwise.io.label_shapes import Shape, output_names
from thumbwise.io.labeled import write_labels
from thumbwise.io.labels_elsewhere import check_elsewhere
from thumbwise.io.readings import Reading, no_gold
from thumbwise.io.reviewed import Reviewed, read_reviewed
from thumbwise.io.roles import Roles
from thumbwise.io.sampled_gold import read_sampled
from thumbwise.models.balsubramani_freund import BalsubramaniFreund
from thumbwise.models.base import LabelModel
from thumbwise.models.certified import CertifiedModel
from thumbwise.tables.databases import NO_LIMITS, Limits, database
from thumbwise.tables.outputs import LABELS, MODEL, check_file
from thumbwise.tables.spreadsheets import check_for_spreadsheets
from thumbwise.tables.table_files import check_table_file

OnInfeasible = Literal["raise", "widen"]


@dataclass(frozen=True)
class FitChoices:
    """What the options say about a fit.

    Rules that are to be dropped are left out after gold labels were seen, so their parts of the error budget stay
    spent. Where a guarantee is required and missing, nothing is written. Methods have the names that ``compare``
    prints; "auto" is the one that loses least there, and None is Balsubramani-Freund, which alone knows caution.
    Reviewed labels are known and no gold, whatever method labels the others.
    """

    confidence: float = 0.95
    on_infeasible: OnInfeasible = "raise"
    drop: Sequence[str] = ()
    require_guarantee: bool = False
    method: str | None = None
    caution: float | Literal["auto"] | None = None
    reviewed: Reviewed | None = None

    def pin(self, box: Box, reading: Reading) -> Box:
        """The box with reviewed labels, if there are any."""
        return box if self.reviewed is None else box.with_reviewed(reading.votes, self.reviewed.labels)


DEFAULTS = FitChoices()


def label_files(
    votes: Path,
    gold: Path | None,
    output: Path | None,
    roles: Roles,
    choices: FitChoices = DEFAULTS,
    *,
    shape: Shape = "table",
    json: str | None = None,
    limits: Limits = NO_LIMITS,
    overwrite: bool = False,
    reviewed: Path | None = None,
    save: Path | None = None,
    for_spreadsheets: bool = False,
) -> None:
    """Label the items of a file, write the labels if there is an output, and print what was found."""
    check_method(choices.method, choices.caution, choices.drop)
    if for_spreadsheets:
        check_for_spreadsheets(output)
    if save is not None:
        _check_save(save, choices.method, (votes, gold, output, reviewed, json), overwrite)
    check_json(json, inputs=(votes, gold, output, reviewed), overwrite=overwrite)
    stays = are_many(votes, roles) or is_large(votes, roles)
    if output is not None and stays:
        check_elsewhere(output, (votes, gold, reviewed), overwrite)
    elif output is not None:
        check_table_file(output, LABELS, inputs=(votes, gold, reviewed), overwrite=overwrite)
    if stays and gold is None and roles.gold_column is None:
        raise no_gold()
    with database(limits, [output]) if stays else nullcontext() as home:
        with while_reading(home):
            reading = _check_gold(read_sampled(votes, gold, roles, home=home, stays=stays))
            if reviewed is not None:
                choices = replace(choices, reviewed=read_reviewed(reviewed, reading, roles.form.as_hint))
        if output is not None:
            names = output_names(reading, shape)  # whether names of columns would clash is said now

        def write(model: LabelModel, place: Path) -> str:
            with progress("writing") if home is None else running(home, "writing"):
                write_labels(reading, model, place, shape=shape, overwrite=overwrite, for_spreadsheets=for_spreadsheets)
            return f"{reading.votes.n_items:,} rows, {len(names)} columns"

        _conclude(votes, reading, roles.abstain, choices, Outputs(output, json, write, overwrite, save))


def _check_save(save: Path, method: str | None, others: Sequence[str | Path | None], overwrite: bool) -> None:
    """Whether the fitted model can be saved there is said before anything is computed."""
    if method is not None and (method == AUTO or find_method(method).name != REFERENCE.name):
        raise InvalidChoiceError(
            f"the model of {REFERENCE.name} can be saved, with its certificate; found --save and ",
            Argument("method", repr(method)),
            ". Drop one of them; other models can be fitted and saved in Python.",
        )
    inputs = [None if is_stdout(str(place)) else place for place in others]
    check_file(save, MODEL, inputs=inputs, overwrite=overwrite)


@dataclass(frozen=True)
class Outputs:
    """Where labels, numbers and the model go: labels to a table, by a function that says how much it wrote."""

    labels: Path | None
    json: str | None
    write: Callable[[LabelModel, Path], str]
    overwrite: bool
    model: Path | None = None


def _conclude(source: Path, reading: Reading, abstain: str | None, choices: FitChoices, outputs: Outputs) -> None:
    """Fit, write, print: whoever reads what is printed may stop at any line, so the labels are there before the first.

    Where a guarantee is required and missing, all is printed and nothing is written.
    """
    by = label_by(reading, choices)
    model, place, only_json = by.model, outputs.labels, is_stdout(outputs.json)
    is_missing = choices.require_guarantee and not model.certificate_.proves_something
    with progress("certifying"):
        content = as_json(reading, model, by.method)
    written = None if place is None or is_missing else outputs.write(model, place)
    if outputs.model is not None and not is_missing:
        model.save(outputs.model, overwrite=outputs.overwrite)
    if outputs.json is not None and (only_json or not is_missing):
        write_json(content, outputs.json, outputs.overwrite)
    if isinstance(model, BalsubramaniFreund) and not only_json:
        print_fit(str(source), reading, model, abstain, choices.drop, _said(by, choices))
    elif isinstance(model, CertifiedModel) and not only_json:
        print_labeled(str(source), reading, model, abstain, _said(by, choices))
    if is_missing:
        model.certificate_.require()
    if written is not None and not only_json:
        stdout().print(f"written: {shown_output(place)} ({written})")
    if outputs.model is not None and not only_json:
        stdout().print(f"written: {visible(outputs.model)} (model, for thumbwise predict, explain and sql)")
    if outputs.json is not None and not only_json:
        stdout().print(f"written: {visible(outputs.json)} (JSON)")


def _said(by: Labeled, choices: FitChoices) -> str:
    """How the method was chosen, and what was reviewed: a line each, if there is something to be said."""
    reviewed = "" if choices.reviewed is None else str(choices.reviewed)
    return "\n".join(filter(None, (reviewed, by.sentence)))


def read(votes: Path, gold: Path | None, roles: Roles, *, is_gold_needed: bool = True) -> Reading:
    """Read and understand both files, with the items in memory; without gold there is no certificate."""
    if are_many(votes, roles) and not votes.is_dir():
        raise InvalidFileError(
            f"votes in many files can be labeled, with thumbwise label; {votes} is to be read in another way. Put the "
            "votes into one file."
        )
    with while_reading():
        reading = read_sampled(votes, gold, roles, stays=False)
    return _check_gold(reading) if is_gold_needed else reading


def _check_gold(reading: Reading) -> Reading:
    if not len(reading.gold_labels):
        raise no_gold()
    return reading


def fit(reading: Reading, choices: FitChoices = DEFAULTS) -> BalsubramaniFreund:
    """Fit to the box that gold gives, with nothing said about some rules; what did not converge is said on stderr."""
    with progress("fitting"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        box = choices.pin(reading.box(confidence_level=choices.confidence).without_rules(choices.drop), reading)
        caution = "auto" if choices.caution is None else choices.caution
        model = BalsubramaniFreund(on_infeasible=choices.on_infeasible, caution=caution).fit(reading.votes, box=box)
    print_caught(caught)
    return model


class Labeled(NamedTuple):
    """A fitted model, the name of its method, and how it came to be that one, if that is to be said."""

    model: BalsubramaniFreund | CertifiedModel
    method: str
    sentence: str


def label_by(reading: Reading, choices: FitChoices) -> Labeled:
    """The fitted model of the method that was asked for."""
    if choices.method is None:
        return Labeled(fit(reading, choices), REFERENCE.name, "")
    method, sentence = settle_method(choices.method, reading, choices.confidence)
    if method.name == REFERENCE.name:
        return Labeled(fit(reading, choices), method.name, sentence)
    box = choices.pin(reading.box(confidence_level=choices.confidence), reading)
    model = certify_method(method, reading, box, choices.on_infeasible)
    return Labeled(model, method.name, sentence or f"labeled by {method.name}")


def print_fit(
    source: str,
    reading: Reading,
    model: BalsubramaniFreund,
    abstain: str | None = None,
    drop: Sequence[str] = (),
    sentence: str = "",
) -> None:
    """What is proved, what was understood, the tables of rules and classes, and what to look out for."""
    console = stdout()
    rules, classes = rules_table(model, reading), classes_table(model, reading)
    print_right_labels(console, model.certificate_)
    printed.print_understood(console, source, reading, abstain)
    printed.print_dropped(console, drop)
    if sentence:
        console.print(Text(sentence))
    console.print()
    printed.print_rules(console, rules)
    printed.print_steps(console, steps_table(model, reading))
    printed.print_opinions(console, opinions_table(model, reading))
    printed.print_classes(console, classes)
    printed.print_labels(console, classes)
    printed.print_grounds(console, model.certificate_)
    printed.print_parts(console, parts_table(model, reading))
    console.print()
    printed.print_label_fit(console, check_labels(reading.gold_votes, reading.gold_labels))
    printed.print_warnings(console, rules, worse_than_chance(rules), overruled_table(model, reading))
