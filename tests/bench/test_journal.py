"""The journal: nothing that was acknowledged is lost, whoever else writes, and nothing that is not ours is touched."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from bench.desks import open_desk, write_items
from thumbwise.bench.desk import Desk
from thumbwise.bench.journal import Journal, check_journal
from thumbwise.exceptions import InvalidChoiceError, InvalidFileError
from thumbwise.io.gold_lines import Answer, read_gold_lines, settle


def label(desk: Desk, by: str = "ann", answer: str = "pass") -> int:
    """Answer the next item, and say which place it was."""
    item = desk.turn({"by": by})["item"]
    desk.answer({"by": by, "place": item["place"], "id": item["id"], "kind": "label", "answer": answer})
    return int(item["place"])


def test_the_header_is_on_disk_before_anything_is_labeled(desk: Desk, tmp_path: Path) -> None:
    (line,) = (tmp_path / "gold.jsonl").read_text().splitlines()
    header = json.loads(line)
    assert header["design"] == {"kind": "random", "seed": 7}
    assert header["stopping"]["n"] == 20
    assert header["items"]["n"] == 60


def test_each_answer_is_synced_before_it_is_acknowledged(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the file holds at each fsync is what it holds when the answer returns."""
    synced: list[bytes] = []
    real = os.fsync

    def sync(file: int) -> None:
        synced.append(desk.journal.path.read_bytes())
        real(file)

    monkeypatch.setattr(os, "fsync", sync)
    for n in range(1, 4):
        label(desk)
        assert len(synced) == n
        assert synced[-1] == desk.journal.path.read_bytes()
        assert len(synced[-1].splitlines()) == 1 + n


def test_going_on_finds_the_same_order(tmp_path: Path) -> None:
    path, gold = write_items(tmp_path), tmp_path / "gold.jsonl"
    first = open_desk(path, gold, n=20)
    places = [label(first) for _ in range(5)]
    first.journal.close()
    second = open_desk(path, gold, n=20)
    places += [label(second) for _ in range(15)]
    assert places == list(range(1, 21))
    assert second.turn({"by": "ann"})["item"] is None
    ids = [answer.id for answer in read_gold_lines(gold).answers]
    assert ids == [f"q{row}" for row in second.order[:20].tolist()]


@pytest.mark.parametrize("cut", [2, 5, 40])
def test_a_half_written_line_is_set_aside(tmp_path: Path, cut: int) -> None:
    """A kill in the middle of a write: the line was never acknowledged."""
    path, gold = write_items(tmp_path), tmp_path / "gold.jsonl"
    desk = open_desk(path, gold, n=20)
    for _ in range(3):
        label(desk)
    desk.journal.close()
    whole = gold.read_bytes()
    gold.write_bytes(whole[:-cut])
    torn = whole.splitlines()[-1][: len(whole.splitlines()[-1]) + 1 - cut]
    again = open_desk(path, gold, n=20)
    assert len(again.journal.answers) == 2
    assert label(again) == 3
    assert len(read_gold_lines(gold).answers) == 3
    assert not read_gold_lines(gold).torn
    assert (tmp_path / "gold.jsonl.torn").read_bytes() == torn + b"\n"


def test_a_whole_answer_without_its_line_break_is_kept(tmp_path: Path) -> None:
    """Some editors take the last one away; whoever reads the file counts the answer, and so does the bench."""
    path, gold = write_items(tmp_path), tmp_path / "gold.jsonl"
    desk = open_desk(path, gold, n=20)
    for _ in range(3):
        label(desk)
    desk.journal.close()
    whole = gold.read_bytes()
    gold.write_bytes(whole[:-1])
    assert len(read_gold_lines(gold).answers) == 3
    again = open_desk(path, gold, n=20)
    assert gold.read_bytes() == whole
    assert label(again) == 4
    assert [answer.place for answer in read_gold_lines(gold).answers] == [1, 2, 3, 4]
    assert not (tmp_path / "gold.jsonl.torn").exists()


@pytest.mark.parametrize("n_bytes", [0, 1, 10, 30, 200])
def test_a_half_written_header_is_written_anew(tmp_path: Path, n_bytes: int) -> None:
    path, gold = write_items(tmp_path), tmp_path / "gold.jsonl"
    open_desk(path, gold, n=20).journal.close()
    whole = gold.read_bytes()
    gold.write_bytes(whole[:n_bytes])
    desk = open_desk(path, gold, n=20)
    assert label(desk) == 1
    assert len(gold.read_bytes().splitlines()) == 2


OTHERS = (
    "id,label\nq1,pass\n",
    '{"id": 1}\n',
    "{",
    "hello",
    '{"thumbwise": "gold"',
    '{"thumbwise": "model"}\n',
    "\n",
    "\0",
)


