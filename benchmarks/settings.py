"""What the command line decides."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """Interpreter of the peers (None: leave them out), and a tenth of the items if ``quick``."""

    peers: str | None
    quick: bool = False

    def items(self, n_items: int) -> int:
        return n_items // 10 if self.quick else n_items
