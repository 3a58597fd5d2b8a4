"""Certified labels from rules of thumb.

Many cheap, imperfect voters and about a hundred gold labels in; a probability for every class of every item out, with a
bound on how wrong those probabilities can be, and no assumption that the voters err independently.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "1.0.0"

if TYPE_CHECKING:
    from thumbwise import datasets as datasets
    from thumbwise import metrics as metrics
    from thumbwise.assess import tables as displays  # a module under its public name
    from thumbwise.assess.accepting.files import write_triage as write_triage
    from thumbwise.assess.accepting.result import Triage as Triage
    from thumbwise.assess.check_rules.findings import Checks as Checks
    from thumbwise.assess.check_rules.findings import Finding as Finding
    from thumbwise.assess.checks import check as check
    from thumbwise.assess.comparison import compare as compare
    from thumbwise.assess.judges import judges as judges
    from thumbwise.assess.judging.result import Judges as Judges
    from thumbwise.assess.planned_accuracy import AccuracyPlan as AccuracyPlan
    from thumbwise.assess.planned_accuracy import plan_accuracy as plan_accuracy
    from thumbwise.assess.planned_rates import RatePlan as RatePlan
    from thumbwise.assess.planned_rates import plan_rate as plan_rate
    from thumbwise.assess.planned_triage import TriagePlan as TriagePlan
    from thumbwise.assess.planned_triage import plan_triage as plan_triage
    from thumbwise.assess.planning import plan as plan
    from thumbwise.assess.triage import triage as triage
    from thumbwise.assess.win_rates import win_rate as win_rate
    from thumbwise.box import designs as designs
    from thumbwise.box import moments as moments
    from thumbwise.box import opinions as opinions
    from thumbwise.box.box import Box as Box
    from thumbwise.box.gold import Gold as Gold
    from thumbwise.display import plots as plots
    from thumbwise.display.report.writing import write_report as write_report
    from thumbwise.exceptions import DegenerateFitWarning as DegenerateFitWarning
    from thumbwise.exceptions import FailedFitError as FailedFitError
    from thumbwise.exceptions import FailedRuleError as FailedRuleError
    from thumbwise.exceptions import FailedRuleWarning as FailedRuleWarning
    from thumbwise.exceptions import InfeasibleBoxError as InfeasibleBoxError
    from thumbwise.exceptions import InvalidBoxError as InvalidBoxError
    from thumbwise.exceptions import InvalidChoiceError as InvalidChoiceError
    from thumbwise.exceptions import InvalidFileError as InvalidFileError
    from thumbwise.exceptions import InvalidLabelsError as InvalidLabelsError
    from thumbwise.exceptions import InvalidRuleError as InvalidRuleError
    from thumbwise.exceptions import InvalidVotesError as InvalidVotesError
    from thumbwise.exceptions import MissingPackageError as MissingPackageError
    from thumbwise.exceptions import NoGuaranteeError as NoGuaranteeError
    from thumbwise.exceptions import ThumbwiseError as ThumbwiseError
    from thumbwise.exceptions import TooLargeError as TooLargeError
    from thumbwise.game.accuracy import AccuracyProof as AccuracyProof
    from thumbwise.game.certificate import Certificate as Certificate
    from thumbwise.game.prediction_costs import add_rule as add_rule
    from thumbwise.game.ranges import certify as certify
    from thumbwise.game.ranges import share_range as share_range
    from thumbwise.io.gold_draws import draw_gold as draw_gold
    from thumbwise.io.jury import Jury as Jury
    from thumbwise.io.jury import read_jury as read_jury
    from thumbwise.io.jury import write_jury as write_jury
    from thumbwise.io.labeled import as_crowd_kit as as_crowd_kit
    from thumbwise.io.labeled import as_snorkel as as_snorkel
    from thumbwise.io.labeled import labels_frame as labels_frame
    from thumbwise.io.labeled import write_labels as write_labels
    from thumbwise.io.predictions import read_predictions as read_predictions
    from thumbwise.io.readings import Reading as Reading
    from thumbwise.io.sources import read_votes as read_votes
    from thumbwise.io.stratified_draws import draw_stratified as draw_stratified
    from thumbwise.io.tag_labels import tags_frame as tags_frame
    from thumbwise.io.tag_labels import write_tags as write_tags
    from thumbwise.io.tag_sources import read_tags as read_tags
    from thumbwise.io.tagged import TagAnswers as TagAnswers
    from thumbwise.io.tagged import TagReadings as TagReadings
    from thumbwise.io.votes_files import write_votes as write_votes
    from thumbwise.models.amcl import AMCL as AMCL
    from thumbwise.models.balsubramani_freund import BalsubramaniFreund as BalsubramaniFreund
    from thumbwise.models.data_programming import DataProgramming as DataProgramming
    from thumbwise.models.dawid_skene import DawidSkene as DawidSkene
    from thumbwise.models.drift import Drift as Drift
    from thumbwise.models.ebcc import EBCC as EBCC
    from thumbwise.models.end_model import SoftLabels as SoftLabels
    from thumbwise.models.end_model import soft_labels as soft_labels
    from thumbwise.models.explained.explaining import explain as explain
    from thumbwise.models.explained.explaining import explain_many as explain_many
    from thumbwise.models.explained.explanation import Explanation as Explanation
    from thumbwise.models.folds import held_out_proba as held_out_proba
    from thumbwise.models.folds import neg_log_loss as neg_log_loss
    from thumbwise.models.frontier import Frontier as Frontier
    from thumbwise.models.hyper_label_model import HyperLabelModel as HyperLabelModel
    from thumbwise.models.item_intervals import ItemIntervals as ItemIntervals
    from thumbwise.models.majority_vote import MajorityVote as MajorityVote
    from thumbwise.models.saved.saving import load as load
    from thumbwise.models.stack import Stack as Stack
    from thumbwise.numerics.patterns import ABSTAIN as ABSTAIN
    from thumbwise.paper import theory as theory
    from thumbwise.rates.asking import rate as rate
    from thumbwise.rates.results import Rates as Rates
    from thumbwise.rules.applied import AppliedRules as AppliedRules
    from thumbwise.rules.labeling_functions import apply_rules as apply_rules
    from thumbwise.rules.labeling_functions import rule as rule
    from thumbwise.rules.pipeline_step import RuleVotes as RuleVotes
    from thumbwise.votes.lazy_votes import LazyVotes as LazyVotes
    from thumbwise.votes.scored_votes import ScoredVotes as ScoredVotes
    from thumbwise.votes.votes import Votes as Votes

# Public names are imported when first used, so that importing the package costs next to nothing.
_HOMES = {
    "ABSTAIN": "thumbwise.numerics.patterns",
    "AMCL": "thumbwise.models.amcl",
    "AccuracyPlan": "thumbwise.assess.planned_accuracy",
    "AppliedRules": "thumbwise.rules.applied",
    "BalsubramaniFreund": "thumbwise.models.balsubramani_freund",
    "Box": "thumbwise.box.box",
    "AccuracyProof": "thumbwise.game.accuracy",
    "Certificate": "thumbwise.game.certificate",
    "Checks": "thumbwise.assess.check_rules.findings",
    "DataProgramming": "thumbwise.models.data_programming",
    "DawidSkene": "thumbwise.models.dawid_skene",
    "DegenerateFitWarning": "thumbwise.exceptions",
    "Drift": "thumbwise.models.drift",
    "EBCC": "thumbwise.models.ebcc",
    "Explanation": "thumbwise.models.explained.explanation",
    "FailedFitError": "thumbwise.exceptions",
    "FailedRuleError": "thumbwise.exceptions",
    "FailedRuleWarning": "thumbwise.exceptions",
    "Finding": "thumbwise.assess.check_rules.findings",
    "Frontier": "thumbwise.models.frontier",
    "Gold": "thumbwise.box.gold",
    "HyperLabelModel": "thumbwise.models.hyper_label_model",
    "InfeasibleBoxError": "thumbwise.exceptions",
    "InvalidBoxError": "thumbwise.exceptions",
    "InvalidChoiceError": "thumbwise.exceptions",
    "InvalidFileError": "thumbwise.exceptions",
    "InvalidLabelsError": "thumbwise.exceptions",
    "InvalidRuleError": "thumbwise.exceptions",
    "TooLargeError": "thumbwise.exceptions",
    "InvalidVotesError": "thumbwise.exceptions",
    "ItemIntervals": "thumbwise.models.item_intervals",
    "Judges": "thumbwise.assess.judging.result",
    "Jury": "thumbwise.io.jury",
    "LazyVotes": "thumbwise.votes.lazy_votes",
    "MajorityVote": "thumbwise.models.majority_vote",
    "MissingPackageError": "thumbwise.exceptions",
    "NoGuaranteeError": "thumbwise.exceptions",
    "RatePlan": "thumbwise.assess.planned_rates",
    "Rates": "thumbwise.rates.results",
    "Reading": "thumbwise.io.readings",
    "RuleVotes": "thumbwise.rules.pipeline_step",
    "ScoredVotes": "thumbwise.votes.scored_votes",
    "SoftLabels": "thumbwise.models.end_model",
    "Stack": "thumbwise.models.stack",
    "TagAnswers": "thumbwise.io.tagged",
    "TagReadings": "thumbwise.io.tagged",
    "ThumbwiseError": "thumbwise.exceptions",
    "Triage": "thumbwise.assess.accepting.result",
    "TriagePlan": "thumbwise.assess.planned_triage",
    "Votes": "thumbwise.votes.votes",
    "add_rule": "thumbwise.game.prediction_costs",
    "apply_rules": "thumbwise.rules.labeling_functions",
    "as_crowd_kit": "thumbwise.io.labeled",
    "as_snorkel": "thumbwise.io.labeled",
    "certify": "thumbwise.game.ranges",
    "check": "thumbwise.assess.checks",
    "compare": "thumbwise.assess.comparison",
    "draw_gold": "thumbwise.io.gold_draws",
    "draw_stratified": "thumbwise.io.stratified_draws",
    "explain": "thumbwise.models.explained.explaining",
    "explain_many": "thumbwise.models.explained.explaining",
    "held_out_proba": "thumbwise.models.folds",
    "judges": "thumbwise.assess.judges",
    "labels_frame": "thumbwise.io.labeled",
    "load": "thumbwise.models.saved.saving",
    "neg_log_loss": "thumbwise.models.folds",
    "plan": "thumbwise.assess.planning",
    "plan_accuracy": "thumbwise.assess.planned_accuracy",
    "plan_rate": "thumbwise.assess.planned_rates",
    "plan_triage": "thumbwise.assess.planned_triage",
    "rate": "thumbwise.rates.asking",
    "read_jury": "thumbwise.io.jury",
    "read_predictions": "thumbwise.io.predictions",
    "read_tags": "thumbwise.io.tag_sources",
    "read_votes": "thumbwise.io.sources",
    "rule": "thumbwise.rules.labeling_functions",
    "share_range": "thumbwise.game.ranges",
    "soft_labels": "thumbwise.models.end_model",
    "tags_frame": "thumbwise.io.tag_labels",
    "triage": "thumbwise.assess.triage",
    "win_rate": "thumbwise.assess.win_rates",
    "write_jury": "thumbwise.io.jury",
    "write_labels": "thumbwise.io.labeled",
    "write_report": "thumbwise.display.report.writing",
    "write_tags": "thumbwise.io.tag_labels",
    "write_triage": "thumbwise.assess.accepting.files",
    "write_votes": "thumbwise.io.votes_files",
}
_MODULES = {
    "datasets": "thumbwise.datasets",
    "designs": "thumbwise.box.designs",
    "displays": "thumbwise.assess.tables",
    "metrics": "thumbwise.metrics",
    "moments": "thumbwise.box.moments",
    "opinions": "thumbwise.box.opinions",
    "plots": "thumbwise.display.plots",
    "theory": "thumbwise.paper.theory",
}
__all__ = [  # noqa: RUF022  # grouped as a reader meets them
    "Votes",
    "LazyVotes",
    "ScoredVotes",
    "ABSTAIN",
    "read_votes",
    "Reading",
    "read_tags",
    "TagReadings",
    "TagAnswers",
    "tags_frame",
    "write_tags",
    "read_jury",
    "write_jury",
    "Jury",
    "labels_frame",
    "write_labels",
    "write_votes",
    "as_crowd_kit",
    "as_snorkel",
    "rule",
    "apply_rules",
    "AppliedRules",
    "RuleVotes",
    "Gold",
    "designs",
    "Box",
    "moments",
    "opinions",
    "Certificate",
    "AccuracyProof",
    "BalsubramaniFreund",
    "Frontier",
    "ItemIntervals",
    "MajorityVote",
    "DawidSkene",
    "DataProgramming",
    "EBCC",
    "AMCL",
    "HyperLabelModel",
    "Stack",
    "explain",
    "explain_many",
    "Explanation",
    "load",
    "soft_labels",
    "SoftLabels",
    "certify",
    "read_predictions",
    "add_rule",
    "share_range",
    "rate",
    "Rates",
    "win_rate",
    "plan",
    "plan_rate",
    "RatePlan",
    "plan_accuracy",
    "AccuracyPlan",
    "plan_triage",
    "TriagePlan",
    "draw_gold",
    "draw_stratified",
    "compare",
    "judges",
    "Judges",
    "triage",
    "write_triage",
    "Triage",
    "held_out_proba",
    "neg_log_loss",
    "Drift",
    "check",
    "Checks",
    "Finding",
    "write_report",
    "displays",
    "plots",
    "metrics",
    "datasets",
    "theory",
    "ThumbwiseError",
    "InvalidVotesError",
    "InvalidLabelsError",
    "InvalidBoxError",
    "InvalidFileError",
    "InvalidChoiceError",
    "InfeasibleBoxError",
    "MissingPackageError",
    "NoGuaranteeError",
    "FailedFitError",
    "InvalidRuleError",
    "TooLargeError",
    "FailedRuleError",
    "FailedRuleWarning",
    "DegenerateFitWarning",
]


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return import_module(_MODULES[name])
    if name not in _HOMES:
        raise AttributeError(f"module 'thumbwise' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
