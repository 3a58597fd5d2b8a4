"""What a hostile query would try: to read, list, write and attach other files, and to be allowed to."""

from __future__ import annotations

from pathlib import Path


def tries(place: Path, other: Path) -> list[str]:
    """Queries of a database that may touch a place, about another file."""
    return [
        f"SELECT * FROM read_text('{other}')",  # noqa: S608  # of the test
        f"SELECT * FROM read_text('{place}/../{other.name}')",  # noqa: S608  # of the test
        f"SELECT * FROM glob('{other.parent}/*')",  # noqa: S608  # of the test
        f"COPY (SELECT 1) TO '{other.parent}/stolen.csv'",
        f"ATTACH '{other.parent}/stolen.db'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        f"SET allowed_paths = ['{other}']",
    ]
