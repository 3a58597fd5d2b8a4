"""The command line takes what people have: long tables, judges, WRENCH folders, .mat files, other codings."""

import json
from pathlib import Path

import numpy as np
import pytest
import scipy.io

import thumbwise as tw
from cli.rows import Run, make_rows
from thumbwise.tables.table_files import read_table

NAMES = np.array(["ham", "spam"])


def wide_probabilities(folder: Path, run: Run) -> dict[str, float]:
    answer = run("label", folder / "votes.csv", "--gold", folder / "gold.csv", "-o", folder / "wide.csv")
    assert answer.exit_code == 0
    return probabilities(folder / "wide.csv", "id")


def probabilities(path: Path, id_name: str, column: str = "p_spam") -> dict[str, float]:
    table = read_table(path)
    values = table.columns[column].astype(float).tolist()
    return dict(zip(table.columns[id_name].tolist(), values, strict=True))


def test_a_long_table_gives_the_same_probabilities(folder: Path, run: Run) -> None:
    ids, _, votes = make_rows()
    rules = ["caps", "links", "length"]
    rows = [
        f"{i},{rules[j]},{'' if v < 0 else NAMES[v]}"
        for i, row in zip(ids, votes, strict=True)
        for j, v in enumerate(row)
    ]
    (folder / "long.csv").write_text("\n".join(["task,worker,label", *rows]))
    answer = run("label", folder / "long.csv", "--gold", folder / "gold.csv", "-o", folder / "labels.csv")
    assert answer.exit_code == 0, answer.stderr
    assert "a row per vote, by the columns 'task', 'worker' and 'label'" in answer.stdout
    expected, found = wide_probabilities(folder, run), probabilities(folder / "labels.csv", "task")
    assert found == pytest.approx(expected, abs=1e-9)


def test_records_of_judges_show_who_failed(folder: Path, run: Run) -> None:
    ids, _, votes = make_rows()
    records = [
        {"item": i, "judge": f"[b]judge{j}", "verdict": None if v < 0 else str(NAMES[v])}
        | ({"status": "failed", "error": "timeout"} if v < 0 and j == 0 else {})
        for i, row in zip(ids, votes, strict=True)
        for j, v in enumerate(row)
    ]
    (folder / "jury.jsonl").write_text("\n".join(map(json.dumps, records)))
    arguments = ("label", folder / "jury.jsonl", "--gold", folder / "gold.csv", "-o", folder / "labels.csv")
    answer = run(*arguments)
    assert answer.exit_code == 2
    assert "--null-verdict" in answer.stderr
    answer = run(*arguments, "--null-verdict", "abstained")
    assert answer.exit_code == 0, answer.stderr
    n_failed, n_voted = int((votes[:, 0] < 0).sum()), int((votes[:, 0] >= 0).sum())
    line = next(line for line in answer.stdout.splitlines() if line.strip().startswith("[b]judge0"))
    assert line.split() == ["[b]judge0", str(n_voted), "0", str(n_failed), "0"]
    assert probabilities(folder / "labels.csv", "item") == pytest.approx(wide_probabilities(folder, run), abs=1e-9)


def test_codes(folder: Path, run: Run) -> None:
    text = (folder / "votes.csv").read_text()
    coded = text.replace(",,", ",0,").replace(",,", ",0,").replace(",\n", ",0\n").replace("spam", "1")
    (folder / "coded.csv").write_text(coded.replace("ham", "-1"))
    answer = run("label", folder / "coded.csv", "--gold", folder / "gold.csv", "-o", folder / "labels.csv",
                 "--codes", "-1=ham,1=spam,0=")  # fmt: skip
    assert answer.exit_code == 0, answer.stderr
    assert probabilities(folder / "labels.csv", "id") == wide_probabilities(folder, run)
    answer = run("label", folder / "coded.csv", "--gold", folder / "gold.csv", "--codes", "-1=ham,1")
    assert answer.exit_code == 2
    assert "found '1' without =" in answer.stderr


def test_a_mat_file_and_a_wrench_folder(tmp_path: Path, run: Run) -> None:
    _, truth, votes = make_rows(200)
    pool, gold, y = votes[:120], votes[120:], truth[120:]
    scipy.io.savemat(tmp_path / "d.mat", {"train_pred": pool, "val_pred": gold, "validation_labels": y[None]})
    for part, rows, labels in (("train", pool, truth[:120]), ("valid", gold, y), ("test", gold, y)):
        items = {str(i): {"label": int(c), "weak_labels": v.tolist()} for i, (v, c) in enumerate(zip(rows, labels))}  # noqa: B905
        (tmp_path / f"{part}.json").write_text(json.dumps(items))
    (tmp_path / "label.json").write_text('{"0": "ham", "1": "spam"}')
    expected = tw.Votes(pool)
    box = tw.Box.from_gold(tw.Votes(gold), y, pool=expected, gold_is="separate")
    model = tw.BalsubramaniFreund().fit(expected, box=box)
    for source, column in ((tmp_path / "d.mat", "p_1"), (tmp_path, "p_spam")):
        output = tmp_path.with_name(f"{tmp_path.name}.csv")  # beside the folder: an output lies in no input
        answer = run("label", source, "-o", output)
        assert answer.exit_code == 0, answer.stderr
        assert "80 items with a known class, taken as a random sample of items of the same kind" in answer.stdout
        assert str(model.certificate_) in answer.stdout
        found = probabilities(output, "item" if source.suffix else "id", column)
        assert list(found.values()) == pytest.approx(model.predict_proba(expected)[:, 1].tolist(), abs=1e-9)


@pytest.mark.parametrize("command", ["plan", "compare"])
def test_other_commands_take_other_layouts_too(tmp_path: Path, run: Run, command: str) -> None:
    _, truth, votes = make_rows(200)
    parts = {"train_pred": votes[:120], "val_pred": votes[120:], "validation_labels": truth[None, 120:]}
    scipy.io.savemat(tmp_path / "d.mat", parts)
    answer = run(command, tmp_path / "d.mat")
    assert answer.exit_code == 0, answer.stderr


@pytest.mark.parametrize(
    ("shape", "header"),
    [("crowd-kit", "task,agg_label,ham,spam"), ("snorkel", "id,pred,prob_0,prob_1")],
)
def test_shapes(folder: Path, run: Run, shape: str, header: str) -> None:
    output = folder / "labels.csv"
    answer = run("label", folder / "votes.csv", "--gold", folder / "gold.csv", "-o", output, "--shape", shape)
    assert answer.exit_code == 0, answer.stderr
    assert output.read_text().splitlines()[0] == header
