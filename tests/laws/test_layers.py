"""Which room may use which: each room those before it, and within a room nothing runs in a circle."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import thumbwise

ROOT = Path(thumbwise.__file__).parent

# What stands in the root, then the rooms; a module may import from its own room and from those before it.
BEGINNING = ("_typing", "exceptions", "outward", "metrics", "summaries")
ROOMS = (
    "numerics",
    "tables",
    "votes",
    "rules",
    "box",
    "rates",
    "game",
    "models",
    "io",
    "assess",
    "datasets",
    "paper",
    "display",
    "bench",
    "cli",
)
# What ``python -m thumbwise`` runs: after all rooms.
START = "__main__"
# Names that are looked up where they are asked for: public names of the package, of its data and of moments, and
# models and kinds of moments by folder.
LOOKED_UP = {"", "box.moments", "box.moments.kinds", "box.opinions", "datasets", "models.registry"}
# What is done with a fitted model, or with items held elsewhere, imported by the function that does it, when it does;
# or for its types alone.
DOORS = {
    "box.moments": {
        f"box.moments.{name}"
        for name in ("kinds", "linear", "of_classes", "of_rules", "of_steps", "standard", "written")
    },
    "models.base": {
        "models.drift",
        "models.explained.explaining",
        "models.explained.explanation",
        "models.saved.saving",
        "models.sql_text.select",
    },
    "models.balsubramani_freund": {"models.explained.explaining", "models.saved.boxes"},
    "models.registry": {"models.base"},
    "votes.inputs": {"votes.lazy_votes"},
}


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
TREES = {name: ast.parse(path.read_text()) for name, path in SOURCES.items()}
IMPORTS = {name: imported_names(tree) & set(SOURCES) - DOORS.get(name, set()) for name, tree in TREES.items() if name}


def height(module: str) -> int:
    room = module.split(".", maxsplit=1)[0]
    return -1 if room in BEGINNING else (*ROOMS, START).index(room)


def reachable(module: str, *, through_doors: bool = True) -> set[str]:
    """All modules that importing this one brings in, and, through doors, those that its functions import."""
    seen: set[str] = set()
    todo = [module]
    while todo:
        name = todo.pop()
        new = (IMPORTS.get(name, set()) | (DOORS.get(name, set()) if through_doors else set())) - seen
        seen |= new
        todo.extend(new)
    return seen


def test_the_walk_sees_imports() -> None:
    assert "numerics.patterns" in IMPORTS["votes.reading.checked_votes"]
    assert "votes.votes" in IMPORTS["models.base"]
    assert {"numerics.patterns", "exceptions"} <= reachable("models.dawid_skene")


def test_every_module_stands_in_a_room() -> None:
    """Seven modules in the root, with what names the public and what starts commands; no room is a public function."""
    assert {name.split(".")[0] for name in SOURCES if name} == {*BEGINNING, *ROOMS, START}
    assert len(list(ROOT.glob("*.py"))) <= 7
    assert set(ROOMS) & set(thumbwise.__all__) == {"datasets"}


def test_every_folder_is_a_package() -> None:
    folders = {path.parent for path in ROOT.rglob("*.py")}
    assert [str(folder) for folder in folders if not (folder / "__init__.py").exists()] == []


@pytest.mark.parametrize("module", sorted(IMPORTS))
def test_a_room_uses_those_before_it(module: str) -> None:
    later = {name for name in IMPORTS[module] | DOORS.get(module, set()) if height(name) > height(module)}
    assert not later, f"{module} imports {later}"


@pytest.mark.parametrize("module", sorted(IMPORTS))
def test_nothing_imports_itself_in_a_circle(module: str) -> None:
    """What is imported through a door waits for a call."""
    assert module not in reachable(module, through_doors=False)


def test_the_doors_are_used() -> None:
    for module, opened in DOORS.items():
        assert opened <= imported_names(TREES[module]), module


@pytest.mark.parametrize("module", sorted(SOURCES))
def test_no_import_hides_in_a_string(module: str) -> None:
    """Modules of ours are imported by statements; libraries that may be missing are looked up by name."""
    calls = [node for node in ast.walk(TREES[module]) if isinstance(node, ast.Call)]
    looked_up = [call for call in calls if ast.unparse(call.func).split(".")[-1] in ("import_module", "__import__")]
    if module in LOOKED_UP:
        assert looked_up, "an excuse is left over"
        return
    for call in looked_up:
        named = call.args[0]
        assert isinstance(named, ast.Constant), ast.unparse(call)
        assert not str(named.value).startswith("thumbwise"), ast.unparse(call)


@pytest.mark.parametrize("module", sorted(name for name in SOURCES if name.startswith("numerics.")))
def test_the_mathematics_knows_arrays_and_not_votes(module: str) -> None:
    assert {name.split(".")[0] for name in reachable(module)} <= {"numerics", *BEGINNING}


def test_the_solver_rests_on_its_step_and_not_the_other_way_round() -> None:
    assert "numerics.kinked_quadratic" in IMPORTS["numerics.solver"]
    assert not reachable("numerics.kinked_quadratic") & {"numerics.maxent", "numerics.solver"}
    assert "numerics.solver" not in reachable("numerics.maxent")


def test_plots_know_tables_and_not_models() -> None:
    drawing = [name for name in IMPORTS if name.startswith(("display.plots", "display.plotting"))]
    assert drawing
    for name in drawing:
        assert not {imported for imported in IMPORTS[name] if imported.startswith("models.")}
