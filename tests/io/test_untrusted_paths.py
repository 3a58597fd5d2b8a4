"""Folders of strangers: planted names, links, pipes, devices and names that are no text."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import thumbwise as tw
from support.hostile_queries import tries
from thumbwise.io.labels_elsewhere import write_elsewhere
from thumbwise.tables import whole_files as whole
from thumbwise.tables.databases import database
from thumbwise.tables.formats import connect
from thumbwise.tables.marks import find_foreign

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes, links and locks as POSIX has them")

TABLE = "id,a,b\n1,0,1\n2,1,1\n"


def workspace_name(digit: str) -> str:
    return f".thumbwise-{whole._machine()}-{digit * 16}.part"


def test_a_planted_link_to_another_folder_takes_nothing_from_there(tmp_path: Path) -> None:
    """What stands in a dead workspace as "old" is given back; a link there would have emptied the folder it names."""
    (tmp_path / "home").mkdir()
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim" / "precious").write_text("p")
    for digit, machine in (("1", whole._machine()), ("2", "0" * 12)):
        planted = tmp_path / "home" / f".thumbwise-{machine}-{digit * 16}.part"
        planted.mkdir()
        (planted / "old").symlink_to(tmp_path / "victim")
        os.utime(planted, (0, 0))
        os.utime(planted / "old", (0, 0), follow_symlinks=False)
    with whole.replacing(tmp_path / "home" / "t.csv") as part:
        part.write_text("new")
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["t.csv"]
    assert (tmp_path / "victim" / "precious").read_text() == "p"


@pytest.mark.parametrize("is_link", [False, True])
def test_what_a_dead_workspace_gives_back_replaces_nothing(tmp_path: Path, is_link: bool) -> None:
    """Not even a link that leads nowhere yet: what is given back would take its place."""
    planted = tmp_path / workspace_name("1")
    (planted / "old" / "labels").mkdir(parents=True)
    place = tmp_path / "labels"
    if is_link:
        place.symlink_to("nowhere")
    else:
        place.mkdir()  # empty, so that a rename could replace it
        number = place.stat().st_ino
    whole.remove_dead(tmp_path)
    assert not planted.exists()
    assert place.readlink() == Path("nowhere") if is_link else place.stat().st_ino == number


def test_folders_of_similar_names_stay(tmp_path: Path) -> None:
    for name in (workspace_name("1") + ".txt", "x" + workspace_name("2"), workspace_name("3")[:-5]):
        (tmp_path / name).mkdir()
    before = sorted(tmp_path.iterdir())
    whole.remove_dead(tmp_path)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root can give folders away")
def test_workspaces_of_somebody_else_stay(tmp_path: Path) -> None:
    """Who shares a folder with others must not take what is theirs for what a dead process of one's own left."""
    planted = tmp_path / workspace_name("1")
    planted.mkdir()
    os.chown(planted, 65534, 65534)
    whole.remove_dead(tmp_path)
    assert planted.exists()


def test_no_link_is_locked(tmp_path: Path) -> None:
    """Somebody may put one in the place of a workspace after it was looked at."""
    (tmp_path / "other").mkdir()
    (tmp_path / "link").symlink_to("other")
    with pytest.raises(OSError, match=r"Not a directory|Too many levels"):
        whole._lock(tmp_path / "link")


def test_only_what_others_do_meanwhile_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def refuse(*_: object) -> None:
        tried.append(1)
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(whole, "_move_in", refuse)
    with (
        pytest.raises(tw.InvalidFileError, match="cannot be written: Permission denied"),
        whole.replacing_folder(tmp_path / "labels") as part,
    ):
        part.mkdir()
    assert tried == [1]


def test_planted_names_do_not_keep_anybody_from_writing(tmp_path: Path) -> None:
    (tmp_path / ".thumbwise-99999999999999999999-0123456789abcdef.part").write_text("x")
    (tmp_path / workspace_name("1")).symlink_to(tmp_path / "nowhere")
    (tmp_path / workspace_name("2")).symlink_to(tmp_path / workspace_name("2"))
    os.mkfifo(tmp_path / workspace_name("3"))
    n_planted = len(list(tmp_path.iterdir()))
    tw.write_votes(tw.Votes([[0, 1], [1, 1]]), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").exists()
    assert len(list(tmp_path.iterdir())) == n_planted + 1


def test_pipes_and_devices_are_refused_and_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "votes.csv").write_text(TABLE)
    for ending in ("csv", "jsonl", "csv.gz", "mat", "parquet", "json"):
        path = tmp_path / f"pipe.{ending}"
        os.mkfifo(path)
        source, gold = (tmp_path / "votes.csv", path) if ending == "json" else (path, None)
        with pytest.raises(tw.InvalidFileError, match=r"it is a pipe.*standard input and name that input -"):
            tw.read_votes(source, gold=gold)
        with pytest.raises(tw.InvalidFileError, match=r"it is a pipe"):
            tw.read_votes(tmp_path / "votes.csv", gold=path)
    with pytest.raises(tw.InvalidFileError, match="there is no file"):  # the database lists plain files only
        tw.read_votes(tmp_path / "pipe.c*")
    with pytest.raises(tw.InvalidFileError, match="a device or a pipe"):
        tw.write_votes(tw.Votes([[0, 1]]), tmp_path / "pipe.csv", overwrite=True)
    (tmp_path / "zero.mat").symlink_to("/dev/zero")
    with pytest.raises(tw.InvalidFileError, match="it is a device"):
        tw.read_votes(tmp_path / "zero.mat")


