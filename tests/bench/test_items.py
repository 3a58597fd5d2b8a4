"""Items from tables and folders: ids, what is shown as what, and files that stay out of reach."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from thumbwise.bench.beginning import open_items
from thumbwise.bench.images import media_type
from thumbwise.bench.items import Items
from thumbwise.bench.kinds import FIRST_LETTERS, MORE_LETTERS, kind_of
from thumbwise.exceptions import InvalidChoiceError, InvalidFileError, InvalidVotesError

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20
TALK = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "**Hi**"}]


def opened(path: Path, *show: str, item_id: str | None = None, classes: tuple[str, ...] = ("pass", "fail")) -> Items:
    return open_items(path, item_id=item_id, show=show, classes=classes)


def kinds(items: Items, row: int = 0) -> dict[str, str]:
    return {field["name"]: field["kind"] for field in items.shown(row)}


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet", ".jsonl"])
def test_the_same_items_from_every_kind_of_file(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"items{ending}"
    options = {".csv": "FORMAT csv", ".tsv": "FORMAT csv, DELIMITER '\t'", ".parquet": "FORMAT parquet"}
    rows = "(VALUES ('b', 'one, \"two\"', 1), ('a', 'line\nline', 2), ('c', NULL, 3)) AS t(id, text, size)"
    duckdb.execute(f"COPY (FROM {rows}) TO '{path}' ({options.get(ending, 'FORMAT json')})")
    items = opened(path)
    assert [items.id_of(row) for row in range(3)] == ["b", "a", "c"]
    assert items.id_name == "id"
    assert items.names == ("text", "size")
    assert [items.shown(row)[0]["text"] for row in range(3)] == ['one, "two"', "line\nline", ""]
    assert items.shown(2)[1]["text"] == "3"


def test_nested_columns_of_parquet_are_json(tmp_path: Path) -> None:
    path = tmp_path / "items.parquet"
    talk = "[{'role': 'user', 'content': 'Hello'}, {'role': 'assistant', 'content': '**Hi**'}]"
    duckdb.execute(f"COPY (SELECT 1 AS id, {talk} AS talk, {{'a': [1, 2]}} AS facts) TO '{path}' (FORMAT parquet)")
    items = opened(path)
    assert kinds(items) == {"talk": "chat", "facts": "json"}
    assert items.shown(0)[0]["messages"] == [{"role": "user", "text": "Hello"}, {"role": "assistant", "text": "**Hi**"}]


def test_values_of_json_lines_keep_their_shape(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    rows: list[dict[str, Any]] = [
        {"id": 5, "talk": TALK, "facts": {"a": [1, {"b": None}]}, "page": "https://example.org/?q=1"},
        {"id": 6, "talk": {"messages": TALK}, "facts": [], "page": "see https://example.org"},
        {
            "id": 7,
            "talk": [{"role": "tool", "content": None, "tool_calls": [{"name": "f"}]}],
            "facts": "[1, 2",
            "page": "",
        },
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    items = opened(path)
    assert items.id_of(0) == 5
    assert kinds(items) == {"talk": "chat", "facts": "json", "page": "link"}
    assert kinds(items, 1) == {"talk": "chat", "facts": "json", "page": "text"}
    assert kinds(items, 2) == {"talk": "chat", "facts": "text", "page": "text"}
    assert "tool_calls" in items.shown(2)[0]["messages"][0]["text"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("# Title\n\nand text", "markdown"),
        ("- one\n- two", "markdown"),
        ("use `code` here", "markdown"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "markdown"),
        ("5 * 3 * 2 and snake_case_name", "text"),
        ("- a dash", "text"),
        ("javascript:alert(1)", "text"),
        ("ftp://example.org/x", "text"),
        ("http://example.org/ x", "text"),
        ('[{"role": "user"}]', "json"),
        ('[{"role": 1, "content": "x"}]', "json"),
        ("[" * 50_000 + "]" * 50_000, "text"),
        ('{"a": NaN}', "json"),
        ("{not json}", "text"),
    ],
)
def test_kinds_are_told_by_what_a_text_holds(text: str, kind: str) -> None:
    assert kind_of("field", text) == kind


def test_a_kind_can_be_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text('id,a,b:code,c\n1,**x**,y,"{"\n')
    items = opened(path, "c:json", "a:text", "b:code")
    assert items.names == ("c", "a", "b:code")  # a column of that very name comes first
    assert kinds(items) == {"c": "text", "a": "text", "b:code": "text"}
    assert kinds(opened(path, "a:code")) == {"a": "code"}
    with pytest.raises(InvalidFileError, match="found no 'd'"):
        opened(path, "d")
    with pytest.raises(InvalidFileError, match="found no 'a:novel'"):
        opened(path, "a:novel")


def test_columns_that_hold_classes_are_not_shown_unasked(tmp_path: Path) -> None:
    """Votes and labels would sway whoever labels."""
    path = tmp_path / "items.csv"
    path.write_text("id,text,gpt,label,n\n1,one,PASS,,1\n2,two, fail,pass,0\n")
    items = opened(path)
    assert items.names == ("text", "n")
    assert "'gpt', 'label'" in items.notes[-1]
    assert opened(path, "text", "gpt").names == ("text", "gpt")
    assert opened(path, classes=("0", "1")).names == ("text", "gpt", "label")
    path.write_text("id,gpt\n1,pass\n")
    with pytest.raises(InvalidFileError, match="must have a column to show"):
        opened(path)


def test_ids(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("text,n\na,1\nb,2\n")
    assert [opened(path).id_of(row) for row in range(2)] == [0, 1]
    assert opened(path).id_name is None
    assert opened(path, item_id="n").id_of(1) == 2
    with pytest.raises(InvalidFileError, match="column of ids 'm'"):
        opened(path, item_id="m")
    path.write_text("item,uid,text\n1,2,a\n")
    with pytest.raises(InvalidFileError, match="2 may"):
        opened(path)
    path.write_text("item,id,text\n1,007,a\n")
    assert opened(path).id_of(0) == "007"
    path.write_text("id,text\n1,a\n1,b\n")
    with pytest.raises(InvalidVotesError, match="must be unique"):
        opened(path)
    path.write_text("id,text\n")
    with pytest.raises(InvalidFileError, match="no row"):
        opened(path)


def test_long_texts_come_in_pieces(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    text = "äö𝄞x" * 100_000
    path.write_text(f"id,text\n1,{text}\n", encoding="utf-8")
    items = opened(path)
    (field,) = items.shown(0)
    assert (field["length"], len(field["text"])) == (400_000, FIRST_LETTERS)
    pieces = [field["text"]]
    while sum(map(len, pieces)) < field["length"]:
        pieces.append(items.more(0, 0, sum(map(len, pieces))))
        assert len(pieces[-1]) <= MORE_LETTERS
    assert "".join(pieces) == text


def test_the_fingerprint_is_of_ids_and_what_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("id,a,b\n1,x,y\n2,z,\n")
    prints = {opened(path).fingerprint, opened(path, "a").fingerprint, opened(path, "b").fingerprint}
    assert len(prints) == 3
    assert opened(path).fingerprint in prints
    before = opened(path, "a").fingerprint
    path.write_text("id,a,b\n1,x,other\n2,z,\n")
    assert opened(path, "a").fingerprint == before
    path.write_text("id,a,b\n2,z,\n1,x,other\n")
    assert opened(path, "a").fingerprint != before  # the draw is of rows


def test_where_fields_end_counts(tmp_path: Path) -> None:
    prints = set()
    for number, row in enumerate(("ab,c", "a,bc", '"a","b""c"', 'a,"b\nc"', ",abc")):
        path = tmp_path / f"{number}.csv"
        path.write_text(f"id,x,y\n1,{row}\n")
        prints.add(opened(path).fingerprint)
    assert len(prints) == 5


def images(tmp_path: Path) -> Path:
    (tmp_path / "in" / "deep").mkdir(parents=True)
    for name in ("a.png", "deep/b.PNG"):
        (tmp_path / "in" / name).write_bytes(PNG)
    (tmp_path / "secret.png").write_bytes(PNG)
    (tmp_path / "in" / "out.png").symlink_to(tmp_path / "secret.png")
    (tmp_path / "in" / "near.png").symlink_to(tmp_path / "in" / "a.png")
    return tmp_path / "in"


def test_images_beside_the_table_and_no_others(tmp_path: Path) -> None:
    folder = images(tmp_path)
    names = ["a.png", "deep/b.PNG", "./deep/../a.png", str(folder / "a.png"), "near.png"]
    outside = [
        "../secret.png",
        str(tmp_path / "secret.png"),
        "out.png",
        "none.png",
        "deep",
        "a.png\0.png",
        "/etc/passwd",
        "deep/../../secret.png",
        "file://a.png",
        "~/a.png",
        "x" * 5000 + ".png",
    ]
    path = folder / "items.jsonl"
    path.write_text("".join(json.dumps({"id": i, "image": name}) + "\n" for i, name in enumerate(names + outside)))
    items = opened(path)
    for row in range(len(items)):
        is_inside = row < len(names)
        assert (items.shown(row)[0]["kind"] == "image") == is_inside, (names + outside)[row]
        assert (items.image(row, 0) is not None) == is_inside
    assert items.image(0, 1) is None
    assert items.image(len(items), 0) is None
    assert items.image(-1, 0) is None


def test_a_folder_of_texts_and_images(tmp_path: Path) -> None:
    folder = images(tmp_path)
    contents = {
        "one.txt": "Plain.",
        "two.md": "Some *words*",
        "three.py": "x = 1",
        "four.json": '{"a": 1}',
        "five.bin": "0",
        ".hidden.txt": "no",
        "deep/six.txt": TALK,
    }
    for name, content in contents.items():
        (folder / name).write_text(content if isinstance(content, str) else json.dumps(content))
    (folder / ".git").mkdir()
    (folder / ".git" / "x.txt").write_text("no")
    (folder / ".git" / "empty").mkdir()
    items = opened(folder)
    shown = {str(items.id_of(row)): items.shown(row)[0]["kind"] for row in range(len(items))}
    assert shown == {
        "a.png": "image", "deep/b.PNG": "image", "near.png": "image", "one.txt": "text", "two.md": "markdown",
        "three.py": "code", "four.json": "json", "deep/six.txt": "chat",
    }  # fmt: skip
    assert "2 files" in items.notes[0]  # the binary one, and the link that leads out
    before = items.fingerprint
    (folder / "one.txt").write_text("Plainer.")
    assert opened(folder).fingerprint != before
    with pytest.raises(InvalidChoiceError, match="is a folder"):
        opened(folder, "text")
    with pytest.raises(InvalidFileError, match="must hold texts or images"):
        opened(folder / ".git" / "empty")


@pytest.mark.parametrize(
    ("start", "kind"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b"\0\0\0\x1cftypavif", "image/avif"),
        (b'<?xml version="1.0"?>\n<!-- a --><svg xmlns="x">', "image/svg+xml"),
        (b"<html><svg>", None),
        (b"<script>", None),
        (b"root:x:0:0", None),
        (b"", None),
    ],
)
def test_images_are_told_by_their_bytes(start: bytes, kind: str | None) -> None:
    assert media_type(start) == kind
