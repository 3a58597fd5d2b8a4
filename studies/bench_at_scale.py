"""The bench over a million items: ``python -m studies.bench_at_scale``.

Made up: a table of ids, questions and answers, and votes of three judges on them. Printed: how long reading them takes
in a process of its own; how much longer it is until the page can be opened, on the clock and of a processor; how long
its first item takes, and an answer from request to reply (on disk by then); memory of the server, while labeling and
at its peak.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

import duckdb

_N_ANSWERS = 100
_READ = "import sys; from thumbwise.tables.table_files import read_table; read_table(sys.argv[1])"
_BENCH = "from thumbwise.cli.main import main; main()"


def write_files(folder: Path, n_items: int) -> None:
    """Items with about 230 letters each, and votes."""
    words = "repeat(md5(i::VARCHAR) || ' ', {})"
    with duckdb.connect() as connection:
        connection.execute(f"CREATE VIEW numbers AS SELECT i FROM range({n_items:d}) AS t(i)")  # noqa: S608
        items = f"SELECT 'q' || i AS id, {words.format(2)} AS question, {words.format(5)} AS answer FROM numbers"  # noqa: S608
        votes = ", ".join(f"CASE hash(i, {j}) % 3 WHEN 0 THEN 'pass' WHEN 1 THEN 'fail' END AS {name}" for j, name in
                          enumerate("abc"))  # fmt: skip
        connection.execute(f"COPY ({items}) TO '{folder / 'items.csv'}' (FORMAT csv, HEADER)")
        connection.execute(f"COPY (SELECT 'q' || i AS id, {votes} FROM numbers) TO '{folder / 'votes.csv'}' (HEADER)")  # noqa: S608


@contextmanager
def running(folder: Path, *options: object) -> Iterator[tuple[str, int, float]]:
    """A bench: its address, the number of its process, and the seconds until it said so."""
    arguments = ["bench", folder / "items.csv", "--classes", "pass,fail", "-o", folder / "gold.jsonl", "--no-browser"]
    begun = time.perf_counter()
    command = [sys.executable, "-c", _BENCH, *map(str, [*arguments, *options])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        url = next(found[0] for line in process.stdout or () if (found := re.search(r"http://\S+", line)))
        yield url, process.pid, time.perf_counter() - begun
        process.terminate()
    (folder / "gold.jsonl").unlink()


def ask(url: str, what: str, content: dict[str, Any]) -> Any:
    """What the page asks."""
    parts = urlsplit(url)
    connection = HTTPConnection(str(parts.hostname), int(parts.port or 0))
    headers = {"Origin": f"http://{parts.netloc}", "Content-Type": "application/json"}
    connection.request("POST", f"{parts.path}ask/{what}", json.dumps(content), headers)
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return answer


def answer_times(url: str, item: Any) -> list[float]:
    """Milliseconds of answers one after the other, with what the page asks beside them."""
    times = []
    for k in range(_N_ANSWERS):
        request = {"place": item["place"], "id": item["id"], "kind": "label", "answer": ("pass", "fail")[k % 3 == 0]}
        begun = time.perf_counter()
        item = ask(url, "answer", request)["item"]
        times.append(1000 * (time.perf_counter() - begun))
        ask(url, "progress", {})
        if item is None:
            break
    return times


def cpu_of_children() -> float:
    """Seconds of a processor that processes started here, which have ended, took."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cpu_of(pid: int) -> float:
    """Seconds of a processor that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> tuple[float, float]:
    """Megabytes at the peak and now."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    kilobytes = {line.split()[0]: float(line.split()[1]) for line in lines if line.startswith("Vm")}
    return kilobytes["VmHWM:"] * 1024 / 1e6, kilobytes["VmRSS:"] * 1024 / 1e6


def main() -> None:
    """Print the figures, without votes and with them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--items", type=int, default=10**6)
    n_items = parser.parse_args().items
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder, n_items)
        for options in ([], ["--votes", folder / "votes.csv"], ["--votes", folder / "votes.csv", "--anytime"]):
            begun, before = time.perf_counter(), cpu_of_children()
            for option in [folder / "items.csv", *options[1:2]]:
                subprocess.run([sys.executable, "-c", _READ, str(option)], check=True)  # noqa: S603
            reading, reading_cpu = time.perf_counter() - begun, cpu_of_children() - before
            with running(folder, *options) as (url, pid, ready):
                ready_cpu = cpu_of(pid) - reading_cpu
                begun = time.perf_counter()
                item = ask(url, "start", {})["item"]
                first = time.perf_counter() - begun
                times = sorted(answer_times(url, item))
                peak, now = memory(pid)
            what = " ".join(map(str, options[::2])) or "no votes"
            slow = times[int(0.95 * len(times))]
            print(
                f"{n_items:,} items, {what}: reading {reading:.1f} s, ready {ready - reading:+.1f} s (of a processor "
                f"{ready_cpu:+.1f} s), first item {1000 * first:.0f} ms, an answer {statistics.median(times):.1f} ms "
                f"(95 %: {slow:.1f}), memory {now:.0f} MB, peak {peak:.0f} MB"
            )


if __name__ == "__main__":
    main()
