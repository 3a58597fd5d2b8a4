"""Several tags on the command line: one table for all of them, JSON under "tags", and messages in options."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import thumbwise as tw
from cli.rows import Run

CASE = tw.datasets.make_tags(300, n_gold=80, random_state=5)
ALWAYS = ("--tags", "auto", "--no-tags", "none")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    with (tmp_path / "votes.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow([*CASE.votes, "text"])
        rows.writerows([*row, "hello"] for row in zip(*CASE.votes.values(), strict=True))
    with (tmp_path / "gold.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("id", "tags"), *CASE.gold.items()])
    return tmp_path


def ask(run: Run, files: Path, command: str, *more: object) -> Any:
    place = files / "votes.csv", "--gold", files / "gold.csv", "--ignore", "text"
    return run(command, *place, *more)


def fits(text: str) -> bool:
    """The tables; sentences are not wrapped where nobody looks."""
    return all(len(line) <= 80 for line in text.splitlines() if line.startswith(" "))


def test_label_writes_what_came_in_and_says_what_is_proved(run: Run, files: Path) -> None:
    result = ask(run, files, "label", *ALWAYS, "-o", files / "out.csv", "--json", files / "out.json")
    assert result.exit_code == 0, result.output
    assert fits(result.output)
    found = json.loads((files / "out.json").read_text())
    readings = tw.read_tags(CASE.votes, gold=CASE.gold, no_tags="none")
    models = readings.fit()
    assert list(found["tags"]) == ["insult", "spam", "threat"]
    assert found["each_level"] == pytest.approx(1 - 0.05 / 3)
    with (files / "out.csv").open(newline="") as file:
        written = list(csv.DictReader(file))
    assert list(written[0]) == ["id", "tags", "p_insult", "p_spam", "p_threat", "text"]
    assert [row["tags"] for row in written] == tw.tags_frame(readings, models)["tags"].tolist()
    for tag, model in models.items():
        assert found["tags"][tag]["accuracy_at_least"] == model.certificate_.accuracy_at_least
        assert found["tags"][tag]["counts"]["yes"] == sum(tag in row["tags"].split("|") for row in written)
    assert (
        "right labels: With 95 % confidence what is said of the 3 tags holds for all of them, if the 80"
        in result.output
    )


def test_rates_and_their_json(run: Run, files: Path) -> None:
    printed = ask(run, files, "rate", *ALWAYS)
    assert printed.exit_code == 0, printed.output
    assert fits(printed.output)
    found = json.loads(ask(run, files, "rate", *ALWAYS, "--json", "-").stdout)
    shares = tw.read_tags(CASE.votes, gold=CASE.gold, no_tags="none").each(tw.rate, of="yes")
    for tag, rate in shares.items():
        assert (found["tags"][tag]["lower"], found["tags"][tag]["upper"]) == (rate.lower, rate.upper)
        row = next(line.split() for line in printed.output.splitlines() if line.strip().startswith(tag))
        low, high = float(row[3]) / 100, float(row[5]) / 100
        assert low <= rate.lower + 1e-12 and high >= rate.upper - 1e-12  # rounded outward
    by_group = ask(run, files, "rate", *ALWAYS, "--by", "text")
    assert by_group.exit_code == 2 or "hello" in by_group.output


def test_judges_and_triage(run: Run, files: Path) -> None:
    judged = ask(run, files, "judges", *ALWAYS)
    assert judged.exit_code == 0, judged.output
    assert fits(judged.output)
    assert judged.output.count("panel") == 3
    poor = ("--ignore", "ann", "--ignore", "bob", "--ignore", "cleo")  # one judge is left
    sorted_out = ask(run, files, "triage", *ALWAYS, *poor, "--precision", "0.93", "-o", files / "accepted.csv")
    assert sorted_out.exit_code == 0, sorted_out.output
    with (files / "accepted.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    readings = tw.read_tags(CASE.votes, gold=CASE.gold, no_tags="none", ignore=["ann", "bob", "cleo"])
    each = readings.each(tw.triage, precision=0.93)
    for tag, one in each.items():
        assert sum(row[tag] != "" for row in rows) == one.n_accepted
    assert 0 < sum(row[tag] == "" for row in rows for tag in each) < 3 * len(rows)


@pytest.mark.parametrize(
    ("command", "options", "message"),
    [
        (
            "label",
            (),
            "looks like 2 tags joined by '|' (4 such values). To ask about each tag, yes or no, say --tags auto;",
        ),
        (
            "label",
            ("--tags", "auto"),
            "Say --no-tags none or --abstain none; if it is a tag, list all tags: --tags insult",
        ),
        ("label", (*ALWAYS, "--shape", "snorkel"), "--shape is for one class per item; found it beside --tags"),
        (
            "label",
            (*ALWAYS, "--classes", "a,b"),
            "found --classes NAME,NAME,... besides. Drop it; tags are listed with --tags",
        ),
        ("rate", (*ALWAYS, "--of", "spam"), "--of is for one class per item"),
        ("triage", (*ALWAYS, "--budget", "5"), "--budget is for one class per item"),
        ("check", ALWAYS, "this command reads one class per item. Drop --tags."),
        ("label", ("--tags", "spam,Insult", "--no-tags", "none"), "holds 'insult' in row"),
        ("label", ("--tags", "spam,spam"), "--tags must list different tags; found 'spam' twice."),
    ],
)
def test_mistakes_speak_in_options(run: Run, files: Path, command: str, options: tuple[str, ...], message: str) -> None:
    result = ask(run, files, command, *options)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


def test_an_empty_cell_is_asked_about_in_options(run: Run, files: Path) -> None:
    text = (files / "votes.csv").read_text().replace("none", "")
    (files / "votes.csv").write_text(text)
    (files / "gold.csv").write_text((files / "gold.csv").read_text().replace("none", ""))
    refused = ask(run, files, "rate", "--tags", "auto")
    assert refused.exit_code == 2
    assert "Say --empty-means no-tags or --empty-means abstained" in " ".join(refused.output.split())
    again = ask(run, files, "rate", "--tags", "auto", "--empty-means", "no-tags")
    assert "Say --gold-empty-means no-tags or --gold-empty-means unknown" in " ".join(again.output.split())
    both = ("--empty-means", "no-tags", "--gold-empty-means", "no-tags", "--json", "-")
    found = json.loads(ask(run, files, "rate", "--tags", "auto", *both).stdout)
    shares = tw.read_tags(CASE.votes, gold=CASE.gold, no_tags="none").each(tw.rate, of="yes")
    assert {tag: one["lower"] for tag, one in found["tags"].items()} == {tag: one.lower for tag, one in shares.items()}
