"""The study of claims on made-up items: it measures item by item, names losses first, and asks packages with care."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from benchmarks.workers import label_models, precise_thresholds
from scipy.stats import binom
from sklearn.metrics import accuracy_score, log_loss
from studies.claims import accepting, labels, page, rates, trouble, verdicts
from studies.claims.__main__ import earlier
from studies.claims.accepting import Kept
from studies.claims.labels import OURS, Case, Found
from studies.drawing import Population
from studies.rate_peers import Told, make_population, rogan_gladen
from studies.rates import ask
from studies.results import plain, write_results
from studies.triage import Kept as KeptInDraw

import thumbwise as tw
from thumbwise._typing import FloatArray, IntArray


@pytest.fixture(scope="module")
def population() -> Population:
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=800)
    array = np.where(rng.random((800, 5)) < [0.9, 0.85, 0.8, 0.75, 0.6], truth[:, None], 1 - truth[:, None])
    array[rng.random((800, 5)) < 0.2] = -1
    return Population("made", tw.Votes(array, n_classes=2), truth)


def made(ahead: float, spread: float, title: str = "set") -> Found:
    """Ours ahead of one other method in accuracy by so much."""
    theirs = np.tile([0.8, 0.4, 0.1], (4, 1))
    ours = theirs + np.outer(ahead + spread * np.array([1, -1, 1, -1]), [1, 0, 0])
    return Found.of(title, 100, {OURS: ours, "majority vote": theirs})


def test_measures_are_those_of_scikit_learn(population: Population) -> None:
    proba = labels.taught(Case("made", population), np.arange(100))["logistic regression"]
    truth = population.labels
    right, loss, _ = labels.measure(truth, proba)
    assert right == pytest.approx(accuracy_score(truth, proba.argmax(axis=1)))
    floored = np.maximum(proba, 1e-3)
    assert loss == pytest.approx(log_loss(truth, floored / floored.sum(axis=1, keepdims=True)))


def test_calibration_error_by_hand() -> None:
    """Two items at 0.9, one of them right; two at 0.6, both right: a half of 0.4 and a half of 0.4."""
    proba = np.array([[0.9, 0.1], [0.9, 0.1], [0.4, 0.6], [0.4, 0.6]])
    assert labels.calibration_error(np.array([0, 1, 1, 1]), proba) == pytest.approx(0.4)
    sure: IntArray = np.array([0, 1])
    assert labels.calibration_error(sure, np.eye(2)) == 0


def test_gold_items_are_not_judged(population: Population, monkeypatch: pytest.MonkeyPatch) -> None:
    """A method that knows gold and guesses elsewhere is right half of the time, whatever gold it had."""

    def knows_gold(case: Case, gold: IntArray) -> FloatArray:
        proba = np.full((len(case.population.labels), 2), 0.5)
        proba[gold] = np.eye(2)[case.population.labels[gold]]
        return proba

    monkeypatch.setattr(labels, "ours", knows_gold)
    (found,), refused = labels.study_case(Case("made", population), labels.Task("made", (300,), 2, 0))
    assert found.scores[OURS].mean[0] == pytest.approx(0.5)
    assert found.scores[OURS].error[0] == 0
    assert not refused


def test_ours_is_compared_on_the_same_draws(population: Population) -> None:
    found, _ = labels.study_case(Case("made", population), labels.Task("made", (50, 100), 3, 0))
    assert [one.n_gold for one in found] == [50, 100]
    for one in found:
        assert set(one.scores) == {OURS, *labels.UNAIDED, "logistic regression", "best judge"}
        best = one.best_other(0)
        mean = {name: score.mean for name, score in one.scores.items()}
        assert mean[best][0] == max(numbers[0] for name, numbers in mean.items() if name != OURS)
        assert one.lead(best, 0)[0] == pytest.approx(mean[OURS][0] - mean[best][0], abs=2e-6)
        assert one.lead(best, 1)[0] == pytest.approx(mean[best][1] - mean[OURS][1], abs=2e-6)
        assert mean[OURS][0] > 0.85
        assert Found.read(json.loads(json.dumps(plain(one)))) == one


def test_leads_within_one_standard_error_count_and_two_are_noise() -> None:
    """With deviations of 0.01 among four draws the standard error is 0.01 / sqrt(3)."""
    error = 0.01 / np.sqrt(3)
    assert made(0.0, 0.01).lead("majority vote", 0)[1] == pytest.approx(error, abs=1e-6)
    assert made(-0.99 * error, 0.01).is_best(0)
    assert not made(-1.01 * error, 0.01).is_best(0)
    assert not made(-1.99 * error, 0.01).is_worse("majority vote", 0)
    assert made(-2.01 * error, 0.01).is_worse("majority vote", 0)


def test_the_error_over_items_is_that_of_paired_differences() -> None:
    """Of 100 items ours loses 4 in both draws, and both have the rest right: McNemar's error, sqrt(4) / 100, nearly."""
    theirs = np.ones((2, 100))
    ours = theirs.copy()
    ours[:, :4] = 0
    ours[0, 90:], theirs[1, 50:60] = np.nan, np.nan
    scores = {OURS: np.tile([0.96, 0.4, 0.1], (2, 1)), "majority vote": np.tile([1.0, 0.4, 0.1], (2, 1))}
    found = Found.of("set", 10, scores, {OURS: ours, "majority vote": theirs})
    by_hand = float(np.std([-1.0] * 4 + [0.0] * 96, ddof=1)) / 10
    assert found.scores["majority vote"].item_error == pytest.approx(by_hand, abs=1e-6)
    assert not found.is_level
    assert found.is_behind("majority vote", 0.03 / by_hand)
    assert not found.is_behind("majority vote", 0.05 / by_hand)
    assert Found.of("set", 10, scores).is_behind("majority vote", 2)
    assert not found.is_best(0)


