"""Names and texts as each database must read them; Spark's by a reader written here, because Spark needs Java."""

from __future__ import annotations

import re

import duckdb
import numpy as np
import pytest

import thumbwise as tw
from thumbwise.exceptions import InvalidChoiceError
from thumbwise.tables.sql_dialects import DIALECTS, name_outputs

from .problems import FITS, HOSTILE, make_votes

SPARK = DIALECTS["spark"]
# What Spark's grammar takes as one token: a name in backticks, a text with escapes, a number, a word, a sign.
TOKEN = re.compile(
    r"`(?:[^`]|``)*`|'(?:[^'\\]|\\.)*'|\d+(?:\.\d+)?(?:e[+-]?\d+)?D?\b|\w+|\s+|<=|>=|[-+*/(),.=<>]", re.DOTALL
)


def tokens(text: str) -> list[str]:
    found = TOKEN.findall(text)
    assert "".join(found) == text
    return found


def unescape(token: str) -> str:
    plain = re.sub(r"\\u([0-9a-f]{4})", lambda match: chr(int(match[1], 16)), token[1:-1])
    return re.sub(r"\\(.)", r"\1", plain, flags=re.DOTALL)


@pytest.mark.parametrize("text", [*HOSTILE, "x" * 10_000])
def test_spark_reads_texts_and_names_back(text: str) -> None:
    (written,) = tokens(SPARK.write_value(text))
    assert "${" not in written
    # An escaped dollar and an escaped backslash before a u are told apart.
    parts = re.split(r"(\\\\)", written[1:-1])
    assert "".join("\\" if part == r"\\" else unescape(f"'{part}'") for part in parts) == text
    if "${" not in text:
        (name,) = tokens(SPARK.write_name(text))
        assert name[1:-1].replace("``", "`") == text


def test_spark_text_holds_nothing_but_what_it_should() -> None:
    names = [name for name in HOSTILE if "${" not in name]
    votes = make_votes(len(HOSTILE), len(names), seed=1, class_names=HOSTILE, rules=names)
    query = FITS["full"](votes).to_sql("spark", table=names[0], id_column="nr", class_values="names")
    words = {token for token in tokens(query) if re.fullmatch(r"[A-Za-z_]+", token)}
    steps = {"source", "decoded", "scored", "topped", "normalised", "predicted", "compared", "supported"}
    functions = {"GREATEST", "EXP", "LN"}
    grammar = {"SELECT", "FROM", "AS", "CASE", "WHEN", "THEN", "ELSE", "END", "IS", "NULL"}
    assert words == steps | functions | grammar | {"item", "top", "log_sum", "best"}
    numbers = [token for token in tokens(query) if "." in token and token[0].isdigit()]
    assert numbers
    assert all(token.endswith("D") for token in numbers)


@pytest.mark.parametrize("value", [0.1, -1e-300, 1 / 3, 5e-324, 1.7976931348623157e308, -708.3964185322641, 2.0])
def test_numbers_are_doubles_to_the_last_digit(value: float) -> None:
    with duckdb.connect() as connection:
        (row,) = connection.execute(
            f"SELECT x, typeof(x) FROM (SELECT {DIALECTS['duckdb'].write_float(value)} AS x)"  # noqa: S608
        ).fetchall()
    assert row == (value, "DOUBLE")
    assert float(SPARK.write_float(value).removesuffix("D")) == value
    assert DIALECTS["postgresql"].write_float(value) == f"CAST('{value!r}' AS double precision)"


def test_long_and_equal_names_of_the_answer_are_cut_and_numbered() -> None:
    long = "é" * 100
    names = name_outputs(["p_a", f"p_{long}", f"p_{long}b", "p_A"], ["p_a"], DIALECTS["postgresql"])
    assert names == ["p_a#0", "p_" + "é" * 29 + "#1", "p_" + "é" * 29 + "#2", "p_A"]
    assert max(len(name.encode()) for name in names) <= 63
    assert name_outputs(["p_a", "p_A", "p_Ä", "p_ä"], [], DIALECTS["duckdb"]) == ["p_a", "p_A#1", "p_Ä", "p_ä"]
    assert name_outputs(["p_a", "p_${b}"], [], SPARK) == ["p_a", "p_$ {b}#1"]


def fitted(**names: list[str]) -> tw.MajorityVote:
    return tw.MajorityVote().fit(tw.Votes(np.array([[0, 1], [1, 1]]), **names))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        (fitted(rule_names=["a\0", "b"]), {}, "NUL"),
        (fitted(rule_names=["a", "b"]), {"table": "t\0"}, "NUL"),
        (fitted(rule_names=["a", "\ud800"]), {}, "surrogate"),
        (fitted(class_names=["\0x", "y"]), {}, "NUL"),
        (fitted(rule_names=["a", ""]), {}, "empty"),
        (fitted(rule_names=["a", "A"]), {}, "own column"),
        (fitted(rule_names=["a", "b" * 64]), {"dialect": "postgresql"}, "63 bytes"),
        (fitted(rule_names=["a", "é" * 32]), {"dialect": "postgresql"}, "63 bytes"),
        (fitted(rule_names=["a", "${b}"]), {"dialect": "spark"}, "substitutes"),
        (fitted(), {"dialect": "mysql"}, "dialect must be"),
        (fitted(), {"table": ()}, "table must be"),
        (fitted(), {"columns": {"nobody": "x"}}, "'nobody'"),
        (fitted(), {"columns": {"rule_0": "rule_1"}}, "own column"),
        (fitted(), {"class_values": ["a"]}, "one value for each of the 2"),
        (fitted(), {"class_values": "numbers"}, "sequence"),
        (fitted(), {"class_values": ["a", "a"]}, "'a' more than once"),
        (fitted(), {"abstain": 1}, "1 more than once"),
        (fitted(), {"abstain": "x"}, "one kind"),
        (fitted(), {"class_values": [1.5, float("nan")]}, "finite"),
        (fitted(), {"id_column": "Label"}, "label"),
    ],
)
def test_what_cannot_be_written_is_refused(model: tw.MajorityVote, options: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidChoiceError, match=message):
        model.to_sql(**{"table": "t", **options})  # type: ignore[arg-type]


def test_case_matters_in_postgresql() -> None:
    assert 'source."A"' in fitted(rule_names=["a", "A"]).to_sql("postgresql", table="t")
