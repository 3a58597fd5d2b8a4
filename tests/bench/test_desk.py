"""The desk: order, skips, undo, second looks, several people, and votes that nobody sees too early."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2, hypergeom

from bench.conftest import Serve
from bench.desks import open_desk, write_items
from thumbwise.bench.agreement import agreement_sentences
from thumbwise.bench.desk import Desk
from thumbwise.bench.keys import TAKEN, keys_of
from thumbwise.bench.reading_requests import BadRequestError
from thumbwise.bench.turns import draw_order, next_place, tenth
from thumbwise.bench.votes_on_items import read_votes_on
from thumbwise.exceptions import InvalidChoiceError, InvalidFileError, InvalidVotesError
from thumbwise.io.gold_lines import read_gold_lines, settle


def turn(desk: Desk, by: str = "ann", **more: Any) -> Any:
    return desk.turn({"by": by, **more})["item"]


def answer(desk: Desk, item: Any, kind: str = "label", label: str | None = "pass", by: str = "ann", **more: Any) -> Any:
    shown = {"place": item["place"], "id": item["id"], "mine": item["mine"]}
    return desk.answer({"by": by, **shown, "kind": kind, "answer": label if kind == "label" else None, **more})


def places(desk: Desk) -> list[int]:
    return [a.place for a in desk.settled.gold]


def test_the_order_is_a_permutation_that_the_seed_alone_decides() -> None:
    order = draw_order(1000, 3)
    assert sorted(order.tolist()) == list(range(1000))
    assert (draw_order(1000, 3) == order).all()
    assert (draw_order(1000, 4) != order).any()
    raw = np.random.PCG64(3).random_raw(1000).tolist()
    assert order.tolist() == sorted(range(1000), key=raw.__getitem__)


def test_every_item_is_as_likely_in_every_place() -> None:
    """A chi-squared test of the first of five places and of all orders of three; each fails wrongly once in 10^6."""
    firsts = np.bincount([draw_order(5, seed)[0] for seed in range(4000)], minlength=5)
    assert ((firsts - 800) ** 2 / 800).sum() < chi2.ppf(1 - 1e-6, 4)
    orders = [tuple(draw_order(3, seed).tolist()) for seed in range(4000)]
    counts = np.array([orders.count(order) for order in set(orders)])
    assert len(counts) == 6
    assert ((counts - 4000 / 6) ** 2 / (4000 / 6)).sum() < chi2.ppf(1 - 1e-6, 5)


def test_items_come_in_the_order_of_the_draw(desk: Desk) -> None:
    item = turn(desk)
    for place in range(1, 21):
        assert item["place"] == place
        assert item["id"] == f"q{int(desk.order[place - 1])}"
        assert item["fields"][0]["text"] == f"Text of item {int(desk.order[place - 1])}."
        item = answer(desk, item, label="fail" if place % 3 else "pass")["item"]
    assert item is None
    assert places(desk) == list(range(1, 21))
    assert not settle(read_gold_lines(desk.journal.path).answers).has_gaps


def test_a_skipped_item_comes_back_at_the_end(desk: Desk) -> None:
    for place in range(1, 21):
        item = turn(desk)
        assert item["place"] == place
        answer(desk, item, "skip" if place in (3, 9) else "label")
    for place in (3, 9, 3, 9):  # in turn, as long as they are skipped
        item = turn(desk)
        assert item["place"] == place
        answer(desk, item, "skip")
    for place in (3, 9):
        item = turn(desk)
        assert item["place"] == place
        answer(desk, item, "unclear" if place == 3 else "label")
    assert turn(desk) is None
    assert desk.settled.n_unclear == 1
    assert not desk.settled.has_gaps


def test_skipped_items_come_back_before_a_planned_look(tmp_path: Path) -> None:
    desk = open_desk(write_items(tmp_path), tmp_path / "gold.jsonl", looks=(5, 12))
    seen = []
    for _ in range(14):
        item = turn(desk)
        seen.append(item["place"])
        answer(desk, item, "skip" if seen.count(item["place"]) == 1 and item["place"] in (2, 7) else "label")
    assert seen == [1, 2, 3, 4, 5, 2, 6, 7, 8, 9, 10, 11, 12, 7]
    assert turn(desk) is None


def test_without_an_end_skipped_items_come_back_after_a_while(tmp_path: Path) -> None:
    desk = open_desk(write_items(tmp_path), tmp_path / "gold.jsonl", anytime=True)
    seen = []
    for _ in range(40):
        item = turn(desk)
        seen.append(item["place"])
        answer(desk, item, "skip" if seen == [1, 2] else "label")
    assert seen.count(2) == 2
    assert 20 < seen[2:].index(2) < 25
    assert sorted({*seen}) == list(range(1, 40))


def test_undo_goes_back_any_number_of_times(desk: Desk) -> None:
    for place in range(1, 7):
        item = turn(desk)
        answer(desk, item, "skip" if place == 4 else "label")
    for place in (6, 5, 4, 3, 2, 1):
        undone = desk.undo({"by": "ann"})
        assert undone["item"]["place"] == place
        assert undone["item"]["mine"] is None
    with pytest.raises(BadRequestError, match="no answer of yours"):
        desk.undo({"by": "ann"})
    assert places(desk) == []
    assert len(read_gold_lines(desk.journal.path).answers) == 12  # nothing is ever taken out of the file
    assert turn(desk)["place"] == 1


def test_undo_is_of_ones_own_answers(desk: Desk) -> None:
    answer(desk, turn(desk, "ann"), by="ann")
    answer(desk, turn(desk, "bob"), by="bob")
    assert desk.undo({"by": "ann"})["item"]["place"] == 1
    with pytest.raises(BadRequestError):
        desk.undo({"by": "ann"})
    assert places(desk) == [3]  # place 2 was shown to ann


def test_an_answer_can_be_changed_and_the_change_undone(desk: Desk) -> None:
    answer(desk, turn(desk))
    answer(desk, turn(desk))
    shown = desk.look({"by": "ann", "place": "1"})["item"]
    assert shown["mine"] == {"kind": "label", "answer": "pass", "note": None}
    answer(desk, shown, label="fail", note="looked again")
    assert desk.settled.labels == ("fail", "pass")
    shown = desk.look({"by": "ann", "place": f"q{int(desk.order[0])}"})["item"]
    assert shown["mine"] == {"kind": "label", "answer": "fail", "note": "looked again"}
    desk.undo({"by": "ann"})
    assert desk.settled.labels == ("pass", "pass")


def test_an_answer_that_is_sent_twice_is_kept_once(desk: Desk) -> None:
    """The page does not know whether its request was heard before the connection broke."""
    item = turn(desk)
    answer(desk, item)
    answer(desk, item)
    assert len(desk.journal.answers) == 1
    with pytest.raises(BadRequestError, match="answered meanwhile"):
        answer(desk, item, label="fail")  # another tab, which does not know of the first
    assert desk.settled.labels == ("pass",)


@pytest.mark.parametrize(
    ("bent", "words"),
    [
        ({"place": 2}, "another item|reached"),
        ({"place": 21}, "reached"),
        ({"place": 0}, "reached"),
        ({"place": -1}, "reached"),
        ({"place": "1"}, "place"),
        ({"place": True}, "place"),
        ({"id": "q999"}, "another item"),
        ({"kind": "undo", "answer": None}, "class, unclear or a skip"),
        ({"kind": "label", "answer": "perhaps"}, "one of the classes"),
        ({"kind": "label", "answer": None}, "one of the classes"),
        ({"kind": "skip", "answer": "pass"}, "one of the classes"),
        ({"again": True}, "second time"),
        ({"by": ["ann"]}, "name"),
    ],
)
def test_answers_that_make_no_sense_are_refused(desk: Desk, bent: dict[str, Any], words: str) -> None:
    item = turn(desk)
    with pytest.raises(BadRequestError, match=words):
        desk.answer({"by": "ann", "place": 1, "id": item["id"], "kind": "label", "answer": "pass", **bent})
    assert desk.journal.answers == []


def test_what_comes_with_an_answer_is_kept_within_bounds(desk: Desk) -> None:
    cases: list[tuple[Any, Any, tuple[Any, Any]]] = [
        (" why \n", 3.14159, ("why", 3.1)),
        ("", -5, (None, 0.0)),
        (7, "x", (None, None)),
        ("x" * 9000, 1e9, ("x" * 5000, 86400.0)),
        ("\ud800", float("nan"), ("?", None)),
    ]
    for note, seconds, kept in cases:
        answer(desk, turn(desk), note=note, seconds=seconds)
        last = read_gold_lines(desk.journal.path).answers[-1]
        assert (last.note, last.seconds) == kept
    answer(desk, turn(desk, "a\nb\x1b[31m" + "c" * 200), by="a\nb\x1b[31m" + "c" * 200)
    by = read_gold_lines(desk.journal.path).answers[-1].by
    assert len(by) == 100
    assert by.isprintable()


def test_two_people_get_different_items(desk: Desk) -> None:
    ann, bob = turn(desk, "ann"), turn(desk, "bob")
    assert (ann["place"], bob["place"]) == (1, 2)
    assert turn(desk, "ann")["place"] == 1  # reloading the page changes nothing
    assert answer(desk, bob, by="bob")["item"]["place"] == 3
    assert answer(desk, ann, by="ann")["item"]["place"] == 4


def test_one_can_look_back_but_not_ahead(desk: Desk) -> None:
    for _ in range(3):
        answer(desk, turn(desk))
    turn(desk)
    assert desk.look({"by": "ann", "place": "4"})["item"]["mine"] is None
    for text in ("5", "0", "-1", f"q{int(desk.order[30])}", "", "x" * 500):
        with pytest.raises(BadRequestError, match="no item"):
            desk.look({"by": "ann", "place": text})


def test_lists_are_of_ones_own_answers(desk: Desk) -> None:
    said = [("label", "pass"), ("label", "fail"), ("unclear", None), ("skip", None), ("label", "pass")]
    for number, (kind, name) in enumerate(said):
        answer(desk, turn(desk), kind, name, note="n" if number == 1 else "")
    answer(desk, turn(desk, "bob"), by="bob")
    listed = {
        name: desk.listed({"by": "ann", "filter": name}) for name in ("", "pass", "fail", "unclear", "skip", "note")
    }
    assert [row["place"] for row in listed[""]["answers"]] == [5, 4, 3, 2, 1]
    assert [[row["place"] for row in rows["answers"]] for rows in listed.values()][1:] == [[5, 1], [2], [3], [4], [2]]
    assert desk.listed({"by": "bob", "filter": None})["n"] == 1


def test_the_tenth_is_one_of_each_ten_and_drawn_before(desk: Desk) -> None:
    drawn = tenth(desk.journal.header, 5000)
    assert [(place - 1) // 10 for place in drawn] == list(range(500))
    assert tenth(desk.journal.header, 4000) == [place for place in drawn if place <= 4000]
    counts = np.bincount([(place - 1) % 10 for place in drawn], minlength=10)
    assert ((counts - 50) ** 2 / 50).sum() < chi2.ppf(1 - 1e-6, 9)


def test_a_second_look_measures_agreement_and_is_no_gold(tmp_path: Path) -> None:
    desk = open_desk(write_items(tmp_path), tmp_path / "gold.jsonl", n=50)
    for _ in range(50):
        answer(desk, turn(desk))
    assert turn(desk) is None
    chosen = tenth(desk.journal.header, 50)
    for number, place in enumerate(chosen):
        item = turn(desk, again=True)
        assert (item["place"], item["again"], item["mine"]) == (place, True, None)
        answer(desk, item, label="pass" if number else "fail", again=True)
    assert turn(desk, again=True) is None
    assert desk.settled.labels == ("pass",) * 50
    item = turn(desk, "bob", again=True)
    answer(desk, item, by="bob", again=True)
    same, other = agreement_sentences(desk.settled, desk.journal.header)
    assert same.startswith("4 of 5 second labels by the same person are the same")
    assert other.startswith("1 of 1 second labels by somebody else are the same")
    # The interval, by trying every number of items on which labels would agree.
    fits = [k for k in range(61) if hypergeom.sf(3, 60, k, 5) > 0.025 and hypergeom.cdf(4, 60, k, 5) > 0.025]
    assert f"{np.floor(1000 * fits[0] / 60) / 10:.1f} % to {np.ceil(1000 * fits[-1] / 60) / 10:.1f} %" in same


def test_items_that_two_people_happened_to_label_are_no_second_look(desk: Desk) -> None:
    """They went back to them, for reasons of their own."""
    answer(desk, turn(desk, "ann"), by="ann")
    answer(desk, desk.look({"by": "bob", "place": "1"})["item"], by="bob", label="fail")
    assert len(desk.settled.pairs) == 1
    assert agreement_sentences(desk.settled, desk.journal.header) == []


def test_images_are_served_by_place_and_can_do_nothing(tmp_path: Path, serve: Serve) -> None:
    svg = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    folder = tmp_path / "items"
    folder.mkdir()
    for name, content in (("a.svg", svg), ("b.png", b"<html><script>alert(1)</script>"), ("c.txt", b"text")):
        (folder / name).write_bytes(content)
    desk = open_desk(folder, tmp_path / "gold.jsonl", n=3)
    page, found = serve(desk), {}
    for _ in range(3):
        item = page.ask("turn")["item"]
        found[item["id"]] = page.get(f"image/{item['place']}/0")
        page.answer()
    assert found["a.svg"].body == svg
    assert found["a.svg"].headers["content-type"] == "image/svg+xml"
    assert found["a.svg"].headers["content-security-policy"].endswith("sandbox")
    assert found["a.svg"].headers["content-security-policy"].startswith("default-src 'none'")
    assert found["a.svg"].headers["x-content-type-options"] == "nosniff"
    assert (found["b.png"].status, found["c.txt"].status) == (404, 404)


def test_votes_are_not_sent_before_an_item_is_labeled(tmp_path: Path, serve: Serve) -> None:
    path = write_items(tmp_path)
    votes = tmp_path / "votes.csv"
    rows = [f"q{i},{'pass' if i % 2 else 'fail'},{'' if i % 3 else 'pass'}" for i in reversed(range(60))]
    votes.write_text("id,judge_b,judge_a\n" + "\n".join(rows) + "\n")
    page = serve(open_desk(path, tmp_path / "gold.jsonl", n=20, votes=votes))
    for what, content in (("start", {}), ("turn", {}), ("look", {"place": "1"}), ("progress", {})):
        assert b"judge" not in page.post(what, content).body
    page.ask("turn")
    item = page.item or {}
    row = int(item["id"][1:])
    assert b"judge" not in page.post("answer", {**item, "kind": "skip", "answer": None}).body
    item = page.ask("look", place="1")["item"]
    expected = [{"rule": "judge_b", "vote": "pass" if row % 2 else "fail"}]
    expected += [] if row % 3 else [{"rule": "judge_a", "vote": "pass"}]
    kept = page.answer(answer="fail")
    assert kept["last"]["votes"] == expected
    assert kept["item"]["votes"] is None
    assert page.ask("look", place="1")["item"]["votes"] == expected
    assert page.post("look", {"place": "1", "by": "bob"}).json["item"]["votes"] is None  # who has not answered it


def test_votes_must_be_on_the_items(tmp_path: Path, desk: Desk) -> None:
    votes = tmp_path / "votes.csv"
    votes.write_text("id,a\n" + "".join(f"q{i},pass\n" for i in range(59)))
    with pytest.raises(InvalidVotesError, match=r"none on item 'q59' \(1 of 60 items\)"):
        read_votes_on(desk.items, votes, ("pass", "fail"))


def test_votes_may_stand_beside_the_texts(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("id,text,gpt\n" + "".join(f"q{i},words,{'pass' if i % 2 else 'fail'}\n" for i in range(30)))
    desk = open_desk(path, tmp_path / "gold.jsonl", n=20)
    voted = read_votes_on(desk.items, path, ("pass", "fail"))
    assert voted.on(3) == [{"rule": "gpt", "vote": "pass"}]


def test_a_stratified_draw_says_so_in_every_line(tmp_path: Path) -> None:
    path, votes, gold = write_items(tmp_path), tmp_path / "votes.csv", tmp_path / "gold.jsonl"
    votes.write_text("id,a,b\n" + "".join(f"q{i},{'pass' if i < 45 else 'fail'},pass\n" for i in range(60)))
    desk = open_desk(path, gold, n=20, votes=votes, design="stratified")
    for _ in range(20):
        answer(desk, turn(desk))
    lines = read_gold_lines(gold)
    sizes = {stratum.name: stratum.size for stratum in lines.header.design.strata}
    assert sum(sizes.values()) == 60
    assert [a.stratum for a in lines.answers] == list((desk.strata or ())[:20])
    drawn = [a.stratum for a in lines.answers]
    assert {stratum.name: drawn.count(stratum.name) for stratum in lines.header.design.strata} == {
        stratum.name: stratum.n for stratum in lines.header.design.strata
    }
    assert "share of pass" in desk.progress({})["sentences"][0]
    assert len(open_desk(path, gold, n=20, votes=votes).journal.answers) == 20
    votes.write_text("id,a,b\n" + "".join(f"q{i},{'pass' if i < 15 else 'fail'},fail\n" for i in range(60)))
    with pytest.raises(InvalidFileError, match="other strata now"):
        open_desk(path, gold, n=20, votes=votes)
    with pytest.raises(InvalidChoiceError, match="needs votes"):
        open_desk(path, tmp_path / "new.jsonl", n=20, design="stratified")
    with pytest.raises(InvalidChoiceError, match="at any moment"):
        open_desk(path, tmp_path / "new.jsonl", anytime=True, votes=votes, design="stratified")
    assert not (tmp_path / "new.jsonl").exists()


def test_keys_are_free_and_different() -> None:
    for classes in (["pass", "fail"], ["spam", "ham", "unsure"], ["a", "aa", "aaa"], ["ü", "é"], list("abcdefghijklm")):
        keys = [key for pair in keys_of(classes) for key in pair]
        assert len(set(keys)) == len(keys)
        assert not set(keys) & set(TAKEN)
        assert [pair[:1] for pair in keys_of(classes)[:9]] == [[str(n)] for n in range(1, min(10, len(classes) + 1))]


def test_what_is_next_depends_on_no_label(desk: Desk) -> None:
    said: dict[str, list[int]] = {name: [] for name in ("pass", "fail", "unclear")}
    for name, seen in said.items():
        gold = desk.journal.path.with_name(f"{name}.jsonl")
        other = open_desk(desk.items.path, gold, n=20)
        for _ in range(20):
            item = turn(other)
            seen.append(item["place"])
            answer(other, item, "unclear" if name == "unclear" else "label", name)
        assert next_place(other.journal.header, other.settled) is None
    assert said["pass"] == said["fail"] == said["unclear"]
