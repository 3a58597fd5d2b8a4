"""The labels that are written are those of the model, with ids and other columns as they came."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import thumbwise as tw
from cli.rows import Run, make_rows
from thumbwise.tables.table_files import read_table


def expected() -> tuple[tw.Votes, tw.BalsubramaniFreund]:
    ids, truth, array = make_rows()
    votes = tw.Votes(array, class_names=["ham", "spam"], rule_names=["caps", "links", "length"], item_ids=ids)
    box = tw.Box.from_gold(votes.take(range(30)), truth[:30], pool=votes, gold_is="subset")
    return votes, tw.BalsubramaniFreund().fit(votes, box=box)


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "jsonl"])
def test_labels_are_those_of_the_model(folder: Path, run: Run, ending: str) -> None:
    output = folder / f"labels.{ending}"
    answer = run("label", folder / "votes.csv", "--gold", folder / "gold.csv", "-o", output)
    assert answer.exit_code == 0
    assert answer.stderr == ""
    votes, model = expected()
    table = read_table(output)
    assert table.names == ("id", "label", "p_ham", "p_spam", "margin", "entropy", "n_votes")
    assert table.columns["id"].tolist() == make_rows()[0]
    assert table.columns["label"].tolist() == model.predict(votes).tolist()
    written = np.column_stack([table.columns[name].data.astype(float) for name in ("p_ham", "p_spam")])
    np.testing.assert_array_equal(written, model.predict_proba(votes))
    assert table.columns["n_votes"].tolist() == (votes.array >= 0).sum(axis=1).tolist()
    assert str(model.certificate_) in answer.stdout
    assert f"written: {output} (60 rows, 7 columns)" in answer.stdout


@pytest.mark.parametrize("ending", ["tsv", "parquet", "jsonl"])
def test_input_of_every_kind_gives_the_same_labels(folder: Path, run: Run, ending: str) -> None:
    from thumbwise.tables.table_files import write_table

    for name in ("votes", "gold"):
        write_table(read_table(folder / f"{name}.csv"), folder / f"{name}.{ending}")
    run("label", folder / "votes.csv", "--gold", folder / "gold.csv", "-o", folder / "a.csv")
    run("label", folder / f"votes.{ending}", "--gold", folder / f"gold.{ending}", "-o", folder / "b.csv")
    assert (folder / "a.csv").read_bytes() == (folder / "b.csv").read_bytes()


def test_the_same_votes_as_numbers_have_the_same_probabilities(folder: Path, run: Run) -> None:
    for name in ("votes", "gold"):
        text = (folder / f"{name}.csv").read_text().replace("ham", "0").replace("spam", "1").replace("s0", "1")
        (folder / f"n{name}.csv").write_text(text)
    run("label", folder / "votes.csv", "--gold", folder / "gold.csv", "-o", folder / "a.csv")
    answer = run("label", folder / "nvotes.csv", "--gold", folder / "ngold.csv", "-o", folder / "b.csv")
    assert answer.exit_code == 0
    by_name, by_number = read_table(folder / "a.csv"), read_table(folder / "b.csv")
    assert by_number.names == ("id", "label", "p_0", "p_1", "margin", "entropy", "n_votes")
    assert by_number.columns["p_1"].tolist() == by_name.columns["p_spam"].tolist()
    assert [("ham", "spam")[c] for c in by_number.columns["label"]] == by_name.columns["label"].tolist()


def test_classes_give_numbers_their_names(folder: Path, run: Run) -> None:
    text = (folder / "votes.csv").read_text().replace("spam", "1.0").replace("ham", "0.0")
    (folder / "nvotes.csv").write_text(text)
    run("label", folder / "votes.csv", "--gold", folder / "gold.csv", "-o", folder / "a.csv")
    run("label", folder / "nvotes.csv", "--gold", folder / "gold.csv", "--classes", "ham,spam", "-o", folder / "b.csv")
    assert (folder / "a.csv").read_bytes() == (folder / "b.csv").read_bytes()


def test_classes_called_1_and_2_are_names_and_not_positions(folder: Path, run: Run) -> None:
    for name in ("votes", "gold"):
        text = (folder / f"{name}.csv").read_text().replace("spam", "2").replace("ham", "1")
        (folder / f"n{name}.csv").write_text(text.replace(",,", ",-1,"))
    run("label", folder / "votes.csv", "--gold", folder / "gold.csv", "-o", folder / "a.csv")
    answer = run(
        "label", folder / "nvotes.csv", "--gold", folder / "ngold.csv", "--classes", "1,2", "-o", folder / "b.csv"
    )
    assert answer.exit_code == 0
    names = {1: "ham", 2: "spam"}
    a, b = read_table(folder / "a.csv"), read_table(folder / "b.csv")
    assert b.names == ("id", "label", "p_1", "p_2", "margin", "entropy", "n_votes")
    assert [names[c] for c in b.columns["label"]] == a.columns["label"].tolist()
    assert b.columns["p_2"].tolist() == a.columns["p_spam"].tolist()


def test_ignored_columns_pass_untouched(folder: Path, run: Run) -> None:
    lines = (folder / "votes.csv").read_text().splitlines()
    notes = ["note", *(f'" 0{i}, ""quoted"" [red]é😀"' for i in range(60))]
    (folder / "votes.csv").write_text("\n".join(f"{line},{note}" for line, note in zip(lines, notes, strict=True)))
    run("label", folder / "votes.csv", "--gold", folder / "gold.csv", "--ignore", "note", "-o", folder / "labels.csv")
    with (folder / "labels.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["note"] for row in rows] == [f' 0{i}, "quoted" [red]é😀' for i in range(60)]
    assert list(rows[0])[-2:] == ["n_votes", "note"]


def test_gold_as_a_column_without_ids(folder: Path, run: Run) -> None:
    _, truth, array = make_rows()
    with (folder / "votes.jsonl").open("w") as file:
        for i, vote in enumerate(array.tolist()):
            row = {f"rule {j}": v for j, v in enumerate(vote)} | ({"y": int(truth[i])} if i < 30 else {})
            file.write(json.dumps(row) + "\n")
    answer = run("label", folder / "votes.jsonl", "--gold-column", "y", "-o", folder / "labels.parquet")
    assert answer.exit_code == 0
    assert "no column of ids: items are numbered from 0" in answer.stdout
    assert "gold: 30 items with a known class" in answer.stdout
    table = read_table(folder / "labels.parquet")
    assert table.names == ("item", "label", "p_0", "p_1", "margin", "entropy", "n_votes")
    assert table.columns["item"].tolist() == list(range(60))
    votes, model = expected()
    np.testing.assert_allclose(table.columns["p_1"].data, model.predict_proba(votes)[:, 1], atol=1e-12)


def test_ids_that_are_big_integers_match_across_kinds_of_file(folder: Path, run: Run) -> None:
    big = [2**62 + i for i in range(60)]
    lines = (folder / "votes.csv").read_text().splitlines()
    rows = [f"{i},{line.partition(',')[2]}" for i, line in zip(big, lines[1:], strict=True)]
    (folder / "votes.csv").write_text("\n".join([lines[0], *rows]))
    gold = (folder / "gold.csv").read_text().splitlines()[1:]
    with (folder / "gold.jsonl").open("w") as file:
        for i, line in zip(big, gold, strict=False):
            file.write(json.dumps({"id": str(i), "label": line.partition(",")[2]}) + "\n")
    answer = run("label", folder / "votes.csv", "--gold", folder / "gold.jsonl", "-o", folder / "labels.jsonl")
    assert answer.exit_code == 0
    assert read_table(folder / "labels.jsonl").columns["id"].tolist() == big


def test_abstain_mark(folder: Path, run: Run) -> None:
    run("label", folder / "votes.csv", "--gold", folder / "gold.csv", "-o", folder / "a.csv")
    rows = [line.split(",") for line in (folder / "votes.csv").read_text().splitlines()]
    (folder / "m.csv").write_text("\n".join(",".join(cell or "?" for cell in row) for row in rows))
    answer = run("label", folder / "m.csv", "--gold", folder / "gold.csv", "--abstain", "?", "-o", folder / "b.csv")
    assert answer.exit_code == 0
    assert "votes: empty or '?' = abstain" in answer.stdout
    assert (folder / "a.csv").read_bytes() == (folder / "b.csv").read_bytes()


def test_an_unnamed_id_column_is_written_as_item(folder: Path, run: Run) -> None:
    for name in ("votes", "gold"):
        (folder / f"{name}.csv").write_text((folder / f"{name}.csv").read_text()[2:])
    answer = run("label", folder / "votes.csv", "--gold", folder / "gold.csv", "-o", folder / "labels.csv")
    assert answer.exit_code == 0
    assert read_table(folder / "labels.csv").columns["item"].tolist() == make_rows()[0]


def test_an_old_output_is_replaced(folder: Path, run: Run) -> None:
    (folder / "labels.csv").write_text("id,label,p_0,p_1,margin,entropy,n_votes\n")
    before = sorted(folder.iterdir())
    assert run("label", folder / "votes.csv", "--gold", folder / "gold.csv", "-o", folder / "labels.csv").exit_code == 0
    assert len(read_table(folder / "labels.csv").columns["id"]) == 60
    assert sorted(folder.iterdir()) == before


def test_without_output_nothing_is_written(folder: Path, run: Run) -> None:
    before = sorted(folder.iterdir())
    answer = run("label", folder / "votes.csv", "--gold", folder / "gold.csv")
    assert answer.exit_code == 0
    assert "written" not in answer.stdout
    assert sorted(folder.iterdir()) == before
