"""A model is one class: defined, it is saved, loaded, compared, explained and written as SQL.

Kills, tried once: a subclass that only inherits is listed; two classes share a name; the terms of a parent are kept by
a class with another formula; the fields of a file are not checked.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import thumbwise as tw
from thumbwise import models
from thumbwise._typing import FloatArray
from thumbwise.assess.baselines import list_methods
from thumbwise.exceptions import InvalidChoiceError, InvalidFileError
from thumbwise.models import registry
from thumbwise.models.additive_terms import AdditiveTerms
from thumbwise.models.base import LabelModel
from thumbwise.models.compared import Compared
from thumbwise.models.inputs import read_for_fit
from thumbwise.models.majority_vote import vote_shares
from thumbwise.models.saved.fields import BY_RULE, fields
from thumbwise.numerics.vote_rates import spread_accuracies
from thumbwise.votes.counted_votes import CountedVotes

from .cases import Task, make_task


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test defines is not there for the next one."""
    monkeypatch.setattr(registry, "_classes", dict(registry.registered()))


def define_agreement() -> Any:
    class Agreement(LabelModel):
        """Trusts each rule as often as it agrees with the majority."""

        _learned = fields(agreement_=BY_RULE)

        def __init__(self, *, smoothing: float = 1.0) -> None:
            self.smoothing = smoothing

        def fit(self, votes: Any, y: Any = None) -> Any:
            votes = read_for_fit(votes, y)[0]
            patterns = votes.patterns
            shares = vote_shares(patterns)[patterns.owners, patterns.classes] * patterns.counts[patterns.owners]
            agreed = np.bincount(patterns.rules, shares, minlength=votes.n_rules)
            self.agreement_ = (agreed + self.smoothing) / (patterns.votes_per_rule + 2 * self.smoothing)
            self._remember(votes)
            return self

        def additive_terms(self) -> AdditiveTerms:
            k = len(self.classes_)
            return AdditiveTerms.of_rates(
                spread_accuracies(np.tile(self.agreement_[:, None], (1, k))), np.full(k, 1 / k)
            )

    return Agreement


@pytest.fixture(name="agreement")
def _agreement() -> Any:
    return define_agreement()


@pytest.fixture(name="task")
def _task() -> Task:
    return make_task(n_items=300, n_gold=100)


def test_it_predicts_and_is_saved_and_loaded(agreement: Any, task: Task, tmp_path: Path) -> None:
    model = agreement(smoothing=2.5).fit(task.votes)
    proba = model.predict_proba(task.votes)
    assert np.mean(proba.argmax(axis=1) == task.truth) > 0.8
    model.save(tmp_path / "model.json")
    loaded = tw.load(tmp_path / "model.json")
    assert type(loaded) is agreement and loaded.smoothing == 2.5
    assert loaded.predict_proba(task.votes).tobytes() == proba.tobytes()
    assert loaded.check_drift(task.votes).is_the_pool


