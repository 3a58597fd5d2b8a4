"""A report about a fit, written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from thumbwise.assess.tables.fitted import check_fitted_to
from thumbwise.display.report.contents import Finding, gather
from thumbwise.display.report.notebook import WrittenReport
from thumbwise.display.report.page import load_jinja, render
from thumbwise.exceptions import InvalidFileError, InvalidLabelsError
from thumbwise.io.readings import Reading
from thumbwise.models.balsubramani_freund import BalsubramaniFreund
from thumbwise.tables.outputs import REPORT, check_file
from thumbwise.tables.whole_files import replacing
from thumbwise.votes.inputs import classes_of, read_items
from thumbwise.votes.labels import code_labels

_ENDINGS = (".html", ".htm")


def write_report(
    votes: Any,
    path: str | os.PathLike[str],
    *,
    y: Any = None,
    model: BalsubramaniFreund | None = None,
    findings: Iterable[Finding] | None = None,
    title: str = "Report on labels from rules",
    overwrite: bool = False,
) -> WrittenReport:
    """Write one HTML file about a fit, which needs no network and no other file. Needs Jinja2.

    The same input gives the same file, byte for byte. Every name and text is escaped, and the page forbids everything
    but its own style and script. Where the pool is large, comparison, reliability and plan are estimated on a random
    part of it, and the page says so.

    Parameters
    ----------
    votes : Reading, Votes, array-like or frame
        As :func:`thumbwise.read_votes` gives them, with gold and the columns that show what an item is; or votes alone.
    path : path
        Ends in .html or .htm. A report that was written there before is replaced in one step.
    y : array-like of shape (n_items,), optional
        Without a Reading: classes of the items, -1 or missing where unknown.
    model : BalsubramaniFreund, optional
        Fitted to these votes; absent: fitted with its defaults.
    findings : Checks or sequence, optional
        What :func:`thumbwise.check` found, whose comparison the page then shows; or objects with ``code``,
        ``severity``, ``title``, ``explanation``, ``advice`` and ``anchor``. The page lists them.
    title : str
    overwrite : bool
        Replace any other file too.

    Returns
    -------
    WrittenReport
        The path of the file; a notebook shows the page itself.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import thumbwise as tw
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(2, size=300)
    >>> is_right = rng.random((300, 3)) < [0.9, 0.8, 0.7]
    >>> votes = tw.Votes(np.where(is_right, truth[:, None], 1 - truth[:, None]), rule_names=["a", "b", "<i>c</i>"])
    >>> y = np.where(np.arange(300) < 100, truth, -1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = tw.write_report(votes, f"{folder}/report.html", y=y).read_text()
    >>> "With 95 % confidence the mean log loss" in page, "<i>c</i>" in page
    (True, False)
    """
    target = check_report_path(path, overwrite=overwrite)
    load_jinja()  # what is missing is said before anything is computed
    reading = _as_reading(votes, y, model)
    model = fit_for_report(reading) if model is None else check_fitted_to(model, reading.votes)
    page = render(gather(reading, model, title=title, findings=findings))
    with replacing(target) as part:
        part.write_bytes(page.encode("utf-8"))
    return WrittenReport(target)


def check_report_path(
    path: str | os.PathLike[str], *, inputs: Sequence[str | Path | None] = (), overwrite: bool = False
) -> Path:
    """Whatever is wrong with the path is said before anything is computed; return where the file really lies."""
    ending = Path(path).suffix
    if ending.lower() not in _ENDINGS:
        shown = repr(ending) if ending else "none"
        raise InvalidFileError(f"{path} must end in .html, which a report is; its ending is {shown}. Rename it.")
    return check_file(Path(path), REPORT, inputs=inputs, overwrite=overwrite)


def fit_for_report(reading: Reading, **options: Any) -> BalsubramaniFreund:
    """Fit to the box that gold gives, with the whole test of whether gold could be a random sample."""
    if not len(reading.gold_labels):
        raise InvalidLabelsError(
            "a report needs gold labels, or a model that is fitted already; found neither. Pass gold to read_votes, y "
            "with Votes, or model=... fitted with bounds that you wrote."
        )
    level = options.get("confidence_level", 0.95)
    return BalsubramaniFreund(**options).fit(reading.votes, box=reading.box(confidence_level=level))


def _as_reading(votes: Any, y: Any, model: Any) -> Reading:
    if isinstance(votes, Reading):
        if y is not None:
            raise InvalidLabelsError("labels must come from one place; a Reading holds its own, and y was given too.")
        return votes
    votes, y = read_items(votes, y, class_names=classes_of(model))
    return Reading(votes, code_labels([-1] * votes.n_items if y is None else y, votes.class_names, votes.n_items))
