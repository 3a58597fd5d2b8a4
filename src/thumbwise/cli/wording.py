"""The options of the command line in messages of the core, which speaks to people who write Python."""

from __future__ import annotations

import csv
import io
import re
import shlex
from collections.abc import Iterable, Mapping

from thumbwise.exceptions import Argument, Message

# Each argument as an option, with what stands for its value; an option without one is a flag.
OPTIONS = {
    "item_id": "--id NAME",
    "item": "--id NAME",
    "rule": "--rule NAME",
    "label": "--label NAME",
    "layout": "--layout NAME",
    "ignore": "--ignore NAME",
    "class_names": "--classes NAME,NAME,...",
    "n_classes": "--classes NAME,NAME,...",
    "codes": "--codes VALUE=NAME,...",
    "abstain": "--abstain VALUE",
    "duplicates": "--duplicates first",
    "null_verdict": "--null-verdict abstained",
    "scores": "--scores CLASS",
    "scores_are": "--scores-are KIND",
    "threshold": "--threshold NUMBER",
    "delimiter": "--delimiter SIGN",
    "encoding": "--encoding NAME",
    "decimal": "--decimal SIGN",
    "sheet": "--sheet NAME",
    "file_format": "--format KIND",
    "strata": "--strata NAME",
    "weights": "--weights NAME",
    "max_weight": "--max-weight W",
    "ordered": "--ordered",
    "tags": "--tags NAME,NAME,...",
    "separator": "--separator SIGN",
    "no_tags": "--no-tags VALUE",
    "empty_means": "--empty-means abstained",
    "gold_empty_means": "--gold-empty-means unknown",
    "systems": "--systems NAME,NAME",
    "gold_majority": "--gold-majority",
    "system": "--system NAME",
    "columns": "--columns NAME,NAME,...",
    "gold": "--gold FILE",
    "gold_column": "--gold-column NAME",
    "gold_id": "--gold-id NAME",
    "gold_label": "--gold-label NAME",
    "confidence_level": "--confidence LEVEL",
    "on_infeasible": "--on-infeasible widen",
    "method": "--method NAME",
    "caution": "--caution C",
    "drop": "--drop RULE",
    "shape": "--shape NAME",
    "memory": "--memory SIZE",
    "spill": "--spill DIR",
    "overwrite": "--overwrite",
    "for_spreadsheets": "--for-spreadsheets",
    "metric": "--metric NAME",
    "by": "--by NAME",
    "cluster": "--cluster NAME",
    "values": "--values 1,2,...",
    "versus": "--versus FILE",
    "looks": "--looks N,N,...",
    "gold_unseen": "--gold-unseen",
    "methods": "--methods NAME,NAME,...",
    "target": "--target BOUND",
    "rate": "--rate CLASS",
    "within": "--within SHARE",
    "at_least": "--accuracy SHARE",
    "precision": "--precision SHARE",
    "recall": "--recall CLASS=SHARE",
    "per_class": "--per-class",
    "budget": "--budget N",
    "text": "--text NAME",
    "skip": "--skip CODE",
    "of": "--of CLASS",
    "random_state": "--seed N",
    "costs": "--cost NAME=COST",
    "show": "--show NAME",
    "votes": "--votes FILE",
    "port": "--port NUMBER",
}
# Options that are said once for each value.
REPEATED = ("ignore", "skip", "drop", "costs", "precision", "recall", "show")


def in_command_words(text: object, *, of: str | None = None) -> str:
    """A message, or what an error or a warning says, with options in place of Python's arguments.

    Parameters
    ----------
    text : object
        What knows of no arguments stays as it is.
    of : str, optional
        The command whose options are meant, if it is another than the one that speaks.
    """
    before = "" if of is None else f"thumbwise {of} "
    return Message(text).worded(lambda argument: f"{before}{as_option(argument)}")


def as_option(argument: Argument) -> str:
    """An argument as it is typed in a shell.

    Examples
    --------
    >>> print(as_option(Argument("class_names", ["ham", "a,b"])), as_option(Argument("layout", '"long"')))
    --classes 'ham,"a,b"' --layout long
    """
    if argument.name not in OPTIONS:
        return str(argument)
    option, _, placeholder = OPTIONS[argument.name].partition(" ")
    if argument.value is None or not placeholder:
        return option
    return " ".join(f"{option} {value}" for value in _values(argument, placeholder))


def _values(argument: Argument, placeholder: str) -> list[str]:
    """What follows the option, each time that it is said."""
    name, value = argument.name, argument.value
    if name == "n_classes" or value in (..., [...], "[...]"):
        return [placeholder]
    if isinstance(value, Mapping):
        pairs = [f"{key}={'' if known is None else known}" for key, known in value.items()]
        return [shlex.quote(pair) for pair in pairs] if name in REPEATED else [_in_quotes(_joined(pairs))]
    if isinstance(value, (list, tuple)):
        texts = ["..." if entry is ... else str(entry) for entry in value]
        return [shlex.quote(text) for text in (texts if name in REPEATED else [_joined(texts)])]
    return [_plain(str(value))]


def _joined(fields: Iterable[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(list(fields))
    return line.getvalue()


def _in_quotes(text: str) -> str:
    quoted = shlex.quote(text)
    return f"'{text}'" if quoted == text else quoted


def _plain(text: str) -> str:
    """A text without the quotes and brackets that Python has around it."""
    quoted = re.fullmatch(r"""(["'])(.*)\1""", text)
    if quoted is not None:
        return shlex.quote(quoted[2])
    return text[1:-1] if text.startswith("[") and text.endswith("]") else text
