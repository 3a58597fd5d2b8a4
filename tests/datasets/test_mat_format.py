"""Arrays from MATLAB files, against scipy's writer and reader."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from scipy.io import loadmat, savemat

from support.paper import paper_folder
from thumbwise._typing import AnyArray
from thumbwise.io.mat_format import DamagedMatError, TooLargeMatError, memory_of, scan_variables

LIMIT = 10**8


def read(content: bytes) -> dict[str, AnyArray | None]:
    return {variable.name: variable.array for variable in scan_variables(content, max_bytes=LIMIT)}


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?"])
def test_arrays_come_back_as_they_were_written(dtype: str, compressed: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    arrays = {
        "a": rng.integers(0, 2 if dtype == "?" else 100, (7, 3)).astype(dtype),
        "a_name_that_is_long_enough_for_a_tag": rng.integers(0, 2, (1, 5)).astype(dtype),
        "one": np.ones((1, 1), dtype=dtype),
        "none": np.zeros((0, 4), dtype=dtype),
        "three_axes": rng.integers(0, 2, (2, 3, 4)).astype(dtype),
    }
    savemat(tmp_path / "made.mat", arrays, do_compression=compressed)
    found = read((tmp_path / "made.mat").read_bytes())
    assert set(found) == set(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)


@pytest.mark.parametrize("name", ["aa2", "breast_cancer", "sms_filled", "youtube"])
def test_published_files_are_read_as_scipy_reads_them(name: str) -> None:
    path = paper_folder() / f"{name}.mat"
    expected = {key: value for key, value in loadmat(path).items() if not key.startswith("__")}
    found = read(path.read_bytes())
    assert set(found) == set(expected)
    for key, value in expected.items():
        np.testing.assert_array_equal(found[key], value)


def test_what_is_no_array_of_numbers_is_named(tmp_path: Path) -> None:
    content = {"t": "text", "c": np.array([[1, "a"]], dtype=object), "s": {"x": 1}, "z": np.array([[1j]])}
    savemat(tmp_path / "made.mat", content)
    found = {v.name: v.kind for v in scan_variables((tmp_path / "made.mat").read_bytes(), max_bytes=LIMIT)}
    assert found == {"t": "text", "c": "cell", "s": "struct", "z": "complex numbers"}


def big_endian(values: list[list[float]], name: bytes) -> bytes:
    """A file as a machine with the other byte order writes it, numbers stored in 16 bits though they are doubles."""
    array = np.array(values)
    stored = array.astype(">i2").tobytes(order="F")
    parts = (
        struct.pack(">IIII", 6, 8, 6, 0)
        + struct.pack(">IIii", 5, 8, *array.shape)
        + struct.pack(">HH", len(name), 1)
        + name.ljust(4, b"\0")
        + struct.pack(">II", 3, len(stored))
        + stored
        + bytes(-len(stored) % 8)
    )
    header = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x01\x00MI"
    return header + struct.pack(">II", 14, len(parts)) + parts


def test_the_other_byte_order_and_narrow_storage(tmp_path: Path) -> None:
    values = [[1.0, -2.0, 300.0], [4.0, 5.0, -6.0]]
    content = big_endian(values, b"abc")
    (tmp_path / "other.mat").write_bytes(content)
    np.testing.assert_array_equal(loadmat(tmp_path / "other.mat")["abc"], values)  # the file is a fair one
    found = read(content)["abc"]
    assert found is not None
    np.testing.assert_array_equal(found, values)
    assert found.itemsize == 2  # as they are stored


@pytest.mark.parametrize("size", [10**6, 2**31 - 1, -3])
def test_a_shape_that_promises_other_than_what_is_there_is_refused(size: int) -> None:
    content = bytearray(big_endian([[1.0, 2.0], [3.0, 4.0]], b"x"))
    struct.pack_into(">i", content, 128 + 8 + 16 + 8, size)
    with pytest.raises(
        DamagedMatError, match=r"an array (of shape .* has 4 entries|of shape .* bytes$|has the shape .*-3)"
    ):
        read(bytes(content))


@pytest.mark.parametrize("compressed", [False, True])
def test_what_is_not_wanted_is_told_by_its_beginning(tmp_path: Path, compressed: bool) -> None:
    large = np.zeros((3000, 1000))
    arrays = {"large": large, "small": np.arange(6.0).reshape(2, 3), "last": large}
    savemat(tmp_path / "made.mat", arrays, do_compression=compressed)
    found = list(scan_variables((tmp_path / "made.mat").read_bytes(), max_bytes=10**6, wanted=["small"]))
    assert [(v.name, v.shape, v.array is None) for v in found] == [
        ("large", (3000, 1000), True),
        ("small", (2, 3), False),
        ("last", (3000, 1000), True),
    ]
    np.testing.assert_array_equal(found[1].array, arrays["small"])


def test_arrays_that_are_wanted_are_counted_together(tmp_path: Path) -> None:
    arrays = {f"a{j}": np.full((100, 10), j, dtype="u1") for j in range(4)}
    savemat(tmp_path / "made.mat", arrays, do_compression=True)
    content = (tmp_path / "made.mat").read_bytes()
    each = 48 + 1000 + 6 * 1000 + 80 * 100  # tags and name, stored entries, their copies, rows
    assert memory_of(1048, (100, 10)) == each
    assert len(list(scan_variables(content, max_bytes=4 * each))) == 4
    with pytest.raises(TooLargeMatError, match="'a2', of shape"):
        list(scan_variables(content, max_bytes=2 * each + 1000))
    assert len(list(scan_variables(content, max_bytes=2 * each + 1000, wanted=["a0", "a3"]))) == 4
