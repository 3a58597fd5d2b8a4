"""What an error message must contain."""

from __future__ import annotations

from collections.abc import Callable

import pytest


def message_of(kind: type[BaseException], action: Callable[[], object]) -> str:
    """Run the action, which must fail with that kind of error, and return what it says."""
    with pytest.raises(kind) as caught:
        action()
    return str(caught.value)


def assert_says(message: str, *parts: str) -> None:
    missing = [part for part in parts if part not in message]
    assert not missing, f"{message!r} does not say {missing}"
    assert message.rstrip().endswith((".", "?")), "a message is made of whole sentences"
    assert ",." not in message
