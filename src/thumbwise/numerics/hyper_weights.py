"""Published weights of the hyper label model, read without running anything that the file says.

The ``hyperlm`` package ships them as a file of torch: a zip with a pickle, and one member per array. A pickle is a
program; here it is recorded and never carried out (:mod:`thumbwise.numerics.inert_pickle`). Neither torch nor the
package is imported.
"""

from __future__ import annotations

import os
import struct
import zipfile
from importlib.util import find_spec
from io import BytesIO
from math import prod
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.exceptions import InPython, InvalidFileError, MissingPackageError
from thumbwise.numerics.hyper_network import Dense, Network, fold_layer
from thumbwise.numerics.inert_pickle import ORDERED_DICT, Call, Name, Reference, record_pickle

# The published file has 127 KB, its pickle 21 KB.
MAX_FILE_BYTES = 2**22
MAX_PICKLE_BYTES = 2**18

_WIDTHS = [(1, 8), (8, 8), (8, 8), (8, 32)]
_HEAD = {0: (32, 32), 2: (32, 32), 4: (32, 1)}
_INNER = ("linear_self", "linear_row", "linear_col", "linear_global")

_REBUILD = "torch._utils _rebuild_tensor_v2"
_FLOATS = "torch FloatStorage"
# The last three are for scores of the training run, which are of no interest here.
_NAMES = {_REBUILD, _FLOATS, ORDERED_DICT, "numpy dtype", "numpy.core.multiarray scalar", "_codecs encode"}


def read_network(path: str | os.PathLike[str] | None = None) -> Network:
    """Network from a checkpoint; by default from the one inside the installed ``hyperlm`` package.

    Raises
    ------
    MissingPackageError
        No path is given and ``hyperlm`` is not installed.
    InvalidFileError
        The file is not such a checkpoint.
    """
    if path is not None and not isinstance(path, (str, os.PathLike)):
        raise InvalidFileError(f"weights must be the path of a checkpoint, or None; found {type(path).__name__}.")
    return build_network(read_tensors(find_checkpoint() if path is None else Path(path)))


def find_checkpoint() -> Path:
    """Where the installed package keeps its weights; the package is found, not imported."""
    spec = find_spec("hyperlm")
    folders = list(spec.submodule_search_locations or []) if spec else []
    for folder in folders:
        if (Path(folder) / "checkpoint.pt").is_file():
            return Path(folder) / "checkpoint.pt"
    raise MissingPackageError(
        "HyperLabelModel needs the weights that come inside the package hyperlm, which is not installed. Run "
        "pip install 'thumbwise[hyper]'; or pip install --no-deps hyperlm, which is 91 KB and leaves out torch, since "
        "only the weights are read",
        InPython("; or pass weights= with the path of a checkpoint"),
        ".",
    )


def expected_shapes() -> dict[str, tuple[int, ...]]:
    """Names and shapes of the arrays: 4,641 numbers in all."""
    sizes = {f"matrix_net.{depth}.linear": (4 * n_in, n_out) for depth, (n_in, n_out) in enumerate(_WIDTHS)}
    for depth, (n_in, _) in enumerate(_WIDTHS):
        sizes |= {f"matrix_net.{depth}.{part}": (n_in, n_in) for part in _INNER}
    sizes |= {f"classify.{place}": size for place, size in _HEAD.items()}
    shapes: dict[str, tuple[int, ...]] = {}
    for name, (n_in, n_out) in sizes.items():
        shapes |= {f"{name}.weight": (n_out, n_in), f"{name}.bias": (n_out,)}
    return shapes


def build_network(tensors: dict[str, FloatArray]) -> Network:
    """Network from the arrays of a checkpoint by name."""

    def dense(name: str) -> Dense:
        return Dense(np.ascontiguousarray(tensors[f"{name}.weight"].T), tensors[f"{name}.bias"])

    layers = [
        fold_layer(dense(f"matrix_net.{depth}.linear"), *(dense(f"matrix_net.{depth}.{part}") for part in _INNER))
        for depth in range(len(_WIDTHS))
    ]
    return Network(tuple(layers), tuple(dense(f"classify.{place}") for place in _HEAD))


