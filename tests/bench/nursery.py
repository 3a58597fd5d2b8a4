"""Benches as processes that can be killed: the command itself, in children of a process that has imported it all."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

# Reads arguments, one list a line, and forks the command with them; says the child's number, then what it prints.
_PARENT = """
import json, os, sys
import thumbwise.cli.bench, thumbwise.cli.main, thumbwise.bench.server
import uvicorn, starlette.applications, starlette.routing, starlette.concurrency
import starlette.responses, uvicorn.protocols.http.h11_impl, uvicorn.lifespan.off
import thumbwise.tables.table_files, duckdb
for line in sys.stdin:
    child = os.fork()
    if not child:
        sys.argv = ["thumbwise", "bench", *json.loads(line), "--no-browser"]
        print("child", os.getpid(), flush=True)
        thumbwise.cli.main.main()
    os.waitpid(child, 0)
    print("ended", flush=True)
"""


@dataclass
class Bench:
    """A bench that runs: its address, and the number of its process."""

    url: str
    pid: int

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)


class Nursery:
    """Starts benches one after the other."""

    def __init__(self) -> None:
        self._parent = subprocess.Popen(
            [sys.executable, "-c", _PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    @contextmanager
    def bench(self, arguments: Sequence[object]) -> Iterator[Bench]:
        """A bench that is killed at the end of the block, if it was not before."""
        assert self._parent.stdin is not None
        assert self._parent.stdout is not None
        self._parent.stdin.write(json.dumps([str(argument) for argument in arguments]) + "\n")
        self._parent.stdin.flush()
        pid, url = 0, ""
        for line in self._parent.stdout:
            pid = int(line.split()[1]) if line.startswith("child ") else pid
            found = re.search(r"http://\S+", line)
            url = found[0] if found else url
            if url or line == "ended\n":
                break
        assert url, "the bench did not start"
        bench = Bench(url, pid)
        try:
            yield bench
        finally:
            bench.kill()
            while self._parent.stdout.readline() not in ("ended\n", ""):
                pass

    def close(self) -> None:
        assert self._parent.stdin is not None
        assert self._parent.stdout is not None
        self._parent.stdin.close()
        self._parent.wait()
        self._parent.stdout.close()
