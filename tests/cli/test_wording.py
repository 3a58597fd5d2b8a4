"""Arguments of Python as options: the table against typer's own, and every message in reach of a command against it.

Kills, tried once: an option of the table misspelled; a flag that is given a value; classes joined by plain commas; an
argument in the plain text of a message; an error that is put into another as text.
"""

from __future__ import annotations

import ast
import csv
import inspect
import pickle
import re
import shlex
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import typer

import thumbwise as tw
from cli.test_command_words import ARGUMENTS, assert_no_python
from laws.test_layers import SOURCES, reachable
from thumbwise import exceptions
from thumbwise.assess.check_rules.codes import CODES
from thumbwise.cli.main import app
from thumbwise.cli.wording import OPTIONS, REPEATED, as_option, in_command_words
from thumbwise.exceptions import Argument, InPython, InvalidVotesError, Message, ThumbwiseError

# Arguments that messages in reach of a command name, though no option stands for them.
PYTHON_ONLY = {
    "item_ids": "a file has a column of ids, which is checked when it is read",
    "rule_names": "names of columns, or values of one",
    "item_groups": "no command reads groups",
    "strata": "gold that was drawn within groups says so in its file",
    "sizes": "gold that was drawn within groups says so in its file",
    "gold_is": "whether gold is part of the pool is seen by its ids",
    "gold_votes": "gold is a file or a column",
    "gold_labels": "gold is a file or a column",
    "n_permutations": "commands leave it as it is",
    "clip": "commands leave it as it is",
    "pool": "votes are the first argument",
    "moments": "commands leave it as it is",
    "precisions": "commands leave it as it is",
    "opinions": "commands leave it as it is",
    "features": "no command reads features of items",
    "gold_features": "no command reads features of items",
    "interval": "commands leave it as it is",
    "symmetric": "commands leave it as it is",
    "class_frequencies": "no command takes them",
    "n_folds": "no command draws a frontier alone",
    "edges": "no command asks for intervals of single predictions",
    "y": "gold is a file or a column",
    "n_shown": "commands leave it as it is",
}
# Options that one command takes once, though another takes them for each class.
ONCE = {("plan", "--precision")}
# Modules in reach of a command with arguments in plain text, and why nobody reads them there.
EXCUSED = {
    "votes.reading.sparse_votes": "sparse matrices are passed in Python",
}


def options() -> dict[str, list[tuple[str, Any]]]:
    """Every option, with the commands that have it and what typer knows of it there."""
    given: dict[str, list[tuple[str, Any]]] = {}
    for name, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        for parameter in command.params:
            for option in parameter.opts:
                given.setdefault(option, []).append((name, parameter))
    return given


@pytest.mark.parametrize("argument", OPTIONS)
def test_the_options_exist(argument: str) -> None:
    option, _, value = OPTIONS[argument].partition(" ")
    parameters = options()[option]
    for command, parameter in parameters:
        assert bool(value) != parameter.is_flag
        assert parameter.multiple == (argument in REPEATED and (command, option) not in ONCE)


def test_every_option_that_reads_votes_has_an_argument() -> None:
    """Whatever ``read_votes`` takes can be said on the command line, so a message may name it."""
    assert set(inspect.signature(tw.read_votes).parameters) - {"source", "votes"} <= set(OPTIONS)


@pytest.mark.parametrize(
    ("argument", "command"),
    [
        (Argument("item_id", "NAME"), "--id NAME"),
        (Argument("item", ...), "--id NAME"),
        (Argument("ignore", ["a b", "c"]), "--ignore 'a b' --ignore c"),
        (Argument("ignore", "[NAME]"), "--ignore NAME"),
        (Argument("class_names", ["ham", "a,b"]), """--classes 'ham,"a,b"'"""),
        (Argument("class_names", ["it's", "$HOME"]), """--classes 'it'"'"'s,$HOME'"""),
        (Argument("class_names", [1, 2, ...]), "--classes 1,2,..."),
        (Argument("class_names", [...]), "--classes NAME,NAME,..."),
        (Argument("class_names", ...), "--classes NAME,NAME,..."),
        (Argument("class_names"), "--classes"),
        (Argument("n_classes", 5), "--classes NAME,NAME,..."),
        (Argument("n_classes"), "--classes"),
        (Argument("codes", {-1: "NAME", 1: "NAME", 0: None}), "--codes '-1=NAME,1=NAME,0='"),
        (Argument("codes", ...), "--codes VALUE=NAME,..."),
        (Argument("recall", {"toxic": 0.95, "so so": 0.9}), "--recall toxic=0.95 --recall 'so so=0.9'"),
        (Argument("precision", 0.95), "--precision 0.95"),
        (Argument("budget", 500), "--budget 500"),
        (Argument("per_class"), "--per-class"),
        (Argument("layout", '"long"'), "--layout long"),
        (Argument("abstain", "'-1'"), "--abstain -1"),
        (Argument("abstain", "'n a'"), "--abstain 'n a'"),
        (Argument("abstain", ...), "--abstain VALUE"),
        (Argument("gold", "FILE"), "--gold FILE"),
        (Argument("gold_column", "NAME"), "--gold-column NAME"),
        (Argument("on_infeasible", '"widen"'), "--on-infeasible widen"),
        (Argument("confidence_level"), "--confidence"),
        (Argument("confidence_level", 0.9), "--confidence 0.9"),
        (Argument("overwrite", True), "--overwrite"),
        (Argument("gold_unseen", True), "--gold-unseen"),
        (Argument("clip", 0), "clip=0"),
    ],
    ids=str,
)
def test_words(argument: Argument, command: str) -> None:
    assert as_option(argument) == command


