"""thumbwise label --method: what each method says, in memory and from files, with a bound from the same box; --caution.

Kills, tried once: labels written without the floor; the wrong method taken by "auto"; known items of the pool that do
not keep their label; caution that is read and not passed on.
"""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pytest

import thumbwise as tw
from cli.rows import Run
from cli.test_command_words import assert_no_python
from thumbwise.assess.baselines import list_methods
from thumbwise.assess.comparison import compare
from thumbwise.game.certified import FLOOR
from thumbwise.io.predictions import read_predictions
from thumbwise.models.certified import CertifiedModel
from thumbwise.outward import at_most
from thumbwise.tables.table_files import read_table

N_ITEMS, N_GOLD, N_RULES = 400, 60, 6
# The network's weights come with a package; EBCC takes its time.
METHODS = sorted({method.name for method in list_methods()} - {"hyper label model", "EBCC"})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Votes of six rules, of which two are copies, in one file and in two; and gold."""
    home = tmp_path_factory.mktemp("methods")
    (home / "votes").mkdir()
    rng = np.random.default_rng(3)
    y = rng.integers(2, size=N_ITEMS)
    wrong = rng.random((N_ITEMS, N_RULES)) > np.linspace(0.6, 0.85, N_RULES)
    wrong[:, 1] = wrong[:, 0]
    names = np.array(["ham", "spam", None], dtype=object)
    array = np.where(rng.random((N_ITEMS, N_RULES)) < 0.15, 2, y[:, None] ^ wrong)
    rows = {"id": np.arange(N_ITEMS), **{f"rule {j}": names[array[:, j]] for j in range(N_RULES)}}
    with duckdb.connect() as connection:
        connection.register("rows", rows)
        connection.execute(f"COPY rows TO '{home / 'all.parquet'}' (FORMAT parquet)")
        for part in range(2):
            place = home / "votes" / f"{part}.parquet"
            connection.execute(f"COPY (FROM rows WHERE id % 2 = {part}) TO '{place}' (FORMAT parquet)")
    gold = rng.choice(N_ITEMS, size=N_GOLD, replace=False)
    (home / "gold.csv").write_text("id,label\n" + "".join(f"{i},{names[y[i]]}\n" for i in gold))
    return home


def by_id(path: Path) -> dict[int, tuple[object, ...]]:
    columns = read_table(path).columns
    rows = zip(*(columns[name].tolist() for name in ("id", "label", "p_ham", "p_spam")), strict=True)
    return {row[0]: row[1:] for row in rows}


def certificate_in(text: str) -> str:
    return next(line for line in text.splitlines() if "With 95 % confidence the mean log loss on " in line)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_labels_in_memory_and_from_files(folder: Path, tmp_path: Path, run: Run, name: str) -> None:
    gold = ("--gold", folder / "gold.csv", "--method", name)
    answer = run("label", folder / "all.parquet", *gold, "-o", tmp_path / "one.parquet")
    assert answer.exit_code == 0, answer.stderr
    lazily = run("label", folder / "votes", *gold, "-o", tmp_path / "many.parquet")
    assert lazily.exit_code == 0, lazily.stderr
    expected, found = by_id(tmp_path / "one.parquet"), by_id(tmp_path / "many.parquet")
    assert found.keys() == expected.keys()
    for item, (label, *proba) in expected.items():
        assert found[item][0] == label
        assert found[item][1:] == pytest.approx(proba, abs=1e-9)
    assert certificate_in(answer.stdout) == certificate_in(lazily.stdout)
    if name != "Balsubramani-Freund":
        assert f"labeled by {name}\n" in answer.stdout
        of_open = np.array([row[1:] for item, row in expected.items() if 1.0 not in row])
        assert of_open.min() >= FLOOR / (1 + 2 * FLOOR)
    assert_no_python(answer.stdout)


def test_what_is_written_is_what_the_model_says_and_what_is_certified(folder: Path, tmp_path: Path, run: Run) -> None:
    """Majority vote is sure where all agree: the floor is in the file, and the bound is that of the file."""
    answer = run("label", folder / "all.parquet", "--gold", folder / "gold.csv", "--method", "majority vote",
                 "-o", tmp_path / "labels.csv")  # fmt: skip
    reading = tw.read_votes(folder / "all.parquet", gold=folder / "gold.csv")
    box = reading.box()
    model = CertifiedModel(tw.MajorityVote().fit(reading.votes), box).fit(reading.votes)
    written = read_predictions(tmp_path / "labels.csv", reading)
    assert written.proba is not None
    np.testing.assert_allclose(written.proba, model.predict_proba(reading.votes), rtol=0, atol=1e-12)
    assert str(model.certificate_) in answer.stdout
    certified = tw.certify(written, reading.votes, box, metric="log_loss")
    n_open = N_ITEMS - N_GOLD
    assert certified.upper * N_ITEMS / n_open == pytest.approx(model.certificate_.log_loss_bound, abs=1e-6)
    known = reading.gold >= 0
    assert written.proba is not None
    np.testing.assert_array_equal(written.proba[known, reading.gold[known]], 1)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("STACK", "Stack"),
        ("dawid skene", "Dawid-Skene"),
        ("Dawid-Skene-full", "Dawid-Skene (full)"),
        ("majority_vote", "majority vote"),
        ("amcl", "AMCL"),
    ],
)
def test_names_are_read_with_some_patience(folder: Path, run: Run, typed: str, meant: str) -> None:
    answer = run("label", folder / "all.parquet", "--gold", folder / "gold.csv", "--method", typed)
    assert answer.exit_code == 0, answer.stderr
    assert f"labeled by {meant}\n" in answer.stdout


def test_balsubramani_freund_by_name_is_the_default(folder: Path, run: Run) -> None:
    files = (folder / "all.parquet", "--gold", folder / "gold.csv")
    named = run("label", *files, "--method", "balsubramani freund")
    assert named.stdout == run("label", *files).stdout
    assert run("label", *files, "--caution", "auto").stdout == named.stdout


@pytest.mark.parametrize("source", ["all.parquet", "votes"])
def test_auto_takes_what_compare_calls_best(folder: Path, tmp_path: Path, run: Run, source: str) -> None:
    gold = ("--gold", folder / "gold.csv")
    answer = run("label", folder / source, *gold, "--method", "auto", "-o", tmp_path / "auto.parquet")
    assert answer.exit_code == 0, answer.stderr
    reading = tw.read_votes(folder / "all.parquet", gold=folder / "gold.csv")
    first, second, *_ = compare(reading).scores
    sentence = next(line for line in answer.stdout.splitlines() if "lowest cross-fitted log loss" in line)
    assert sentence.startswith(
        f"{first.method} had the lowest cross-fitted log loss on gold, {first.log_loss:.3f} against "
        f"{second.log_loss:.3f} for {second.method}"
    )
    run("label", folder / source, *gold, "--method", first.method, "-o", tmp_path / "named.parquet")
    assert by_id(tmp_path / "auto.parquet") == by_id(tmp_path / "named.parquet")
    assert_no_python(answer.stdout)


@pytest.mark.parametrize("caution", ["1", "0.5"])
def test_caution_is_passed_on(folder: Path, run: Run, caution: str) -> None:
    answer = run("label", folder / "all.parquet", "--gold", folder / "gold.csv", "--caution", caution)
    reading = tw.read_votes(folder / "all.parquet", gold=folder / "gold.csv")
    model = tw.BalsubramaniFreund(caution=float(caution)).fit(reading.votes, box=reading.box())
    assert str(model.certificate_) in answer.stdout
    auto = tw.BalsubramaniFreund().fit(reading.votes, box=reading.box())
    assert at_most(auto.certificate_.log_loss_bound, 6) != at_most(model.certificate_.log_loss_bound, 6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--method", "GLAD"], "--method must be 'auto' or one of 'Balsubramani-Freund', 'Dawid-Skene', "),
        (["--caution", "0"], "--caution must be 'auto' or a number above 0 and at most 1; found 0.0."),
        (["--caution", "nan"], "--caution must be 'auto' or a number above 0 and at most 1; found nan."),
        (["--caution", "little"], "--caution must be 'auto' or a number above 0 and at most 1; found 'little'."),
        (["--method", "stack", "--caution", "1"], "--caution is for Balsubramani-Freund, which weighs the worst case"),
        (["--method", "auto", "--caution", "auto"], "found --method auto. Drop one of them."),
        (["--method", "stack", "--drop", "rule 1"], "with --ignore 'rule 1'."),
    ],
)
def test_bad_input_is_one_message(folder: Path, run: Run, options: list[str], message: str) -> None:
    answer = run("label", folder / "all.parquet", "--gold", folder / "gold.csv", *options)
    assert answer.exit_code == 2
    assert answer.stderr.startswith("error: ")
    assert answer.stderr.count("\n") == 1
    assert message in answer.stderr
    assert answer.stdout == ""


def test_a_guarantee_that_is_required_and_missing(folder: Path, tmp_path: Path, run: Run) -> None:
    """Majority vote is too sure of itself for a bound below guessing."""
    options = ("--method", "majority vote", "--require-guarantee", "-o", tmp_path / "labels.csv")
    answer = run("label", folder / "all.parquet", "--gold", folder / "gold.csv", *options)
    assert answer.exit_code == 3
    assert "This proves nothing about the rules" in answer.stderr
    assert not (tmp_path / "labels.csv").exists()


def test_one_gold_label_is_too_few_for_auto(folder: Path, tmp_path: Path, run: Run) -> None:
    (tmp_path / "gold.csv").write_text("id,label\n1,ham\n")
    answer = run("label", folder / "all.parquet", "--gold", tmp_path / "gold.csv", "--method", "auto")
    assert answer.exit_code == 2
    assert "a comparison needs at least two gold items" in answer.stderr