def test_results_of_a_time_before_items_were_counted_say_nothing_of_them() -> None:
    worse = made(-0.1, 0.01)
    told = json.loads(json.dumps(plain(worse)))
    for score in told["scores"].values():
        score["item_error"] = 0.01
    counted = Found.read(told)
    for score in told["scores"].values():
        del score["item_error"]
    before = Found.read(told)
    assert before == worse
    assert not any("ounting items" in claim.found for claim in verdicts.of_labels({100: [before]}))
    assert all("ounting items" in claim.found for claim in verdicts.of_labels({100: [counted]}))


def test_right_labels_of_ties_are_shares() -> None:
    proba = np.array([[0.5, 0.5, 0.0], [0.2, 0.3, 0.5], [0.2, 0.3, 0.5]])
    assert labels.right_shares(np.array([0, 2, 1]), proba).tolist() == [0.5, 1, 0]


def test_a_table_of_labels_begins_with_the_largest_loss() -> None:
    rows = labels.table([made(0.1, 0, "wins"), made(-0.1, 0, "loses"), made(0.0, 0, "ties")], 0).splitlines()[2:]
    assert [row.split()[1] for row in rows] == ["loses", "ties", "wins"]


def test_claims_that_fail_come_first() -> None:
    good, bad = [made(0.1, 0)] * 12, [made(-0.1, 0, "lost")]
    holds, never = verdicts.of_labels({100: good})
    assert holds.holds and never.holds
    assert verdicts.first_line([holds, never]).startswith("**None of 2")
    enough, worse = verdicts.of_labels({100: good + bad * 3})
    assert (enough.holds, worse.holds) == (True, False)
    fewer, _ = verdicts.of_labels({100: good + bad * 4})
    assert not fewer.holds, "12 of 16 are fewer than 12 of 15"
    first = verdicts.first_line([enough, worse])
    assert first.startswith("**1 of 2 claims fails in") and "lost" in first


def test_a_method_is_best_if_no_other_leads_it_by_more_than_one_standard_error() -> None:
    """Of three methods 0.8 +- 0.01, 0.81 and 0.9 the last alone; of the first two alone, both."""
    wavering = 0.8 + 0.03 * np.array([1, -1, 1, -1])
    accuracy = {OURS: wavering, "close": np.full(4, 0.81), "best": np.full(4, 0.9)}
    scores = {name: np.column_stack([column, [0.4] * 4, [0.1] * 4]) for name, column in accuracy.items()}
    three = Found.of("set", 100, scores)
    assert [three.is_best(0, name) for name in scores] == [False, False, True]
    assert labels.tally([three] * 2, 0) == {"best": 2, OURS: 0, "close": 0}
    two = Found.of("set", 100, {name: scores[name] for name in (OURS, "close")})
    assert [two.is_best(0, name) for name in (OURS, "close")] == [True, True]
    behind = Found.of("set", 100, {**scores, OURS: scores[OURS] - 0.3})
    assert [behind.is_best(0, name) for name in scores] == [False, False, True]