@pytest.mark.parametrize("content", OTHERS)
def test_a_file_that_is_not_ours_stays_as_it_is(tmp_path: Path, content: str) -> None:
    path, gold = write_items(tmp_path), tmp_path / "gold.jsonl"
    gold.write_text(content)
    if content in ("{", '{"thumbwise": "gold"'):  # how a header of ours begins
        assert not check_journal(gold)
        return
    with pytest.raises(InvalidFileError, match=r"gold\.jsonl"):
        open_desk(path, gold)
    assert gold.read_text() == content


def test_other_places_are_refused(tmp_path: Path) -> None:
    for name, words in (("gold.csv", "must end in .jsonl"), ("no/gold.jsonl", "does not exist")):
        with pytest.raises(InvalidFileError, match=words):
            check_journal(tmp_path / name)
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(InvalidFileError, match="it is a folder"):
        check_journal(tmp_path / "folder.jsonl")


def test_a_line_that_somebody_broke_is_pointed_at(tmp_path: Path) -> None:
    path, gold = write_items(tmp_path), tmp_path / "gold.jsonl"
    desk = open_desk(path, gold)
    for _ in range(3):
        label(desk)
    lines = gold.read_text().splitlines()
    lines[2] = lines[2].replace('"pass"', '"perhaps"')
    gold.write_text("\n".join(lines) + "\n")
    with pytest.raises(InvalidFileError, match="line 3"):
        open_desk(path, gold)


def test_a_file_that_is_moved_away_meanwhile_is_noticed(desk: Desk) -> None:
    label(desk)
    path = desk.journal.path
    moved = path.rename(path.with_name("moved.jsonl"))
    with pytest.raises(InvalidFileError, match="removed, replaced or cut"):
        label(desk)
    moved.rename(path)
    assert label(desk) == 2
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InvalidFileError, match="removed, replaced or cut"):
        label(desk)


def test_a_full_disk_keeps_nothing_half(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    label(desk)
    before = desk.journal.path.read_bytes()
    real = os.write

    def half(file: int, content: bytes) -> int:
        if len(content) > 10:
            return real(file, content[:10])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", half)
        with pytest.raises(InvalidFileError, match="No space left"):
            label(desk)
    assert desk.journal.path.read_bytes() == before
    assert label(desk) == 2


def test_two_desks_on_one_file_see_each_other(tmp_path: Path) -> None:
    path, gold = write_items(tmp_path), tmp_path / "gold.jsonl"
    ann, bob = open_desk(path, gold, n=20), open_desk(path, gold, n=20)
    for k in range(10):
        assert label(ann, "ann") == 2 * k + 1
        assert label(bob, "bob") == 2 * k + 2
    settled = settle(read_gold_lines(gold).answers)
    assert [answer.by for answer in settled.gold] == ["ann", "bob"] * 10


def test_what_others_wrote_is_read_before_anything_is_decided(tmp_path: Path) -> None:
    """Two runs for one person: the second does not ask for what the first was told meanwhile."""
    path, gold = write_items(tmp_path), tmp_path / "gold.jsonl"
    one, other = open_desk(path, gold, n=20), open_desk(path, gold, n=20)
    item = other.turn({"by": "ann"})["item"]
    label(one)
    request = {"by": "ann", "place": 1, "id": item["id"], "kind": "label", "answer": "pass"}
    assert other.answer(request)["item"]["place"] == 2
    assert len(read_gold_lines(gold).answers) == 1
    for desk in (one, other, one):
        label(desk)
        assert other.journal.refresh() == one.journal.refresh() == list(read_gold_lines(gold).answers)


WRITER = """
import sys
from pathlib import Path
from typing import Any
from thumbwise.bench.journal import Journal
from thumbwise.io.gold_lines import Answer, read_gold_lines
path, by = Path(sys.argv[1]), sys.argv[2]
journal = Journal(path, read_gold_lines(path).header)
for k in range(100):
    made = Answer(f"q{k % 60}", k % 60 + 1, "pass", "label", by, float(k), "2024-05-01", "x" * 3000)
    assert journal.append(lambda answers: made) is made
"""


def test_processes_do_not_overwrite_each_other(tmp_path: Path) -> None:
    """Three at once, with long lines; all lines are there, whole, and in the order of each writer."""
    gold = tmp_path / "gold.jsonl"
    open_desk(write_items(tmp_path), gold).journal.close()
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, gold, name]) for name in "abc"]
    assert [writer.wait() for writer in writers] == [0] * 3
    answers = read_gold_lines(gold).answers
    assert len(answers) == 300
    for name in "abc":
        assert [answer.seconds for answer in answers if answer.by == name] == [float(k) for k in range(100)]


