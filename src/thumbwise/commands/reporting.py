"""How a command ends when something is wrong: a message and an exit code, never a traceback for a user's mistake."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from thumbwise.console import in_command_words, stderr, visible
from thumbwise.exceptions import NoGuaranteeError, ThumbwiseError


@contextmanager
def reported() -> Iterator[None]:
    """Errors on purpose become one message and an exit code; anything else is a bug and stays one.

    2 for a mistake, 3 for a guarantee that was required and is missing, 130 for an interrupt.
    """
    try:
        yield
    except ThumbwiseError as error:
        stderr().print(f"error: {visible(in_command_words(str(error)))}")
        raise typer.Exit(3 if isinstance(error, NoGuaranteeError) else 2) from None
    except KeyboardInterrupt:
        stderr().print("interrupted")
        raise typer.Exit(130) from None
