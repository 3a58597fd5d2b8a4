"""Options in place of arguments that messages still hold as plain text."""

from __future__ import annotations

import ast
import csv
import io
import re
import shlex

# The core speaks to people who write Python; the same things have other names on the command line.
_OPTIONS = {
    "item_id": "--id",
    "class_names": "--classes",
    "confidence_level": "--confidence",
    "on_infeasible": "--on-infeasible",
    **{
        name: f"--{name.replace('_', '-')}" for name in ("gold", "gold_column", "gold_id", "gold_label", "null_verdict")
    },
    **{name: f"--{name}" for name in ("rule", "label", "layout", "ignore", "codes", "abstain", "duplicates")},
}
_VALUES = {"class_names": "NAME,NAME,...", "abstain": "VALUE", "codes": "VALUE=NAME,...", "gold": "FILE"}
# Names of columns and classes are quoted, and stay as they are.
_UNQUOTED = r"(?<!['\"\w.-])"
_SENTENCES = (
    (r"n_classes=\.\.\. or (?=class_names=)", ""),
    (r"raise n_classes \(or list them in class_names\)", "list them with class_names=[...]"),
    (r"declare n_classes=\d+", "list the classes with class_names=[...]"),
    (r"n_classes=(\d+)", r"\1"),
    (r"(class_names=\[\.\.\.\]) to Votes", r"\1"),
    (r"name it as item_id, or list the rules in rules=\[\.\.\.\]", "name it with item_id=NAME or ignore=[NAME]"),
    (r"leave it out of rules", "say ignore=[NAME]"),
    (r"Raise max_patterns if they fit, or use", "Use"),
)


def in_options(message: str) -> str:
    """An error of the core with the options of the command line in place of Python's arguments."""
    for python, command in _SENTENCES:
        message = re.sub(python, command, message)
    message = re.sub(rf"{_UNQUOTED}(class_names|ignore)=(\[[^\]]*\])", _list_words, message)
    message = re.sub(rf"{_UNQUOTED}codes=\{{([^}}]*)\}}", _code_words, message)
    argument = rf"{_UNQUOTED}({'|'.join(_OPTIONS)})="
    message = re.sub(argument + r"\.\.\.", lambda found: _option(found[1], _VALUES.get(found[1], "NAME")), message)
    message = re.sub(argument + r"[\"']([\w-]+)[\"']", lambda found: _option(found[1], found[2]), message)
    message = re.sub(argument, lambda found: _option(found[1], ""), message)
    clear = "|".join(name for name in _OPTIONS if "_" in name)
    return re.sub(rf"{_UNQUOTED}({clear})(?!['\"\w])", lambda found: _OPTIONS[found[1]], message)


def _option(argument: str, value: str) -> str:
    return f"{_OPTIONS[argument]} {value}"


def _list_words(found: re.Match[str]) -> str:
    """A list of names as it is typed: one option each for columns, one with commas for classes."""
    try:
        names = [str(name) for name in ast.literal_eval(found[2].replace("...", "NAME"))]
    except (ValueError, SyntaxError):  # [NAME], [...], [1,2,...]
        return _option(found[1], _VALUES[found[1]] if found[2] == "[...]" else found[2][1:-1])
    if found[1] == "ignore":
        return " ".join(_option("ignore", shlex.quote(name)) for name in names)
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return _option("class_names", shlex.quote(line.getvalue()))


def _code_words(found: re.Match[str]) -> str:
    """``-1: NAME, 0: None`` as it is typed: ``'-1=NAME,0='``."""
    pairs = (pair.partition(":") for pair in found[1].split(","))
    return _option("codes", "'" + ",".join(f"{k.strip()}={v.strip().replace('None', '')}" for k, _, v in pairs) + "'")
