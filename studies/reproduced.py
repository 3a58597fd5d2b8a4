"""The paper's tables, ours beside those in print: ``python -m studies.reproduced``.

Eight methods on ten datasets in ten runs, as ``thumbwise reproduce tables`` makes and writes them; with ``--quick``
three datasets in three runs. It takes about four minutes of a processor, most of it for EBCC.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from studies.drawing import data_folder
from studies.reporting import make_parser, publish

N_RUNS, N_QUICK = 10, 3
TABLES = ("log_loss", "zero_one_brier", "datasets")


def main() -> None:
    """Run the command, and keep what it wrote."""
    given = make_parser(__doc__, draws=N_RUNS, quick=N_QUICK).parse_args()
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "thumbwise", "reproduce", "tables", "--data", str(data_folder()), "-o", folder]
        subprocess.run([*command, *(["--quick"] if given.quick else [])], check=True, stdout=sys.stderr)  # noqa: S603
        written = {name: Path(folder, f"{name}.md").read_text(encoding="utf-8").strip() for name in TABLES}
    tables = {name: re.sub("^## ", "### ", text, flags=re.MULTILINE) for name, text in written.items()}
    # Seeds are the numbers of the runs, and how many there are is not to be chosen: the command says it all.
    publish("reproduced", given, [*tables.values()], tables, draws=dict.fromkeys(tables, 0))


if __name__ == "__main__":
    main()
