"""promptfoo: the JSON that ``promptfoo eval -o results.json`` and ``promptfoo export eval ID`` write.

Specification
-------------
- *The file*: an object with ``results``, an object whose ``results`` is a list of results; or that inner object by
  itself, or the lines that ``-o results.jsonl`` writes, a result each. Version 3 of ``results``; older ones have no
  ``testIdx`` and are refused.
- *An item* is one answer of the system: a result, by ``testIdx``, ``promptIdx`` and ``provider`` (its ``label``, or
  else its ``id``). Its id is ``testIdx:promptIdx:provider``. The same three twice are refused.
- *A judge* is a component, an entry of ``gradingResult.componentResults``, by ``assertion.metric``, or else
  ``assertion.type``, with ``assertion.provider`` in brackets if there is one. Of several components of one name the
  second is called ``name #2``, and so on.
- *Verdicts*: ``pass`` is "pass" or "fail". ``score`` is the number that counts with ``scores``.
- *Failed*: ``metadata.graderError``, which promptfoo writes when a grader could not be asked or understood; ``reason``
  is its error text. Its ``pass`` is false, and is no verdict.
- *Not asked*: a result with ``error`` and without components, because there was no answer to be judged
  (``failureReason`` 2), and a judge that other results have and this one does not.
- *Left out*: the result of a whole assert-set, which its members repeat, and components that are marked
  ``metricOnly``, whose ``pass`` is always true; these count only with ``scores``.
- *Gold*: a component with ``assertion.type`` "human", which the web viewer adds when somebody rates an answer. It
  overwrites ``success`` and ``gradingResult.pass``, which are therefore never read.
- *Columns*: ``test`` (``testIdx``), ``prompt`` (its ``label``, or else its ``raw``), ``provider``, ``error`` if any
  has one, and ``vars.NAME`` for each variable, unless there are more than 200.
- *Repeats* (``--repeat``) are results of other ``testIdx`` with the same variables, prompt and provider: answers to
  the same test. If there are any, ``repeat_of`` names the ``testIdx`` of the first of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from thumbwise.exceptions import Argument, Message
from thumbwise.io.exports.exported import Exported, Record, as_number, as_text, columns_of, failed, note_on_names, voted
from thumbwise.io.exports.opened import JSON, LINES, Opened
from thumbwise.io.roles import Roles
from thumbwise.tables.json_values import Form

_FORM = Form(
    "cannot be read as results of promptfoo",
    "Write them with: promptfoo eval -o results.json, or promptfoo export eval ID -o results.json.",
    "deeper than results need",
)
_MARKS = {"gradingResult", "success", "testIdx"}
HUMAN = "human"


def recognise(opened: Opened) -> bool:
    """Whether a file holds results, by the fields of the first one."""
    if opened.ending in LINES:
        return opened.names >= _MARKS
    results = _inner(opened.value)
    if results is None:
        return False
    first = next(iter(results), None)
    return "stats" in _holder(opened.value) or (isinstance(first, dict) and bool(first.keys() & _MARKS))


def _holder(value: Any) -> Mapping[str, Any]:
    """The object that holds the list of results."""
    outer = value if isinstance(value, dict) else {}
    inner = outer.get("results")
    return inner if isinstance(inner, dict) else outer


def _inner(value: Any) -> list[Any] | None:
    results = _holder(value).get("results")
    return results if isinstance(results, list) else None


def read(opened: Opened, roles: Roles) -> Exported:
    """What the results come to."""
    opened = opened.of(_FORM)
    opened.need(*JSON, *LINES)
    results = opened.rows if opened.ending in LINES else _inner(opened.value)
    if results is None:
        opened.at(opened.value, "").refuse("an object whose results.results is a list of results")
    if not results:
        opened.refuse("it holds no result")
    ids, repeats = _ids(opened, results), _repeats(results)
    reader = _Components(opened, takes_scores=roles.are_scores)
    for item, result, number in zip(ids, results, range(len(results)), strict=True):
        reader.take(item, result, number)
    if not reader.records:
        opened.refuse(
            "no result has a component that can be a judge, in gradingResult.componentResults",
            mend="Add assertions to the tests: an evaluation without them has no judges.",
        )
    columns = _columns(results, repeats)
    more = note_on_names(columns, [result.get("vars") for result in results], "vars.")
    return Exported(
        "a results file of promptfoo",
        ids,
        reader.records,
        columns,
        reader.gold,
        "components of type 'human', which were added by rating answers in the web viewer",
        (*_notes(reader, results, repeats), *more),
    )


def _ids(opened: Opened, results: Sequence[Any]) -> list[str]:
    """Ids of the items, each once."""
    ids = [_id(opened, result, number) for number, result in enumerate(results)]
    if len(set(ids)) < len(ids):
        seen: dict[str, int] = {}
        number = next(i for i, item in enumerate(ids) if seen.setdefault(item, i) != i)
        opened.refuse(
            f"results must differ in testIdx, promptIdx or provider; {_place(seen[ids[number]])} and {_place(number)} "
            f"are both {ids[number]!r} ({len(ids) - len(seen)} or more such results). Was one run appended to another?"
        )
    return ids


def _place(number: int) -> str:
    return f"results.results[{number}]"


def _id(opened: Opened, result: Any, number: int) -> str:
    if not isinstance(result, dict):
        opened.at(result, _place(number)).refuse("an object")
    test, prompt = result.get("testIdx"), result.get("promptIdx")
    if type(test) is not int or type(prompt) is not int:
        opened.at(result, _place(number)).refuse(
            "a result with testIdx and promptIdx, whole numbers", "none: a version before 3 of promptfoo's results"
        )
    return f"{test}:{prompt}:{_name_of(result.get('provider'))}"


def _name_of(named: Any) -> str:
    """A provider or prompt by its label, or else by its id or text."""
    if isinstance(named, dict):
        named = named.get("label") or named.get("id") or named.get("raw")
    return named if isinstance(named, str) else ""


class _Components:
    """Records and gold labels, gathered component by component."""

    def __init__(self, opened: Opened, *, takes_scores: bool) -> None:
        self.opened = opened
        self.takes_scores = takes_scores
        self.records: list[Record] = []
        self.gold: dict[str, str] = {}
        self.n_metric_only = 0
        self.has_numbered = False

    def take(self, item: str, result: dict[str, Any], number: int) -> None:
        """All components of one result."""
        grading = result.get("gradingResult")
        components = grading.get("componentResults") if isinstance(grading, dict) else None
        times: dict[str, int] = {}
        for j, component in enumerate(components if isinstance(components, list) else ()):
            if component is None:
                continue
            if not isinstance(component, dict) or type(component.get("pass")) is not bool:
                place = f"{_place(number)}.gradingResult.componentResults[{j}]"
                self.opened.at(component, place).refuse("an object whose pass is true or false")
            self._take_one(item, component, times)

    def _take_one(self, item: str, component: dict[str, Any], times: dict[str, int]) -> None:
        assertion, metadata = component.get("assertion"), component.get("metadata")
        assertion = assertion if isinstance(assertion, dict) else {}
        metadata = metadata if isinstance(metadata, dict) else {}
        verdict = "pass" if component["pass"] else "fail"
        if assertion.get("type") == HUMAN:
            self.gold[item] = verdict
            return
        if "assertionSet" in metadata:
            return
        is_measure = assertion.get("metricOnly") is True or metadata.get("metricOnly") is True
        if is_measure and not self.takes_scores:
            self.n_metric_only += 1
            return
        judge = self._judge(assertion, times)
        if metadata.get("graderError") is True:
            self.records.append(failed(item, judge, as_text(component.get("reason"))))
        else:
            self.records.append(voted(item, judge, verdict, as_number(component.get("score"))))

    def _judge(self, assertion: dict[str, Any], times: dict[str, int]) -> str:
        named, kind = assertion.get("metric"), assertion.get("type")
        name = named if isinstance(named, str) and named else kind if isinstance(kind, str) and kind else "assertion"
        provider = _name_of(assertion.get("provider"))
        name = f"{name} ({provider})" if provider else name
        n = times[name] = times.get(name, 0) + 1
        if n == 1:
            return name
        self.has_numbered = True
        return f"{name} #{n}"


def _repeats(results: Sequence[dict[str, Any]]) -> list[int]:
    """For each result the testIdx of the first with the same variables, prompt and provider."""
    first: dict[tuple[Any, str], int] = {}
    return [first.setdefault((r["promptIdx"], repr(r.get("vars"))), r["testIdx"]) for r in results]


def _columns(results: Sequence[dict[str, Any]], repeats: Sequence[int]) -> dict[str, list[Any]]:
    tests = [result["testIdx"] for result in results]
    columns: dict[str, list[Any]] = {
        "test": tests,
        "prompt": [_name_of(result.get("prompt")) or None for result in results],
        "provider": [_name_of(result.get("provider")) or None for result in results],
    }
    if repeats != tests:
        columns["repeat_of"] = list(repeats)
    errors = [as_text(result.get("error")) for result in results]
    if any(errors):
        columns["error"] = errors
    return columns | columns_of([result.get("vars") for result in results], "vars.")


def _notes(reader: _Components, results: Sequence[dict[str, Any]], repeats: Sequence[int]) -> Iterator[str]:
    yield "an item is a result, by testIdx, promptIdx and provider; a judge is a component, by its metric or type"
    heard = {record[0] for record in reader.records}
    n_without = len(results) - len(heard)
    if n_without:
        yield (
            f"no judge was asked on {n_without:,} of {len(results):,} results, which have no component, most "
            "likely for an error"
        )
    if reader.n_metric_only:
        yield f"{reader.n_metric_only:,} components are left out: marked metricOnly, they pass whatever they find"
    if reader.has_numbered:
        yield (
            "components of the same name are numbered by their order, which may mean another thing in another test: "
            "give each assertion a metric"
        )
    n_again = sum(first != result["testIdx"] for first, result in zip(repeats, results, strict=True))
    if n_again:
        yield Message(
            f"{n_again:,} results repeat a test with the same variables, prompt and provider: they are no independent "
            "items; if all results of a test were drawn and labeled together, say so with ",
            Argument("cluster", "'repeat_of'"),
        )