def test_what_a_file_says_of_it_is_checked(agreement: Any, task: Task, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    agreement().fit(task.votes).save(path)
    document = json.loads(path.read_text())
    document["learned"]["agreement_"]["rule_1"] = 1.5
    path.write_text(json.dumps(document))
    with pytest.raises(InvalidFileError, match=r"learned\.agreement_\.rule_1 must be a number from 0 to 1; found 1\.5"):
        tw.load(path)


def test_it_is_compared(agreement: Any, task: Task) -> None:
    gold = np.flatnonzero(task.is_gold)
    gold_votes, labels = task.votes.take(gold), task.truth[gold]
    compared = tw.compare(gold_votes, labels, pool=task.votes, gold_is="subset", methods=["Agreement"])
    scores = {score.method: score for score in compared.scores}
    assert set(scores) == {"Agreement", "Balsubramani-Freund"}
    assert not scores["Agreement"].uses_gold
    proba = agreement().fit(task.votes).predict_proba(gold_votes)
    assert scores["Agreement"].accuracy == np.mean(proba.argmax(axis=1) == labels)
    assert "Agreement" in {method.name for method in list_methods()}
    assert "Agreement" not in {method.name for method in list_methods(by_default=True)}


def test_it_is_written_as_sql_and_explained(agreement: Any, task: Task) -> None:
    model = agreement().fit(task.votes)
    proba = model.predict_proba(task.votes)
    with duckdb.connect() as connection:
        names = ", ".join(f"{name} INTEGER" for name in task.votes.rule_names)
        connection.execute(f"CREATE TABLE votes (nr INTEGER, {names})")
        rows = [[i, *row] for i, row in enumerate(task.votes.array.tolist())]
        connection.executemany("INSERT INTO votes VALUES (?, ?, ?, ?, ?, ?)", rows)
        answers = connection.sql(model.to_sql("duckdb", table="votes", id_column="nr")).fetchall()
    np.testing.assert_allclose([row[1:-1] for row in sorted(answers)], proba, atol=1e-12)
    explained = model.explain(task.votes, 7)
    weights = np.log(model.agreement_ * 2 / (1 - model.agreement_))
    voted = np.flatnonzero(task.votes.array[7] >= 0)
    own = explained.contributions[np.arange(len(voted)), task.votes.array[7, voted]]
    np.testing.assert_allclose(own, weights[voted], atol=1e-12)
    np.testing.assert_array_equal(explained.proba, proba[7])


def test_a_model_that_needs_labels_is_fitted_to_the_gold_of_other_folds(task: Task) -> None:
    seen: list[tuple[int, list[Any]]] = []

    class Spy(LabelModel):
        _learned = fields()
        _compared = (Compared("a spy"),)
        _needs_labels = True

        def fit(self, votes: Any, y: Any = None) -> Any:
            seen.append((votes.n_items, list(y)))
            self._remember(votes)
            return self

        def _predict_patterns(self, votes: CountedVotes) -> FloatArray:
            return np.full((votes.patterns.n_patterns, votes.n_classes), 1 / votes.n_classes)

    gold = task.votes.take(np.flatnonzero(task.is_gold))
    labels = task.truth[task.is_gold]
    compared = tw.compare(gold, labels, pool=task.votes, gold_is="subset", methods=["a spy"])
    assert next(score for score in compared.scores if score.method == "a spy").uses_gold
    assert [n for n, _ in seen] == [90] * 10
    assert sorted(label for _, y in seen for label in y) == sorted(labels.tolist() * 9)


def test_what_only_inherits_is_neither_saved_nor_listed(agreement: Any, task: Task, tmp_path: Path) -> None:
    class Heir(agreement):  # type: ignore[misc]  # defined in the fixture
        pass

    assert "Heir" not in registry.registered()
    with pytest.raises(InvalidFileError, match=r"only models that say what they learn.*found .*Heir"):
        Heir().fit(task.votes).save(tmp_path / "model.json")
    assert not list(tmp_path.iterdir())
    with pytest.raises(InvalidChoiceError, match="found 'Heir'"):
        tw.compare(task.votes, task.truth, pool=task.votes, gold_is="subset", methods=["Heir"])


def test_another_formula_does_not_keep_the_terms_of_the_parent(agreement: Any, task: Task) -> None:
    class Contrary(agreement):  # type: ignore[misc]
        def _predict_patterns(self, votes: CountedVotes) -> FloatArray:
            return np.asarray((1 - super()._predict_patterns(votes)) / (votes.n_classes - 1))

    class Game(tw.BalsubramaniFreund):
        def _predict_patterns(self, votes: CountedVotes) -> FloatArray:
            return np.asarray(1 - super()._predict_patterns(votes)) / 2

    for model in (Contrary().fit(task.votes), Game().fit(task.votes, task.y)):
        with pytest.raises(InvalidChoiceError, match=f"found {type(model).__name__}"):
            model.to_sql(table="votes")
        with pytest.raises(InvalidChoiceError, match=f"found {type(model).__name__}"):
            model.explain(task.votes, 0)


def test_a_name_belongs_to_one_model(agreement: Any) -> None:
    again = define_agreement()  # a cell of a notebook, run again
    assert registry.registered()["Agreement"] is again is not agreement
    with pytest.raises(TypeError, match=r"different names.*DawidSkene.*Rename"):

        class DawidSkene(LabelModel):
            _learned = fields()

    with pytest.raises(TypeError, match=r"compared under different names; 'EBCC' is said by"):

        class Other(LabelModel):
            _learned = fields()
            _compared = (Compared("EBCC"),)

    assert registry.registered()["DawidSkene"] is tw.DawidSkene
    assert "Other" not in registry.registered()


def test_a_parameter_that_no_field_describes_is_not_saved_as_something_else(task: Task, tmp_path: Path) -> None:
    class Vague(LabelModel):
        _learned = fields()

        def __init__(self, *, depth: int | None = None) -> None:
            self.depth = depth

        def fit(self, votes: Any, y: Any = None) -> Any:
            self._remember(read_for_fit(votes, y)[0])
            return self

    Vague().fit(task.votes).save(tmp_path / "none.json")
    assert tw.load(tmp_path / "none.json").depth is None
    with pytest.raises(InvalidFileError, match=r"parameters\.depth must be null"):
        Vague(depth=3).fit(task.votes).save(tmp_path / "three.json")


LOAD = "import sys, thumbwise as tw; print(type(tw.load(sys.argv[1])).__name__)"


def run_load(path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", LOAD, str(path)], capture_output=True, text=True, check=False)


def test_a_new_process_finds_the_models_of_the_package_and_no_others(
    agreement: Any, task: Task, tmp_path: Path
) -> None:
    """A stranger's file may name what is defined; it defines nothing, and imports nothing."""
    tw.DawidSkene().fit(task.votes).save(tmp_path / "ours.json")
    agreement().fit(task.votes).save(tmp_path / "own.json")
    assert run_load(tmp_path / "ours.json").stdout.split() == ["DawidSkene"]
    refused = run_load(tmp_path / "own.json")
    assert refused.returncode == 1
    assert "model must be one of 'AMCL', " in refused.stderr and "found 'Agreement'" in refused.stderr


NEW_FILE = '''
"""A constant: the same probability for all classes."""

import numpy as np

from thumbwise.models.base import LabelModel
from thumbwise.models.inputs import read_for_fit
from thumbwise.models.saved.fields import fields


class Constant(LabelModel):
    """Knows nothing."""

    _learned = fields()

    def fit(self, votes, y=None):
        self._remember(read_for_fit(votes, y)[0])
        return self

    def _predict_patterns(self, votes):
        return np.full((votes.patterns.n_patterns, votes.n_classes), 1 / votes.n_classes)
'''


@pytest.fixture(name="new_file")
def _new_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    path = tmp_path / "constant_for_a_test.py"
    path.write_text(NEW_FILE)
    monkeypatch.setattr(models, "__path__", [*models.__path__, str(tmp_path)])
    yield path
    sys.modules.pop("thumbwise.models.constant_for_a_test", None)


def test_a_file_in_the_folder_is_a_model(new_file: Path, task: Task, tmp_path: Path) -> None:
    assert "Constant" in registry.registered()
    assert "Constant" in {method.name for method in list_methods()}
    model = registry.registered()["Constant"]().fit(task.votes)
    model.save(tmp_path / "model.json")
    assert (tw.load(tmp_path / "model.json").predict_proba(task.votes) == 1 / 3).all()
