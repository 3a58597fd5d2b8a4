"""One verdict in one place: what speaks against a box is told by everything that rests on it.

Kills, tried once: ``is_guarantee`` that forgets the widening; a box that is fitted and keeps its evidence; a saved file
that says ``is_guarantee: true``; permutations off by default.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thumbwise as tw
from support.problems import make_votes


def widened() -> tw.BalsubramaniFreund:
    """Two copies of a rule that are said to be right on nearly all and on nearly none of the items."""
    labels, array = make_votes(np.random.default_rng(0), 200, 3, 2)
    votes = tw.Votes(np.column_stack([array[:, 0], array[:, 0], array[:, 1]]), n_classes=2)
    gold = np.random.default_rng(1).choice(200, 80, replace=False)
    box = tw.Box.from_gold(votes.take(gold), labels[gold], pool=votes, gold_is="subset")
    lower, upper = box.lower.copy(), box.upper.copy()
    lower[:2], upper[:2] = [0.9, 0.0], [1.0, 0.1]
    torn = replace(box, lower=lower, upper=upper)
    return tw.BalsubramaniFreund(on_infeasible="widen").fit(votes, box=torn)


def test_after_widening_nothing_is_called_a_guarantee(tmp_path: Path) -> None:
    model = widened()
    evidence = model.certificate_.evidence
    assert model.certificate_.widening is not None
    assert not evidence.is_guarantee
    assert not model.certificate_.is_guarantee
    assert model.box_.evidence == evidence
    assert str(model.certificate_).startswith("No guarantee: the intervals contradicted each other")
    for html in (model.box_._repr_html_(), model.certificate_._repr_html_(), model._repr_html_()):
        assert "No guarantee" in html
        assert "With 95 % confidence" not in html
    path = tmp_path / "model.json"
    model.save(path)
    saved = json.loads(path.read_text())
    assert '"is_guarantee": true' not in path.read_text()
    assert "No guarantee" in json.dumps(saved)
    assert tw.load(path).certificate_ == model.certificate_


def test_a_saved_file_cannot_claim_more_than_its_evidence(tmp_path: Path) -> None:
    model = widened()
    path = tmp_path / "model.json"
    model.save(path)
    path.write_text(path.read_text().replace('"is_guarantee": false', '"is_guarantee": true'))
    with pytest.raises(tw.InvalidFileError, match="is_guarantee"):
        tw.load(path)


def easy_gold(seed: int) -> tuple[tw.Votes, np.ndarray, np.ndarray]:
    """Items on which the rules agree are labeled more often than others: no rule's coverage or classes tell."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(2, size=2000)
    votes = np.where(rng.random((2000, 5)) < 0.75, truth[:, None], 1 - truth[:, None])
    agreement = np.abs(votes.mean(axis=1) - 0.5)
    gold = rng.choice(2000, 120, replace=False, p=(agreement + 0.05) / (agreement + 0.05).sum())
    return tw.Votes(votes, n_classes=2), truth, gold


def test_easy_items_as_gold_are_noticed_by_default() -> None:
    """In most of twelve draws, by ``fit`` and by ``from_gold``; the quick test notices none to speak of."""
    noticed = {"fit": 0, "box": 0, "quick": 0}
    for seed in range(12):
        votes, truth, gold = easy_gold(seed)
        y = np.full(2000, -1)
        y[gold] = truth[gold]
        options: dict[str, Any] = {"pool": votes, "gold_is": "subset", "opinions": ()}  # they have no part in this
        boxes = {
            "fit": tw.BalsubramaniFreund(on_infeasible="widen").fit(votes, y).box_,
            "box": tw.Box.from_gold(votes.take(gold), truth[gold], **options),
            "quick": tw.Box.from_gold(votes.take(gold), truth[gold], **options, n_permutations=0),
        }
        for name, box in boxes.items():
            noticed[name] += box.evidence.doubt is not None
    assert noticed["fit"] == noticed["box"] >= 9
    assert noticed["quick"] <= 2


def test_a_guarantee_can_be_required() -> None:
    model = widened()
    with pytest.raises(tw.NoGuaranteeError, match="contradicted each other"):
        model.certificate_.require()
    flips = tw.Votes(np.random.default_rng(0).integers(2, size=(300, 3)), n_classes=2)
    y = np.where(np.arange(300) % 3 == 0, np.random.default_rng(1).integers(2, size=300), -1)
    with pytest.raises(tw.NoGuaranteeError, match="proves nothing"):
        tw.BalsubramaniFreund().fit(flips, y).certificate_.require()
    truth = np.random.default_rng(2).integers(2, size=900)
    right = tw.Votes(np.column_stack([truth, truth]), n_classes=2)
    sure = tw.BalsubramaniFreund().fit(right, np.where(np.arange(900) % 3 == 0, truth, -1)).certificate_
    sure.require()
    assert sure.is_guarantee
    assert not sure.proves_nothing
