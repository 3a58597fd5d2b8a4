"""What each model learns, field by field: shape and range. Used to write it, and to check what is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from thumbwise._typing import FloatArray
from thumbwise.models.base import LabelModel
from thumbwise.numerics.hyper_network import Dense, Layer, Network, PoolMeans
from thumbwise.numerics.hyper_weights import expected_shapes
from thumbwise.numerics.subtypes import Tables
from thumbwise.saved.schema import LARGE, Node, plain

# Rounding may put a share just above 1.
_ONE = 1 + 1e-9
# Layers multiply; numbers up to this cannot overflow on the way through all of them.
_LARGE_WEIGHT = 1e30
_MAPS = ("own", "row", "rule", "pool")


@dataclass(frozen=True)
class Sizes:
    """What shapes are made of."""

    rule_names: tuple[str, ...]
    n_classes: int


@dataclass(frozen=True)
class Array:
    """Numbers in a range. ``shape`` names axes; a first axis "rules" is written as a mapping by rule name."""

    shape: tuple[str, ...]
    least: float = -LARGE
    most: float = LARGE
    special: bool = False

    def write(self, value: FloatArray, model: LabelModel) -> Any:
        if self.shape[0] == "rules":
            return {name: plain(part) for name, part in zip(model.rule_names_, value, strict=True)}
        return plain(value)

    def read(self, node: Node, model: LabelModel, sizes: Sizes) -> FloatArray:
        lengths = {"rules": len(sizes.rule_names), "classes": sizes.n_classes}
        lengths |= {"groups": getattr(model, "n_groups", 0), "steps": getattr(model, "n_iter_", 0)}
        lengths |= {"rules and classes": lengths["rules"] + lengths["classes"]}
        shape = tuple(lengths[axis] for axis in self.shape)
        if self.shape[0] == "rules":
            return node.by_name(sizes.rule_names, shape[1:], self.least, self.most, special=self.special)
        return node.array(shape, self.least, self.most, special=self.special)


@dataclass(frozen=True)
class Number:
    """One number in a range, or not finite if ``special``."""

    least: float = -LARGE
    most: float = LARGE
    special: bool = False

    def write(self, value: float, model: LabelModel) -> Any:
        return plain(float(value))

    def read(self, node: Node, model: LabelModel, sizes: Sizes) -> float:
        return node.number(self.least, self.most, special=self.special)


@dataclass(frozen=True)
class Whole:
    """A number of iterations."""

    def write(self, value: int, model: LabelModel) -> Any:
        return int(value)

    def read(self, node: Node, model: LabelModel, sizes: Sizes) -> int:
        return node.whole()


@dataclass(frozen=True)
class Truth:
    """True or false."""

    def write(self, value: bool, model: LabelModel) -> Any:
        return bool(value)

    def read(self, node: Node, model: LabelModel, sizes: Sizes) -> bool:
        return node.truth()


# Concentrations whose digamma, and sums of it, are finite.
_CONCENTRATIONS = {
    "classes": Array(("classes",), 1e-100),
    "groups": Array(("classes", "groups"), 1e-100),
    "votes": Array(("rules", "classes", "classes", "groups"), 1e-100),
}


@dataclass(frozen=True)
class Posterior:
    """Concentrations of the one start that was kept; its axis is left out."""

    def write(self, value: Tables, model: LabelModel) -> Any:
        parts = {"classes": value.classes[0], "groups": value.groups[0], "votes": value.votes[:, :, 0]}
        return {name: array.write(parts[name], model) for name, array in _CONCENTRATIONS.items()}

    def read(self, node: Node, model: LabelModel, sizes: Sizes) -> Tables:
        nodes = zip(node.fields(*_CONCENTRATIONS), _CONCENTRATIONS.values(), strict=True)
        classes, groups, votes = (array.read(part, model, sizes) for part, array in nodes)
        return Tables(classes[None], groups[None], votes[:, :, None])


@dataclass(frozen=True)
class Net:
    """All matrices, so that the file needs no package and no path."""

    def write(self, value: Network, model: LabelModel) -> Any:
        layers = [{name: plain(getattr(layer, name)) for name in (*_MAPS, "bias")} for layer in value.layers]
        return {"layers": layers, "head": [{"matrix": plain(d.matrix), "bias": plain(d.bias)} for d in value.head]}

    def read(self, node: Node, model: LabelModel, sizes: Sizes) -> Network:
        layers, head = node.fields("layers", "head")
        widths, head_widths = network_widths()
        found = zip(layers.items(len(widths)), widths, strict=True)
        dense = zip(head.items(len(head_widths)), head_widths, strict=True)
        return Network(
            tuple(Layer(*_read_maps(layer, _MAPS, *width)) for layer, width in found),
            tuple(Dense(*_read_maps(part, ("matrix",), *width)) for part, width in dense),
        )


def _read_maps(node: Node, names: tuple[str, ...], n_in: int, n_out: int) -> list[FloatArray]:
    *maps, bias = node.fields(*names, "bias")
    matrices = [part.array((n_in, n_out), -_LARGE_WEIGHT, _LARGE_WEIGHT) for part in maps]
    return [*matrices, bias.array((n_out,), -_LARGE_WEIGHT, _LARGE_WEIGHT)]


def network_widths() -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Inputs and outputs of each layer, and of each dense layer of the head."""
    shapes = {name: shape for name, shape in expected_shapes().items() if name.endswith(".weight")}
    layers = [(n_in // 4, n_out) for name, (n_out, n_in) in shapes.items() if name.endswith(".linear.weight")]
    head = [(n_in, n_out) for name, (n_out, n_in) in shapes.items() if name.startswith("classify.")]
    return layers, head


@dataclass(frozen=True)
class Means:
    """What each layer sees of the pool, for each class that the network is asked for."""

    def write(self, value: tuple[tuple[PoolMeans, ...], ...], model: LabelModel) -> Any:
        return [[_write_means(means, model.rule_names_) for means in by_layer] for by_layer in value]

    def read(self, node: Node, model: LabelModel, sizes: Sizes) -> tuple[tuple[PoolMeans, ...], ...]:
        is_one = sizes.n_classes == 2 and not getattr(model, "symmetric", False)
        widths = [n_in for n_in, _ in network_widths()[0]]
        return tuple(
            tuple(_read_means(m, sizes, n_in) for m, n_in in zip(entry.items(len(widths)), widths, strict=True))
            for entry in node.items(1 if is_one else sizes.n_classes)
        )


def _write_means(means: PoolMeans, rule_names: tuple[str, ...]) -> dict[str, Any]:
    return {"by_rule": dict(zip(rule_names, plain(means.by_rule), strict=True)), "overall": plain(means.overall)}


def _read_means(node: Node, sizes: Sizes, n_in: int) -> PoolMeans:
    by_rule, overall = node.fields("by_rule", "overall")
    return PoolMeans(
        by_rule.by_name(sizes.rule_names, (n_in,), -_LARGE_WEIGHT, _LARGE_WEIGHT),
        overall.array((n_in,), -_LARGE_WEIGHT, _LARGE_WEIGHT),
    )


Field = Array | Number | Whole | Truth | Posterior | Net | Means

_RATES = Array(("rules", "classes", "classes"), 0, _ONE)
_POSITIVE_RATES = Array(("rules", "classes", "classes"), 1e-300, _ONE)
_BY_RULE = Array(("rules",), 0, _ONE)
_BY_CLASS = Array(("classes",), 0, _ONE)

# Fields are read in this order, so the number of steps comes before what is measured at each.
SCHEMAS: Mapping[str, Mapping[str, Field]] = {
    "MajorityVote": {},
    "DawidSkene": {
        "n_iter_": Whole(),
        "class_frequencies_": _BY_CLASS,
        "accuracies_": _BY_RULE,
        "weights_": Array(("rules and classes",)),
        "rates_": _RATES,
        "objective_path_": Array(("steps",), special=True),
    },
    "DataProgramming": {
        "n_iter_": Whole(),
        "loss_": Number(special=True),
        "class_balance_": Array(("classes",), 1e-300, _ONE),
        "accuracies_": _BY_RULE,
        "vote_rates_": _POSITIVE_RATES,
    },
    "EBCC": {
        "n_iter_": Whole(),
        "converged_": Truth(),
        "elbo_": Number(special=True),
        "class_frequencies_": _BY_CLASS,
        "group_shares_": Array(("classes", "groups"), 0, _ONE),
        "confusion_": _RATES,
        "posterior_": Posterior(),
        "elbo_path_": Array(("steps",), special=True),
    },
    "AMCL": {
        "n_iter_": Whole(),
        "brier_bound_": Number(special=True),
        "gap_": Number(special=True),
        "widening_factor_": Number(1, special=True),
        "weights_": _BY_RULE,
        "rule_risks_": Array(("rules",), 0, _ONE, special=True),
        "widths_": Array(("rules",), 0, special=True),
    },
    "HyperLabelModel": {
        "lowest_": Number(0, 1),
        "highest_": Number(0, 1),
        "pool_means_": Means(),
        "network_": Net(),
    },
    "BalsubramaniFreund": {"n_iter_": Whole()},
}


def _fields_of(model: LabelModel) -> dict[str, Field]:
    """All fields but the weights of a Dawid-Skene model of another kind than one coin, which has none."""
    fields = dict(SCHEMAS[type(model).__name__])
    if getattr(model, "kind", "one_coin") != "one_coin":
        del fields["weights_"]
    return fields


def write_fields(model: LabelModel) -> dict[str, Any]:
    """What the model has learned, by name."""
    return {name: field.write(getattr(model, name), model) for name, field in _fields_of(model).items()}


def read_fields(model: LabelModel, node: Node, sizes: Sizes) -> None:
    """Give the model what a file says that it has learned."""
    fields = _fields_of(model)
    for part, (name, field) in zip(node.fields(*fields), fields.items(), strict=True):
        setattr(model, name, field.read(part, model, sizes))
    if not getattr(model, "lowest_", 0) <= 1 / sizes.n_classes <= getattr(model, "highest_", 1):
        node.refuse(f"such that lowest_ <= 1/{sizes.n_classes} <= highest_", "another order")
