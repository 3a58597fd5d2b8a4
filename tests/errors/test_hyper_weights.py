"""Files that are not weights: each is refused in words, and nothing that they say is run."""

from __future__ import annotations

import builtins
import io
import os
import pickle
import subprocess
import sys
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.hyper import (
    need_published_weights,
    pickled_state,
    pickled_tensor,
    pickled_text,
    random_tensors,
    write_checkpoint,
)
from thumbwise import InvalidFileError, ThumbwiseError
from thumbwise.exceptions import MissingPackageError
from thumbwise.models.hyper_label_model import HyperLabelModel
from thumbwise.numerics import hyper_weights
from thumbwise.numerics.hyper_weights import MAX_FILE_BYTES, expected_shapes, read_network, read_tensors

from .messages import assert_says, message_of

TENSORS = random_tensors(0)
STATE = pickled_state(TENSORS)


def refusal(path: Path) -> str:
    message = message_of(InvalidFileError, lambda: read_network(path))
    assert_says(message, str(path), "Nothing in it was run", "hyperlm 0.0.5")
    return message


def with_pickle(folder: Path, pickled: bytes) -> Path:
    return write_checkpoint(folder / "weights.pt", TENSORS, pickled=pickled)


def test_a_good_file_is_read(tmp_path: Path) -> None:
    found = read_tensors(write_checkpoint(tmp_path / "weights.pt", TENSORS))
    assert {name: value.shape for name, value in found.items()} == expected_shapes()
    assert sum(value.size for value in found.values()) == 4641
    for name, value in found.items():
        np.testing.assert_array_equal(value, TENSORS[name])


class Malicious:
    """Runs a call when it is unpickled."""

    def __init__(self, function: Callable[..., Any], *arguments: object) -> None:
        self.call = function, arguments

    def __reduce__(self) -> Any:
        return self.call


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("kind", ["system", "eval", "inside"])
def test_a_malicious_pickle_runs_nothing(tmp_path: Path, protocol: int, kind: str) -> None:
    witness = tmp_path / "witness"
    calls = {
        "system": Malicious(os.system, f"touch {witness}"),
        "eval": Malicious(builtins.eval, f"__import__('os').mkdir({str(witness)!r})"),
        "inside": {"model_state_dict": {"classify.0.bias": Malicious(os.mkdir, str(witness))}},
    }
    pickled = pickle.dumps(calls[kind], protocol)
    path = with_pickle(tmp_path, pickled)
    assert "its pickle holds what weights do not need" in refusal(path)
    assert not witness.exists()
    pickle.loads(pickled)
    assert witness.exists(), "the attack itself must work, or this test shows nothing"


@pytest.mark.parametrize(
    "name", [b"posix\nsystem", b"builtins\nexec", b"torch._utils\n_rebuild_tensor", b"numpy\nload"]
)
def test_an_import_that_weights_do_not_need_is_named(tmp_path: Path, name: bytes) -> None:
    message = refusal(with_pickle(tmp_path, b"\x80\x02c" + name + b"\n" + pickled_text("x") + b"\x85R."))
    assert name.decode().replace("\n", " ") in message


def test_calls_of_known_names_are_not_made(tmp_path: Path) -> None:
    """The three names of numpy and codecs are known, yet an array must come from torch."""
    call = b"c_codecs\nencode\n" + pickled_text("x") + pickled_text("latin1") + b"\x86R"
    pickled = b"\x80\x02}" + pickled_text("model_state_dict") + b"}("
    pickled += b"".join(pickled_text(name) + call for name in TENSORS) + b"us."
    assert "is not an array of shape" in refusal(with_pickle(tmp_path, pickled))


