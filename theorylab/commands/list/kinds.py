"""``theorylab list topologies``, and so on: what can be named, with its options and defaults.

Of what a claim names, symbols, quantities and constants, ``letters`` has the rows.
"""

from __future__ import annotations

import dataclasses
import fnmatch
import inspect
import json
from collections.abc import Sequence
from typing import Any

from theorylab.algorithms import ALGORITHMS
from theorylab.commands.list import List
from theorylab.commands.list.letters import LISTED, listed
from theorylab.commands.refusal import Refused
from theorylab.commands.table import print_table
from theorylab.experiments import EXPERIMENTS
from theorylab.metrics import METRICS
from theorylab.problems import PROBLEMS
from theorylab.registry import Entry, Table, meant, options_of, shown
from theorylab.topologies import TOPOLOGIES

_TABLES: dict[str, Table[Any]] = {
    "topologies": TOPOLOGIES,
    "problems": PROBLEMS,
    "algorithms": ALGORITHMS,
    "metrics": METRICS,
    "experiments": EXPERIMENTS,
}
_LAWS = {  # of the noise: ``law`` of an instance
    "auto": "the first of the others that this algorithm and problem allow",
    "exact": "nothing is random, so one run is all",
    "moments": "mean and covariance are carried from round to round; steps have to be affine",
    "enumerated": "every outcome of finite noise is run",
    "sampled": "runs are drawn, and limits are valid however many are added",
}


def kinds(asked: List) -> int:
    """Print everything of one kind, or what matches a pattern; the exit code.

    Raises Refused on a pattern that nothing matches.
    """
    word, *patterns = asked.selection
    if word in LISTED:
        rows = {row["name"]: row for row in listed(word)}
        names = _chosen(word, [*rows], patterns)
        content = [rows[name] for name in names]
    elif word in _TABLES:
        entries = _TABLES[word]
        names = _chosen(word, [*entries], patterns, entries.kind)
        content = [_described(name, entries.entry(name)) for name in names]
    else:
        names = _chosen(word, [*_LAWS], patterns, "law")
        content = [{"name": name, "text": _LAWS[name]} for name in names]
    asked.write_json({word: content})
    if asked.speaks:
        _print(word, content)
    return 0


def _chosen(
    word: str, known: Sequence[str], patterns: Sequence[str], kind: str | None = None
) -> list[str]:
    """The names that match a pattern, all where there is none; Refused where one matches none."""
    for pattern in patterns:
        if not fnmatch.filter(known, pattern):
            what = f"no {kind}" if kind else "there is no"
            raise Refused(f"list {word}: {what} {pattern!r}; {meant(pattern, known)}")
    return [n for n in known if any(fnmatch.fnmatchcase(n, p) for p in patterns or ["*"])]


def _described(name: str, entry: Entry[Any]) -> dict[str, Any]:
    made = entry.value
    said = (getattr(made, "__doc__", None) or "").strip()
    title = getattr(made, "__name__", "")
    if dataclasses.is_dataclass(made) and said.startswith(f"{title}("):
        said = ""  # what dataclass writes where there is no docstring
    row: dict[str, Any] = {"name": name, "text": said.partition("\n")[0]}
    if hasattr(made, "numbers"):  # a metric is built by what measures it
        row["needs"] = list(made.numbers)
    else:
        row["options"] = {
            option: {} if given is inspect.Parameter.empty else {"default": _plain(given)}
            for option, given in _defaults(made).items()
        }
    row["file"] = None if entry.built_in else shown(entry.file)
    return row


def _defaults(made: Any) -> dict[str, Any]:
    """Every option and its default; a factory's default is what it makes."""
    found = {option: given.default for option, given in options_of(made).items()}
    for field in dataclasses.fields(made) if dataclasses.is_dataclass(made) else ():
        if field.name in found and field.default_factory is not dataclasses.MISSING:
            found[field.name] = field.default_factory()
    return found


def _plain(value: Any) -> Any:
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError):
        return repr(value)


def _print(word: str, content: Sequence[dict[str, Any]]) -> None:
    heads: Sequence[str]
    if word in LISTED:
        heads = [head for _, head in LISTED[word]]
        rows = [
            tuple(", ".join(v) if isinstance(v := row[key], list) else v for key, _ in LISTED[word])
            for row in content
        ]
    elif word in _TABLES:
        kind = _TABLES[word].kind
        heads = (kind, "constants it needs" if kind == "metric" else "option=default", "what it is")
        rows = [
            (row["name"], _options(row), row["text"] + (f" ({row['file']})" if row["file"] else ""))
            for row in content
        ]
    else:
        heads, rows = ("law", "what it is"), [(row["name"], row["text"]) for row in content]
    print_table("", heads, rows)


def _options(row: dict[str, Any]) -> str:
    if "needs" in row:
        return ", ".join(row["needs"])
    return "\n".join(
        f"{option}={json.dumps(given['default'])}" if given else f"{option} (no default)"
        for option, given in row["options"].items()
    )