def told(width: float, n_held: int) -> Told:
    ends = [[0.5 - width / 2, 0.5 + width / 2]] * n_held + [[0.9, 0.9 + width]] * (200 - n_held)
    return Told.of(ends, 0.5)


def share(ours: Told, other: Told) -> rates.Share:
    answers = {"exact": told(0.2, 199), "assisted": ours, "asymptotic": other, "ppi_py": other, "judgy": other}
    return rates.Share("set", 100, 0.9, 1, answers)


def test_claims_of_shares() -> None:
    holds = [claim.holds for claim in verdicts.of_rates({100: [share(told(0.08, 195), told(0.04, 120))]})]
    assert holds == [True, True, True]
    rival_holds = [claim.holds for claim in verdicts.of_rates({100: [share(told(0.08, 195), told(0.04, 195))]})]
    assert rival_holds == [True, False, True]
    wide_and_off = [claim.holds for claim in verdicts.of_rates({100: [share(told(0.09, 120), told(0.04, 120))]})]
    assert wide_and_off == [False, True, True]
    assert not list(verdicts.of_rates({100: [share(told(0.19, 199), told(0.04, 120))]}))[2].holds


def test_what_is_bold_depends_on_how_many_are_judged_together() -> None:
    """Of 200 draws chance misses 30 once in ten million times, and somewhere in 1,000 intervals far more often."""
    off = told(0.08, 170)
    assert binom.sf(29, 200, 0.05) < 1e-6 < 1000 * binom.sf(29, 200, 0.05)
    alone, among = (rates.Share("set", 100, 0.9, n, {"assisted": off}) for n in (1, 1000))
    assert (alone.misses_too_often("assisted"), among.misses_too_often("assisted")) == (True, False)


def test_shares_are_read_as_they_were_written() -> None:
    refuses = Told.of(["no"] * 3, 0.5)
    one = share(told(0.08, 195), refuses)
    again = rates.Share.read(json.loads(json.dumps(plain(one))))
    assert again.told["assisted"] == one.told["assisted"]
    assert np.isnan(again.told["ppi_py"].width) and again.told["ppi_py"].refused == 1
    assert rates.table([again]) == rates.table([one])


def test_a_rival_that_holds_as_well_is_named_with_what_it_costs() -> None:
    wide = Told.of([[0.4, 0.6]] * 150 + ["no"] * 50, 0.5)
    _, alone, _ = verdicts.of_rates({100: [share(told(0.08, 195), wide)]})
    assert not alone.holds
    _, unrivalled, _ = verdicts.of_rates({100: [share(told(0.08, 195), Told.of(["no"] * 9, 0.5))]})
    assert not unrivalled.holds and "no other was there" in unrivalled.found
    assert "ppi_py 2." in alone.found
    assert "25%" in alone.found


def test_parts_are_kept_if_they_were_measured_in_the_same_way(tmp_path: Path) -> None:
    given = argparse.Namespace(results=tmp_path, quick=False, parts=["rates"])
    made = {"seed": 1}
    assert earlier(made, given) == {"about": made}
    write_results("claims", {"about": made, "labels": 1, "rates": 2}, tmp_path)
    assert earlier(made, given) == {"about": made, "labels": 1}
    assert earlier({"seed": 2}, given) == {"about": {"seed": 2}}
    assert earlier(made, argparse.Namespace(results=tmp_path, quick=True, parts=["rates"])) == {"about": made}


def test_the_page_is_that_of_what_was_measured_and_names_what_was_not() -> None:
    """Ours is 0.08 wide, gold alone 0.2."""
    about = {
        "seed": 1,
        "sizes": [100],
        "sets": ["rte"],
        "thumbwise": "1",
        "python": "3",
        "versions": {},
        "rate_versions": {"judgy": "absent"},
    }
    found = {"100": [share(told(0.08, 195), told(0.04, 120))]}
    content = plain({"about": about, "rates": {"draws": 200, "seconds": 60, "found": found, "refused": ["a: b"]}})
    said = page.figures(json.loads(json.dumps(content)))
    assert said["page"].startswith("**None of 3 claims fails in this run.**")
    for words in (
        "50 labels",
        "300 labels",
        "the set judges",
        "judgy (absent)",
        "the part about labels",
        "in 1 minutes",
        "- a: b",
    ):
        assert words in said["page"]
    assert "## (b)" in said["page"] and "## (a)" not in said["page"]
    assert said["width of gold alone"] == "0.40" and "best in accuracy" not in said


