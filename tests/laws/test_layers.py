"""Which module may import which: arrays below votes, votes below boxes, models below everything that shows them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import thumbwise

ROOT = Path(thumbwise.__file__).parent

# A module may import modules of earlier rows only. Modules that are not listed are held by the rules further down.
LAYERS = [
    {"exceptions", "_typing", "shown"},
    {"sql_text.dialects"},
    {"numerics.resampling"},
    {
        "patterns",
        "numerics.vote_rates",
        "numerics.expectation_maximisation",
        "numerics.inert_pickle",
        "numerics.subtypes",
    },
    {"counted_votes"},
    {"numerics.overlaps", "numerics.hyper_network", "numerics.brier_game"},
    {"numerics.hyper_weights"},
    {"reading.coding"},
    {"reading.frames", "reading.triples"},
    {"reading.item_order"},
    {"reading.long_columns"},
    {"reading.raw_votes"},
    {"reading.read_votes"},
    {"reading.codes"},
    {"reading.long_labels", "reading.wide_votes", "reading.sparse_votes", "reading.checked_votes"},
    {"reading.long_votes"},
    {"votes"},
    {"gold_checks.sample_population", "gold_checks.label_fit"},
    {"gold_checks.sample_omnibus"},
    {"gold_checks.sample_check"},
    {"evidence"},
    {"numerics.shared_features"},
    {"numerics.shared_prediction", "numerics.conjugate_gradient", "numerics.hypergeometric"},
    {"numerics.weighted_shares", "numerics.stratified_totals"},
    {"intervals", "moments"},
    {"labels", "written_bounds"},
    {"engines.digits", "engines.files", "engines.frames"},
    {"engines.classes", "engines.items"},
    {"engines.answers"},
    {"lazy_votes"},
    {"inputs"},
    {"gold"},
    {"designs"},
    {"box"},
    {"pinning"},
    {"models.additive_terms", "models.pool_summary", "models.compared", "models.registry", "saved.schema"},
    {"saved.fields"},
    {"models.display", "models.inputs", "updating"},
    {"models.base", "certificate"},
    {"models.majority_vote"},
    {
        "models.dawid_skene",
        "models.balsubramani_freund",
        "models.data_programming",
        "models.ebcc",
        "models.amcl",
        "models.hyper_label_model",
    },
    {"drift", "explanation", "sql_text.steps"},
    {"explaining", "sql"},
]
# What is done with a fitted model, imported by the method that does it, when it does; or for its types alone.
DOORS = {
    "models.base": {"drift", "explaining", "explanation", "saving", "sql"},
    "models.balsubramani_freund": {"explaining", "saved.boxes"},
    "models.registry": {"models.base"},
}
# What reads tables and knows no votes: engines, which hold votes elsewhere, stand on it.
TABLES = {"io.formats"}
HEIGHT = {module: height for height, layer in enumerate(LAYERS) for module in layer}
BELOW_MODELS = sorted(
    module
    for module, height in HEIGHT.items()
    if height < HEIGHT["models.base"] and module.split(".")[0] not in {"models", "saved"}
)


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_names(tree: ast.AST) -> set[str]:
    """What a module imports from thumbwise, in functions too, as dotted names without 'thumbwise.'."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            names |= {f"{node.module}.{alias.name}" for alias in node.names} | {str(node.module)}
    return {name.removeprefix("thumbwise.") for name in names if name.startswith("thumbwise.")}


SOURCES = {module_name(path): path for path in sorted(ROOT.rglob("*.py"))}
IMPORTS = {
    name: (imported_names(ast.parse(path.read_text())) & set(SOURCES)) - DOORS.get(name, set())
    for name, path in SOURCES.items()
    if name
}


def reachable(module: str) -> set[str]:
    """All modules that importing this one may bring in."""
    seen: set[str] = set()
    todo = [module]
    while todo:
        new = IMPORTS.get(todo.pop(), set()) - seen
        seen |= new
        todo.extend(new)
    return seen


