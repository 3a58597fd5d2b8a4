"""What is done to pages and docstrings on their way to the site; all else stays as it is written."""

from __future__ import annotations

import importlib.util

import pytest

from docs.pages import DOCS

_SPEC = importlib.util.spec_from_file_location("site_hooks", DOCS / "site_hooks.py")
assert _SPEC is not None and _SPEC.loader is not None
HOOKS = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(HOOKS)


@pytest.mark.parametrize(
    ("page", "written", "shown"),
    [
        ("coverage", "see [the studies](../studies/README.md).", "see `studies/README.md`."),
        ("migrating/index", "[how](../../CONTRIBUTING.md)", "`CONTRIBUTING.md`"),
        ("coverage", "[theory](theory.md)", "[theory](theory.md)"),
        ("coverage", "[bounds](theory.md#bounds)", "[bounds](theory.md#bounds)"),
        ("coverage", "![picture](../README.md)", "![picture](../README.md)"),
        ("coverage", "[typo](../studies/READ.md)", "[typo](../studies/READ.md)"),
        ("coverage", "[out](../../secret.md)", "[out](../../secret.md)"),
        ("coverage", "[web](https://example.org/a)", "[web](https://example.org/a)"),
    ],
)
def test_links_out_of_the_documentation(page: str, written: str, shown: str) -> None:
    assert HOOKS.prepare(page, written) == shown


@pytest.mark.parametrize(
    ("name", "directive"),
    [
        ("thumbwise.Votes", "autoclass"),
        ("thumbwise.rate", "autofunction"),
        ("thumbwise.metrics.log_loss", "autofunction"),
        ("thumbwise.InvalidVotesError", "autoexception"),
        ("thumbwise.ABSTAIN", "autodata"),
    ],
)
def test_a_public_name_is_documented_by_what_it_is(name: str, directive: str) -> None:
    page = HOOKS.prepare("api/any", f"# Title\n\n::: {name}\n")
    assert page.startswith(f"# Title\n\n```{{eval-rst}}\n.. {directive}:: {name}\n")
    assert page.endswith("```\n")
    assert (":members:" in page) == (directive == "autoclass")


def test_examples_with_prompts_are_sessions_of_a_console() -> None:
    late = "```python\n# first\n>>> f(1)\n2\n```\n"
    program = "```python\nf(1)\n```\n"
    assert HOOKS.prepare("rates", f"{program}\nand\n\n{late}") == f"{program}\nand\n\n" + late.replace(
        "python", "pycon"
    )


def test_the_empty_line_that_ends_an_example_is_not_shown() -> None:
    written = "Before:\n\n```python\n>>> 1\n1\n\n>>> 2\n2\n\n```\n\n```\nplain\n```\n"
    shown = "Before:\n\n```python\n>>> 1\n1\n\n>>> 2\n2\n```\n\n```\nplain\n```\n"
    assert HOOKS.prepare("coverage", written) == shown


def test_tables_of_a_terminal_keep_their_lines() -> None:
    table = "```\n a  b\n ────\n 1  2\n```\n"
    command = "```\nthumbwise demo\n```\n"
    marked = table.replace("```\n a", "```{code-block} text\n:class: terminal\n\n a")
    assert HOOKS.prepare("rates", f"{command}\n{table}") == f"{command}\n{marked}"


def test_the_first_page_carries_the_menu() -> None:
    page = HOOKS.prepare("index", "# thumbwise\n")
    assert page.startswith("# thumbwise\n\n\n```{toctree}\n:hidden:\n:caption: Start here\n\nstart\n")
    assert page.count("```") % 2 == 0
    assert HOOKS.prepare("start", "# Start\n") == "# Start\n"


def spelled(kind: str, text: str) -> str:
    lines = text.split("\n")
    HOOKS.spell(kind, lines)
    return "\n".join(lines)


def test_formulas_of_docstrings_stand_by_themselves() -> None:
    written = (
        "It is\n\n    a_b + |c|\n\nfor all.\n\nParameters\n----------\nx : int\n    First.\n\n    Second.\ny : int"
    )
    assert spelled("class", written) == written.replace("It is\n\n", "It is\n\n::\n\n")


def test_names_in_types_link_to_nothing() -> None:
    assert spelled("class", "It.\n\nx_ : array (n_iter_,)\n    Of n_iter_.\n") == (
        "It.\n\nx_ : array (n_iter\\_,)\n    Of n_iter_.\n"
    )


def test_constants_do_not_show_the_docstring_of_their_type() -> None:
    assert spelled("data", str(int.__doc__)) == ""


@pytest.mark.parametrize(
    ("name", "is_left_out"), [("set_fit_request", True), ("set_output", True), ("set_params", False)]
)
def test_what_scikit_learn_adds_for_routing_is_left_out(name: str, is_left_out: bool) -> None:
    assert bool(HOOKS.ROUTING.fullmatch(name)) == is_left_out
