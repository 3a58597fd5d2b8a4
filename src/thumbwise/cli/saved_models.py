"""Saved models on the command line: read, told apart from votes, and put in words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from thumbwise.assess.check_rules.findings import listed
from thumbwise.cli.console import progress, visible
from thumbwise.cli.wording import as_option
from thumbwise.exceptions import Argument, InvalidFileError, InvalidVotesError
from thumbwise.io.roles import Roles
from thumbwise.models.saved.saving import load_model
from thumbwise.summaries import plural
from thumbwise.tables.outputs import MODEL
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.inputs import is_unnamed


def open_model(path: Path, votes: Path | None = None) -> Any:
    """The model of a file; files that were exchanged for each other are said to be so."""
    if votes is not None and _is_model(votes):
        says = "the first is none" if path.is_file() and not _is_model(path) else "both are models"
        raise InvalidFileError(
            f"the model comes first and the votes after it; {votes} is a saved model, and {says}. Name the files in "
            "this order: MODEL VOTES."
        )
    with progress("reading the model"):
        return load_model(path)


def _is_model(path: Path) -> bool:
    return MODEL.is_ours is not None and path.is_file() and MODEL.is_ours(path)


def check_rules(model: Any, votes: CountedVotes) -> None:
    """Votes must have a column for each rule of the model, by name if it knows names, and no others."""
    known, given = set(model.rule_names_), set(votes.rule_names)
    if known == given or (is_unnamed(model.rule_names_) and len(known) == len(given)):
        return
    absent = [name for name in model.rule_names_ if name not in given]
    strange = [name for name in votes.rule_names if name not in known]
    found = [f"there is no {listed(absent)}"] if absent else []
    found += [f"it does not know {listed(strange)}"] if strange else []
    raise InvalidVotesError(
        f"votes must have a column for each of the {plural(len(known), 'rule')} that the model was fitted with; "
        f"{', and '.join(found)}. Name columns as they were in the fit, leave an empty one for a rule that does not "
        "vote any more, and name what is no rule with ",
        Argument("ignore", "NAME"),
        ".",
    )


@contextmanager
def in_words_of_models() -> Iterator[None]:
    """Classes are those of the model, so that no option can add one."""
    try:
        yield
    except InvalidVotesError as error:
        raise InvalidVotesError(error.message.worded(_as_option)) from error


def _as_option(argument: Argument) -> str:
    if argument.name in ("class_names", "n_classes"):
        return "those of the model, which takes a new fit"
    return as_option(argument)


def roles_of(model: Any, roles: Roles) -> Roles:
    """Votes for a model have its classes."""
    return replace(roles, class_names=tuple(model.classes_.tolist()))


def in_words(path: Path, model: Any) -> str:
    """What the model is, and what it was fitted to."""
    n_rules, n_classes = plural(len(model.rule_names_), "rule"), plural(len(model.classes_), "class")
    fitted = plural(model.pool_summary_.n_items, "item")
    return f"{visible(path)}: {type(model).__name__}, fitted to {fitted}, {n_rules}, {n_classes}"


def as_record(model: Any) -> dict[str, Any]:
    """The same for other programs."""
    return {
        "model": type(model).__name__,
        "rules": list(model.rule_names_),
        "classes": model.classes_.tolist(),
        "n_fitted": model.pool_summary_.n_items,
    }
