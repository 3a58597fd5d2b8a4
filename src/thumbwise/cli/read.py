"""thumbwise read: what votes and gold were understood as, and nothing else."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.text import Text

from thumbwise.cli.console import print_table, print_understood, stdout, visible
from thumbwise.cli.json_output import check_json, deliver, print_delivered
from thumbwise.cli.progress import while_reading
from thumbwise.cli.wording import in_command_words
from thumbwise.io.elsewhere import are_many, is_large
from thumbwise.io.readings import Reading
from thumbwise.io.roles import Roles
from thumbwise.io.sampled_gold import read_sampled
from thumbwise.tables.databases import database
from thumbwise.votes.scored_votes import ScoredVotes

_MOST_CLASSES = 6


def read_files(
    votes: Path, gold: Path | None, roles: Roles, *, json: str | None = None, overwrite: bool = False
) -> None:
    """Read, and say what was read."""
    check_json(json, inputs=(votes, gold), overwrite=overwrite)
    stays = are_many(votes, roles) or is_large(votes, roles)
    with database() if stays else nullcontext() as home:
        with while_reading(home):
            reading = read_sampled(votes, gold, roles, home=home, stays=stays)
            content = as_content(reading, str(votes))
        deliver(content, json, overwrite)
        _print(stdout(), str(votes), reading, roles.abstain, content)
    print_delivered(json)


def as_content(reading: Reading, source: str) -> dict[str, Any]:
    """What was understood, under the keys that other programs may rely on."""
    votes, table = reading.votes, reading.votes.patterns.vote_table
    n_votes, gold = table.sum(axis=1), np.bincount(reading.gold_labels, minlength=votes.n_classes)
    done = {} if reading.jury is None else {judge.name: judge for judge in reading.jury.judges}
    return {
        "source": source,
        "layout": reading.layout,
        "stays_in_files": reading.files is not None,
        "are_scores": isinstance(votes, ScoredVotes),
        "n_items": votes.n_items,
        "n_rules": votes.n_rules,
        "n_classes": votes.n_classes,
        "n_gold": len(reading.gold_labels),
        "gold_is": reading.gold_is if len(reading.gold_labels) else None,
        "gold_design": None if reading.gold_design is None else str(reading.gold_design),
        "id_column": reading.id_name,
        "passed_on": list(reading.passed_on),
        "classes": [
            {"class": name, "n_votes": n, "n_gold": n_gold}
            for name, n, n_gold in zip(votes.class_names, table.sum(axis=0).tolist(), gold.tolist(), strict=True)
        ],
        "rules": [
            {
                "rule": name,
                "n_votes": n,
                "n_silent": votes.n_items - n,
                "n_abstained": done[name].n_abstained if name in done else votes.n_items - n,
                "n_failed": done[name].n_failed if name in done else None,
                "n_not_asked": done[name].n_not_asked if name in done else None,
                "votes": dict(zip(map(str, votes.class_names), by_class, strict=True)),
            }
            for name, n, by_class in zip(votes.rule_names, n_votes.tolist(), table.tolist(), strict=True)
        ],
        "notes": [in_command_words(note) for note in reading.notes],
    }


def _print(console: Console, source: str, reading: Reading, abstain: str | None, content: dict[str, Any]) -> None:
    has_gold = content["n_gold"] > 0
    print_understood(console, source, reading, abstain, is_gold_asked=has_gold)
    if not has_gold:
        console.print("gold: none")
    if content["passed_on"]:
        console.print(Text(f"passed on, no rules: {', '.join(map(visible, content['passed_on']))}"))
    names = [str(row["class"]) for row in content["classes"]]
    by_class = names if len(names) <= _MOST_CLASSES else []
    rows = [
        [row["rule"], f"{row['n_votes']:,}", f"{row['n_silent']:,}", *(f"{row['votes'][name]:,}" for name in by_class)]
        for row in content["rules"]
    ]
    headers = ["rule", "votes", "no vote", *(visible(name) for name in by_class)]
    print_table(console, "Rules, and how often each says what", headers, rows)
    shown = [[str(row["class"]), f"{row['n_votes']:,}", f"{row['n_gold']:,}"] for row in content["classes"]]
    print_table(console, "Classes", ["class", "votes", "gold\nitems"], shown)
