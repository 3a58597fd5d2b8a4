"""Importing the package costs next to nothing, and never brings in a library that the user did not ask for."""

from __future__ import annotations

import subprocess
import sys

import pytest

NEVER = {
    "pandas",
    "polars",
    "pyarrow",
    "matplotlib",
    "duckdb",
    "torch",
    "jinja2",
    "cvxpy",
    "pyspark",
    "starlette",
    "uvicorn",
}


def loaded_after(statements: str, watched: set[str]) -> set[str]:
    """Which of the watched packages a fresh interpreter has loaded after some statements."""
    code = f"import sys\n{statements}\nprint(*[name for name in {sorted(watched)!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_import_loads_nothing_heavy() -> None:
    assert not loaded_after("import thumbwise", NEVER | {"sklearn", "scipy", "narwhals", "numpy", "typer", "rich"})


def test_reading_names_of_the_package_loads_nothing_heavy() -> None:
    assert not loaded_after(
        "import thumbwise; dir(thumbwise); thumbwise.__version__; thumbwise.__all__", NEVER | {"sklearn", "scipy"}
    )


def test_errors_are_light() -> None:
    assert not loaded_after("import thumbwise; thumbwise.ThumbwiseError", NEVER | {"sklearn", "scipy"})


def test_votes_need_no_models() -> None:
    assert not loaded_after("import thumbwise; thumbwise.Votes([[0, 1], [1, 1]]).patterns", NEVER | {"sklearn"})


FIT = """
import thumbwise as tw
votes = tw.Votes([[0, 1], [1, 1], [0, -1], [0, 0]])
tw.MajorityVote().fit(votes).predict_proba(votes)
tw.DawidSkene().fit(votes).predict_proba(votes)
print(tw.BalsubramaniFreund().fit(votes, [0, 1, -1, 0]).certificate_, file=sys.stderr)
"""


def test_fitting_an_array_loads_no_more_than_scikit_learn_does() -> None:
    """scikit-learn itself loads pandas where it is installed."""
    assert loaded_after(FIT, NEVER) <= loaded_after("import sklearn.base, sklearn.utils.validation", NEVER)


GAME = """
import thumbwise as tw
votes = tw.Votes([[0, 1], [1, 1], [0, -1], [0, 0]])
model = tw.BalsubramaniFreund().fit(votes, [0, 1, -1, 0])
model.predict_proba(votes), model.predict(votes), model.certificate_
"""
AFTER_A_FIT = (
    "models.drift",
    "models.sql_text",
    "models.explained",
    "models.saved.saving",
    "models.saved.boxes",
    "models.saved.builders",
    "models.formula",
    "models.game_formula",
    "votes.engines",
    "tables.sql_dialects",
)


def modules_after(statements: str) -> list[str]:
    code = f"import sys\n{statements}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return [name.removeprefix("thumbwise.") for name in done.stdout.split() if name.startswith("thumbwise.")]


def test_a_fit_loads_nothing_of_what_is_done_with_it_later() -> None:
    loaded = modules_after(GAME)
    assert "models.balsubramani_freund" in loaded
    assert not [name for name in loaded if name.startswith(AFTER_A_FIT)]


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("model.check_drift(votes)", "models.drift"),
        ("model.to_sql(table='votes')", "models.sql_text.select"),
        ("model.explain(votes, 0)", "models.explained.explaining"),
        ("model.save(__import__('tempfile').mkdtemp() + '/model.json')", "models.saved.saving"),
    ],
)
def test_each_of_it_is_loaded_by_the_method_that_does_it(call: str, name: str) -> None:
    assert name in modules_after(f"{GAME}\n{call}")


def test_the_watch_itself_works() -> None:
    assert loaded_after("import json", {"json", "pandas"}) == {"json"}


@pytest.mark.parametrize("name", ["Votes", "Box", "BalsubramaniFreund", "ThumbwiseError", "metrics"])
def test_public_names_are_found_and_listed(name: str) -> None:
    import thumbwise

    assert name in dir(thumbwise)
    assert name in thumbwise.__all__
    assert getattr(thumbwise, name) is getattr(thumbwise, name)


def test_an_unknown_name_is_an_attribute_error() -> None:
    import thumbwise

    with pytest.raises(AttributeError, match="no_such_name"):
        _ = thumbwise.no_such_name
