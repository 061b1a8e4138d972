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
from theorylab.commands.list.letters import LISTED, listed
from theorylab.commands.refusal import Refused, check_target, write_target
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


def kinds(word: str, patterns: Sequence[str], json_target: str | None) -> int:
    """Print everything of one kind, or what matches a pattern; the exit code.

    Raises Refused on a pattern that nothing matches.
    """
    check_target("--json", json_target)
    if word in LISTED:
        return _letters(word, patterns, json_target)
    entries = _TABLES.get(word)
    kind = "law" if entries is None else entries.kind
    known = list(_LAWS if entries is None else entries)
    for pattern in patterns:
        if not fnmatch.filter(known, pattern):
            raise Refused(f"list {word}: no {kind} {pattern!r}; {meant(pattern, known)}")
    chosen = [n for n in known if any(fnmatch.fnmatchcase(n, p) for p in patterns or ["*"])]
    if entries is None:
        content: list[dict[str, Any]] = [{"name": name, "text": _LAWS[name]} for name in chosen]
    else:
        content = [_described(name, entries.entry(name)) for name in chosen]
    if json_target is not None:
        write_target("--json", json_target, json.dumps({word: content}, indent=1) + "\n")
    if json_target != "-":
        _print(kind, content)
    return 0


def _letters(word: str, patterns: Sequence[str], json_target: str | None) -> int:
    rows = listed(word)
    names = [row["name"] for row in rows]
    for pattern in patterns:
        if not fnmatch.filter(names, pattern):
            raise Refused(f"list {word}: there is no {pattern!r}; {meant(pattern, names)}")
    chosen = [r for r in rows if any(fnmatch.fnmatchcase(r["name"], p) for p in patterns or ["*"])]
    if json_target is not None:
        write_target("--json", json_target, json.dumps({word: chosen}, indent=1) + "\n")
    if json_target != "-":
        cells = [
            tuple(", ".join(v) if isinstance(v := row[key], list) else v for key, _ in LISTED[word])
            for row in chosen
        ]
        print_table("", [head for _, head in LISTED[word]], cells)
    return 0


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


def _print(kind: str, content: Sequence[dict[str, Any]]) -> None:
    rows = []
    for row in content:
        if kind == "law":
            options = ""
        elif "needs" in row:
            options = ", ".join(row["needs"])
        else:
            options = "\n".join(
                f"{option}={json.dumps(given['default'])}" if given else f"{option} (no default)"
                for option, given in row["options"].items()
            )
        file = f" ({row['file']})" if row.get("file") else ""
        rows.append((row["name"], options, row["text"] + file))
    head = "constants it needs" if kind == "metric" else "option=default"
    if kind == "law":
        print_table("", (kind, "what it is"), [(name, text) for name, _, text in rows])
        return
    print_table("", (kind, head, "what it is"), rows)
