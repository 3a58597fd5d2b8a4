"""Calls of rules on items, here or in processes; what they raise is written down and stops nothing."""

from __future__ import annotations

import multiprocessing
import pickle
import traceback
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from thumbwise._typing import IntArray
from thumbwise.exceptions import FailedRuleError, InvalidRuleError, InvalidVotesError, ThumbwiseError
from thumbwise.rules.returns import ClassNames, ReturnReader, short_text
from thumbwise.votes.reading.coding import smallest_dtype

NamedRules: TypeAlias = "Sequence[tuple[str, Callable[[Any], object]]]"

FAILED = -2
MOST_STORED = 1_000  # failures of each rule that are kept with their message; all are counted


@dataclass(frozen=True)
class Trouble:
    """Where a rule failed, and how, as text: an exception would keep the item and its frames alive."""

    position: int
    rule: int
    exception: str
    message: str


@dataclass
class ChunkVotes:
    """What rules said of consecutive items: numbers into ``classes``, ABSTAIN or FAILED, shape (n_items, n_rules)."""

    start: int
    codes: IntArray
    classes: list[Hashable]
    troubles: list[Trouble] = field(default_factory=list)
    error: Exception | None = None


def run_chunk(
    rules: NamedRules, class_names: ClassNames | None, start: int, items: Sequence[Any], *, stops: bool
) -> ChunkVotes:
    """Call every rule on every item. ``stops``: end at the first failure and keep the exception itself."""
    reader = ReturnReader(class_names)
    functions = list(enumerate(function for _, function in rules))
    codes: list[int] = []
    troubles: list[Trouble] = []
    n_stored: Counter[int] = Counter()
    for position, item in enumerate(items, start):
        for j, function in functions:
            try:
                codes.append(reader.read(function(item)))
            except Exception as error:
                codes.append(FAILED)
                n_stored[j] += 1
                if n_stored[j] <= MOST_STORED:
                    troubles.append(Trouble(position, j, type(error).__qualname__, short_text(str, error)))
                if stops:
                    return ChunkVotes(start, np.empty((0, len(rules)), dtype=np.int8), [], troubles, error)
    table = np.array(codes, dtype=smallest_dtype(max(2, len(reader.classes)))).reshape(-1, len(rules))
    return ChunkVotes(start, table, [] if class_names is not None else reader.classes, troubles)


def run_here(
    rules: NamedRules, class_names: ClassNames | None, chunks: Iterable[list[Any]], *, stops: bool
) -> Iterator[ChunkVotes]:
    """Run all chunks one after the other in this process."""
    start = 0
    for items in chunks:
        yield run_chunk(rules, class_names, start, items, stops=stops)
        start += len(items)


def run_in_processes(
    rules: NamedRules, class_names: ClassNames | None, chunks: Iterable[list[Any]], n_processes: int, *, stops: bool
) -> Iterator[ChunkVotes]:
    """Run chunks in new processes and give them back in order. Few chunks are on their way at any time."""
    job = (_pickle_rules(rules), class_names, stops)
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(n_processes, mp_context=context, initializer=_take_job, initargs=job)
    waiting: deque[Future[ChunkVotes]] = deque()
    start = 0
    try:
        for items in chunks:
            waiting.append(_sent(pool, start, _pickle_items(items, start)))
            start += len(items)
            if len(waiting) > 2 * n_processes:
                yield _received(waiting.popleft())
        while waiting:
            yield _received(waiting.popleft())
    finally:
        pool.shutdown(cancel_futures=True)


# In a process that runs rules: the pickled rules, the class names, whether to stop at the first failure.
_JOB: list[Any] = []
_OPENED: list[NamedRules] = []


def _take_job(rules: bytes, class_names: ClassNames | None, stops: bool) -> None:
    _JOB[:] = rules, class_names, stops


def _run_pickled(start: int, pickled: bytes) -> ChunkVotes:
    rules, class_names, stops = _JOB
    if not _OPENED:
        _OPENED.append(_unpickle(rules, "rules", InvalidRuleError))
    items = _unpickle(pickled, "items", InvalidVotesError)
    chunk = run_chunk(_OPENED[0], class_names, start, items, stops=stops)
    if chunk.error is not None:
        chunk.error = _portable(chunk.error)
    return chunk


def _unpickle(pickled: bytes, what: str, kind: type[ThumbwiseError]) -> Any:
    try:
        return pickle.loads(pickled)  # noqa: S301  # written by the process that started this one
    except Exception as error:
        raise kind(
            f"with processes, {what} must be importable in a new process; they are not: {short_text(str, error)}. Move "
            "what they need from the prompt or the notebook into a module, or leave processes out."
        ) from None


def _portable(error: Exception) -> Exception:
    """An exception that survives the way back, with the lines where it was raised as a note."""
    trace = "".join(traceback.format_exception(error))
    portable: Exception = RuntimeError(f"{type(error).__qualname__}: {short_text(str, error)}")
    with suppress(Exception):  # exceptions with arguments of their own often cannot be unpickled
        copy = pickle.loads(pickle.dumps(error))  # noqa: S301  # own bytes
        portable = copy if type(copy) is type(error) else portable
    portable.add_note(trace)
    return portable


def _sent(pool: ProcessPoolExecutor, start: int, pickled: bytes) -> Future[ChunkVotes]:
    try:
        return pool.submit(_run_pickled, start, pickled)
    except BrokenProcessPool as error:
        raise _died() from error


def _received(future: Future[ChunkVotes]) -> ChunkVotes:
    try:
        return future.result()
    except BrokenProcessPool as error:
        raise _died() from error


def _died() -> FailedRuleError:
    return FailedRuleError(
        "every process must live until its rules are done; one of them ended. Perhaps memory ran out, a rule ended "
        "its process, or the script that starts processes lacks `if __name__ == '__main__':`."
    )


def _pickle_rules(rules: NamedRules) -> bytes:
    for name, function in rules:
        try:
            pickle.dumps(function)
        except Exception as error:
            raise InvalidRuleError(
                f"with processes, rules must be defined at the top of a module; rule {name!r} cannot be sent to "
                f"another process ({short_text(str, error)}). Write it with def, outside of functions and not as a "
                "lambda, or leave processes out."
            ) from error
    return pickle.dumps(list(rules))


def _pickle_items(items: list[Any], start: int) -> bytes:
    try:
        return pickle.dumps(items)
    except Exception as error:
        position = start + next((i for i, item in enumerate(items) if not _can_be_sent(item)), 0)
        raise InvalidVotesError(
            f"with processes, items must be ones that pickle can write; item {position} is not "
            f"({short_text(str, error)}). Pass plain values, or leave processes out."
        ) from error


def _can_be_sent(item: object) -> bool:
    try:
        pickle.dumps(item)
    except Exception:
        return False
    return True
