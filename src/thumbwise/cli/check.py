"""thumbwise check: what is wrong with rules, gold and fit, as a table and as an exit code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from thumbwise.assess.check_rules.findings import Checks
from thumbwise.assess.checks import check
from thumbwise.cli import console as printed
from thumbwise.cli.console import progress, stdout, visible
from thumbwise.cli.json_output import check_json, deliver, print_delivered
from thumbwise.cli.progress import while_reading
from thumbwise.cli.wording import in_command_words
from thumbwise.io.roles import Roles
from thumbwise.io.sampled_gold import read_sampled


def check_files(
    votes: Path,
    gold: Path | None,
    roles: Roles,
    *,
    confidence: float = 0.95,
    strict: bool = False,
    skip: Sequence[str] = (),
    json: str | None = None,
    overwrite: bool = False,
) -> int:
    """Read votes and gold, print what is wrong; return 1 on errors, if strict also on warnings, and 0 otherwise."""
    check_json(json, inputs=(votes, gold), overwrite=overwrite)
    with while_reading():
        reading = read_sampled(votes, gold, roles)
    with progress("checking"):
        checks = check(reading, confidence_level=confidence, skip=skip)
    deliver(as_content(checks), json, overwrite)
    console = stdout()
    printed.print_understood(console, str(votes), reading, roles.abstain)
    console.print()
    if checks.classes is not None:
        printed.print_labels(console, checks.classes)
    print_checks(console, checks)
    print_delivered(json)
    return int(checks.has_errors or (strict and checks.has_warnings))


def as_content(checks: Checks) -> dict[str, Any]:
    """What was found, under the keys that other programs may rely on."""
    findings = [asdict(finding) for finding in checks]
    for finding, words in zip(findings, checks, strict=True):
        finding["explanation"] = in_command_words(words.explanation)
        finding["advice"] = in_command_words(words.advice, of="label")
    return {
        "findings": findings,
        "has_errors": checks.has_errors,
        "has_warnings": checks.has_warnings,
        "skipped": {code: in_command_words(why) for code, why in checks.skipped.items()},
        "error": checks.error,
        "sentence": checks.summary,
    }


def print_checks(console: Console, checks: Checks) -> None:
    """A table of codes, then each finding in words, then what was not looked at."""
    if len(checks):
        rows = ([finding.code, finding.severity, finding.title] for finding in checks)
        printed.print_table(console, "Findings", ["code", "severity", "what"], rows, left=(0, 2))
    for finding in checks:
        console.print(Text.assemble((finding.code, "bold"), " ", visible(in_command_words(finding.explanation))))
        console.print(Text(f"  {visible(in_command_words(finding.advice, of='label'))} ({finding.anchor})"))
    for why in dict.fromkeys(checks.skipped.values()):
        codes = ", ".join(code for code, reason in checks.skipped.items() if reason == why)
        console.print(Text(f"not checked ({visible(why)}): {codes}"))
    if checks.false_alarms is not None:
        console.print(Text(f"({checks.false_alarms})"))
    console.print(Text(checks.summary, style="bold"))
