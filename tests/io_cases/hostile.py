"""Names that break quoting, and how to compare votes that went through a file."""

from __future__ import annotations

import numpy as np

from thumbwise import Votes

NAMES = (
    'quo"ted',
    "it's",
    "new\nline",
    "carriage\r\nreturn",
    "tab\tbed",
    "comma, semi; colon",
    "😀 emoji",
    "SELECT",
    "drop table votes; --",
    "  leading and trailing  ",
    "<script>alert(1)</script>",
    "{{7*7}} ${x} %s",
    "back\\slash",
    "`tick`",
    "Ünïcödé ẞ",
    "x" * 10_000,
    "nul-free \x01 control",
)


def hostile_votes(seed: int = 0, n_items: int = 60) -> Votes:
    """Votes whose ids, rules and classes all have hostile names."""
    rng = np.random.default_rng(seed)
    array = rng.integers(-1, len(NAMES), size=(n_items, len(NAMES)))
    array[: len(NAMES)] = np.arange(len(NAMES))[:, None]  # every class occurs
    array[-1] = -1
    ids = [f"{NAMES[i % len(NAMES)]}{i}" for i in range(n_items)]
    return Votes(array, rule_names=NAMES, class_names=sorted(NAMES), item_ids=ids)


def votes_by_name(votes: Votes) -> dict[tuple[str, str], str]:
    """What each rule says about each item, in texts."""
    rows, rules = np.nonzero(votes.array >= 0)
    ids, classes = votes.item_ids.tolist(), [str(name) for name in votes.class_names]
    return {(str(ids[i]), votes.rule_names[j]): classes[votes.array[i, j]] for i, j in zip(rows, rules, strict=True)}
