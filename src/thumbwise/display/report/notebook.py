"""A report in a notebook: the path of the file, which shows the page in a frame of its own."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from thumbwise.summaries import visible

if TYPE_CHECKING:
    _Base = Path
else:
    _Base = type(Path())

# A larger page is linked to: a notebook would keep all of it.
_MOST_BYTES = 5_000_000


class WrittenReport(_Base):
    """Where a report lies. In a notebook it is the page, in a frame that can reach nothing outside of it.

    The frame holds a copy, so that the notebook shows it wherever it is opened; it is sandboxed, with no origin, and
    the page forbids itself all but its own script and style. A page of more than 5 MB is a link.
    """

    def _repr_html_(self) -> str:
        name = escape(visible(self))
        if not self.is_file():
            return f"<p>{name} is not there any more</p>"
        link = f'<p>Report: <a href="{escape(self.absolute().as_uri())}" target="_blank" rel="noopener">{name}</a></p>'
        if self.stat().st_size > _MOST_BYTES:
            return link
        page = escape(self.read_text(encoding="utf-8"))
        style = "width: 100%; height: 40em; border: 1px solid #8888"
        return f'{link}<iframe title="Report" sandbox="allow-scripts" style="{style}" srcdoc="{page}"></iframe>'