def test_threads_do_not_overwrite_each_other(desk: Desk) -> None:
    def work(name: str) -> None:
        for k in range(30):
            made = Answer(f"q{int(desk.order[k % 20])}", k % 20 + 1, "fail", "label", name, None, "2024-05-01")
            desk.journal.append(lambda _, made=made: made)  # type: ignore[misc]

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcde"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(read_gold_lines(desk.journal.path).answers) == len(desk.journal.answers) == 150


def test_changed_items_are_noticed(tmp_path: Path) -> None:
    path, gold = write_items(tmp_path), tmp_path / "gold.jsonl"
    open_desk(path, gold).journal.close()
    text = path.read_text()
    for changed in (text.replace("item 7.", "item 7!"), text.replace("q9,", "r9,"), text + "q60,more\n"):
        path.write_text(changed)
        with pytest.raises(InvalidFileError, match="has changed since"):
            open_desk(path, gold)
    path.write_text(text)
    open_desk(path, gold)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"classes": ("fail", "pass")}, "classes"),
        ({"n": 30}, "the stopping rule"),
        ({"anytime": True}, "the stopping rule"),
        ({"looks": (10, 20)}, "the stopping rule"),
        ({"seed": 8}, "the seed"),
        ({"of": "fail"}, "the class whose share"),
        ({"confidence": 0.9}, "the confidence"),
        ({"design": "stratified"}, "the design"),
    ],
)
def test_what_was_fixed_stays_fixed(tmp_path: Path, asked: dict[str, Any], words: str) -> None:
    path, gold = write_items(tmp_path), tmp_path / "gold.jsonl"
    open_desk(path, gold, n=20, of="pass").journal.close()
    with pytest.raises(InvalidChoiceError, match=f"{words}.* must stay as in"):
        open_desk(path, gold, **{**({} if "anytime" in asked or "looks" in asked else {"n": 20}), **asked})
    assert open_desk(path, gold, classes=("pass", "fail")).journal.header.stopping.n == 20  # as the file says


def test_a_file_in_another_order_is_refused(tmp_path: Path) -> None:
    """Answers whose places do not fit the draw: edited, or drawn by another version."""
    path, gold = write_items(tmp_path), tmp_path / "gold.jsonl"
    desk = open_desk(path, gold)
    label(desk)
    text = gold.read_text().splitlines()
    answer = json.loads(text[1]) | {"id": f"q{int(desk.order[1])}"}
    gold.write_text(f"{text[0]}\n{json.dumps(answer)}\n")
    with pytest.raises(InvalidFileError, match="order of its draw"):
        open_desk(path, gold)


def test_a_reader_without_a_lock_is_told_nothing_wrong(desk: Desk) -> None:
    """A second journal that only looks finds whole lines."""
    label(desk)
    other = Journal(desk.journal.path, desk.journal.header)
    label(desk)
    assert len(other.refresh()) == 2


@pytest.mark.parametrize("plant", ["a link", "a dangling link", "a pipe", "a pipe that is read", "a folder"])
def test_a_half_written_line_goes_to_no_other_file(tmp_path: Path, plant: str) -> None:
    """A folder of a stranger: a gold file that ends in his words, and beside it where they shall be appended."""
    path, gold = write_items(tmp_path), tmp_path / "gold.jsonl"
    first = open_desk(path, gold, n=20)
    label(first)
    first.journal.close()
    with gold.open("ab") as file:
        file.write(b'{"id": "q1", "note": "run this')
    before = gold.read_bytes()
    precious = tmp_path / "precious"
    beside = tmp_path / "gold.jsonl.torn"
    if plant.startswith("a pipe"):
        os.mkfifo(beside)
        reader = os.open(beside, os.O_RDONLY | os.O_NONBLOCK) if plant != "a pipe" else None
    elif plant == "a folder":
        beside.mkdir()
    else:
        if plant == "a link":
            precious.write_text("mine")
        beside.symlink_to(precious)
    with pytest.raises(InvalidFileError, match=r"gold.jsonl.torn must be a plain file"):
        open_desk(path, gold, n=20)
    assert gold.read_bytes() == before
    assert precious.exists() == (plant == "a link")
    if plant == "a link":
        assert precious.read_text() == "mine"
    if plant == "a pipe that is read":
        assert reader is not None
        os.close(reader)
    (beside.rmdir if plant == "a folder" else beside.unlink)()
    again = open_desk(path, gold, n=20)
    assert len(again.journal.answers) == 1
    assert beside.read_bytes() == b'{"id": "q1", "note": "run this\n'
