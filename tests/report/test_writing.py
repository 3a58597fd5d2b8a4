"""A report is written whole or not at all; what is wrong is said before anything is computed."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thumbwise as tw
from cli.rows import make_rows
from report.problems import tiny_model, tiny_reading
from thumbwise.cli.report import report_files
from thumbwise.display.report import writing
from thumbwise.display.report.writing import write_report
from thumbwise.exceptions import (
    InvalidChoiceError,
    InvalidFileError,
    InvalidLabelsError,
    InvalidVotesError,
    MissingPackageError,
)
from thumbwise.io.roles import Roles


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    paths = [write_report(tiny_reading(), tmp_path / name, model=tiny_model()) for name in ("a.html", "b.html")]
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "b.html"]


def test_after_an_error_the_older_file_is_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "r.html"
    target.write_text("older")

    def fail(_: Path, content: bytes) -> int:
        raise OSError("no space left")

    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(InvalidFileError, match="cannot be written: no space"):
        write_report(tiny_reading(), target, model=tiny_model(), overwrite=True)
    assert target.read_text() == "older"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize(
    ("name", "said"), [("r.pdf", "must end in .html"), ("no/r.html", "does not exist"), ("d.html", "is a folder")]
)
def test_a_path_that_will_not_do_is_said_first(
    tmp_path: Path, name: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "d.html").mkdir()
    monkeypatch.setattr(writing, "gather", None)  # nothing is computed
    with pytest.raises(InvalidFileError, match=said):
        write_report(tiny_reading(), tmp_path / name, model=tiny_model())


def test_without_jinja_the_error_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "jinja2":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingPackageError, match=r"pip install 'thumbwise\[report\]'"):
        write_report(tiny_reading(), tmp_path / "r.html", model=tiny_model())


def test_votes_and_labels_do_without_a_reading(tmp_path: Path) -> None:
    reading = tiny_reading()
    names = np.array(["ham", "spam", None], dtype=object)[reading.gold]
    one = write_report(reading, tmp_path / "a.html", model=tiny_model())
    other = write_report(reading.votes, tmp_path / "b.html", y=names, model=tiny_model())
    assert one.read_bytes() == other.read_bytes()


def test_labels_are_needed_once(tmp_path: Path) -> None:
    with pytest.raises(InvalidLabelsError, match="needs gold labels"):
        write_report(tiny_reading().votes, tmp_path / "r.html")
    with pytest.raises(InvalidLabelsError, match="one place"):
        write_report(tiny_reading(), tmp_path / "r.html", y=[0])


def test_only_votes_and_a_model_that_was_fitted_to_them_will_do(tmp_path: Path) -> None:
    path, votes = tmp_path / "r.html", tiny_reading().votes
    with pytest.raises(InvalidVotesError, match="two-dimensional"):
        write_report([0, 1], path)
    with pytest.raises(InvalidChoiceError, match="not fitted"):
        write_report(tiny_reading(), path, model=tw.BalsubramaniFreund())
    with pytest.raises(InvalidChoiceError, match="found MajorityVote"):
        write_report(tiny_reading(), path, model=tw.MajorityVote().fit(votes))
    other = tw.Reading(votes.take(range(100)), tiny_reading().gold[:100])
    with pytest.raises(InvalidVotesError, match="150 items and 3 rules, and these are 100 items"):
        write_report(other, path, model=tiny_model())


def write_rows(folder: Path) -> None:
    ids, truth, votes = make_rows()
    rows = [
        ",".join([i, "" if i != "0040" else "<b>", *("" if v < 0 else str(v) for v in vote)])
        for i, vote in zip(ids, votes, strict=True)
    ]
    (folder / "votes.csv").write_text("\n".join(["id,text,caps,links,length", *rows]) + "\n")
    labels = [f"{i},{y}" for i, y in zip(ids[:30], truth[:30], strict=True)]
    (folder / "gold.csv").write_text("\n".join(["id,label", *labels]) + "\n")


def test_the_command_reads_fits_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_rows(tmp_path)
    roles = Roles(ignore=("text",))
    report_files(tmp_path / "votes.csv", tmp_path / "gold.csv", tmp_path / "r.html", roles)
    said = capsys.readouterr().out
    page = (tmp_path / "r.html").read_text()
    assert "of these 60 items without a gold label" in said
    assert "written: " in said
    assert "Report on votes.csv" in page
    assert "&lt;b&gt;" in page


def test_the_command_does_not_write_over_its_input(tmp_path: Path) -> None:
    with pytest.raises(InvalidFileError, match="must not be one of the inputs"):
        report_files(tmp_path / "v.html", None, tmp_path / "v.html", Roles())
