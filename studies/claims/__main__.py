"""What the library claims, beside what people use instead: ``python -m studies.claims``.

Labels, shares, accepted labels, and trouble, with 50, 100 and 300 random human labels on 21 judges, four crowds and the
paper's ten sets. Packages come from environments of their own, which ``python -m benchmarks.make_peers`` makes from
``benchmarks/claims-peers-requirements.txt`` and, with Python 3.12, ``benchmarks/rate-peers-requirements.txt``; what is
not there or refuses is named on the page. Results are written after each part, and ``docs/claims.md`` from them in
the end. The same seed gives the same results.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.make_peers import HERE, python_of

from studies.claims.measuring import (
    DRAWS,
    EVERY,
    PARTS,
    QUICK_DRAWS,
    QUICK_SETS,
    SIZES,
    Content,
    Plan,
    about,
    measure,
)
from studies.claims.page import Measured, page
from studies.pages import fill_pages
from studies.rate_peers import PEERS as RATE_PEERS
from studies.results import FOLDER, plain, read_results, write_results

PEERS = HERE / ".claims-peers"


def read_arguments() -> argparse.Namespace:
    """What is run, with which packages, and where results go."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--quick", action="store_true", help="few draws of three sets, in a minute or so; printed, not kept")
    add("--seed", type=int, default=2024)
    add("--processes", type=int, default=2)
    add("--peers", type=Path, default=python_of(PEERS), help="interpreter that has packages for labels")
    add("--rate-peers", type=Path, default=python_of(RATE_PEERS), help="interpreter that has packages for shares")
    add("--parts", nargs="+", choices=PARTS, default=list(PARTS), metavar="PART", help=", ".join(PARTS))
    add("--gold", type=int, nargs="+", default=SIZES, help="numbers of labels")
    add("--sets", nargs="+", choices=EVERY, default=EVERY, metavar="SET", help=", ".join(EVERY))
    add("--draws", type=int, nargs=len(DRAWS), default=list(DRAWS.values()), help=f"for {', '.join(DRAWS)}")
    add("--results", type=Path, default=FOLDER, help="folder to write claims.json to; the page only if it is this one")
    return parser.parse_args()


def plan_of(given: argparse.Namespace) -> Plan:
    """An interpreter that is not there is none; that of the tests says that packages for shares are absent."""
    peers = given.peers if given.peers.exists() else None
    rate_peers = given.rate_peers if given.rate_peers.exists() else Path(sys.executable)
    common = given.seed, given.processes, peers, rate_peers
    if given.quick:
        return Plan(*common, QUICK_SETS, (100,), QUICK_DRAWS)
    return Plan(*common, given.sets, given.gold, dict(zip(DRAWS, given.draws, strict=True)))


def earlier(made: Content, given: argparse.Namespace) -> Content:
    """Parts that were measured in the same way before and are not asked for now."""
    file = given.results / "claims.json"
    known = read_results("claims", given.results) if file.exists() and not given.quick else {"about": None}
    if known["about"] != made:
        return {"about": made}
    return {name: part for name, part in known.items() if name not in given.parts}


def main() -> None:
    """Run the parts; keep what was measured, and write the page, after each."""
    given = read_arguments()
    plan = plan_of(given)
    content = earlier(plain(about(plan)), given)
    for name in given.parts:
        content[name] = measure(name, plan)
        print(f"{name}: {content[name]['seconds']} s", file=sys.stderr, flush=True)
        if not given.quick:
            write_results("claims", content, given.results)
    if given.quick or given.results != FOLDER:
        print(page(Measured(plain(content))))
    else:
        fill_pages()


if __name__ == "__main__":
    main()
