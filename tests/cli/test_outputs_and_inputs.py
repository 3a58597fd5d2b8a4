"""No command touches its inputs or loses a file that it did not write."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from cli.processes import make_home
from cli.rows import Run


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = make_home(tmp_path / "home", 2000)
    (home / "data" / "2023").mkdir(parents=True)
    (home / "data" / "2024").mkdir()
    os.link(home / "votes" / "0.parquet", home / "data" / "2023" / "0.parquet")
    os.link(home / "votes" / "1.parquet", home / "data" / "2024" / "1.parquet")
    (home / "mine").mkdir()
    (home / "mine" / "precious.parquet").write_bytes(b"hand-made")
    (home / "hand_made").write_text("hand-made")
    (home / "hand_made.csv").write_text("id,label\n7,1\n")
    (home / "hand_made.html").write_text("<p>mine</p>")
    (home / "folder.csv").mkdir()
    os.mkfifo(home / "pipe")
    (home / "soft.parquet").symlink_to(home / "votes" / "0.parquet")
    monkeypatch.chdir(home)
    return home


def snapshot(home: Path) -> dict[str, str]:
    """Every file by its content, every folder by its mode."""
    return {
        str(path.relative_to(home)): hashlib.sha256(path.read_bytes()).hexdigest()
        if path.is_file()
        else oct(path.stat().st_mode)
        for path in home.rglob("*")
    }


@pytest.mark.parametrize(
    ("source", "output", "message"),
    [
        ("votes/*.parquet", "votes/0.parquet", "is a file of votes"),
        ("votes", "votes/0.parquet", "lies in votes"),
        ("votes", "votes/labels", "lies in votes"),
        ("data/*/*.parquet", "data/2024", "holds files of data"),
        ("data/*/*.parquet", "data/new", "would be found by data"),
        ("votes/*.parquet", "votes/new.parquet", "would be found by votes"),
        ("votes/*.parquet", "data/2023/0.parquet", "is a file of votes"),
        ("votes/*.parquet", "soft.parquet", "is a file of votes"),
        ("votes/*.parquet", ".", "holds files of votes"),
        ("votes/*.parquet", "gold.csv", "is gold.csv"),
        ("votes/*.parquet", "mine", "'precious.parquet', which is something else"),
        ("votes/*.parquet", "hand_made", "it is a file without such an ending"),
        ("votes/*.parquet", "pipe", "it is a file without such an ending"),
        ("votes/*.parquet", "folder.csv", "it is a folder"),
        ("votes/*.parquet", "hand_made.csv", "or pass --overwrite"),
        ("votes.csv", "votes.csv", "is votes.csv"),
        ("votes.csv", "gold.csv", "is gold.csv"),
        ("votes.csv", "hand_made.csv", "or pass --overwrite"),
    ],
)
def test_labels_that_would_destroy_something(home: Path, run: Run, source: str, output: str, message: str) -> None:
    before = snapshot(home)
    answer = run("label", source, "--gold", "gold.csv", "-o", output)
    assert answer.exit_code == 2
    assert message in answer.stderr
    assert "overwrite=" not in answer.stderr
    assert snapshot(home) == before


@pytest.mark.parametrize("output", ["votes/0.parquet", "mine", "hand_made"])
def test_overwrite_is_for_files_that_are_no_inputs(home: Path, run: Run, output: str) -> None:
    before = snapshot(home)
    answer = run("label", "votes/*.parquet", "--gold", "gold.csv", "-o", output, "--overwrite")
    assert answer.exit_code == 2
    assert snapshot(home) == before


@pytest.mark.parametrize("source", ["votes/*.parquet", "votes.csv"])
def test_overwrite_replaces_a_file(home: Path, run: Run, source: str) -> None:
    answer = run("label", source, "--gold", "gold.csv", "-o", "hand_made.csv", "--overwrite")
    assert answer.exit_code == 0, answer.stderr
    assert (home / "hand_made.csv").read_text().startswith("id,label,p_0,p_1,margin,entropy,n_votes\n")


def test_the_same_command_again_is_painless(home: Path, run: Run) -> None:
    (home / "labels").mkdir(mode=0o700)
    for output in ("labels", "labels.parquet", "labels.csv", "labels", "labels.parquet", "labels.csv"):
        answer = run("label", "votes/*.parquet", "--gold", "gold.csv", "-o", output)
        assert answer.exit_code == 0, answer.stderr
    assert oct((home / "labels").stat().st_mode & 0o777) == "0o700"
    (home / "labels" / "notes.txt").write_text("mine")
    before = snapshot(home)
    assert run("label", "votes/*.parquet", "--gold", "gold.csv", "-o", "labels").exit_code == 2
    assert snapshot(home) == before


def test_a_report_replaces_reports_only(home: Path, run: Run) -> None:
    before = snapshot(home)
    for output in ("hand_made.html", "votes.csv"):
        assert run("report", "votes.csv", "--gold", "gold.csv", "-o", output).exit_code == 2
    assert snapshot(home) == before
    for _ in range(2):
        assert run("report", "votes.csv", "--gold", "gold.csv", "-o", "report.html").exit_code == 0
    assert run("report", "votes.csv", "--gold", "gold.csv", "-o", "hand_made.html", "--overwrite").exit_code == 0


def test_a_demo_replaces_nothing_unasked(home: Path, run: Run) -> None:
    before = snapshot(home)
    answer = run("demo", "--write", ".")
    assert answer.exit_code == 2
    assert "votes.csv must not exist yet" in answer.stderr
    assert snapshot(home) == before
    assert run("demo", "--write", ".", "--overwrite").exit_code == 0
    assert (home / "gold.csv").read_text().startswith("id,label\n")


def test_reproduced_results_go_into_a_folder_of_their_own(home: Path, run: Run) -> None:
    (home / "mine" / "datasets.csv").write_text("hand-made")
    before = snapshot(home)
    answer = run("reproduce", "tables", "--quick", "-o", "mine")
    assert answer.exit_code == 2
    assert "mine must be a new folder, an empty one, or that of an earlier run" in answer.stderr
    assert snapshot(home) == before


@pytest.mark.parametrize("step", ["labels_elsewhere._copy", "elsewhere.settle_classes"])
@pytest.mark.parametrize("output", ["labels", "labels.csv"])
def test_a_file_that_changes_while_it_stays_in_its_place(
    home: Path, run: Run, monkeypatch: pytest.MonkeyPatch, output: str, step: str
) -> None:
    """While labels are written, or while patterns are counted; then nothing is fitted."""
    from thumbwise.cli import label
    from thumbwise.io import elsewhere, labels_elsewhere

    name, function = step.split(".")
    module = {"elsewhere": elsewhere, "labels_elsewhere": labels_elsewhere}[name]
    do = getattr(module, function)

    def change_after(*given: object) -> object:
        answer = do(*given)
        os.utime(home / "votes" / "2.parquet", ns=(1, 1))
        return answer

    monkeypatch.setattr(module, function, change_after)
    if function == "settle_classes":
        monkeypatch.setattr(label, "fit", None)
    answer = run("label", "votes/*.parquet", "--gold", "gold.csv", "-o", output)
    assert answer.exit_code == 2
    assert "2.parquet was replaced or written to meanwhile" in answer.stderr
    assert not (home / output).exists()
