"""The codes of all checks: how bad each is, what it is called, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from thumbwise.exceptions import Argument, InPython, Message

Severity: TypeAlias = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


@dataclass(frozen=True)
class Code:
    """A kind of finding.

    Attributes
    ----------
    severity : {"error", "warning", "note"}
        An error takes the guarantee away or leaves nothing proved; a warning is likely to cost accuracy or bound; a
        note is good to know.
    title, advice : str
    """

    severity: Severity
    title: str
    advice: str


CODES: dict[str, Code] = {
    "TW101": Code(
        "warning",
        "rule below chance",
        "Look whether classes are swapped in the rule. If so, mend it and label a fresh sample. If it is just bad, it "
        "may stay: the model turns its votes around.",
    ),
    "TW102": Code(
        "warning",
        "rule never votes on gold",
        "Nothing is known about its accuracy, so its votes count for nothing. Label more random items, or drop it.",
    ),
    "TW103": Code(
        "warning",
        "near-duplicate rules",
        "Drop one of each pair before labels are looked at. Majority vote counts both, and rules that are nearly "
        "but not quite the same each take their part of the error budget.",
    ),
    "TW104": Code(
        "warning",
        "rule never votes or is constant",
        "Mend the rule or drop it: it tells no item from another.",
    ),
    "TW105": Code(
        "note",
        "rule votes on nearly nothing",
        "Widen the rule, or join it with others of its kind into one rule, whose accuracy gold can show.",
    ),
    "TW106": Code(
        "warning",
        "copies of a rule",
        "Look whether a column was read twice, or answers of one judge stand under several names. Keep one of each "
        "group: majority vote counts all of them.",
    ),
    "TW107": Code(
        "warning",
        "rule is silent where others answer",
        "Look whether its answers were lost: requests that failed, or answers that could not be read. If it abstains "
        "on purpose, it may stay.",
    ),
    "TW108": Code(
        "warning",
        "rule gives nearly always one class",
        "Look whether answers that could not be read became this class; if so, make them abstentions. If it is what "
        "the rule says, it may stay: the model weighs its votes by gold.",
    ),
    "TW201": Code(
        "error",
        "gold is not a random sample of the items",
        Message(
            "Draw a fresh random sample and have it labeled.",
            InPython(
                " If gold was drawn by groups or with unequal chances on purpose, say so: Box.from_gold takes a design "
                "of tw.designs."
            ),
        ),
    ),
    "TW202": Code(
        "warning",
        "class missing in gold",
        Message(
            "Check its name among the gold labels. If it is just rare, label more random items, or ",
            InPython("bound its frequency with class_frequencies, or "),
            "leave the class out.",
        ),
    ),
    "TW203": Code(
        "warning",
        "gold labels fit votes no better than shuffled",
        "Check that labels and items are aligned: ids, the order of rows, the names of classes. If they are, the "
        "rules know nothing that gold can show.",
    ),
    "TW204": Code(
        "warning",
        "few gold labels for the number of rules",
        "Label more items drawn at random, or join and drop rules before labels are looked at.",
    ),
    "TW301": Code(
        "error",
        "certificate proves nothing",
        "Label more items or write better rules; tw.plan and thumbwise plan say which of the two helps.",
    ),
    "TW302": Code(
        "note",
        "majority vote does as well or better",
        "For labels alone, majority vote will do; what the model adds is the bound. tw.compare and thumbwise compare "
        "show other methods.",
    ),
    "TW303": Code(
        "error",
        "box is infeasible: its intervals contradict each other",
        Message(
            "Check the gold labels on which these rules vote, or the bounds that were written. A fit can widen the "
            "intervals (",
            Argument("on_infeasible", '"widen"'),
            InPython(" of BalsubramaniFreund"),
            "), but then nothing is guaranteed.",
        ),
    ),
    "TW304": Code(
        "warning",
        "fit did not converge",
        Message(
            "The bound holds but may be loose.",
            InPython(" Raise max_iter, or tol if so small a residual is not needed."),
        ),
    ),
    "TW305": Code(
        "warning",
        "unanimous votes are overruled",
        "Look at some of these items. If the labels are wrong there, so are gold labels or the class frequencies.",
    ),
    "TW306": Code(
        "warning",
        "class of gold that no item gets",
        "Labels say nothing about this class; its probabilities may. Write rules that vote for it, or label more items "
        "drawn at random; do not read its absence as a finding.",
    ),
    "TW401": Code(
        "warning",
        "many items without any vote",
        "These items get the class frequencies' answer. Write rules for them, or do not use their labels.",
    ),
}


def anchor_of(code: str) -> str:
    """Where the documentation speaks of a code."""
    return f"checks.md#{code.lower()}"
