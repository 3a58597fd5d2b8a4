"""Downloads of the paper's datasets from its authors' repository: every file whole and as published, or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from importlib import import_module
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any

from thumbwise.datasets.folders import data_folder, holds_any
from thumbwise.datasets.paper import paper_places
from thumbwise.exceptions import InvalidFileError, MissingPackageError

PAPER_URL = "https://raw.githubusercontent.com/stevenan5/balsubramani-freund-uai-2024/HEAD/datasets/"
# Of the files as published in 2024.
PAPER_SUMS: Mapping[str, str] = MappingProxyType(
    {
        "aa2.mat": "85b7a2ed48211283198be2b60993fe5209389974b0c008074d6bdd93f5e65e10",
        "basketball.mat": "3ee4dd7a4cd329e89487909418bdbbb31cd3e5fb692f1f9b5eb5983c2f57864a",
        "basketball_filled.mat": "5f40fbda3032290a2d7338571c27b139ee230e2d1967cdb48f270f57a4b88e08",
        "breast_cancer.mat": "571e6973d2583a249ab39189e3e94682f1ba134b1e66e8bdf048c811600ec5c6",
        "cardio.mat": "75d8c9641da76b002fe7bd947500898b80bc9469f41989bb65bdfedb9d1ccdc0",
        "domain.mat": "7487512fc3d2394d1c62efa8f5152de8058b061faddf8c3399a5e9ba9cebe913",
        "imdb.mat": "54bf0736f11641600044bfe6daf5c421919f0b507027ffbc52ea94919d113885",
        "imdb_filled.mat": "8f4248324236de7a5112eeaf171d8ef90207e5061bde80fb20fbefd86505a5b7",
        "obs.mat": "26e9a1d1aa62585c1fbd18c8f7c38dcfefb92240460b2e4e750df0a71adf974f",
        "sms.mat": "dbc227628846efb08e49b06c95510fa2393a13169961034c5164d48f48a5df1d",
        "sms_filled.mat": "e9d368e856d279e52273b2ecedce5d8b5d0383bc228d80dac04ffa4c16df8bc2",
        "yelp.mat": "a4450efa7000779df72fba4c0ccc20dd38bda29facb3d899269ab02172e22c52",
        "yelp_filled.mat": "e1311de6e98e8a2c1dbf29be9868a88830b98bd915f3c1d89a3c0198fe32f6bd",
        "youtube.mat": "3a86720983238c737c93cba5fcb2d91d1ff0f4f00fc39cdb574a1755d9fc0201",
        "youtube_filled.mat": "fdb49a9fdd092b93176d1dd0531a473a6900d911d56ffac95c984e9be7d73a0c",
    }
)


def fetch_paper(
    folder: str | Path | None = None,
    *,
    base_url: str = PAPER_URL,
    sums: Mapping[str, str] = PAPER_SUMS,
    timeout: float = 30.0,
) -> Path:
    """Download the files of the paper's ten datasets, 16 MB, and return the folder that holds them.

    A file that is there with the right sum is kept, so a download that broke off goes on where it stopped. A file with
    another sum is replaced. A download takes its place in one step and only if its sum is right. Needs pooch:
    ``pip install 'thumbwise[data]'``.

    Parameters
    ----------
    folder : str or Path, optional
        Where the files go: into it if it already holds some of them, else into its folder ``paper``. Absent: the
        folder that ``THUMBWISE_DATA`` names, else the user's cache, as for :func:`~thumbwise.datasets.load_paper`.
    base_url : str
        Address of the folder with the files; the authors' public repository unless told otherwise.
    sums : mapping of str to str
        File names and the sha256 sums, in hexadecimal, that they must have.
    timeout : float
        Seconds without an answer after which a download is given up.

    Raises
    ------
    MissingPackageError
        pooch is not installed.
    InvalidFileError
        A file cannot be downloaded or written, or its sum is wrong. Files that were complete before stay.

    Examples
    --------
    >>> from thumbwise.datasets import fetch_paper, load_paper
    >>> fetch_paper()  # doctest: +SKIP
    >>> load_paper("imdb").votes.n_rules  # doctest: +SKIP
    5
    """
    _check_address(base_url)
    for name in sums:
        _check_name(name)
    home = _choose_home(data_folder(folder), sums)
    missing = [name for name in sums if not _is_whole(home / name, sums[name])]
    if missing:
        pooch = _import_pooch()
        _make_folder(home)
    for position, name in enumerate(missing):
        _download(pooch, base_url.rstrip("/") + "/" + name, home / name, sums[name], timeout, len(missing) - position)
    return home


def _check_address(base_url: str) -> None:
    if not base_url.startswith(("https://", "http://")):
        raise ValueError(f"base_url must be an address that begins with https:// or http://; found {base_url!r}.")


def _check_name(name: str) -> None:
    """A name, and no path that leads out of the folder."""
    if name in {"", ".", ".."} or "\\" in name or PurePosixPath(name).name != name:
        raise ValueError(f"the keys of sums must be names of files, without folders; found {name!r}.")


def _choose_home(top: Path, sums: Mapping[str, str]) -> Path:
    itself, inside = paper_places(top)
    return itself if holds_any(itself, sums) else inside


def _is_whole(path: Path, expected: str) -> bool:
    try:
        return path.is_file() and sha256(path.read_bytes()).hexdigest() == expected.lower()
    except OSError as error:
        raise InvalidFileError(f"{path} cannot be opened: {error.strerror}. Choose another folder.") from error


def _import_pooch() -> Any:
    try:
        return import_module("pooch")
    except ImportError as error:
        raise MissingPackageError(
            "downloading needs the package pooch, which is not installed. Install it with "
            "pip install 'thumbwise[data]', or put the files into a folder yourself and name that folder."
        ) from error


def _make_folder(home: Path) -> None:
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidFileError(f"the folder {home} cannot be made: {error.strerror}. Choose another one.") from error


def _download(pooch: Any, url: str, path: Path, expected: str, timeout: float, n_left: int) -> None:
    """One file, through a temporary file beside it that is renamed once its sum is right."""
    downloader = pooch.HTTPDownloader(timeout=timeout)
    try:
        pooch.retrieve(
            url, known_hash=f"sha256:{expected}", fname=path.name, path=str(path.parent), downloader=downloader
        )
    except Exception as error:  # network and disk fail in many ways, and pooch reports a wrong sum as a ValueError
        gist = " ".join(str(error).split())[:300].rstrip(".")
        raise InvalidFileError(
            f"{path.name} must come whole from {url}, with the sha256 sum {expected}; it did not "
            f"({type(error).__name__}: {gist}). Nothing was written for it, {n_left} files are left to download. Call "
            "fetch_paper again to go on, or give base_url if the files have moved."
        ) from error
