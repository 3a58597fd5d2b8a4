"""thumbwise draw: random items from a table without votes, filled in by hand or in Label Studio, come back as gold."""

import json
from pathlib import Path

import polars as pl
import pytest

from cli.rows import Run, make_rows


@pytest.fixture
def items(folder: Path) -> Path:
    ids, _, _ = make_rows()
    pl.DataFrame({"id": ids, "text": [f'he said "{i}", <b>\n' for i in ids], "length": range(60)}).write_csv(
        folder / "items.csv"
    )
    return folder / "items.csv"


def truth() -> dict[str, str]:
    ids, said, _ = make_rows()
    return dict(zip(ids, (("ham", "spam")[y] for y in said), strict=True))


def fill_in(path: Path, skip: int | None = None) -> None:
    frame = pl.read_csv(path, infer_schema_length=0)
    labels = [None if place == str(skip) else truth()[item] for item, place in frame.select("id", "draw").iter_rows()]
    frame.with_columns(pl.Series("label", labels)).write_csv(path)


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "jsonl"])
def test_items_of_every_kind_are_drawn_with_their_columns(items: Path, run: Run, ending: str) -> None:
    source, output = items.with_suffix(f".{ending}"), items.parent / f"to_label.{ending}"
    frame = pl.read_csv(items, infer_schema_length=0).with_columns(pl.col("length").cast(pl.Int64))
    if ending == "tsv":
        frame.write_csv(source, separator="\t")
    elif ending != "csv":
        getattr(frame, {"parquet": "write_parquet", "jsonl": "write_ndjson"}[ending])(source)
    answer = run("draw", source, "-n", "20", "--seed", "1", "-o", output)
    assert answer.exit_code == 0
    assert f"written: {output} (20 of 60 items drawn at random with seed 1, to be labeled)" in answer.stdout
    read = {"csv": pl.read_csv, "tsv": lambda p: pl.read_csv(p, separator="\t"), "parquet": pl.read_parquet}
    drawn = read.get(ending, pl.read_ndjson)(output)
    assert drawn.columns == ["id", "text", "length", "label", "draw", "design"]
    assert drawn["draw"].to_list() == list(range(1, 21))
    assert drawn["label"].null_count() == 20
    assert set(drawn["design"]) == {"random draw of 20 from 60 items without gold (seed 1)"}
    whole = dict(zip(frame["id"].cast(pl.Int64), frame["text"], strict=True))
    assert all(whole[int(item)] == text for item, text in zip(drawn["id"], drawn["text"], strict=True))


def test_the_filled_in_file_is_gold_with_its_design_in_every_command(items: Path, run: Run) -> None:
    votes, to_label = items.parent / "votes.csv", items.parent / "to_label.csv"
    run("draw", items, "-n", "20", "--seed", "1", "-o", to_label)
    fill_in(to_label)
    for command in (["label"], ["rate", "--of", "spam"], ["check"], ["plan"], ["compare"], ["judges"]):
        answer = run(command[0], votes, "--gold", to_label, *command[1:])
        assert answer.exit_code == (command[0] == "check"), answer.output  # 20 labels prove nothing, which is an error
        assert "gold was drawn at random by thumbwise (seed 1): 20 of 60 items, and all" in answer.stdout
    fill_in(to_label, skip=4)
    assert "No guarantee" in run("label", votes, "--gold", to_label).stdout


def test_there_and_back_through_label_studio(items: Path, run: Run) -> None:
    tasks, export = items.parent / "tasks.json", items.parent / "export.json"
    answer = run("draw", items, "-n", "20", "-o", tasks, "--format", "label-studio", "--columns", "text")
    assert answer.exit_code == 0
    assert "import it into Label Studio" in answer.stdout
    drawn = json.loads(tasks.read_text())
    assert set(drawn[0]["data"]) == {"id", "text", "draw", "design"}
    for one in drawn:
        choice = {"type": "choices", "from_name": "c", "value": {"choices": [truth()[one["data"]["id"]]]}}
        one |= {"id": 1, "annotations": [{"was_cancelled": False, "result": [choice]}], "predictions": []}
    export.write_text(json.dumps(drawn))
    said = run("label", items.parent / "votes.csv", "--gold", export).stdout
    assert "gold was drawn at random by thumbwise (seed 0): 20 of 60 items, and all of them have a label" in said
    assert "if the 20 gold items are a random sample of all 60 items" in said
    export.write_text(json.dumps(drawn[1:]))
    assert "No guarantee" in run("label", items.parent / "votes.csv", "--gold", export).stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-n", "61", "-o", "new.csv"], "61 for 60 such items"),
        (["-n", "0", "-o", "new.csv"], "1 or more"),
        (["-n", "5", "-o", "new.csv", "--seed", "-1"], "seed must be 0 or more"),
        (["-n", "5", "-o", "new.txt"], "must end in one of"),
        (["-n", "5", "-o", "items.csv"], "it is there already"),
        (["-n", "5", "-o", "there.json"], "it is there already"),
        (["-n", "5", "-o", "nowhere/new.csv"], "does not exist"),
        (["-n", "5", "-o", "new.csv", "--id", "key"], "must have a column 'key'"),
        (["-n", "5", "-o", "new.csv", "--columns", "text,key"], "must have a column 'key'"),
        (["-n", "5", "-o", "new.csv", "--id", "text2"], "must have a column 'text2'"),
        (["-n", "5", "-o", "new.csv", "--format", "label-studio"], "are a .json file"),
        (["-n", "5", "-o", "new.json", "--format", "table"], "are a .json file"),
    ],
)
def test_bad_draws_are_one_message_and_no_file(
    items: Path, run: Run, monkeypatch: pytest.MonkeyPatch, options: list[str], message: str
) -> None:
    monkeypatch.chdir(items.parent)
    Path("there.json").write_text("labels")
    before = sorted(items.parent.iterdir())
    answer = run("draw", "items.csv", *options)
    assert answer.exit_code == 2
    assert message in answer.stderr
    assert answer.stderr.count("\n") == 1
    assert sorted(items.parent.iterdir()) == before


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("name,text\na,b\n", "must have a column of ids"),
        ("id,text\na,b\na,c\n", "ids must be unique"),
        ("id,text\na,b\n,c\n", "must have an id"),
        ("id,label\na,b\n", "--columns"),
        ("id,Draw\na,b\n", "'Draw' and 'draw'"),
        ("id,text\n", "1 for 0 such items"),
    ],
)
def test_items_that_cannot_be_drawn_from(folder: Path, run: Run, content: str, message: str) -> None:
    (folder / "bad.csv").write_text(content)
    answer = run("draw", folder / "bad.csv", "-n", "1", "-o", folder / "new.csv")
    assert answer.exit_code == 2
    assert message in answer.stderr
    assert not (folder / "new.csv").exists()


def test_a_clash_of_names_is_mended_by_choosing_columns(folder: Path, run: Run) -> None:
    (folder / "more.csv").write_text("id,label,text\na,b,c\n")
    assert run("draw", folder / "more.csv", "-n", "1", "-o", folder / "new.csv", "--columns", "text").exit_code == 0
    assert (folder / "new.csv").read_text().startswith("id,text,label,draw,design\na,c,,1,")