@pytest.mark.parametrize("names", [["ham", "spam"], ["a,b", 'c"d'], ["it's", "$x `y`"], ["", "-1"], ["é\t", "x y"]])
def test_classes_that_are_typed_as_said_are_read_back(names: list[str]) -> None:
    _, typed = shlex.split(as_option(Argument("class_names", names)))
    assert next(csv.reader([typed])) == names
    assert shlex.split(as_option(Argument("ignore", names)))[1::2] == names


def test_names_of_columns_stay_as_they_are() -> None:
    message = Message("column 'item_id=x' and 'class_names'; name it with ", Argument("item_id", "NAME"), ".")
    assert in_command_words(message) == "column 'item_id=x' and 'class_names'; name it with --id NAME."
    assert str(message) == "column 'item_id=x' and 'class_names'; name it with item_id=NAME."


def test_words_for_python_are_left_out_and_errors_within_errors_are_worded() -> None:
    inner = InvalidVotesError("list them: ", Argument("class_names", [...]), InPython(" to Votes"), ".")
    outer = pickle.loads(pickle.dumps(ThumbwiseError("first: ", inner, " Or ", Argument("abstain", ...), ".")))
    assert str(outer) == "first: list them: class_names=[...] to Votes. Or abstain=...."
    assert in_command_words(outer) == "first: list them: --classes NAME,NAME,.... Or --abstain VALUE."


def test_an_option_of_another_command_comes_with_its_name() -> None:
    advice = CODES["TW303"].advice
    assert "(thumbwise label --on-infeasible widen), but" in in_command_words(advice, of="label")
    assert '(on_infeasible="widen" of BalsubramaniFreund), but' in advice


def test_warnings_are_worded() -> None:
    warning = UserWarning(Message("exceeds ", InPython("tol="), "1e-9; say ", Argument("ignore", ["x"])))
    assert in_command_words(warning) == "exceeds 1e-9; say --ignore x"
    assert in_command_words(UserWarning("plain")) == "plain"
    assert in_command_words(UserWarning()) == ""