@pytest.mark.parametrize(
    "pickled",
    [
        b"",
        b".",
        b"\x80\x02N",
        b"\x80\x02N.",
        b"\x80\x02}.",
        b"\x80\x02R.",
        b"\x80\x02t.",
        b"\x80\x02h\x07.",
        b"\x80\x02\xff.",
        b"\x80\x02}])s.",
        b"\x80\x02}(KKu.",
        b"\x80\x02NQ.",
        b"\x80\x02" + b"(" * 9 + b".",
        b"\x80\x02Nr\xff\xff\xff\x7f.",
        b"\x80\x02)" + b"\x85" * 200_000 + b".",
        b"\x80\x02})" + b"\x85" * 200_000 + b"Ns.",
        b"\x80\x02)q\x00" + b"h\x000\x86q\x00" * 100 + b"}h\x00Ns.",
        STATE[: len(STATE) // 2],
        STATE + b" " * 2**18,
    ],
    ids=range(19),
)
def test_pickles_that_are_no_weights_are_refused(tmp_path: Path, pickled: bytes) -> None:
    assert "weights" in refusal(with_pickle(tmp_path, pickled))


@pytest.mark.parametrize("kind", [b"numpy\ndtype", b"collections\nOrderedDict", b"torch\nDoubleStorage"])
def test_arrays_of_other_numbers_are_refused(tmp_path: Path, kind: bytes) -> None:
    assert "weights" in refusal(with_pickle(tmp_path, STATE.replace(b"torch\nFloatStorage", kind)))


@pytest.mark.parametrize("kept", [0, 1, 21, 100, 3000, -1, -22])
def test_a_truncated_file_is_refused(tmp_path: Path, kept: int) -> None:
    path = write_checkpoint(tmp_path / "weights.pt", TENSORS)
    path.write_bytes(path.read_bytes()[:kept])
    assert "cannot be read as a zip file" in refusal(path)


def test_compressed_parts_are_refused_before_they_are_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "weights.pt"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", b"\x00" * 2**26)
    assert path.stat().st_size < MAX_FILE_BYTES
    tracemalloc.start()
    assert "compressed" in refusal(path)
    assert tracemalloc.get_traced_memory()[1] < 2**23
    tracemalloc.stop()


def test_compressed_parts_are_refused_however_small(tmp_path: Path) -> None:
    path = write_checkpoint(tmp_path / "weights.pt", TENSORS, compression=zipfile.ZIP_DEFLATED)
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = b" " * 50_000  # so that the parts together are not larger than the file
    assert "compressed" in refusal(path)


def test_parts_that_claim_a_huge_size_are_refused(tmp_path: Path) -> None:
    path = write_checkpoint(tmp_path / "weights.pt", TENSORS)
    size = len(STATE).to_bytes(4, "little")
    content = path.read_bytes()
    assert content.count(size * 2) == 2
    path.write_bytes(content.replace(size * 2, b"\xff\xff\xff\x7f" * 2))
    assert "larger than the file" in refusal(path)


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "weights.pt"
    with path.open("wb") as file:
        file.truncate(2**33)
    assert f"more than {MAX_FILE_BYTES:,} bytes" in refusal(path)


def test_wrong_shapes_names_and_values_are_refused(tmp_path: Path) -> None:
    path, name = tmp_path / "weights.pt", "classify.2.weight"
    write_checkpoint(path, {**TENSORS, name: TENSORS[name].ravel()})
    assert f"{name} is not an array of shape (32, 32)" in refusal(path)
    write_checkpoint(path, {key: value for key, value in TENSORS.items() if key != name})
    assert f"1 of its arrays are missing or unknown, such as '{name}'" in refusal(path)
    write_checkpoint(path, {**TENSORS, "another": np.zeros(3)})
    assert "'another'" in refusal(path)
    write_checkpoint(path, {**TENSORS, name: np.full((32, 32), np.nan)})
    assert f"{name} holds values that are not finite" in refusal(path)
    short = STATE.replace(pickled_tensor("1", (8,)), pickled_tensor("0", (8,)))
    assert short != STATE
    write_checkpoint(path, TENSORS, pickled=short)
    assert "bytes where 32 are needed" in refusal(path)


def test_numbers_in_the_other_byte_order_are_refused(tmp_path: Path) -> None:
    path = write_checkpoint(tmp_path / "weights.pt", TENSORS)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("archive/byteorder", b"big")
    assert "big-endian" in refusal(path)


def test_damaged_files_are_refused_or_hold_finite_numbers(tmp_path: Path) -> None:
    """300 files with one to four bytes changed: the checksum of the zip stops most, the pickle's checks the rest."""
    good = write_checkpoint(tmp_path / "good.pt", TENSORS).read_bytes()
    rng, path, n_refused = np.random.default_rng(0), tmp_path / "weights.pt", 0
    for trial in range(300):
        content = bytearray(good)
        # Half of the trials damage the directory at the end of the zip, which no checksum covers.
        first = 0 if trial % 2 else len(good) - 4000
        for place in rng.integers(first, len(good), rng.integers(1, 5)):
            content[place] = rng.integers(256)
        path.write_bytes(content)
        try:
            found = read_tensors(path)
        except InvalidFileError:
            n_refused += 1
        else:
            assert all(np.isfinite(value).all() for value in found.values())
    assert n_refused > 150


def test_damaged_pickles_are_refused_or_hold_finite_numbers(tmp_path: Path) -> None:
    """As above behind the checksum, so that the damage reaches the reader of the pickle."""
    rng, n_refused = np.random.default_rng(1), 0
    for _ in range(300):
        content = bytearray(STATE)
        for place in rng.integers(len(STATE), size=rng.integers(1, 5)):
            content[place] = rng.integers(256)
        try:
            found = read_tensors(with_pickle(tmp_path, bytes(content)))
        except InvalidFileError:
            n_refused += 1
        else:
            assert all(np.isfinite(value).all() for value in found.values())
    assert n_refused > 150


@pytest.mark.parametrize("content", [b"", b"not a zip", pickle.dumps({"model_state_dict": {}})])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "weights.pt").write_bytes(content)
    assert "cannot be read as a zip file" in refusal(tmp_path / "weights.pt")


def test_zips_of_other_things_are_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    np.savez(buffer, weights=np.zeros(3))
    (tmp_path / "weights.pt").write_bytes(buffer.getvalue())
    assert "no part named data.pkl" in refusal(tmp_path / "weights.pt")


def test_no_file_is_a_clear_error(tmp_path: Path) -> None:
    assert "there is no such file" in refusal(tmp_path / "nowhere.pt")
    assert "there is no such file" in refusal(tmp_path)


@pytest.mark.parametrize("wrong", [7, object(), b"weights.pt"])
def test_what_is_no_path_is_a_clear_error(wrong: Any) -> None:
    assert_says(message_of(InvalidFileError, lambda: read_network(wrong)), "path", type(wrong).__name__)


def test_a_missing_package_is_named_with_the_commands_that_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hyper_weights, "find_spec", lambda _: None)
    message = message_of(MissingPackageError, lambda: HyperLabelModel().fit([[0, 1], [1, 1]]))
    assert_says(message, "hyperlm", "pip install 'thumbwise[hyper]'", "pip install --no-deps hyperlm", "weights=")
    assert issubclass(MissingPackageError, ThumbwiseError)
    assert issubclass(MissingPackageError, ImportError)


def test_neither_the_package_nor_torch_is_imported() -> None:
    need_published_weights()
    code = (
        "import sys; from thumbwise.models.hyper_label_model import HyperLabelModel; "
        "HyperLabelModel().fit([[0, 1], [1, 1]]).predict([[0, 1]]); "
        "print(sorted({'torch', 'hyperlm', 'pickle'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["['pickle']"], "scikit-learn loads pickle; nothing may load the others"
