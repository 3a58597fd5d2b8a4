"""A checksum of saved models: an accident to a file is seen, and nothing more.

It is no signature. Whoever edits a file on purpose can write a checksum that fits, or take it out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from thumbwise.tables.json_values import Node, render

CHECKSUM = "checksum"
_LENGTH = 16


def render_sealed(document: Mapping[str, Any]) -> str:
    """The text of a document, with the checksum of all its fields as the last one."""
    written = json.loads(render(dict(document)))
    return render({**document, CHECKSUM: checksum_of(written)})


def checksum_of(fields: Mapping[str, Any]) -> str:
    """Hash of the values of all fields but the checksum; spaces, line breaks and the order of fields do not count.

    Examples
    --------
    >>> checksum_of({"a": [1, 0.5], "b": "x"}) == checksum_of({"b": "x", "a": [1, 0.5], "checksum": "old"})
    True
    >>> checksum_of({"a": [1, 0.5], "b": "x"}) == checksum_of({"a": [1, 0.6], "b": "x"})
    False
    """
    counted = {name: value for name, value in fields.items() if name != CHECKSUM}
    return sha256(json.dumps(counted, sort_keys=True).encode("ascii")).hexdigest()[:_LENGTH]


def check_sum(document: Node) -> None:
    """Refuse a file that was changed after it was saved; one without a checksum is older than it, or edited knowingly.

    Raises
    ------
    InvalidFileError
        The checksum is not that of the other fields.
    """
    if CHECKSUM not in document.value:
        return
    node = document.child(CHECKSUM)
    if node.text() != checksum_of(document.value):
        node.refuse(
            "that of the other fields (something was changed after the model was saved; if that was meant, take the "
            "field out)"
        )
