"""Fitted models as plain JSON that people can read, and back, with the same predictions to the last bit.

A file names no code: the class of the model is looked up among those that are defined, and everything else is numbers
and names that are checked before use, as the class declares them. What a file holds is described in ``docs/saving.md``.
"""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from thumbwise import __version__
from thumbwise._typing import AnyArray
from thumbwise.exceptions import InvalidFileError, ThumbwiseError
from thumbwise.models.base import LabelModel
from thumbwise.models.pool_summary import PoolSummary
from thumbwise.models.registry import is_registered, registered
from thumbwise.models.saved.checksums import CHECKSUM, check_sum, render_sealed
from thumbwise.models.saved.fields import Setting
from thumbwise.tables.json_values import Node, parse, plain, refuse, write_name
from thumbwise.tables.outputs import MODEL, check_file
from thumbwise.tables.whole_files import replacing
from thumbwise.votes.labels import KnownLabels
from thumbwise.votes.votes import Votes

FORMAT = "thumbwise model"
VERSION = 1
# A model of 10,000 rules and 10 classes takes about 20 MB.
MAX_BYTES = 2**26

_FINGERPRINT_LENGTH = 64
# Sums of counts up to this are exact, whatever holds them.
_MOST_ITEMS = 2**53
_TOP = (
    "format",
    "version",
    "thumbwise",
    "model",
    "parameters",
    "rules",
    "classes",
    "fingerprints",
    "pool",
    "known",
    "learned",
)


