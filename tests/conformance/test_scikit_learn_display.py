"""Notebooks show scikit-learn's diagram and what a fit is about, and no name becomes markup."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
import sklearn

from thumbwise import BalsubramaniFreund, MajorityVote, Votes
from thumbwise.models.notebook import fit_as_html
from thumbwise.rules.pipeline_step import RuleVotes

from .cases import MODELS, NAMES, Case, make_task

HOSTILE = ["<script>alert(1)</script>", "</p><img src=x onerror=y>", "a & b", '"quoted"', "x" * 10_000]


class Tags(HTMLParser):
    """The tags and the text of some HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("case", MODELS, ids=NAMES)
def test_every_model_is_shown_before_and_after_its_fit(case: Case) -> None:
    assert fit_as_html(case.make()) == ""
    name = type(case.make()).__name__
    assert name in case.make()._repr_html_()
    model = case.fit(make_task())
    for html in (model._repr_html_(), model._repr_mimebundle_()["text/html"]):
        assert name in html
        assert html.count(fit_as_html(model)) == 1
    assert "5 rules: rule_0, rule_1" in fit_as_html(model)
    assert "3 classes: 0, 1, 2" in fit_as_html(model)


def test_the_certificate_is_shown_as_its_sentence() -> None:
    task = make_task()
    model = BalsubramaniFreund().fit(task.votes, task.y)
    assert str(model.certificate_) in Tags(model._repr_html_()).text


def test_known_items_are_counted() -> None:
    task = make_task(120, n_gold=60)
    votes = Votes(task.votes.array, item_ids=[f"i{i}" for i in range(120)])
    assert "60 items keep their known label" in fit_as_html(BalsubramaniFreund().fit(votes, task.y))


def test_hostile_names_stay_text() -> None:
    votes = Votes([[0, 1, 2, 3, 4]] * 3, rule_names=HOSTILE, class_names=HOSTILE)
    html = fit_as_html(MajorityVote().fit(votes))
    shown = Tags(html)
    assert set(shown.tags) == {"div", "p"}
    assert all(name in shown.text for name in HOSTILE[:4])
    assert len(html) < 2_000


def test_hostile_parameters_stay_text() -> None:
    def innocent(text: str) -> str:
        return text

    hostile, tame = (
        Tags(RuleVotes([innocent], class_names=names)._repr_html_()) for names in (HOSTILE[:3], ["a", "b", "c"])
    )
    assert sorted(hostile.tags) == sorted(tame.tags)


def test_plain_display_shows_no_html() -> None:
    model = MajorityVote().fit([[0, 1], [1, 1]])
    with sklearn.config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert set(model._repr_mimebundle_()) == {"text/plain"}