def under(packages: set[str], modules: set[str]) -> set[str]:
    return {module for module in modules if module.split(".")[0] in packages}


def test_the_walk_sees_imports() -> None:
    assert "patterns" in IMPORTS["reading.checked_votes"]
    assert "votes" in IMPORTS["models.base"]
    assert {"patterns", "exceptions"} <= reachable("models.dawid_skene")


@pytest.mark.parametrize("module", DOORS)
def test_doors_are_opened_by_methods_only(module: str) -> None:
    """What stands at the top of the module, or in the body of a class, is imported with it."""
    tree = ast.parse(SOURCES[module].read_text())
    tree.body = [node for node in tree.body if not isinstance(node, ast.If)]  # if TYPE_CHECKING
    everything = imported_names(tree) | {"models.base"}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.body = [ast.Pass()]
    assert not imported_names(tree) & DOORS[module]
    assert DOORS[module] - {"explanation"} <= everything, "a door that nobody opens"


@pytest.mark.parametrize("module", sorted(HEIGHT))
def test_modules_import_earlier_layers_only(module: str) -> None:
    later = {name for name in IMPORTS[module] if HEIGHT.get(name, -1) >= HEIGHT[module]}
    assert not later, f"{module} imports {later}"


@pytest.mark.parametrize("module", sorted(IMPORTS))
def test_nothing_imports_itself_in_a_circle(module: str) -> None:
    assert module not in reachable(module)


@pytest.mark.parametrize(
    "module",
    [
        *(
            "numerics.maxent",
            "numerics.kinked_quadratic",
            "numerics.solver",
            "feasibility",
            "intervals",
            "patterns",
            "numerics.linear_bounds",
        ),
        *(
            "numerics.vote_rates",
            "numerics.expectation_maximisation",
            "numerics.overlaps",
            "numerics.subtypes",
            "numerics.brier_game",
        ),
        *("numerics.hyper_network", "numerics.hyper_weights", "numerics.inert_pickle"),
        *("numerics.hypergeometric", "numerics.weighted_shares", "numerics.stratified_totals"),
    ],
)
def test_the_mathematics_knows_arrays_and_not_votes(module: str) -> None:
    assert not reachable(module) & {"votes", "reading.raw_votes", "reading.coding", "moments", "labels", "box"}


def test_the_solver_rests_on_its_step_and_not_the_other_way_round() -> None:
    assert "numerics.kinked_quadratic" in IMPORTS["numerics.solver"]
    assert not reachable("numerics.kinked_quadratic") & {"numerics.maxent", "numerics.solver"}
    assert "numerics.solver" not in reachable("numerics.maxent")


def test_the_certificate_comes_last_in_the_core() -> None:
    assert {"evidence", "numerics.solver", "feasibility"} <= IMPORTS["certificate"]
    for module in ("box", "numerics.solver", "feasibility", "numerics.maxent", "moments"):
        assert "certificate" not in reachable(module)


@pytest.mark.parametrize("module", BELOW_MODELS)
def test_the_core_knows_no_models(module: str) -> None:
    assert not under({"models"}, reachable(module))


@pytest.mark.parametrize(
    "module", [name for name in sorted(IMPORTS) if name in HEIGHT or name.split(".")[0] == "models"]
)
def test_core_and_models_know_no_files_plots_or_commands(module: str) -> None:
    outside = {"io", "cli", "plots", "report", "experiments", "datasets"}
    assert under(outside, reachable(module)) <= TABLES


@pytest.mark.parametrize(
    "module", [name for name in sorted(IMPORTS) if name.split(".")[0] != "cli" and name != "__main__"]
)
def test_nobody_imports_the_command_line(module: str) -> None:
    assert not under({"cli"}, IMPORTS[module])


def test_plots_know_frames_and_not_models() -> None:
    for name in under({"plots", "plotting"}, set(IMPORTS)):
        assert not under({"models"}, IMPORTS[name])