def test_rogan_gladen_by_its_formula() -> None:
    asked = ask(make_population("made: usual", 1), 1)
    gold = np.arange(400)
    interval = rogan_gladen(asked, gold)
    assert not isinstance(interval, str)
    finds, errs = asked.says[gold][asked.is_so[gold]].mean(), asked.says[gold][~asked.is_so[gold]].mean()
    assert np.mean(interval) == pytest.approx((asked.says.mean() - errs) / (finds - errs))
    drawn = np.random.default_rng(0)
    said = [rogan_gladen(asked, drawn.choice(10_000, 400, replace=False)) for _ in range(200)]
    centres = [np.mean(ends) for ends in said if not isinstance(ends, str)]
    assert interval[1] - interval[0] == pytest.approx(2 * 1.96 * np.std(centres), rel=0.2)
    assert rogan_gladen(asked, np.flatnonzero(asked.is_so)[:9]) == "gold holds one class only"


def accepted(ours: float, other: float, n_failed: int = 0) -> accepting.Accepted:
    kept = {
        "thumbwise": Kept(ours, 0.0, 0, 50),
        "hold-out": Kept(other, ours - other, n_failed, 50),
        "other": Kept(0.1, ours - 0.1, 0, 50),
    }
    return accepting.Accepted("set", 100, 1, kept)


def test_a_rival_that_is_not_valid_is_no_rival() -> None:
    loses, wins = accepted(0.5, 0.6), accepted(0.5, 0.6, n_failed=25)
    assert (loses.best_other, loses.is_best) == ("hold-out", False)
    assert (wins.best_other, wins.is_best) == ("other", True)
    ours_fails = accepting.Accepted("set", 100, 1, {**wins.kept, "thumbwise": Kept(0.9, 0.0, 25, 50)})
    assert (ours_fails.lead, ours_fails.is_best) == (-1, False)
    assert accepting.Accepted.read(json.loads(json.dumps(plain(wins)))) == wins
    assert accepting.table([wins, loses]).splitlines()[2].startswith("| set (100) | -0.100 | hold-out")
    (claim,) = verdicts.of_accepting({100: [wins] * 8 + [loses]})
    assert claim.holds
    (claim,) = verdicts.of_accepting({100: [wins] * 7 + [loses] * 2})
    assert not claim.holds


def test_leads_are_over_the_draws_that_both_have() -> None:
    """Of three draws the other has two, on which ours accepts 0.2 less and 0.1 more."""
    ours = [KeptInDraw(0.3, True), KeptInDraw(0.6, False), KeptInDraw(0.9, True)]
    kept = Kept.of([KeptInDraw(0.5, True), KeptInDraw(0.5, False)], ours)
    assert kept == Kept(0.5, -0.05, 1, 2), "rounded to six digits"
    assert Kept.of(ours, ours) == Kept(0.6, 0.0, 1, 3)


def test_without_mapie_its_refusal_is_named(population: Population) -> None:
    python = Path(sys.executable)
    found, refused = accepting.study_population(population, accepting.Task("made", 100, 2, 0, 10, python))
    version, answers = accepting.ask_mapie([], python)
    assert answers == []
    if version == "absent":
        assert set(found.kept) == {"thumbwise", "hold-out"}
        assert all(words.startswith("ModuleNotFoundError") for words in refused) and refused
    assert found.kept["thumbwise"].share >= found.kept["hold-out"].share


def test_copies_and_failures(population: Population) -> None:
    array = population.votes.array
    copied = trouble.with_copies(population, 0).votes.array
    assert copied.shape == (800, 5 + trouble.N_COPIES)
    assert (copied[:, 5:] == array[:, [4]]).all(), "the worst judge"
    silent, default = (make(population, 0).votes.array for make in (trouble.with_silence, trouble.with_default))
    changed = silent != array
    assert not changed[:, 1:].any(), "the best judge"
    assert (silent[:, 0] < 0).mean() == pytest.approx(trouble.FAILS + 0.2 * (1 - trouble.FAILS), abs=0.04)
    assert (default[changed] == 0).all()


def test_who_notices(population: Population) -> None:
    task = trouble.Task("made", 2, 0)
    copied, silent, default = trouble.shake_population(population, task)
    assert "TW106 100%" in copied.noticed
    assert copied.change(OURS) == pytest.approx(0, abs=0.03)
    assert copied.change("majority vote") < -0.05
    table = trouble.shaken_table([copied, silent, default]).splitlines()[2:]
    assert len(table) == 3
    easy, favoured, control = trouble.mislead_population(population, task)
    assert control.noticed == 0
    assert easy.noticed == 1
    assert trouble.misled_table([control, easy, favoured]).splitlines()[-1].startswith("| made | random (control)")


