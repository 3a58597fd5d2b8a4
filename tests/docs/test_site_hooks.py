"""Links that leave the documentation, and Sphinx roles, become plain names; examples can be copied; all else stays."""

from __future__ import annotations

import importlib.util
from types import SimpleNamespace

import pytest

from docs.pages import DOCS

_SPEC = importlib.util.spec_from_file_location("site_hooks", DOCS / "site_hooks.py")
assert _SPEC is not None and _SPEC.loader is not None
HOOKS = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(HOOKS)


@pytest.mark.parametrize(
    ("page", "written", "shown"),
    [
        ("coverage.md", "see [the studies](../studies/README.md).", "see `studies/README.md`."),
        ("migrating/index.md", "[how](../../CONTRIBUTING.md)", "`CONTRIBUTING.md`"),
        ("coverage.md", "[theory](theory.md)", "[theory](theory.md)"),
        ("coverage.md", "[bounds](theory.md#bounds)", "[bounds](theory.md#bounds)"),
        ("coverage.md", "![picture](../README.md)", "![picture](../README.md)"),
        ("coverage.md", "[typo](../studies/READ.md)", "[typo](../studies/READ.md)"),
        ("coverage.md", "[out](../../secret.md)", "[out](../../secret.md)"),
        ("coverage.md", "[web](https://example.org/a)", "[web](https://example.org/a)"),
    ],
)
def test_links_out_of_the_documentation(page: str, written: str, shown: str) -> None:
    found = HOOKS.on_page_markdown(written, page=SimpleNamespace(file=SimpleNamespace(src_path=page)))
    assert found == shown


def test_roles_are_dropped() -> None:
    written = "<p>As :class:<code>Votes</code>, :func:<code>load</code>: a :class: alone stays.</p>"
    assert HOOKS.on_page_content(written) == "<p>As <code>Votes</code>, <code>load</code>: a :class: alone stays.</p>"


def shown(written: str) -> str:
    return str(HOOKS.on_page_markdown(written, page=SimpleNamespace(file=SimpleNamespace(src_path="rates.md"))))


def test_examples_with_prompts_become_sessions_of_a_console() -> None:
    session = "```python\n>>> f(1)  # doctest: +ELLIPSIS\n2\n\n```\n"
    late = "```python\n# first\n>>> f(1)\n2\n\n```\n"
    program = "```python\nf(1)\n```\n"
    assert shown(session) == "```pycon\n>>> f(1)\n2\n\n```\n"
    assert shown(late).startswith("```pycon\n# first\n")
    assert shown(f"{program}\nand\n\n{late}") == f"{program}\nand\n\n{shown(late)}"


def test_tables_of_a_terminal_keep_their_lines() -> None:
    table = "```\n a  b\n ────\n 1  2\n```\n"
    command = "```\nthumbwise demo\n```\n"
    assert shown(table) == table.replace("```\n a", "``` { .text .terminal }\n a")
    assert shown(f"{command}\n{table}") == f"{command}\n{shown(table)}"