def save_model(model: LabelModel, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Write a fitted model to a JSON file, whole or not at all.

    Parameters
    ----------
    model : LabelModel
        Fitted, of a class that says in ``_learned`` what it learns, as every model of thumbwise does.
    path : path
        Conventionally ends in ``.json``. A model that was saved there before is replaced in one step.
    overwrite : bool
        Replace any other file too.

    Raises
    ------
    InvalidFileError
        The file cannot be written, or is something else; or the model holds what a file cannot say, such as moments
        that are the user's own functions, or class names that are neither strings nor numbers.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import thumbwise as tw
    >>> from thumbwise.models.saved.saving import load_model, save_model
    >>> votes = tw.Votes([[0, 0], [1, 1], [1, 0]], rule_names=["short", "shouting"], class_names=["ham", "spam"])
    >>> model = tw.DawidSkene().fit(votes)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, Path(folder) / "model.json")
    ...     again = load_model(Path(folder) / "model.json")
    >>> bool((again.predict_proba(votes) == model.predict_proba(votes)).all())
    True
    """
    content = render_sealed(describe(model)).encode() + b"\n"
    build(parse(Path(path), content))  # what is written can be read
    try:
        target = check_file(Path(path), MODEL, overwrite=overwrite)
    except ValueError as error:
        if isinstance(error, InvalidFileError):
            raise
        raise InvalidFileError(f"{path!r} cannot be written: {error}. Choose another name.") from error
    with replacing(target) as part:
        part.write_bytes(content)


def load_model(path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES) -> Any:
    """Read a model that :func:`save_model` wrote, perhaps on another machine, perhaps changed by a stranger.

    Nothing that the file says is imported or run.

    Parameters
    ----------
    path : path
    max_bytes : int
        A larger file is refused unread. Reading can take up to 90 times this much memory.

    Raises
    ------
    InvalidFileError
        The file is not such a model, or of a newer format; the message says what must hold, and where it does not.

    Notes
    -----
    *Guarantee*: predictions are those of the model that was saved, to the last bit. A certificate is read as it was
    written, and speaks of the items of the fit; nothing in a file proves that it was not changed.

    Examples
    --------
    >>> import tempfile
    >>> import thumbwise as tw
    >>> votes = [[0, 0], [1, 1], [1, 0]]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tw.MajorityVote().fit(votes).save(f"{folder}/model.json")
    ...     tw.load(f"{folder}/model.json").predict(votes)
    array([0, 1, 0])
    """
    return build(parse(Path(path), _read_bytes(Path(path), max_bytes)))


def _read_bytes(path: Path, max_bytes: int) -> bytes:
    try:
        if not path.is_file():
            refuse(path, f"it must be a plain file; {'it is not' if path.exists() else 'there is none'}")
        with path.open("rb") as file:
            content = file.read(max_bytes + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, InvalidFileError):
            raise
        refuse(path, f"it must be readable; {getattr(error, 'strerror', None) or error}", error)
    if len(content) > max_bytes:
        refuse(path, f"it must have at most {max_bytes:,} bytes; it has more. If it is yours, pass a larger max_bytes")
    return content


def describe(model: LabelModel) -> dict[str, Any]:
    """The model as lists, mappings, strings and numbers."""
    if not is_registered(type(model)):
        raise InvalidFileError(
            f"only models that say what they learn can be saved ({', '.join(registered())}); found "
            f"{type(model).__qualname__}, which does not say it itself. Save what it derives from, or give it _learned."
        )
    check_is_fitted(model)
    known = model._gold_of_fit()
    return {
        "format": FORMAT,
        "version": VERSION,
        "thumbwise": __version__,
        "model": type(model).__name__,
        "parameters": _write_parameters(model),
        "rules": list(model.rule_names_),
        "classes": [write_name(name, "class name") for name in model.classes_.tolist()],
        "fingerprints": {
            "votes": model.pool_summary_.fingerprint,
            "gold": None if known is None else gold_fingerprint(known),
        },
        "pool": _write_pool(model.pool_summary_, model.rule_names_),
        "known": None if known is None else _write_known(known, model.known_ is not None),
        "learned": model._write_learned(),
    }


def build(document: Node) -> LabelModel:
    """The model that a document describes."""
    try:
        return _build(document)
    except InvalidFileError:
        raise
    except ThumbwiseError as error:  # names that are no names of rules, bounds that are no bounds
        refuse(document.path, f"its parts must fit together; they do not: {str(error)[:600].rstrip('.')}", error)


def _build(document: Node) -> LabelModel:
    _check_format(document)
    _, _, release, name, parameters, rules, classes, fingerprints, pool, known, learned = _fields(document)
    release.text()
    models = registered()
    model_class = models[name.text(tuple(models))]
    votes = _read_names(rules, classes)
    of_votes, of_gold = fingerprints.fields("votes", "gold")
    labels, is_pinned = _read_known(known, votes.n_classes)
    if of_gold.optional(Node.text) != (None if labels is None else gold_fingerprint(labels)):
        of_gold.refuse("the fingerprint of the known labels")
    setting = Setting(votes, _read_pool(pool, of_votes, votes), labels)
    model = model_class(**_read_parameters(parameters, model_class, setting))
    model._read_learned(learned, setting)
    model._remember(votes, labels if is_pinned else None)
    model.pool_summary_ = setting.pool
    if model._gold_of_fit() is not labels:
        known.child("kept").refuse(f"true, since the model is {name.value}")
    if tuple(model.classes_.tolist()) != votes.class_names:
        classes.refuse("names that an array can hold", "a name that ends in a null character")
    check_sum(document)  # the last: whatever can be said of a field by itself says more
    return model


def _fields(document: Node) -> list[Node]:
    """What every file holds; a checksum may follow."""
    document.keys(_TOP, (*_TOP, CHECKSUM))
    return [document.child(name) for name in _TOP]


def _check_format(document: Node) -> None:
    if not isinstance(document.value, dict) or document.value.get("format") != FORMAT:
        refuse(document.path, f'it must be an object whose field "format" is "{FORMAT}"; it is not')
    document.keys(("version",), (*_TOP, *document.value))
    version = document.child("version").whole(1)
    if version > VERSION:
        written = document.value.get("thumbwise")
        by = f" by thumbwise {written[:20]}" if isinstance(written, str) else ""
        refuse(
            document.path,
            f"its format must be version {VERSION} or older; it was written{by} in version {version}. Update thumbwise",
        )


def _read_names(rules: Node, classes: Node) -> Votes:
    """Votes of these rules and classes, on one item that nobody votes on."""
    rule_names = [node.text() for node in rules.items()]
    class_names = [node.scalar() for node in classes.items()]
    if not rule_names or not class_names:
        rules.refuse("a list of rules, next to a list of classes, neither of them empty")
    return Votes(np.full((1, len(rule_names)), -1), class_names=class_names, rule_names=rule_names)


def _write_pool(summary: PoolSummary, rule_names: Sequence[str]) -> dict[str, Any]:
    """Number of items, and by rule the number of votes for each class; the fingerprint is written with that of gold."""
    return {"n_items": int(summary.n_items), "votes": dict(zip(rule_names, plain(summary.counts), strict=True))}


def _read_pool(node: Node, fingerprint: Node, votes: Votes) -> PoolSummary:
    n_items, by_rule = node.fields("n_items", "votes")
    n = n_items.whole(0, _MOST_ITEMS)
    counts = [_read_counts(entry, votes.n_classes, n) for entry in by_rule.fields(*votes.rule_names)]
    return PoolSummary(n, np.array(counts, dtype=np.int64), _read_fingerprint(fingerprint))


def _read_counts(node: Node, n_classes: int, n_items: int) -> list[int]:
    counts = [entry.whole(0, n_items) for entry in node.items(n_classes)]
    if sum(counts) > n_items:
        node.refuse(f"votes on at most {n_items} items", f"{sum(counts)}")
    return counts


def _read_fingerprint(node: Node) -> str:
    text = node.text()
    if len(text) != _FINGERPRINT_LENGTH or set(text) - set("0123456789abcdef"):
        node.refuse(f"{_FINGERPRINT_LENGTH} hexadecimal digits")
    return text


def gold_fingerprint(known: KnownLabels) -> str:
    """Hash of ids and classes: equal for the same labels in any order."""
    lines = sorted(f"{value!r}: {label}" for value, label in zip(known.item_ids.tolist(), known.labels, strict=True))
    return sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


def _write_known(known: KnownLabels, is_pinned: bool) -> dict[str, Any]:
    ids = [write_name(value, "item id") for value in known.item_ids.tolist()]
    kind = known.item_ids.dtype.kind
    mixed = kind not in "iufU"
    return {"kept": is_pinned, "mixed": mixed, "ids": ids, "labels": known.labels.tolist()}


def _read_known(node: Node, n_classes: int) -> tuple[KnownLabels | None, bool]:
    if node.value is None:
        return None, True
    kept, mixed, ids, labels = node.fields("kept", "mixed", "ids", "labels")
    listed = [entry.scalar() for entry in ids.items()]
    if len(set(listed)) < len(listed) or not listed:
        ids.refuse("a list of different ids", "an id twice, or none")
    coded = [entry.whole(0, n_classes - 1) for entry in labels.items(len(listed))]
    return KnownLabels(_as_ids(ids, listed, mixed.truth()), np.array(coded, dtype=np.int64)), kept.truth()


def _as_ids(node: Node, listed: list[Any], mixed: bool) -> AnyArray:
    if mixed:
        array = np.empty(len(listed), dtype=object)
        array[:] = listed
        return array
    kinds = {type(value) for value in listed}
    if len(kinds) != 1 or not kinds <= {str, int, float}:
        node.refuse('strings, or whole numbers, or numbers, unless "mixed" is true', "several kinds")
    largest = max(listed) if kinds == {int} else 0
    array = np.array(listed, dtype=np.uint64 if largest >= 2**63 and min(listed) >= 0 else None)
    if array.dtype.kind not in "iufU" or list(map(repr, array.tolist())) != list(map(repr, listed)):
        node.refuse("ids that an array can hold", "a number that is too large, or text that ends in a null character")
    return array


def _write_parameters(model: LabelModel) -> dict[str, Any]:
    """Parameters of the constructor, but for those that the model keeps out of files."""
    fields, parameters = model._parameter_fields, model.get_params(deep=False)
    kept = {name: value for name, value in parameters.items() if fields.get(name, ...) is not None}
    return {name: _write_parameter(name, value) for name, value in kept.items()}


def _write_parameter(name: str, value: Any) -> Any:
    if value is None or isinstance(value, (str, bool)):
        return value
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        raise InvalidFileError(f"parameters must be numbers or strings to be saved; {name} is {str(value)[:60]!r}.")
    return plain(array)


def _read_parameters(node: Node, model_class: type[LabelModel], setting: Setting) -> dict[str, Any]:
    """As the model says, or of the kind that the default has; one that is absent is what it was before, or default."""
    fields, parameters = model_class._parameter_fields, inspect.signature(model_class).parameters
    names = [name for name in parameters if fields.get(name, ...) is not None]
    settings: dict[str, Any] = dict(model_class._absent_parameters)
    for name in node.keys((), names):
        field, child = fields.get(name), node.child(name)
        default = parameters[name].default
        settings[name] = _read_parameter(child, default) if field is None else field.read(child, None, setting)
    return settings


def _read_parameter(node: Node, default: Any) -> Any:
    if default is None:
        return None if node.value is None else node.refuse("null, since its class has no field for it")
    if isinstance(default, bool):
        return node.truth()
    if isinstance(default, str):
        return node.text()
    if isinstance(default, int):
        return node.whole(-(2**63))
    number = node.number(-math.inf, math.inf, special=True)
    return node.value if isinstance(node.value, int) and -(2**63) <= node.value < 2**63 else number


# The public name: ``thumbwise.load``.
load = load_model