def test_that_gold_is_not_random_counts_whichever_rules_show_it(
    population: Population, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trouble, "notice", lambda population, gold: [("TW105", "a"), ("TW201", "a", "b")])
    assert [one.noticed for one in trouble.mislead_population(population, trouble.Task("made", 1, 0))] == [1, 1, 1]


def test_gold_is_chosen_as_it_says(population: Population) -> None:
    rng = np.random.default_rng(0)
    easy = trouble.easy_gold(population, 100, rng)
    split = (population.votes.array == 0).any(axis=1) & (population.votes.array == 1).any(axis=1)
    assert split[easy].mean() < split.mean() / 2
    rarest = int(np.argmin(np.bincount(population.labels)))
    favoured = trouble.favoured_gold(population, 200, rng)
    assert (population.labels[favoured] == rarest).mean() > 0.62
    assert len(set(favoured.tolist())) == 200


def test_what_a_package_says_is_written_or_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def late(*given: Any) -> FloatArray:
        label_models.give_up(14, None)
        raise AssertionError

    monkeypatch.setattr(label_models, "PEERS", {"good": lambda votes, k, proba: proba, "late": late})
    arrays = {"votes": np.zeros((2, 1)), "n_classes": np.array(2), "classifier": np.full((1, 2, 2), 0.5)}
    assert label_models.label("good", arrays, tmp_path / "0.npy", 9) == ""
    assert np.load(tmp_path / "0.npy").tolist() == arrays["classifier"].tolist()
    assert label_models.label("late", arrays, tmp_path / "1.npy", 9) == "TimeoutError: did not finish in time"
    assert not (tmp_path / "1.npy").exists()


class Aggregator:
    """Columns in another order, and nothing about items without votes."""

    def __init__(self, **settings: Any) -> None:
        self.settings = settings

    def fit_predict_proba(self, long: pd.DataFrame) -> pd.DataFrame:
        share = long.groupby("task")["label"].mean()
        return pd.DataFrame({1: share, 0: 1 - share})


def test_answers_of_crowd_kit_are_put_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    package, module = ModuleType("crowdkit"), ModuleType("crowdkit.aggregation")
    module.GLAD = Aggregator  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "crowdkit", package)
    monkeypatch.setitem(sys.modules, "crowdkit.aggregation", module)
    votes = np.array([[1, 1], [-1, -1], [0, 1]])
    assert label_models.by_glad(votes, 2, np.empty(0))[0].tolist() == [[0, 1], [0.5, 0.5], [0.5, 0.5]]


def test_crowdlab_is_asked_about_what_has_votes(monkeypatch: pytest.MonkeyPatch) -> None:
    def judge(given: FloatArray, proba: FloatArray, verbose: bool) -> dict[str, pd.DataFrame]:
        assert given.shape == (2, 1) and proba.shape == (2, 3) and not np.isnan(given).any()
        return {"label_quality": pd.DataFrame({"consensus_label": [2, 0], "consensus_quality_score": [0.8, 0.5]})}

    module = ModuleType("cleanlab.multiannotator")
    module.get_label_quality_multiannotator = judge  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "cleanlab", ModuleType("cleanlab"))
    monkeypatch.setitem(sys.modules, "cleanlab.multiannotator", module)
    classifier = np.full((1, 3, 3), 1 / 3)
    (answer,) = label_models.by_crowdlab(np.array([[2, -1], [-1, -1], [0, -1]]), 3, classifier)
    assert answer == pytest.approx(np.array([[0.1, 0.1, 0.8], [1 / 3, 1 / 3, 1 / 3], [0.5, 0.25, 0.25]]))


def test_packages_that_are_absent_are_named(population: Population) -> None:
    answers, refused = labels.ask_peers(population.votes, np.full((1, 800, 2), 0.5), Path(sys.executable))
    assert set(answers) | set(refused) == set(label_models.PEERS)
    absent = {name: words for name, words in refused.items() if words.startswith("ModuleNotFoundError")}
    assert set(refused) == set(absent)


def test_a_threshold_that_is_refused_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mapie", None)
    sure = [[0.9, 0.8], [1, 0]]
    problem = json.loads(json.dumps({"precision": 0.9, "level": 0.95, "taught": sure, "certified": sure}))
    assert str(precise_thresholds.answer("MAPIE", problem)).startswith("ModuleNotFoundError")
