"""A fitted model as one SELECT, for votes that stay in their database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from thumbwise.exceptions import InvalidChoiceError
from thumbwise.models.sql_text.steps import Steps
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.tables.sql_dialects import Dialect, find_dialect
from thumbwise.votes.reading.raw_votes import first_repeated

DialectName = Literal["duckdb", "postgresql", "spark"]


def to_sql(
    model: Any,
    dialect: DialectName = "duckdb",
    *,
    table: str | Sequence[str],
    id_column: str | None = None,
    columns: Mapping[str, str] | None = None,
    abstain: Any = None,
    class_values: Literal["names"] | Sequence[Any] | None = None,
) -> str:
    """A fitted model as one SELECT over a table with a row per item and a column per rule.

    It returns the id, if there is one, a column ``p_<class>`` with the probability of each class, and ``label``. They
    are those of ``predict_proba`` and ``predict``: the score of a class is its own term plus one term for each vote,
    and the probabilities are a softmax (for :class:`MajorityVote`, shares). Rows come in no particular order.

    A vote that is neither a class nor an abstention makes the probabilities and the label of its item NULL.

    *Guarantee*: none beyond that of the model; a certificate speaks of the items of the fit only.

    Parameters
    ----------
    model : LabelModel
        Fitted, with ``additive_terms``: MajorityVote, DawidSkene, DataProgramming, or BalsubramaniFreund with moments
        that are sums over votes, and not of groups.
    dialect : {"duckdb", "postgresql", "spark"}
    table : str or sequence of str
        Name of the table, or its parts, such as ``("schema", "table")``. A dot within a name is part of it.
    id_column : str, optional
        With it, known gold items of the model (``known_``) keep their label, as in ``predict_proba``; without it, they
        get the model's answer.
    columns : mapping of rule name to column name, optional
        Of rules whose column is not called as they are.
    abstain : text or number, optional
        What stands for an abstention, besides NULL. Absent: -1 if votes are stored as class numbers.
    class_values : "names" or sequence, optional
        How votes are stored: by class names, or by these values, in the order of ``classes_``. Absent: by class
        numbers 0, 1, ...

    Examples
    --------
    >>> import duckdb
    >>> import thumbwise as tw
    >>> from thumbwise.models.sql_text.select import to_sql
    >>> votes = tw.Votes([[0, 1], [1, 1], [0, -1]], rule_names=["short", "loud"], class_names=["ham", "spam"])
    >>> model = tw.DawidSkene(prior_right=3, prior_wrong=1).fit(votes)
    >>> query = to_sql(model, "duckdb", table="mails", id_column="mail")
    >>> with duckdb.connect() as connection:
    ...     _ = connection.execute("CREATE TABLE mails AS SELECT 7 AS mail, 1 AS short, NULL AS loud")
    ...     connection.sql(query).columns, connection.sql(query).fetchall()[0][-1]
    (['mail', 'p_ham', 'p_spam', 'label'], 'spam')
    """
    check_is_fitted(model)
    steps = Steps(find_dialect(dialect), model.additive_terms(), model.classes_.tolist())
    if abstain is None and class_values is None:
        abstain = ABSTAIN
    value_of = _settle_values(steps.classes, class_values)
    _check_values(value_of, abstain)
    decoded = steps.decode(_settle_columns(steps.dialect, model.rule_names_, columns or {}), value_of, abstain)
    if id_column is not None:
        decoded = steps.add_ids(id_column, model.known_) + decoded
    parts = [table] if isinstance(table, str) else list(table)
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
