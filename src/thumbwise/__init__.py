"""Certified labels from rules of thumb.

Many cheap, imperfect voters and about a hundred gold labels in; a probability for every class of every item out, with a
bound on how wrong those probabilities can be, and no assumption that the voters err independently.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from thumbwise import metrics as metrics
    from thumbwise.box import Box as Box
    from thumbwise.certificate import Certificate as Certificate
    from thumbwise.comparison import compare as compare
    from thumbwise.exceptions import InfeasibleBoxError as InfeasibleBoxError
    from thumbwise.exceptions import InvalidBoxError as InvalidBoxError
    from thumbwise.exceptions import InvalidFileError as InvalidFileError
    from thumbwise.exceptions import InvalidLabelsError as InvalidLabelsError
    from thumbwise.exceptions import InvalidVotesError as InvalidVotesError
    from thumbwise.exceptions import ThumbwiseError as ThumbwiseError
    from thumbwise.models.balsubramani_freund import BalsubramaniFreund as BalsubramaniFreund
    from thumbwise.models.dawid_skene import DawidSkene as DawidSkene
    from thumbwise.models.majority_vote import MajorityVote as MajorityVote
    from thumbwise.planning import plan as plan
    from thumbwise.prediction_costs import add_rule as add_rule
    from thumbwise.ranges import certify as certify
    from thumbwise.ranges import share_range as share_range
    from thumbwise.votes import Votes as Votes

# Public names are imported when first used, so that importing the package costs next to nothing.
_HOMES = {
    "BalsubramaniFreund": "thumbwise.models.balsubramani_freund",
    "Box": "thumbwise.box",
    "Certificate": "thumbwise.certificate",
    "DawidSkene": "thumbwise.models.dawid_skene",
    "InfeasibleBoxError": "thumbwise.exceptions",
    "InvalidBoxError": "thumbwise.exceptions",
    "InvalidFileError": "thumbwise.exceptions",
    "InvalidLabelsError": "thumbwise.exceptions",
    "InvalidVotesError": "thumbwise.exceptions",
    "MajorityVote": "thumbwise.models.majority_vote",
    "ThumbwiseError": "thumbwise.exceptions",
    "Votes": "thumbwise.votes",
    "add_rule": "thumbwise.prediction_costs",
    "certify": "thumbwise.ranges",
    "compare": "thumbwise.comparison",
    "plan": "thumbwise.planning",
    "share_range": "thumbwise.ranges",
}
__all__ = [  # noqa: RUF022  # grouped as a reader meets them
    "Votes",
    "Box",
    "Certificate",
    "BalsubramaniFreund",
    "DawidSkene",
    "MajorityVote",
    "certify",
    "add_rule",
    "share_range",
    "plan",
    "compare",
    "metrics",
    "ThumbwiseError",
    "InvalidVotesError",
    "InvalidLabelsError",
    "InvalidBoxError",
    "InvalidFileError",
    "InfeasibleBoxError",
]


def __getattr__(name: str) -> object:
    if name == "metrics":
        return import_module("thumbwise.metrics")
    if name not in _HOMES:
        raise AttributeError(f"module 'thumbwise' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
