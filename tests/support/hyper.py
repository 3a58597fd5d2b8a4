"""Weights of a hyper label model: random ones, files of them, and the published ones where they are at hand."""

from __future__ import annotations

import os
import struct
import zipfile
from importlib.util import find_spec
from math import prod
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

Tensors = dict[str, npt.NDArray[np.float64]]

WIDTHS = [(1, 8), (8, 8), (8, 8), (8, 32)]
HEAD = {0: (32, 32), 2: (32, 32), 4: (32, 1)}


def skip_or_fail(missing: str) -> None:
    if os.environ.get("THUMBWISE_REQUIRE_PEERS"):
        pytest.fail(missing)
    pytest.skip(missing)


def need_published_weights() -> None:
    if find_spec("hyperlm") is None:
        skip_or_fail("hyperlm is not installed, so there are no published weights: pip install --no-deps hyperlm")


def random_tensors(seed: int) -> Tensors:
    """Arrays of the right names and shapes whose network neither dies nor saturates; float32 holds them exactly."""
    rng = np.random.default_rng(seed)
    sizes = {}
    for depth, (n_in, n_out) in enumerate(WIDTHS):
        sizes[f"matrix_net.{depth}.linear"] = (n_out, 4 * n_in)
        for part in ("row", "col", "global", "self"):
            sizes[f"matrix_net.{depth}.linear_{part}"] = (n_in, n_in)
    sizes |= {f"classify.{place}": (n_out, n_in) for place, (n_in, n_out) in HEAD.items()}
    tensors: Tensors = {}
    for name, (n_out, n_in) in sizes.items():
        tensors[f"{name}.weight"] = rng.normal(size=(n_out, n_in)) * np.sqrt(2 / n_in)
        tensors[f"{name}.bias"] = rng.normal(size=n_out) / 2
    return {name: value.astype(np.float32).astype(np.float64) for name, value in tensors.items()}


def pickled_text(text: str) -> bytes:
    return b"X" + struct.pack("<i", len(text.encode())) + text.encode()


def _pickled_ints(values: tuple[int, ...]) -> bytes:
    return b"(" + b"".join(b"J" + struct.pack("<i", value) for value in values) + b"t"


def pickled_tensor(key: str, shape: tuple[int, ...]) -> bytes:
    """Instructions with which torch describes an array of float32 numbers."""
    strides = tuple(prod(shape[axis + 1 :]) for axis in range(len(shape)))
    storage = b"(" + pickled_text("storage") + b"ctorch\nFloatStorage\n" + pickled_text(key) + pickled_text("cpu")
    storage += b"J" + struct.pack("<i", prod(shape)) + b"tQ"
    hooks = b"ccollections\nOrderedDict\n)R"
    call = b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage + b"K\x00" + _pickled_ints(shape) + _pickled_ints(strides)
    return call + b"\x89" + hooks + b"tR"


def pickled_state(tensors: Tensors) -> bytes:
    state = b"ccollections\nOrderedDict\n)R("
    for key, (name, value) in enumerate(tensors.items()):
        state += pickled_text(name) + pickled_tensor(str(key), value.shape)
    return b"\x80\x02}(" + pickled_text("model_state_dict") + state + b"uu."


def write_checkpoint(
    path: Path, tensors: Tensors, *, pickled: bytes | None = None, compression: int = zipfile.ZIP_STORED
) -> Path:
    """A file of the layout that torch writes, with its pickle replaced if one is given."""
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("archive/data.pkl", pickled_state(tensors) if pickled is None else pickled)
        for key, value in enumerate(tensors.values()):
            archive.writestr(f"archive/data/{key}", value.astype("<f4").tobytes())
        archive.writestr("archive/version", b"3\n")
    return path
