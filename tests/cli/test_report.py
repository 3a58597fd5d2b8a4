"""thumbwise report: one page from the files that label takes."""

from pathlib import Path

import pytest

from cli.rows import Run


def test_the_page_says_what_label_says(folder: Path, run: Run) -> None:
    answer = run("report", folder / "votes.csv", "--gold", folder / "gold.csv", "-o", folder / "report.html")
    assert answer.exit_code == 0, answer.stderr
    page = (folder / "report.html").read_text(encoding="utf-8")
    labels = run("label", folder / "votes.csv", "--gold", folder / "gold.csv")
    certificate = next(line for line in labels.stdout.splitlines() if line.startswith("With 95 %"))
    assert certificate in page
    assert all(name in page for name in ("caps", "links", "length"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "report.pdf"], "html"),
        (["-o", "nowhere/report.html"], "nowhere"),
        (["-o", "r.html", "--id", "x"], "'x'"),
    ],
)
def test_bad_input(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch, options: list[str], message: str) -> None:
    monkeypatch.chdir(folder)
    before = sorted(folder.iterdir())
    answer = run("report", "votes.csv", "--gold", "gold.csv", *options)
    assert answer.exit_code == 2
    assert message in answer.stderr
    assert sorted(folder.iterdir()) == before
