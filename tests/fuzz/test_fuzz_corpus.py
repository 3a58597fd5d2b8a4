"""Inputs that took a fuzzer down a new path through the readers, replayed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from fuzz.jury_checks import check_jury
from fuzz.model_checks import check_model

from thumbwise.exceptions import ThumbwiseError

CORPUS = Path(__file__).parent / "corpus"


@pytest.mark.parametrize(("kind", "check"), [("model", check_model), ("jury", check_jury)])
def test_the_corpus_is_read_or_refused(kind: str, check: Callable[[bytes], bool]) -> None:
    ends = []
    for path in sorted((CORPUS / kind).iterdir()):
        try:
            ends.append(check(path.read_bytes()))
        except ThumbwiseError:
            ends.append(False)
    assert len(ends) >= 15
    assert any(ends)
