"""Files as people have them, made plain: unpacked, in UTF-8, out of standard input, within the budget of bytes.

A file that is plain already is read where it is. What is not is written anew, piece by piece, into a workspace in the
system's folder for temporary files, which is gone at the end; for items that stay in files, at the end of the process.
"""

from __future__ import annotations

import codecs
import gzip
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from thumbwise.exceptions import Argument, InvalidFileError, MissingPackageError
from thumbwise.tables.budgets import in_words, most_bytes, too_large
from thumbwise.tables.dialects import DELIMITERS
from thumbwise.tables.encodings import UTF_8, ZEROS, find_encoding, unclear
from thumbwise.tables.file_formats import KIND_ENDINGS, FileFormat
from thumbwise.tables.whole_files import workspace

# Stands for standard input, and for standard output.
STANDARD = Path("-")
PACKINGS = {".gz": "gzip", ".zst": "zstd"}
JSON_LINES = (".jsonl", ".ndjson")
_TEXTS = (*DELIMITERS, *JSON_LINES)
_STARTS = {b"\x1f\x8b": ".gz", b"\x28\xb5\x2f\xfd": ".zst", b"PAR1": ".parquet", b"PK\x03\x04": ".xlsx"}
_AT_ONCE = 2**20
_PACKED_AT_ONCE = 2**9


@dataclass(frozen=True)
class PlainFile:
    """A file that can be read as it is.

    Attributes
    ----------
    path : Path
        Where it is.
    ending : str
        What kind it is, as an ending says it.
    notes : tuple of str
        What was found out about the file that it was made of.
    shown : Path
        What that file is called.
    """

    path: Path
    ending: str
    notes: tuple[str, ...]
    shown: Path


class Scratch:
    """Places for files that exist only as long as something is read."""

    def __init__(self) -> None:
        self._stack, self._home, self._n_made = ExitStack(), Path(), 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stack.close()

    def new_path(self) -> Path:
        """A path where nothing is."""
        if not self._n_made:
            self._home = self._stack.enter_context(workspace(Path(tempfile.gettempdir())))
        self._n_made += 1
        return self._home / f"plain-{self._n_made}"


# Of items that stay in files: kept until the process ends, which removes its workspaces.
_LASTING: list[Scratch] = []


def lasting_scratch() -> Scratch:
    """Places for files that exist as long as the process."""
    _LASTING.append(Scratch())
    return _LASTING[-1]


def split_ending(path: Path) -> tuple[str, str]:
    """What kind of file a path names, and how it is packed: ``.csv`` and ``.gz``; empty texts for neither.

    Examples
    --------
    >>> split_ending(Path("votes.CSV.gz")), split_ending(Path("votes.parquet")), split_ending(Path("x.gz"))
    (('.csv', '.gz'), ('.parquet', ''), ('', '.gz'))
    """
    last = path.suffix.lower()
    if last in PACKINGS:
        return path.with_suffix("").suffix.lower(), last
    return last, ""


def make_plain(path: Path, form: FileFormat, scratch: Scratch) -> PlainFile:
    """A file that can be read as it is, made of one that may have to be unpacked or decoded first.

    Raises
    ------
    InvalidFileError
        It takes more than the budget, is damaged, or its encoding is unclear or not the one that was said.
    """
    shown, notes = (Path("standard input"), []) if path == STANDARD else (path, [])
    place = _take_input(scratch) if path == STANDARD else path
    ending, packing = split_ending(Path("stdin" if path == STANDARD else path))
    if path == STANDARD:
        packing = _seen_in(place, (".gz", ".zst"))
    if packing:
        place = _rewrite(shown, _unpacked(place, packing, shown), scratch.new_path())
    if form.kind is not None:
        ending = KIND_ENDINGS[form.kind]
    elif path == STANDARD:
        ending, told = _told_by_content(place)
        notes.append(told)
    if ending in _TEXTS:
        _refuse_other_kinds(place, shown)
        encoding, note = find_encoding(place, shown, form)
        notes += [] if note is None else [note]
        if ending in JSON_LINES and encoding == UTF_8 and _first_bytes(place, 3) == codecs.BOM_UTF8:
            encoding = "utf-8-sig"
        if encoding != UTF_8:
            place = _rewrite(shown, _decoded(place, encoding, shown), scratch.new_path())
        _refuse_zeros(place, shown)
    return PlainFile(place, ending, tuple(notes), shown)


def read_start(path: Path, n_bytes: int) -> bytes:
    """The first bytes of a file, unpacked if its ending says that it is packed."""
    packing = split_ending(path)[1]
    if not packing:
        return _first_bytes(path, n_bytes)
    start = b""
    for piece in _unpacked(path, packing, path):
        start += piece
        if len(start) >= n_bytes:
            break
    return start[:n_bytes]


def _first_bytes(path: Path, n_bytes: int) -> bytes:
    with path.open("rb") as file:
        return file.read(n_bytes)


def _rewrite(shown: Path, pieces: Iterator[bytes], target: Path) -> Path:
    """Write pieces to a new file, up to the budget."""
    n_left = most_bytes()
    try:
        with target.open("xb") as file:
            for piece in pieces:
                n_left -= len(piece)
                if n_left < 0:
                    raise too_large(shown, f"unpacked it is more than {in_words(most_bytes())}")
                file.write(piece)
    except OSError as error:
        raise InvalidFileError(
            f"{shown} cannot be unpacked into the folder for temporary files, {target.parent.parent}: "
            f"{error.strerror or error}. Name another one in the environment variable TMPDIR."
        ) from error
    return target


