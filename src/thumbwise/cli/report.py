"""thumbwise report: read votes and gold, fit, and write one HTML page about it."""

from __future__ import annotations

from pathlib import Path

from rich.text import Text

from thumbwise.assess.baselines import REFERENCE
from thumbwise.assess.checks import check
from thumbwise.cli.console import print_understood, progress, stdout, visible
from thumbwise.cli.json_output import check_json, deliver, print_delivered
from thumbwise.cli.label import DEFAULTS, FitChoices, fit, read
from thumbwise.cli.right_labels import as_json, sentences
from thumbwise.display.report.page import load_jinja
from thumbwise.display.report.writing import check_report_path, write_report
from thumbwise.io.roles import Roles


def report_files(
    votes: Path,
    gold: Path | None,
    output: Path,
    roles: Roles,
    choices: FitChoices = DEFAULTS,
    *,
    title: str | None = None,
    overwrite: bool = False,
    json: str | None = None,
) -> None:
    """Label the items of a file and write a page about what was found."""
    check_json(json, inputs=(votes, gold, output), overwrite=overwrite)
    target = check_report_path(output, inputs=(votes, gold), overwrite=overwrite)
    load_jinja()  # what is missing is said before anything is computed
    reading = read(votes, gold, roles)
    model = fit(reading, choices)
    with progress("writing the report"):
        findings = check(reading, model=model)
        title = title or f"Report on {votes.name}"
        write_report(reading, target, model=model, findings=findings, title=title, overwrite=overwrite)
    if json is not None:
        deliver({**as_json(reading, model, REFERENCE.name), "output": str(output)}, json, overwrite)
    console = stdout()
    console.print(Text(sentences(model.certificate_), style="bold"))
    print_understood(console, str(votes), reading, roles.abstain)
    console.print(f"written: {visible(output)} ({target.stat().st_size / 1e3:,.0f} kB)")
    print_delivered(json)
