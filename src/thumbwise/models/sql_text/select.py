"""A fitted model as one SELECT, for votes that stay in their database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from thumbwise.exceptions import InvalidChoiceError
from thumbwise.models.sql_text.steps import Steps
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.tables.sql_dialects import Dialect, find_dialect
from thumbwise.votes.reading.raw_votes import first_repeated

DialectName = Literal["duckdb", "postgresql", "spark"]


@dataclass(frozen=True)
class Stored:
    """Votes in a database, and how classes are stored there, as ``model.to_sql`` takes them."""

    table: str | Sequence[str]
    id_column: str | None
    columns: Mapping[str, str] | None
    abstain: Any
    class_values: Any


def select_from(stored: Stored, model: Any, dialect: DialectName) -> str:
    """The SELECT that says what the model says."""
    check_is_fitted(model)
    steps = Steps(find_dialect(dialect), model._formula(), model.classes_.tolist())
    id_column, is_numbered = stored.id_column, stored.class_values is None
    abstain = ABSTAIN if stored.abstain is None and is_numbered else stored.abstain
    value_of = _settle_values(steps.classes, stored.class_values)
    _check_values(value_of, abstain)
    decoded = steps.decode(_settle_columns(steps.dialect, model.rule_names_, stored.columns or {}), value_of, abstain)
    if id_column is not None:
        decoded = steps.add_ids(id_column, model.known_) + decoded
    parts = [stored.table] if isinstance(stored.table, str) else list(stored.table)
    if not parts:
        raise InvalidChoiceError("table must be a name, or the parts of one; found none.")
    return steps.write(decoded, parts, id_column, has_known=id_column is not None and model.known_ is not None)


def _settle_values(classes: Sequence[Any], class_values: Any) -> list[Any]:
    """What each class is stored as."""
    if class_values is None:
        return list(range(len(classes)))
    if isinstance(class_values, str) and class_values != "names":
        raise InvalidChoiceError(f'class_values must be "names" or a sequence of values; found {class_values!r}.')
    value_of = list(classes if isinstance(class_values, str) else class_values)
    if len(value_of) != len(classes):
        raise InvalidChoiceError(
            f"class_values must hold one value for each of the {len(classes)} classes; found {len(value_of)}."
        )
    return [value.item() if isinstance(value, np.generic) else value for value in value_of]


def _settle_columns(dialect: Dialect, rules: Sequence[str], columns: Mapping[str, str]) -> list[str]:
    """The column of each rule; never the same for two."""
    strange = [name for name in columns if name not in rules]
    if strange:
        raise InvalidChoiceError(
            f"columns must name rules of the model; found {strange[0]!r} ({len(strange)} such names)."
        )
    names = [columns.get(rule, rule) for rule in rules]
    repeated = first_repeated([dialect.fold(name) for name in names])
    if repeated is not None:
        raise InvalidChoiceError(
            f"each rule must have its own column; {dialect.name} does not tell those of two rules apart, "
            f"{str(repeated)[:60]!r}. Pass columns={{rule: column}}."
        )
    return names


def _check_values(value_of: Sequence[Any], abstain: Any) -> None:
    """Values that stand for classes and abstentions: of one kind, and distinct."""
    given = [*value_of] if abstain is None else [*value_of, abstain]
    kinds = {next((kind for kind in (str, bool) if isinstance(value, kind)), float) for value in given}
    if len(kinds) > 1:
        raise InvalidChoiceError(
            "class_values and abstain must be all texts, all numbers or all truth values, because a column holds one "
            f"kind; found {given!r}."
        )
    repeated = first_repeated(given)
    if repeated is not None:
        raise InvalidChoiceError(
            f"each of class_values and abstain must occur once; found {repeated!r} more than once."
        )
