"""Kinds of what is shown: text, Markdown, code, chat messages, JSON, an image or a link, told by the value itself.

Nothing here makes markup. A value becomes a plain description, which the page turns into text nodes.
"""

from __future__ import annotations

import json
import re
from typing import Any, Literal, TypeAlias, get_args

Kind: TypeAlias = Literal["text", "markdown", "code", "chat", "json", "image", "link"]
KINDS: tuple[Kind, ...] = get_args(Kind)
IMAGE_ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".bmp", ".svg")
# What is sent of a text at first, and each time that more is asked for.
FIRST_LETTERS, MORE_LETTERS = 20_000, 200_000
# JSON and chats that are longer are shown as text, which can be cut anywhere.
_LONGEST_JSON = 100_000
_MOST_MESSAGES = 500
_CODE_NAMES = {"code", "diff", "patch", "sql", "query", "program", "snippet", "stdout", "stderr", "log", "traceback"}
_LINK = re.compile(r"https?://[^\s<>\"]+")
_MARKDOWN = re.compile(
    r"^#{1,6} \S|^```|^\s*(?:[-*+]|\d+\.) \S.*\n\s*(?:[-*+]|\d+\.) \S|\*\*[^\s*][^*\n]*\*\*|\[[^\]\n]+\]\(\S+\)"
    r"|`[^`\n]+`|^\|.*\|\s*\n\|[\s:|-]+\|",
    re.MULTILINE,
)


def kind_of(name: str, value: str) -> Kind:
    """What a text is, by the name of its field and by what it holds; an image is known only to who holds the files.

    Examples
    --------
    >>> kind_of("answer", "**Yes**"), kind_of("a", "https://example.org/x"), kind_of("sql", "SELECT 1")
    ('markdown', 'link', 'code')
    >>> kind_of("talk", '[{"role": "user", "content": "Hello"}]'), kind_of("a", '{"b": [1, 2]}'), kind_of("a", "[sic]")
    ('chat', 'json', 'text')
    """
    if _LINK.fullmatch(value.strip()):
        return "link"
    content = read_json(value)
    if content is not None:
        return "json" if messages_of(content) is None else "chat"
    if name.strip().lower() in _CODE_NAMES:
        return "code"
    return "markdown" if _MARKDOWN.search(value[:FIRST_LETTERS]) else "text"


def read_json(value: str) -> Any:
    """What an object or a list in a text says; None if it is none, or too long to be laid out."""
    if len(value) > _LONGEST_JSON or value.strip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


def messages_of(content: Any) -> list[dict[str, str]] | None:
    """Chat messages as pairs of a role and a text; None if that is not what it is."""
    if isinstance(content, dict):
        content = content.get("messages")
    if not isinstance(content, list) or not content or not all(map(_is_message, content)):
        return None
    messages = [{"role": message["role"], "text": _text_of(message)} for message in content[:_MOST_MESSAGES]]
    if len(content) > _MOST_MESSAGES:
        messages.append({"role": "", "text": f"({len(content) - _MOST_MESSAGES:,} more messages are not shown)"})
    return messages


def _is_message(message: Any) -> bool:
    return isinstance(message, dict) and isinstance(message.get("role"), str) and "content" in message


def _text_of(message: dict[str, Any]) -> str:
    """The content of a message, and whatever else it holds but its role, as text."""
    content = message["content"]
    parts = content if isinstance(content, list) else [content]
    texts = [_part_text(part) for part in parts if part is not None]
    beside = {name: value for name, value in message.items() if name not in ("role", "content") and value}
    return "\n\n".join([*texts, *([_indented(beside)] if beside else [])])


def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, dict) and isinstance(part.get("text"), str) and part.get("type", "text") == "text":
        return str(part["text"])
    return _indented(part)


def _indented(content: Any) -> str:
    try:
        return json.dumps(content, indent=2, ensure_ascii=False)
    except RecursionError:
        return json.dumps(content, ensure_ascii=False)


def laid_out(kind: Kind, value: str) -> dict[str, Any]:
    """What the page needs to show a text of a kind: its beginning and how long it is, or messages.

    Examples
    --------
    >>> laid_out("text", "abc")
    {'kind': 'text', 'text': 'abc', 'length': 3}
    >>> laid_out("chat", '[{"role": "user", "content": "Hi"}]')
    {'kind': 'chat', 'messages': [{'role': 'user', 'text': 'Hi'}]}
    """
    if kind in ("chat", "json"):
        content = read_json(value)
        messages = messages_of(content) if kind == "chat" else None
        if messages is not None:
            return {"kind": "chat", "messages": messages}
        if content is not None:
            text = _indented(content)
            return {"kind": "json", "text": text, "length": len(text)}
        kind = "text"
    return {"kind": kind, "text": value[:FIRST_LETTERS], "length": len(value)}
