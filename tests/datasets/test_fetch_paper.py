"""Downloading, from a server on this machine: every file whole and with the right sum, or not at all."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

import thumbwise as tw
from thumbwise.datasets import fetch_paper, load_paper
from thumbwise.exceptions import MissingPackageError

Writer = Callable[..., Path]
pytestmark = pytest.mark.usefixtures("no_data_from_elsewhere")


class Server:
    """Files by name; those in ``broken`` stop half-way, though their length is announced whole."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.broken: set[str] = set()
        self.asked: list[str] = []
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                owner.answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/datasets"

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        folder, _, name = request.path.rpartition("/")
        self.asked.append(name)
        if folder != "/datasets" or name not in self.files:
            request.send_error(404)
            return
        content = self.files[name]
        request.send_response(200)
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        request.wfile.write(content[: len(content) // 2] if name in self.broken else content)
        request.close_connection = True

    @property
    def sums(self) -> dict[str, str]:
        return {name: sha256(content).hexdigest() for name, content in self.files.items()}


@pytest.fixture
def server(write_paper: Writer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Serves youtube.mat and youtube_filled.mat."""
    pytest.importorskip("pooch")
    for variable in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(variable, "127.0.0.1")
    served = Server()
    served.files = {path.name: path.read_bytes() for path in sorted(write_paper().glob("*.mat"))}
    thread = Thread(target=served.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield served
    served.http.shutdown()
    served.http.server_close()
    thread.join()


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_files_arrive_whole_and_are_found_again(server: Server, tmp_path: Path) -> None:
    home = fetch_paper(base_url=server.url, sums=server.sums)
    assert home == tmp_path / "cache" / "thumbwise" / "paper"
    assert {path.name: path.read_bytes() for path in home.iterdir()} == server.files
    assert load_paper("youtube").votes.n_items == 6


def test_a_named_folder_gets_them(server: Server, tmp_path: Path) -> None:
    assert fetch_paper(tmp_path / "mine", base_url=server.url + "/", sums=server.sums) == tmp_path / "mine" / "paper"
    assert load_paper("youtube", tmp_path / "mine").votes.n_items == 6


def test_the_variable_names_the_folder_for_both(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THUMBWISE_DATA", str(tmp_path / "set"))
    assert fetch_paper(base_url=server.url, sums=server.sums) == tmp_path / "set" / "paper"
    assert load_paper("youtube").votes.n_items == 6


def test_what_is_there_is_not_asked_for_again(server: Server, tmp_path: Path) -> None:
    for _ in range(2):
        fetch_paper(tmp_path / "mine", base_url=server.url, sums=server.sums)
    assert sorted(server.asked) == sorted(server.files)


def test_a_folder_that_holds_some_files_gets_the_others(server: Server, tmp_path: Path) -> None:
    (tmp_path / "flat").mkdir()
    (tmp_path / "flat" / "youtube.mat").write_bytes(server.files["youtube.mat"])
    assert fetch_paper(tmp_path / "flat", base_url=server.url, sums=server.sums) == tmp_path / "flat"
    assert server.asked == ["youtube_filled.mat"]
    assert names(tmp_path / "flat") == set(server.files)


def test_a_download_that_broke_off_goes_on_where_it_stopped(server: Server, tmp_path: Path) -> None:
    server.broken = {"youtube_filled.mat"}
    with pytest.raises(tw.InvalidFileError, match=r"youtube_filled\.mat.*1 files are left"):
        fetch_paper(tmp_path / "mine", base_url=server.url, sums=server.sums)
    home = tmp_path / "mine" / "paper"
    assert names(home) == {"youtube.mat"}, "nothing half-written, and no temporary file"
    server.broken = set()
    fetch_paper(tmp_path / "mine", base_url=server.url, sums=server.sums)
    assert {path.name: path.read_bytes() for path in home.iterdir()} == server.files
    assert server.asked.count("youtube.mat") == 1


def test_a_wrong_sum_is_refused(server: Server, tmp_path: Path) -> None:
    sums = {**server.sums, "youtube.mat": "0" * 64}
    with pytest.raises(tw.InvalidFileError, match=f"youtube.mat must come whole.*{'0' * 64}"):
        fetch_paper(tmp_path / "mine", base_url=server.url, sums=sums)
    assert not names(tmp_path / "mine" / "paper")


def test_a_file_with_another_sum_is_replaced(server: Server, tmp_path: Path) -> None:
    home = fetch_paper(tmp_path / "mine", base_url=server.url, sums=server.sums)
    (home / "youtube.mat").write_bytes(server.files["youtube.mat"][:100])
    fetch_paper(tmp_path / "mine", base_url=server.url, sums=server.sums)
    assert (home / "youtube.mat").read_bytes() == server.files["youtube.mat"]


def test_a_file_that_is_not_served_is_named(server: Server, tmp_path: Path) -> None:
    with pytest.raises(tw.InvalidFileError, match=r"sms\.mat must come whole.*404.*base_url"):
        fetch_paper(tmp_path / "mine", base_url=server.url, sums={"sms.mat": "0" * 64})
    assert not names(tmp_path / "mine" / "paper")


def test_no_server_at_all(server: Server, tmp_path: Path) -> None:
    with pytest.raises(tw.InvalidFileError, match="must come whole"):
        fetch_paper(tmp_path / "mine", base_url="http://127.0.0.1:1/", sums=server.sums, timeout=5)


def test_without_pooch_the_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'thumbwise\[data\]'"):
        fetch_paper(tmp_path)
    assert not names(tmp_path)


def test_with_all_files_there_pooch_is_not_needed(write_paper: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_paper()
    sums = {path.name: sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
    monkeypatch.setitem(sys.modules, "pooch", None)
    assert fetch_paper(folder, sums=sums) == folder


def test_a_folder_that_cannot_be_made(server: Server, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(tw.InvalidFileError, match="file"):
        fetch_paper(tmp_path / "file", base_url=server.url, sums=server.sums)


@pytest.mark.parametrize("name", ["../up.mat", "/etc/x.mat", "a/b.mat", "..", "", "a\\b.mat"])
def test_names_never_lead_out_of_the_folder(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="names of files"):
        fetch_paper(tmp_path, sums={name: "0" * 64})


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/", "file:///etc/", "doi:10.1/x", ""])
def test_only_web_addresses_are_taken(url: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="https://"):
        fetch_paper(tmp_path, base_url=url)
