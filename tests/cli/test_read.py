"""thumbwise read: counts that a plain look at the file gives too, and nothing computed."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

from cli.rows import Run


def test_what_is_read_is_what_the_file_holds(folder: Path, run: Run) -> None:
    answer = run("read", folder / "votes.csv", "--gold", folder / "gold.csv", "--json", "-")
    assert answer.exit_code == 0, answer.stderr
    content = json.loads(answer.stdout)
    with (folder / "votes.csv").open() as file:
        rows = list(csv.DictReader(file))
    for rule in content["rules"]:
        counts = Counter(row[rule["rule"]] for row in rows)
        assert rule["n_silent"] == counts.pop("")
        assert rule["votes"] == counts
        assert rule["n_failed"] is None
    assert (content["n_items"], content["n_gold"], content["id_column"]) == (60, 30, "id")
    gold = Counter(line.split(",")[1] for line in (folder / "gold.csv").read_text().splitlines()[1:])
    assert {row["class"]: row["n_gold"] for row in content["classes"]} == gold
    assert "ids are taken from column 'id'" in content["notes"]


def test_without_gold_it_says_so(folder: Path, run: Run) -> None:
    answer = run("read", folder / "votes.csv")
    assert answer.exit_code == 0
    assert "gold: none" in answer.stdout
    assert "confidence" not in answer.stdout


def test_what_judges_failed_at_is_told_apart(tmp_path: Path, run: Run) -> None:
    records: list[dict[str, object]] = [
        {"item": f"q{i}", "judge": judge, "verdict": "pass" if i % 2 else "fail"} for i in range(4) for judge in "ab"
    ]
    records[0] = {"item": "q0", "judge": "a", "verdict": None, "error": "timeout"}
    records[3] = {"item": "q1", "judge": "b", "verdict": None, "abstained": True}
    (tmp_path / "v.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    answer = run("read", tmp_path / "v.jsonl", "--null-verdict", "abstained", "--json", "-")
    assert answer.exit_code == 0, answer.stderr
    rules = {rule["rule"]: rule for rule in json.loads(answer.stdout)["rules"]}
    assert (rules["a"]["n_failed"], rules["a"]["n_silent"]) == (1, 1)
    assert (rules["b"]["n_failed"], rules["b"]["n_abstained"]) == (0, 1)


def test_items_that_stay_in_files_are_read_alike(folder: Path, run: Run) -> None:
    here = json.loads(run("read", folder / "votes.csv", "--json", "-").stdout)
    elsewhere = json.loads(run("read", folder / "vote*.csv", "--json", "-").stdout)
    assert elsewhere["stays_in_files"] and not here["stays_in_files"]
    assert elsewhere["rules"] == here["rules"]
    assert elsewhere["classes"] == here["classes"]
