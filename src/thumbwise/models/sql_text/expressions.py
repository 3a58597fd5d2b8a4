"""Pieces of SQL text that several steps are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from thumbwise._typing import FloatArray
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.tables.sql_dialects import Dialect

# PostgreSQL makes an underflow of EXP an error; below this it is written as 0.
_SMALLEST_EXPONENT = -700.0
# Databases limit how deep expressions nest, and a sum of n terms nests n deep.
_LONGEST_SUM = 100


def select(parts: Sequence[str], source: str, name: str) -> str:
    """Columns of a table or subquery, under a name."""
    return "SELECT\n  " + ",\n  ".join(parts) + f"\nFROM {source} AS {name}"


def case_when(cases: Iterable[tuple[str, str]]) -> str:
    """The value of the first test that holds; NULL if none does."""
    return "CASE " + " ".join(f"WHEN {test} THEN {value}" for test, value in cases) + " END"


def greatest(parts: Sequence[str]) -> str:
    """The largest; NULLs do not count."""
    return f"GREATEST({', '.join(parts)})"


def add(parts: Sequence[str]) -> str:
    """A sum from left to right; a long one as a sum of sums."""
    while len(parts) > _LONGEST_SUM:
        starts = range(0, len(parts), _LONGEST_SUM)
        parts = [f"({' + '.join(parts[start : start + _LONGEST_SUM])})" for start in starts]
    return " + ".join(parts)


def exp(exponent: str, dialect: Dialect) -> str:
    """The exponential, 0 where that would underflow."""
    zero, least = map(dialect.write_float, (0.0, _SMALLEST_EXPONENT))
    return f"CASE WHEN {exponent} < {least} THEN {zero} ELSE EXP({exponent}) END"


def term_of_vote(rule: int, terms: FloatArray, dialect: Dialect) -> str:
    """What a rule's vote adds to the score of one class; 0 if it abstains, NULL if the vote is NULL."""
    by_vote = {ABSTAIN: 0.0, **dict(enumerate(terms.tolist()))}
    usual = Counter(by_vote.values()).most_common(1)[0][0]
    cases = [(f"= {vote}", term) for vote, term in by_vote.items() if term != usual] + [(f">= {ABSTAIN}", usual)]
    return case_when((f"vote_{rule} {test}", dialect.write_float(term)) for test, term in cases)
