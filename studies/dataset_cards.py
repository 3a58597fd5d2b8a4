"""The tables of ``docs/datasets.md``: one row per dataset, computed from the files.

Run as ``python -m studies.dataset_cards --data FOLDER`` to print them, with ``--output docs/datasets.md`` to put them
into the page, between its two marks.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from studies.reporting import markdown_table
from thumbwise.datasets import CROWD_NAMES, PAPER_NAMES, Card, card

BEGIN, END = "<!-- tables of studies.dataset_cards -->", "<!-- end of the tables -->"


def write_tables(folder: Path | None) -> str:
    """Sizes of the paper's datasets and of the crowds, then what they are."""
    paper, crowds = ([card(name, folder) for name in names] for names in (PAPER_NAMES, CROWD_NAMES))
    return "\n\n".join(
        [
            "### The paper's ten datasets",
            _sizes(paper, with_gold=True),
            "### Four crowds",
            _sizes(crowds, with_gold=False),
            "### What they are",
            _words([*paper, *crowds]),
        ]
    )


def _sizes(cards: list[Card], *, with_gold: bool) -> str:
    header = ["name", "set", "items", *(["gold", "test"] if with_gold else ["known labels"]), "rules", "classes"]
    header += ["patterns", "coverage", "abstentions", "class shares"]
    return markdown_table(header, [_size_row(found, with_gold) for found in cards])


def _size_row(found: Card, with_gold: bool) -> list[str]:
    others = [f"{found.n_gold:,}", f"{found.n_test:,}"] if with_gold else [f"{found.n_labels:,}"]
    return [
        f"`{found.name}`",
        found.title,
        f"{found.n_items:,}",
        *others,
        f"{found.n_rules}",
        f"{found.n_classes}",
        f"{found.n_patterns:,}",
        _percent(found.coverage),
        _percent(found.abstention),
        " / ".join(f"{100 * share:.0f}" for share in found.class_shares) + " %",
    ]


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _words(cards: list[Card]) -> str:
    lines = ["| name | items; rules | files published in | licence |", "|---|---|---|---|"]
    for found in cards:
        where = found.source.removeprefix("https://github.com/")
        lines.append(f"| `{found.name}` | {found.about} | [{where}]({found.source}) | {found.licence} |")
    return "\n".join(lines)


def replace_part(page: str, tables: str) -> str:
    """The page with new tables between the marks, and nothing else changed."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page must have the marks {BEGIN!r} and {END!r}.")
    return f"{before}{BEGIN}\n\n{tables}\n\n{END}{after}"


def main() -> None:
    """Print the tables, or put them into a page that is written whole or not at all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder that holds paper/ and crowd/")
    parser.add_argument("--output", type=Path, help="Markdown page with the marks")
    arguments = parser.parse_args()
    tables = write_tables(arguments.data)
    if arguments.output is None:
        print(tables)
        return
    unfinished = arguments.output.with_name(arguments.output.name + ".part")
    unfinished.write_text(replace_part(arguments.output.read_text(encoding="utf-8"), tables), encoding="utf-8")
    unfinished.replace(arguments.output)


if __name__ == "__main__":
    main()