_stdin_is_taken = False


def _take_input(scratch: Scratch) -> Path:
    """What standard input sends, in a file; it can be read once."""
    global _stdin_is_taken  # noqa: PLW0603  # there is one standard input
    if _stdin_is_taken:
        raise InvalidFileError(
            "only one input can be -, standard input; it was read already. Name a file for the other."
        )
    if sys.stdin is None or sys.stdin.closed or sys.stdin.isatty():
        raise InvalidFileError("standard input must send a table; nothing is sent to it. Send a file: < votes.csv")
    _stdin_is_taken = True
    stream = sys.stdin.buffer
    place = _rewrite(Path("standard input"), iter(lambda: stream.read(_AT_ONCE), b""), scratch.new_path())
    if not place.stat().st_size:
        raise InvalidFileError("standard input must send a table with names of columns; it is empty (0 bytes).")
    return place


def _seen_in(path: Path, endings: tuple[str, ...]) -> str:
    """The ending that the first bytes of a file tell of, among some; an empty text for none of them."""
    start = _first_bytes(path, 4)
    return next((e for mark, e in _STARTS.items() if start.startswith(mark) and e in endings), "")


def _told_by_content(path: Path) -> tuple[str, str]:
    ending = _seen_in(path, (".parquet", ".xlsx"))
    if not ending:
        begun = _first_bytes(path, _AT_ONCE).lstrip(b"\xef\xbb\xbf \t\r\n")
        ending = ".jsonl" if begun.startswith(b"{") else ".csv"
    return ending, f"standard input is read as {'CSV' if ending == '.csv' else ending[1:]}, as its first bytes tell"


def _unpacked(path: Path, packing: str, shown: Path) -> Iterator[bytes]:
    """The content in pieces, each bounded however well it is packed; a file that is cut off is an error."""
    opened: Callable[[Path], Iterator[bytes]] = _gzip_pieces
    errors: tuple[type[Exception], ...] = (EOFError, zlib.error, gzip.BadGzipFile)
    if packing == ".zst":
        opened, errors = _zstd()
    try:
        yield from opened(path)
    except errors as error:
        raise InvalidFileError(
            f"{shown} must be packed by {PACKINGS[packing]}, as its ending says; it is damaged, cut off or something "
            f"else: {error}. Fetch or pack it again."
        ) from error


def _gzip_pieces(path: Path) -> Iterator[bytes]:
    with gzip.open(path, "rb") as stream:
        yield from iter(lambda: stream.read(_AT_ONCE), b"")


def _zstd() -> tuple[Callable[[Path], Iterator[bytes]], tuple[type[Exception], ...]]:
    """Python's own reader of zstd, since 3.14, or the package's; and its error."""
    try:
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415
    except ImportError:
        package = _load_zstandard()
        return lambda path: _zstandard_pieces(package, path), (EOFError, package.ZstdError)

    def pieces(path: Path) -> Iterator[bytes]:
        with zstd.open(path, "rb") as stream:
            yield from iter(lambda: stream.read(_AT_ONCE), b"")

    return pieces, (EOFError, zstd.ZstdError)


def _load_zstandard() -> Any:
    try:
        import zstandard  # noqa: PLC0415  # an extra: only .zst files need it
    except ImportError as error:
        raise MissingPackageError(
            "files that are packed by zstd need the package zstandard, which is not installed. Run: pip install "
            "'thumbwise[zstd]'"
        ) from error
    return zstandard


def _zstandard_pieces(package: Any, path: Path) -> Iterator[bytes]:
    """All frames of a file, from few bytes at a time, which can unpack to some megabytes at most.

    The package's streams take a file that is cut off for one that has ended.
    """
    unpacker = package.ZstdDecompressor().decompressobj()
    is_within = False
    with path.open("rb") as file:
        for packed in iter(lambda: file.read(_PACKED_AT_ONCE), b""):
            rest = packed
            while rest:
                piece, is_within = unpacker.decompress(rest), True
                yield piece
                rest = b""
                if unpacker.eof:
                    rest, is_within = unpacker.unused_data, False
                    unpacker = package.ZstdDecompressor().decompressobj()
    if is_within:
        raise EOFError("its last frame does not end")


def _decoded(path: Path, encoding: str, shown: Path) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    n_before = 0
    try:
        with path.open("rb") as file:
            for piece in iter(lambda: file.read(_AT_ONCE), b""):
                yield decoder.decode(piece).encode()
                n_before += len(piece)
        yield decoder.decode(b"", final=True).encode()
    except UnicodeError as error:
        raise InvalidFileError(
            f"{shown} must be text in {encoding}; what stands near byte {n_before + getattr(error, 'start', 0):,} is "
            "not. Save it as UTF-8, or say which encoding it has with ",
            Argument("encoding", "NAME"),
            ".",
        ) from error


def _refuse_other_kinds(path: Path, shown: Path) -> None:
    what = _seen_in(path, tuple(_STARTS.values()))
    if what:
        raise InvalidFileError(
            f"{shown} must be text, as its ending says; its first bytes are those of a {what} file. Rename it to what "
            "it is."
        )


def _refuse_zeros(path: Path, shown: Path) -> None:
    if b"\0" in _first_bytes(path, 2**16):
        raise unclear(shown, ZEROS)