def called(node: ast.AST, *names: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names


def named_arguments() -> Iterator[tuple[str, ast.expr]]:
    for module, path in SOURCES.items():
        for node in ast.walk(ast.parse(path.read_text())):
            if called(node, "Argument"):
                yield module, node.args[0]  # type: ignore[attr-defined]


def test_every_argument_that_a_message_names_is_an_option_or_known_to_be_none() -> None:
    names = {node.value for _, node in named_arguments() if isinstance(node, ast.Constant)}
    assert {"item_id", "class_names", "gold_unseen"} <= names  # the walk sees something
    assert names - set(OPTIONS) - set(PYTHON_ONLY) == set()
    assert set(PYTHON_ONLY) - names == set(), "an excuse is left over"


def test_names_of_arguments_are_written_out() -> None:
    """Or else the law above does not see them."""
    unseen = {(module, ast.unparse(node)) for module, node in named_arguments() if not isinstance(node, ast.Constant)}
    assert unseen == {
        ("votes.reading.long_votes", "argument"),  # item_ids or rule_names
        ("box.opened_gold", "argument"),  # gold_labels
        ("box.opinions.features", "name"),  # features, gold_features or X
        ("assess.accepting.targets", "argument"),  # precision, recall or precisions
        ("assess.triage", "name"),  # precision, recall or per_class
        ("rates.asked", "argument"),  # by, cluster, versus, of or values
        ("rates.asking", "argument"),  # of, cluster or values
        ("rates.asking", "name"),  # by, cluster or values
        ("io.classes", "beside"),  # class_names or abstain
        ("io.layouts", "name"),  # options that a layout does not take
        ("io.roles", "argument"),  # what names a column
        ("io.jury_records.fields", "argument"),  # what names a field
        ("io.exports.reading", "given[0]"),  # item_id, rule, label or null_verdict
        ("io.exports.opened", "argument"),  # item_id or rule
        ("io.exports.label_studio_acts", "argument"),  # label or gold_label
        ("io.tag_cells", "argument"),  # empty_means or gold_empty_means
        ("io.tag_sources", "argument"),  # empty_means, gold_empty_means, or what has no place beside tags
    }


MODELS = [getattr(tw, name) for name in tw.__all__ if hasattr(getattr(tw, name), "predict_proba")]
SETTINGS = {name for model in MODELS for name in inspect.signature(model).parameters}
NAMES = {*OPTIONS, *SETTINGS, *(name for name in ARGUMENTS if "_" in name)}
IN_TEXT = re.compile(
    rf"(?<!['\"\w.-])((?:{'|'.join(sorted(name for name in NAMES if '_' in name))})(?!['\"\w])|(?:{'|'.join(NAMES)})=)"
)


def plain_texts(node: ast.AST) -> Iterator[str]:
    """Sentences of a module that are not said in parts; a ValueError is no message to users of commands."""
    for child in ast.iter_child_nodes(node):
        if called(child, "Argument", "InPython", "ValueError"):
            continue
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):  # a docstring
            continue
        if isinstance(child, ast.Constant) and isinstance(child.value, str) and re.search("[ =]", child.value):
            yield child.value
        yield from plain_texts(child)


def arguments_in_text(module: str) -> list[str]:
    texts = plain_texts(ast.parse(SOURCES[module].read_text()))
    return [text for text in texts if IN_TEXT.search(text)]


IN_REACH = sorted(reachable("cli"))


@pytest.mark.parametrize("module", [name for name in IN_REACH if name not in EXCUSED])
def test_no_message_in_reach_of_a_command_names_an_argument_in_its_text(module: str) -> None:
    assert arguments_in_text(module) == []


@pytest.mark.parametrize("module", sorted(EXCUSED))
def test_no_excuse_is_left_over(module: str) -> None:
    assert arguments_in_text(module)


def test_the_walk_sees_arguments_in_text() -> None:
    tree = ast.parse(
        'raise E(f"a {b} raise n_classes", InPython("pass tol="), "gold=FILE", Argument("x", "item_id y"))'
    )
    assert [text for text in plain_texts(tree) if IN_TEXT.search(text)] == [" raise n_classes", "gold=FILE"]
    assert IN_TEXT.search("say gold=FILE")
    assert not IN_TEXT.search("column 'item_id' is no rule")


def errors_as_text(tree: ast.AST) -> list[str]:
    """What is put into text of an error of ours that was caught: ``{error}`` has lost its parts."""
    lost = []
    for handler in (node for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler) and node.name):
        caught = {node.id for node in ast.walk(handler.type or handler) if isinstance(node, ast.Name)}
        if any(issubclass(getattr(exceptions, name, int), ThumbwiseError) for name in caught):
            texts = [node.value for node in ast.walk(handler) if isinstance(node, ast.FormattedValue)]
            lost += [ast.unparse(text) for text in texts if ast.unparse(text) in (handler.name, f"str({handler.name})")]
    return lost


def test_errors_within_errors_keep_their_parts() -> None:
    assert errors_as_text(ast.parse('try: f()\nexcept InvalidVotesError as e: raise E(f"so: {e}")')) == ["e"]
    assert {
        module: lost for module in IN_REACH if (lost := errors_as_text(ast.parse(SOURCES[module].read_text())))
    } == {}


def test_a_contradiction_is_said_without_python() -> None:
    error = tw.InfeasibleBoxError(
        conflicting=["accuracy(a)"],
        weights=np.zeros(1),
        dual_value=-0.1,
        widening_factor=2.0,
        widening_amount=0.1,
    )
    assert str(error).endswith('widen the intervals, or pass on_infeasible="widen".')
    assert "< 0 at the weights in .weights, which proves it)" in str(error)
    words = in_command_words(pickle.loads(pickle.dumps(error)))
    assert words.endswith("widen the intervals, or pass --on-infeasible widen.")
    assert "< 0, which proves it)" in words
    assert_no_python(words)