def test_links_that_lead_back_to_themselves(tmp_path: Path) -> None:
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    with pytest.raises(tw.InvalidFileError, match="cannot be opened: Too many levels"):
        tw.read_votes(tmp_path / "loop.csv")
    with pytest.raises(tw.InvalidFileError, match="a link that leads back to itself"):
        tw.write_votes(tw.Votes([[0, 1]]), tmp_path / "loop.csv")


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".jsonl", ".csv.gz"])
@pytest.mark.parametrize("leads_to", ["nowhere", "other.tsv", "other.xyz"])
def test_a_link_is_written_as_what_its_own_name_says(tmp_path: Path, ending: str, leads_to: str) -> None:
    """Wherever it leads, and whether anything is there yet."""
    wanted = tmp_path / f"plain{ending}"
    link = tmp_path / f"link{ending}"
    link.symlink_to(leads_to)
    votes = tw.Votes([[0, 1], [1, 1]])
    tw.write_votes(votes, wanted)
    for overwrite in (False, True):
        tw.write_votes(votes, link, overwrite=overwrite)
        assert link.readlink() == Path(leads_to)
        assert (tmp_path / leads_to).is_file()
        assert repr(tw.read_votes(link).votes) == repr(tw.read_votes(wanted).votes)


@pytest.mark.parametrize("leads_to", ["nowhere", "other.parquet", "other.xyz"])
def test_so_are_labels_of_items_in_files(tmp_path: Path, leads_to: str) -> None:
    (tmp_path / "link.csv").symlink_to(leads_to)
    (tmp_path / "votes").mkdir()
    for part in range(2):
        rows = "\n".join(f"{part}-{i},{i % 2},{i % 2},{i % 3 % 2}" for i in range(30))
        (tmp_path / "votes" / f"{part}.csv").write_text(f"id,a,b,c\n{rows}\n")
    reading = tw.read_votes(tmp_path / "votes" / "*.csv", gold={f"0-{i}": i % 2 for i in range(30)})
    write_elsewhere(reading, tw.MajorityVote().fit(reading.votes), tmp_path / "link.csv")
    assert (tmp_path / leads_to).is_file()
    lines = (tmp_path / leads_to).read_text().splitlines()
    assert lines[0].startswith("id,label,")
    assert {line.partition(",")[0] for line in lines[1:]} == {f"{part}-{i}" for part in range(2) for i in range(30)}


def test_names_that_are_too_long(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 300 + ".csv")
    with pytest.raises(tw.InvalidFileError, match=r"cannot be opened: File name too long"):
        tw.read_votes(path)
    with pytest.raises(tw.InvalidFileError, match=r"characters\) cannot be opened: File name too long"):
        tw.write_votes(tw.Votes([[0, 1]]), path)


@pytest.mark.skipif(sys.platform != "linux", reason="names are any bytes")
def test_names_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"v\xff.csv")
    path.write_text(TABLE)
    for source in (path, tmp_path / os.fsdecode(b"v\xff*.csv")):
        with pytest.raises(tw.InvalidFileError, match="must be UTF-8"):
            tw.read_votes(source)


def test_processes_that_replace_one_folder_do_not_hinder_each_other(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from thumbwise.tables import whole_files as whole\n"
        "if sys.argv[2] == 'steps': whole.exchange = lambda first, second: False\n"
        "for _ in range(40):\n"
        "    with whole.replacing_folder(Path(sys.argv[1])) as part:\n"
        "        part.mkdir(); (part / 'a').write_text('a')\n"
    )
    for way in ("one step", "steps"):
        command = [sys.executable, "-c", script, str(tmp_path / "labels"), way]
        running = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(4)]
        assert [process.communicate(timeout=120)[1] for process in running] == [""] * 4
        assert [path.name for path in tmp_path.iterdir()] == ["labels"]


def test_databases_touch_only_what_was_named(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    other, votes = tmp_path / "other.csv", inside / "v'*.csv"
    other.write_text("secret\n1\n")
    votes.write_text(TABLE)
    with connect(votes) as connection:
        for query in tries(inside, other):
            with pytest.raises(duckdb.Error):
                connection.execute(query)
    with database() as home:  # of items that stay in files: it loads nothing
        for name in ("autoinstall_known_extensions", "autoload_known_extensions", "allow_community_extensions"):
            setting = home.connection.execute("SELECT current_setting(?)", [name]).fetchone()
            assert setting is not None
            assert str(setting[0]).lower() == "false"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["inside", "other.csv"]


def test_looking_for_marks_reads_no_other_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.parquet").write_text("x")
    (tmp_path / "other.csv").write_text("secret\n")
    seen = []

    def look(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
        for query in tries(tmp_path / "folder", tmp_path / "other.csv"):
            with pytest.raises(duckdb.Error):
                connection.execute(query)
            seen.append(query)

    monkeypatch.setattr("thumbwise.tables.marks._read_mark", look)
    assert find_foreign(tmp_path / "folder") == ["a.parquet"]
    assert len(seen) == 9