def read_tensors(path: Path) -> dict[str, FloatArray]:
    """Arrays of a checkpoint by name, in double precision, with names and shapes checked."""
    members = _read_members(path)
    state = _find_state(path, _read_pickle(path, members["data.pkl"]))
    shapes = expected_shapes()
    if set(state) != set(shapes):
        odd = sorted(map(str, set(state) ^ set(shapes)))
        _refuse(path, f"{len(odd)} of its arrays are missing or unknown, such as {_shorten(odd[0])}")
    return {name: _read_array(path, members, name, state[name], shape) for name, shape in shapes.items()}


def _refuse(path: Path, fault: str, cause: Exception | None = None) -> NoReturn:
    raise InvalidFileError(
        f"{path} must be the checkpoint of a hyper label model as hyperlm publishes it; {fault}. Nothing in it was "
        "run. Install hyperlm 0.0.5 again",
        InPython(", or leave weights=None to use its own file"),
        ".",
    ) from cause


def _shorten(text: object) -> str:
    return repr(str(text)[:80])


def _read_members(path: Path) -> dict[str, bytes]:
    """Content of the zip by name within its one folder. Members must be stored as they are: no bombs."""
    if not path.is_file():
        _refuse(path, "there is no such file")
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
        if len(content) > MAX_FILE_BYTES:
            _refuse(path, f"it has more than {MAX_FILE_BYTES:,} bytes")
        with zipfile.ZipFile(BytesIO(content)) as archive:
            infos = archive.infolist()
            if sum(info.file_size for info in infos) > len(content) or any(info.compress_type for info in infos):
                _refuse(path, "its parts are compressed, or claim to be larger than the file")
            members = {info.filename.partition("/")[2]: archive.read(info) for info in infos}
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError, EOFError, struct.error, OverflowError) as error:
        if isinstance(error, InvalidFileError):
            raise
        _refuse(path, f"it cannot be read as a zip file ({_shorten(error)})", error)
    if "data.pkl" not in members:
        _refuse(path, "it has no part named data.pkl")
    if members.get("byteorder", b"little") != b"little":
        _refuse(path, "its numbers are stored in big-endian order")
    return members


def _read_pickle(path: Path, content: bytes) -> Any:
    """What the pickle describes, with a note wherever it would call something."""
    if len(content) > MAX_PICKLE_BYTES:
        _refuse(path, f"its pickle has more than {MAX_PICKLE_BYTES:,} bytes")
    try:
        return record_pickle(content, _NAMES)
    except ValueError as error:
        _refuse(path, f"its pickle holds what weights do not need: {_shorten(error)}", error)


def _find_state(path: Path, described: Any) -> dict[Any, Any]:
    state = described.get("model_state_dict") if isinstance(described, dict) else None
    if not isinstance(state, dict):
        _refuse(path, "it has no model_state_dict")
    return state


def _read_array(path: Path, members: dict[str, bytes], name: str, call: Any, shape: tuple[int, ...]) -> FloatArray:
    """One array, which must be the whole of its member, row by row."""
    strides = tuple(prod(shape[axis + 1 :]) for axis in range(len(shape)))
    is_array = isinstance(call, Call) and isinstance(call.function, Name) and call.function.text == _REBUILD
    arguments = call.arguments if is_array and isinstance(call.arguments, tuple) else ()
    if len(arguments) < 4 or not _holds_floats(arguments[0]) or arguments[1:4] != (0, shape, strides):
        _refuse(path, f"{name} is not an array of shape {shape} of float32 numbers")
    content = members.get(f"data/{arguments[0].key[2]}", b"")
    if len(content) != 4 * prod(shape):
        _refuse(path, f"{name} has {len(content)} bytes where {4 * prod(shape)} are needed")
    array = np.frombuffer(content, dtype="<f4").astype(np.float64).reshape(shape)
    if not np.isfinite(array).all():
        _refuse(path, f"{name} holds values that are not finite")
    return array


def _holds_floats(storage: Any) -> bool:
    """Whether this is torch's reference ("storage", type, name of the member, ...) to a member of float32 numbers."""
    if not isinstance(storage, Reference) or not isinstance(storage.key, tuple) or len(storage.key) < 3:
        return False
    kind, numbers, member, *_ = storage.key
    return kind == "storage" and isinstance(numbers, Name) and numbers.text == _FLOATS and isinstance(member, str)
