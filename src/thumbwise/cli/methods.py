"""Methods that thumbwise label can be asked for: found by name or by what they lose on gold, fitted, certified."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from rich.text import Text

from thumbwise.assess.baselines import REFERENCE, Method, find_method
from thumbwise.assess.cross_fitting import choose_by_folds, split_gold
from thumbwise.assess.tables.classes import describe_classes
from thumbwise.assess.tables.rules import describe_rules
from thumbwise.box.box import Box
from thumbwise.box.gold_checks.label_fit import check_labels
from thumbwise.box.opened_gold import open_gold, open_plain_gold
from thumbwise.cli import console as printed
from thumbwise.cli.console import progress, remarks, stdout, visible
from thumbwise.cli.right_labels import print_right_labels
from thumbwise.cli.wording import in_command_words
from thumbwise.exceptions import Argument, InvalidChoiceError
from thumbwise.game.caution import check_caution
from thumbwise.game.certified import FLOOR
from thumbwise.io.readings import Reading
from thumbwise.models.certified import CertifiedModel

AUTO = "auto"
Caution = float | Literal["auto"]


def read_caution(text: str | None) -> Caution | None:
    """The caution that was typed, None if none was."""
    if text is None:
        return None
    if text == AUTO:
        return "auto"
    try:
        caution: Any = float(text)
    except ValueError:
        caution = text
    check_caution(caution)
    return float(caution)


def check_method(name: str | None, caution: Caution | None, drop: Sequence[str]) -> None:
    """Refuse a name that no method has, and what only Balsubramani-Freund understands beside another method."""
    if name is None or (name != AUTO and find_method(name).name == REFERENCE.name):
        return
    shown = AUTO if name == AUTO else find_method(name).name
    if caution is not None:
        raise InvalidChoiceError(
            Argument("caution"),
            f" is for {REFERENCE.name}, which weighs the worst case against gold; found ",
            Argument("method", repr(shown)),
            ". Drop one of them.",
        )
    if drop:
        raise InvalidChoiceError(
            Argument("drop"),
            f" takes rules out of the box of {REFERENCE.name}; found ",
            Argument("method", repr(shown)),
            ". Drop one of them, or name a rule that is not to vote at all with ",
            Argument("ignore", [drop[0]]),
            ".",
        )


def settle_method(name: str, reading: Reading, confidence: float) -> tuple[Method, str]:
    """The method of that name, or the one that loses least on gold with a sentence that says so."""
    if name != AUTO:
        return find_method(name), ""
    with progress("comparing methods"):
        choice = choose_by_folds(open_plain_gold(reading, None, None, None), confidence_level=confidence)
    return choice.method, str(choice)


def certify_method(
    method: Method, reading: Reading, box: Box, on_infeasible: Literal["raise", "widen"]
) -> CertifiedModel:
    """The method fitted to the pool and all gold, and what the box proves of its labels.

    *Guarantee*: that of the box, whichever method was chosen, and after whatever look at gold: a box that holds the
    truth bounds the loss of every prediction at once.
    """
    sample = open_gold(reading, None, None, None)
    everything = split_gold(sample, np.zeros(len(sample), dtype=bool), box.evidence.confidence_level or 0.95)
    with progress("fitting"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = CertifiedModel(method.fit(everything), box, on_infeasible=on_infeasible).fit(reading.votes)
    print_caught(caught)
    return model


def print_caught(caught: Sequence[warnings.WarningMessage]) -> None:
    """Warnings of a fit, on stderr."""
    for warning in caught:
        remarks().print(f"warning: {visible(in_command_words(warning.message))}")


def print_labeled(source: str, reading: Reading, model: CertifiedModel, abstain: str | None, sentence: str) -> None:
    """What is proved, what was understood, who labeled, and rules, classes and labels without weights."""
    console, votes = stdout(), model._read(reading.votes)
    untyped: Any = model  # weights are those of a game, and here there are none
    rules = describe_rules(votes, model.box_, untyped)
    classes = describe_classes(votes, model.box_, untyped, reading.gold_labels)
    print_right_labels(console, model.certificate_)
    printed.print_understood(console, source, reading, abstain)
    console.print(Text("\n".join(map(visible, sentence.splitlines()))))
    console.print()
    printed.print_rules(console, rules)
    printed.print_classes(console, classes)
    printed.print_labels(console, classes)
    console.print(Text(f"probabilities are at least {FLOOR:g}: with 0 for what may be true, no bound would be finite"))
    printed.print_grounds(console, model.certificate_)
    printed.print_label_fit(console, check_labels(reading.gold_votes, reading.gold_labels))
