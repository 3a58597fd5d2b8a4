"""thumbwise explain: each vote's part in what a saved model says of some items."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from rich.text import Text

from thumbwise.cli.console import progress, stdout, visible
from thumbwise.cli.json_output import check_json, deliver, print_delivered
from thumbwise.cli.label import read
from thumbwise.cli.saved_models import as_record, check_rules, in_words, in_words_of_models, open_model, roles_of
from thumbwise.exceptions import InvalidChoiceError
from thumbwise.io.roles import Roles
from thumbwise.models.explained.explanation import Explanation
from thumbwise.votes.votes import Votes

# Ids that are looked through for near ones.
_MOST_IDS = 20_000


def explain_files(
    model_file: Path,
    votes: Path,
    roles: Roles,
    items: Sequence[str],
    *,
    json: str | None = None,
    overwrite: bool = False,
) -> None:
    """Take the predictions for some items apart, in the order in which they are named."""
    if not items:
        raise InvalidChoiceError("there must be an item to explain; found none. Name its id with --item ID.")
    check_json(json, inputs=(model_file, votes), overwrite=overwrite)
    model = open_model(model_file, votes)
    with in_words_of_models():
        reading = read(votes, None, roles_of(model, roles), is_gold_needed=False)
    check_rules(model, reading.votes)
    ids = [find_id(reading.votes, text) for text in items]
    with progress("explaining"):
        explained = [model.explain(reading.votes, item) for item in ids]
    content = {**as_record(model), "items": [as_content(explanation) for explanation in explained]}
    deliver(content, json, overwrite)
    console = stdout()
    console.print(Text(in_words(model_file, model)))
    for explanation in explained:
        console.print()
        console.print(Text("\n".join(map(visible, str(explanation).splitlines()))))
    console.print()
    console.print(Text("this is what the model does, in log-odds; it is no guarantee that it is right"))
    print_delivered(json)


def find_id(votes: Votes, text: str) -> Hashable:
    """The id that is typed so; without ids, the position."""
    if not votes.has_ids:
        if text.isdecimal() and int(text) < votes.n_items:
            return int(text)
        raise InvalidChoiceError(
            f"--item must be a position from 0 to {votes.n_items - 1:,}: these votes have no ids; found {text!r}."
        )
    ids: list[Hashable] = votes.item_ids.tolist()
    for item in ids:
        if str(item) == text:
            return item
    near = _nearest(text, [str(item) for item in ids[:_MOST_IDS]])
    like = f"such as {', '.join(repr(str(item)) for item in ids[:3])}"
    raise InvalidChoiceError(
        f"--item must be one of the {votes.n_items:,} ids, {like}; found {text!r}.",
        *([f" The nearest are {', '.join(map(repr, near))}."] if near else []),
    )


def _nearest(text: str, ids: Sequence[str]) -> list[str]:
    """Three ids that share most with a text, of equals the first in the alphabet; none that shares less than half."""
    matcher = SequenceMatcher(b=text)
    likeness = {}
    for item in ids:
        matcher.set_seq1(item)
        if matcher.real_quick_ratio() >= 0.5 and matcher.quick_ratio() >= 0.5:
            likeness[item] = matcher.ratio()
    near = [item for item, ratio in likeness.items() if ratio >= 0.5]
    return sorted(near, key=lambda item: (-likeness[item], item))[:3]


def as_content(explanation: Explanation) -> dict[str, Any]:
    """An explanation under the keys that other programs may rely on."""
    names = [str(name) for name in explanation.class_names]

    def by_class(numbers: Any) -> dict[str, float]:
        return dict(zip(names, numbers.tolist(), strict=True))

    parts = zip(explanation.rules, explanation.votes, explanation.contributions, explanation.without, strict=True)
    return {
        "item_id": explanation.item_id,
        "label": explanation.label,
        "is_known": explanation.is_known,
        "proba": by_class(explanation.proba),
        "scores": by_class(explanation.scores),
        "votes": [
            {"rule": rule, "vote": vote, "contribution": by_class(added), "proba_without": by_class(without)}
            for rule, vote, added, without in parts
        ],
        "background": {name: by_class(added) for name, added in explanation.background.items()},
        "opinions": {name: by_class(added) for name, added in explanation.opinions.items()},
        "sentence": str(explanation),
    }
