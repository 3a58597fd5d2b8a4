"""A review file comes back: its labels are kept, counted and said; whatever is wrong with it is said in words."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import thumbwise as tw
from cli.rows import Run, make_rows
from thumbwise.io.reviewed import read_reviewed
from thumbwise.tables.table_files import read_table, write_table
from thumbwise.votes.engines.items import Items

IDS, TRUTH, _ = make_rows()
NAMES = ("ham", "spam")
ROWS = [f"{IDS[i]},{i},{NAMES[TRUTH[i]]}" for i in range(30, 40)]


def review(folder: Path, *rows: str, header: str = "id,rank,label") -> Path:
    (folder / "review.csv").write_text("\n".join([header, *rows]) + "\n")
    return folder / "review.csv"


# The same file, read into memory, and as one of many, in which items stay.
SOURCES = ("votes.csv", "vot*.csv")


def files(folder: Path, votes: str = "votes.csv") -> list[object]:
    return ["label", folder / votes, "--gold", folder / "gold.csv"]


@pytest.mark.parametrize("votes", SOURCES)
@pytest.mark.parametrize("method", [[], ["--method", "majority vote"]])
def test_labels_are_kept_counted_and_said(folder: Path, run: Run, method: list[str], votes: str) -> None:
    path = review(folder, *ROWS, f"{IDS[50]},50,", f"{IDS[51]},51,")
    outputs = ["-o", folder / "labels.csv", "--json", folder / "proved.json"]
    ended = run(*files(folder, votes), *method, "--reviewed", path, *outputs)
    assert ended.exit_code == 0, ended.output
    assert "neither gold nor among the 10 reviewed" in ended.stdout
    assert "reviewed: 10 items keep the label that was filled in; 2 rows have none, as nobody looked" in ended.stdout
    told = json.loads((folder / "proved.json").read_text())
    assert (told["n_reviewed"], told["n_gold"], told["n_known"]) == (10, 30, 40)
    with (folder / "labels.csv").open() as file:
        labels = {row["id"]: row for row in csv.DictReader(file)}
    for i in range(30, 40):
        name = NAMES[TRUTH[i]]
        assert (labels[IDS[i]]["label"], float(labels[IDS[i]][f"p_{name}"])) == (name, 1.0)


@pytest.mark.parametrize("ending", [".tsv", ".parquet", ".jsonl"])
def test_other_kinds_of_files_say_the_same(folder: Path, run: Run, ending: str) -> None:
    path = review(folder, *ROWS, f"{IDS[50]},50,")
    write_table(read_table(path), path.with_suffix(ending))
    told = [run(*files(folder), "--reviewed", p, "--json", "-").stdout for p in (path, path.with_suffix(ending))]
    assert told[0] == told[1]


def test_ids_are_found_under_the_name_that_is_given(folder: Path, run: Run) -> None:
    for name in ("votes.csv", "gold.csv"):
        (folder / name).write_text("code" + (folder / name).read_text().removeprefix("id"))
    path = review(folder, *ROWS, header="code,rank,label")
    ended = run(*files(folder), "--id", "code", "--reviewed", path, "--json", "-")
    assert json.loads(ended.stdout)["n_reviewed"] == 10


def test_gold_with_the_same_label_is_fine(folder: Path, run: Run) -> None:
    path = review(folder, f"{IDS[0]},0,{NAMES[TRUTH[0]]}", *ROWS, ROWS[0])
    assert json.loads(run(*files(folder), "--reviewed", path, "--json", "-").stdout)["n_reviewed"] == 10


@pytest.mark.parametrize("votes", SOURCES)
@pytest.mark.parametrize(
    ("rows", "header", "said"),
    [
        ([f"{IDS[30]},0,spm"], "id,rank,label", "'spm' in row 0, counting from 0 (1 such labels). Is 'spam' meant?"),
        (["9999,0,spam"], "id,rank,label", "1 of 1 in"),
        ([f"{IDS[30]},0,spam", f"{IDS[30]},1,ham"], "id,rank,label", "gives '0030' two different ones (1 such rows)"),
        ([f"{IDS[0]},0,{NAMES[1 - TRUTH[0]]}"], "id,rank,label", "gold and reviewed labels of an item must be equal"),
        ([f"{IDS[30]},0,spam"], "id,rank,verdict", "must have a column 'label'"),
        ([f"{IDS[30]},0,spam"], "code,rank,label", "must have a column 'id'"),
        ([f"{IDS[30]},0,"], "id,rank,label", "at least one label must be filled in"),
    ],
)
def test_what_is_wrong_is_said(folder: Path, run: Run, rows: list[str], header: str, said: str, votes: str) -> None:
    path = review(folder, *rows, header=header)
    ended = run(*files(folder, votes), "--reviewed", path, "-o", folder / "labels.csv")
    assert ended.exit_code != 0
    assert said in " ".join(ended.output.split())
    assert not (folder / "labels.csv").exists()


def test_rows_of_a_large_review_are_found_by_whole_numbers_too(folder: Path, run: Run) -> None:
    """Ids of the files are whole numbers; those of a review in Parquet are, and in CSV they are texts."""
    for name in ("votes.csv", "gold.csv"):
        first, *rows = (folder / name).read_text().splitlines()
        (folder / name).write_text("\n".join([first, *(str(int(row[:4])) + row[4:] for row in rows)]) + "\n")
    path = review(folder, *(row[2:] for row in ROWS))
    write_table(read_table(path), path.with_suffix(".parquet"))
    for reviewed in (path, path.with_suffix(".parquet")):
        told = [json.loads(run(*files(folder, v), "--reviewed", reviewed, "--json", "-").stdout) for v in SOURCES]
        assert told[0] == told[1]
        assert told[0]["n_reviewed"] == 10
    strange = review(folder, *(row[2:] for row in ROWS), "030,0,ham", "x,0,spam")
    said = [" ".join(run(*files(folder, v), "--reviewed", strange).output.split()) for v in SOURCES]
    assert said[0] == said[1]
    assert "2 of 12 in" in said[0]
    assert "such as '030' in row 10, counting from 0 (items have ids such as '0')" in said[0]


def test_what_is_written_of_items_in_files_is_as_in_memory(folder: Path, run: Run) -> None:
    path = review(folder, *ROWS, f"{IDS[50]},50,", f"{IDS[0]},0,{NAMES[TRUTH[0]]}")
    tables: list[list[list[str]]] = []
    printed: list[list[str]] = []
    for source in SOURCES:
        ended = run(*files(folder, source), "--reviewed", path, "-o", folder / "labels.csv", "--overwrite")
        assert ended.exit_code == 0, ended.output
        with (folder / "labels.csv").open() as file:
            tables.append(sorted(csv.reader(file)))
        printed.append([line for line in ended.stdout.splitlines() if not line.startswith(("items stay", str(folder)))])
    assert tables[0] == tables[1]
    assert printed[0] == printed[1]


def test_files_are_asked_once_for_all_that_is_known(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    fetch = Items.fetch_rows

    def watched(self: Items, ids: Any) -> Any:
        asked.append(len(ids))
        return fetch(self, ids)

    monkeypatch.setattr(Items, "fetch_rows", watched)
    ended = run(*files(folder, SOURCES[1]), "--reviewed", review(folder, *ROWS), "-o", folder / "labels.csv")
    assert ended.exit_code == 0, ended.output
    assert asked == [30, 40]  # gold, to make the box; then gold and the review


def test_files_that_changed_since_they_were_read_are_refused(folder: Path) -> None:
    reading = tw.read_votes(folder / SOURCES[1], gold=folder / "gold.csv")
    path = review(folder, *ROWS)
    assert len(read_reviewed(path, reading).labels) == 10
    with (folder / "votes.csv").open("a") as file:
        file.write("9999,ham,ham,ham\n")
    with pytest.raises(tw.InvalidFileError, match="changed"):
        read_reviewed(path, reading)


def test_the_review_is_no_output_of_items_in_files(folder: Path, run: Run) -> None:
    path = review(folder, *ROWS)
    before = path.read_bytes()
    ended = run(*files(folder, SOURCES[1]), "--reviewed", path, "-o", path, "--overwrite")
    assert ended.exit_code == 2
    assert "the output must not be one of the inputs" in " ".join(ended.output.split())
    assert path.read_bytes() == before
