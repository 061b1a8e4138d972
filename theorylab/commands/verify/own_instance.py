"""An instance of one's own: a file, or a check's with some of it changed, for every version."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from theorylab.commands.refusal import Refused, refusing
from theorylab.commands.request import (
    Document,
    named_network,
    named_values,
    one_statement,
    part_named,
    read_json,
)
from theorylab.commands.verify import OnInstance
from theorylab.exact import Written, as_written
from theorylab.falsify.score import FAILURES
from theorylab.statements import Check, Statement
from theorylab.verdicts import Job, guarded
from theorylab.verdicts.case import Case
from theorylab.verdicts.catalogue import files_of
from theorylab.verdicts.changed import check_constants, check_option, check_sweep, rank, set_option
from theorylab.verdicts.claimed import (
    as_claimed,
    options_of,
    plain_data,
    without_claims,
)
from theorylab.verdicts.judge import subject_of

NAME = "own"  # what such an instance is called where a check has its name
# What an option that nobody has looked at can run into, where an instance is built or measured.
NO_INSTANCE = (*FAILURES, AttributeError, RecursionError)
_MOST_STARTS = 24  # checks that are tried where the first cannot be changed as asked
_DEEPEST = 40  # levels of lists and objects in an instance
_NAMES = {"algorithm_name": "algorithm", "experiment_name": "experiment"}  # in a result's instance


@dataclass(frozen=True)
class _Start:
    """An instance, where it is from, and whether that is a control, outside what is claimed."""

    instance: Document
    origin: str
    control: bool


@dataclass(frozen=True)
class Asked:
    """The jobs of an instance, a version each, and where it is from."""

    jobs: tuple[Job, ...]
    origin: str


def own_jobs(
    selection: Sequence[str],
    changes: OnInstance,
    versions: Sequence[str],
) -> Asked:
    """The versions of one statement on the instance that is asked for.

    ``versions`` and the check are known to be there. Raises Refused: one line, where the instance
    cannot be made. Whether it can be judged is for the judge.
    """
    with refusing("verify"):
        statement, file = one_statement(selection, "an instance was given for")
        names = [name for name in statement.versions if not versions or name in versions]
        starts = _starts(statement, names, changes.instance, changes.check)
        start, instance, told = _first_that_builds(statement, names[0], starts, changes)
        claimed = {name: as_claimed(statement, name, instance) for name in names}
        for name, each in claimed.items():
            with refusing(f"verify: {statement.id} [{name}]"):
                check_sweep(each, _paths(changes))
        jobs = tuple(
            Job(
                *(statement.id, name, NAME, file, changes.seeds, changes.seed, changes.budget),
                instance=json.dumps(claimed[name]),
                rows=True,
                control=start.control,
                files=files_of(statement, claimed[name]),
            )
            for name in names
        )
    return Asked(jobs, ", ".join(told))


def _first_that_builds(
    statement: Statement, version: str, starts: Sequence[_Start], changes: OnInstance
) -> tuple[_Start, Document, list[str]]:
    """The first start that can be changed as asked or, where none can, the first; what becomes of
    it; and that in words."""
    for start in starts:
        with contextlib.suppress(ValueError, Refused):
            instance, told = _changed(statement, start.instance, changes)
            check_sweep(as_claimed(statement, version, instance), _paths(changes))
            if _builds(statement, version, instance):
                later = start.origin + ", the first that can be changed so"
                return start, instance, [start.origin if start is starts[0] else later, *told]
    instance, told = _changed(statement, starts[0].instance, changes)
    return starts[0], instance, [starts[0].origin, *told]


def _starts(
    statement: Statement, names: Sequence[str], file: Path | None, check: str | None
) -> list[_Start]:
    """Instances to start from, the first if it can be."""
    if file is not None:
        if check is not None:
            raise ValueError("--check came with --instance; need one of them")
        return [_Start(_read(statement, file), f"that of {file.name}", False)]
    own = [(name, each) for name in names for each in statement.versions[name].checks]
    rest = [
        (name, each)
        for name, version in statement.versions.items()
        for each in version.checks
        if name not in names
    ]
    fits = [pair for pair in (*own, *rest) if check in (None, pair[1].name)]
    if check is None:
        fits.sort(key=lambda pair: rank(pair[1]))
    made: dict[str, _Start] = {}  # versions share instances
    for name, chosen in fits[: 1 if check else None]:
        instance = plain_data(chosen.instance)
        kind = "control (outside what is claimed)" if chosen.control else "check"
        start = _Start(instance, f"that of the {kind} {chosen.name} [{name}]", chosen.control)
        made.setdefault(json.dumps(instance, sort_keys=True), start)
    return [*made.values()][:_MOST_STARTS]


def _read(statement: Statement, file: Path) -> Document:
    """The instance in a file: alone, or as ``falsify --json`` and ``verify --json`` write it."""
    where = f"--instance {file}"
    content, _ = read_json(f"verify: {where}", file, "an instance", Written)
    results = content.get("results")
    if isinstance(results, list):
        parts = [each.get("instance") for each in results if isinstance(each, dict)]
        found: list[Document] = [each for each in parts if isinstance(each, dict)]
        texts = {json.dumps(without_claims(statement, each), sort_keys=True) for each in found}
        if len(texts) != 1:
            raise ValueError(f"{where}: holds results of {len(texts)} instances; need one")
        content = {"instance": found[0]}
    if "instance" in content:
        content = content["instance"]
        if not isinstance(content, dict):
            raise ValueError(f"{where}: instance is {content!r}; need an object")
    for key, kind in _NAMES.items():
        own = getattr(statement, kind)
        if content.get(key, own) != own:
            raise ValueError(
                f"{where}: is about the {kind} {content[key]!r}; {statement.id} needs {own!r}"
            )
    with refusing(f"verify: {where}"):
        instance: Document = as_written({k: v for k, v in content.items() if k not in _NAMES})
    return instance


def _builds(statement: Statement, version: str, instance: Document) -> bool:
    """Whether there are a problem, a network and an algorithm like this."""
    content = statement.versions[version]
    try:
        check = Check(NAME, as_claimed(statement, version, instance))
        with guarded():
            subject_of(Case(statement, version, content, check, statement.quantity_of(content)))
    except NO_INSTANCE:
        return False
    return True


def _changed(
    statement: Statement, instance: Document, changes: OnInstance
) -> tuple[Document, list[str]]:
    """(the instance with what the flags say in its place, each change in words)."""
    options = options_of(statement)
    before, told = json.dumps(instance), list[str]()
    instance = copy.deepcopy(instance)
    parts = {
        "problem": changes.problem,
        "topology": None if changes.topology is None
        else named_network("verify", changes.topology),
    }  # fmt: skip
    for kind, named in parts.items():
        if named is not None:
            check_option(statement, kind, options, f"--{kind}")
            instance[kind] = part_named("verify", kind, instance.get(kind), named)
            told.append(f"{kind} {named if isinstance(named, str) else changes.topology}")
    graph = parts["topology"]
    if changes.clients is None and isinstance(graph, dict) and "path" in graph:
        content, _ = read_json("verify: --topology", Path(graph["path"]), "an edge list")
        instance["clients"] = content.get("clients", instance.get("clients"))
    if changes.clients is not None:
        check_option(statement, "clients", options, "--clients")
        instance["clients"] = changes.clients
        told.append(f"clients = {changes.clients}")
    settings = _settings(changes)
    for path, value in settings.items():
        set_option(statement, instance, options, path, value, "--set")
        told.append(f"{path} = {json.dumps(value)}")
    _check_tree(instance)
    if json.dumps(instance) != before:
        check_constants(statement, json.loads(before), settings)
    return instance, told


def _settings(changes: OnInstance) -> Document:
    return named_values("verify: --set", changes.settings, paths=True, exact=True)


def _paths(changes: OnInstance) -> set[str]:
    """Where the flags put a number."""
    return {*_settings(changes), *(["clients"] if changes.clients is not None else [])}


def _check_tree(instance: Document) -> None:
    """Refuse what is nested without end, and text that no file can hold."""
    left: list[tuple[Any, int]] = [(instance, 0)]
    while left:
        node, depth = left.pop()
        if depth > _DEEPEST:
            raise ValueError(f"the instance is nested too deep; need at most {_DEEPEST} levels")
        if isinstance(node, dict):
            left += [(each, depth + 1) for pair in node.items() for each in pair]
        elif isinstance(node, list):
            left += [(each, depth + 1) for each in node]
        elif isinstance(node, str):
            try:
                node.encode()
            except UnicodeEncodeError:
                raise ValueError(f"the instance holds {node!r}, which is no text") from None
