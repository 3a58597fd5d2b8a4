"""What the site needs beyond Sphinx: its menu, the reference of public names, and links that would leave it."""

from __future__ import annotations

import inspect
import re
import tomllib
from functools import reduce
from pathlib import Path
from typing import Any

import thumbwise

DOCS = Path(__file__).parent
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s#:]+)\)")
NAME = re.compile(r"^::: ([\w.]+)$", re.MULTILINE)
LATE_PROMPT = re.compile(r"^```python\n(?!>>> )(?=(?:(?!```).*\n)*?>>> )", re.MULTILINE)
TABLE = re.compile(r"^```\n(?=(?:(?!```).*\n)*?.*───)", re.MULTILINE)
TYPE = re.compile(r"^( *\w+(?:, \w+)* : )(.+)$")
# What every estimator has from scikit-learn, in words that point at pages of its own site.
ROUTING = re.compile(r"set_output|get_metadata_routing|set_\w+_request")


def setup(app: Any) -> dict[str, bool]:
    """Connect to Sphinx, as an extension."""
    app.connect("source-read", lambda _, page, source: source.__setitem__(0, prepare(page, source[0])))
    app.connect("autodoc-skip-member", lambda _, kind, name, *rest: bool(ROUTING.fullmatch(name)) or None)
    app.connect("autodoc-process-docstring", lambda _, kind, *event: spell(kind, event[-1]), priority=400)  # first
    return {"parallel_read_safe": True}


def prepare(docname: str, text: str) -> str:
    """The Markdown of a page as it is to be read by Sphinx; the page itself stays as a forge shows it."""
    text = FENCED.sub(
        lambda block: re.sub(r"\n{2,}```$", "\n```", block[0]), text
    )  # doctest wants the empty line, no reader
    text = NAME.sub(lambda name: reference(name[1]), name_files(text, (DOCS / docname).parent))
    text = LATE_PROMPT.sub("```pycon\n", TABLE.sub("```{code-block} text\n:class: terminal\n\n", text))
    return text + menu() if docname == "index" else text


def menu() -> str:
    """All pages under their headings, as the table of contents of the first page."""
    contents = tomllib.loads((DOCS / "contents.toml").read_text(encoding="utf-8"))
    trees = ("\n".join([":hidden:", f":caption: {title}", "", *pages]) for title, pages in contents.items())
    return "".join(f"\n\n```{{toctree}}\n{tree}\n```\n" for tree in trees)


def reference(name: str) -> str:
    """What documents a public name, by what it is."""
    value = reduce(getattr, name.split(".")[1:], thumbwise)
    if not inspect.isclass(value):
        return f"```{{eval-rst}}\n.. {'autofunction' if callable(value) else 'autodata'}:: {name}\n```"
    if issubclass(value, BaseException):
        return f"```{{eval-rst}}\n.. autoexception:: {name}\n```"
    return f"```{{eval-rst}}\n.. autoclass:: {name}\n   :members:\n   :inherited-members:\n```"


def spell(kind: str, lines: list[str]) -> None:
    """Mark up in place what a docstring leaves plain: formulas that stand by themselves, and names in types.

    A constant has no docstring but that of its type, which says nothing here.
    """
    if kind == "data":
        lines.clear()
    for i in reversed(range(1, len(lines) - 1)):
        lines[i] = TYPE.sub(lambda typed: typed[1] + re.sub(r"(?<=\w)_(?!\w)", r"\\_", typed[2]), lines[i])
        if not lines[i] and lines[i - 1][:1].strip() and lines[i + 1].startswith("    "):
            lines[i:i] = ["", "::"]


def name_files(text: str, folder: Path) -> str:
    """Name files of the source tree instead of linking to them; a reader of the site has no such file to open."""

    def name_file(link: re.Match[str]) -> str:
        target = (folder / link[1]).resolve()
        if target.is_relative_to(DOCS) or not target.is_relative_to(DOCS.parent) or not target.exists():
            return link[0]
        return f"`{target.relative_to(DOCS.parent).as_posix()}`"

    return LINK.sub(name_file, text)
