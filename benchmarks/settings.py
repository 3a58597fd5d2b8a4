"""What the command line decides."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.launching import MAX_RUNS, Job

# Below this, gold cannot be drawn from the items.
FEWEST_ITEMS = 400


@dataclass(frozen=True)
class Settings:
    """Interpreter of the peers (None: leave them out), where files of votes go, and by what sizes are divided."""

    peers: str | None
    folder: Path
    shrink: int = 1
    n_runs: int = MAX_RUNS

    def items(self, n_items: int) -> int:
        return n_items if self.shrink == 1 else max(n_items // self.shrink, FEWEST_ITEMS)

    def votes(self, n_items: int, n_rules: int = 10, *options: object) -> Path:
        """Folder with an array of synthetic votes, made once in a run."""
        return self._made("make_votes", n_items, n_rules, *options)

    def parquet(self, n_items: int) -> Path:
        """Folder with ``votes.parquet``, ten rules, made once in a run."""
        return self._made("make_parquet", n_items)

    def game(self, n_items: int) -> Path:
        """Folder with votes, ten rules, and the bounds that the paper's recipe makes of 100 gold labels."""
        return self._made("make_game", n_items)

    def table(self, kind: str, size: int) -> Path:
        """Folder with a table of one of the kinds of ``make_tables``, made once in a run."""
        return self._made("make_tables", kind, size)

    def _made(self, worker: str, *options: object) -> Path:
        folder = self.folder / "-".join(map(str, (worker, *options)))
        if not folder.exists():
            folder.mkdir(parents=True)
            Job(worker, folder, *options).run()
        return folder
