"""From a point to a cell: the instance with everything set, its key, and how to replay it."""

from __future__ import annotations

import copy
import functools
import hashlib
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from theorylab.algorithms import ALGORITHMS
from theorylab.campaigns.axes import Point
from theorylab.campaigns.code import code_hash
from theorylab.campaigns.plan import HEAD, Plan
from theorylab.campaigns.text import canonical
from theorylab.metrics import METRICS
from theorylab.problems import PROBLEMS
from theorylab.registry import near
from theorylab.runs.configuration import Configuration
from theorylab.runs.paths import named_part, put
from theorylab.statements import Check, Statement
from theorylab.topologies import TOPOLOGIES
from theorylab.verdicts import selected
from theorylab.verdicts.changed import check_constants, check_sweep, rank, set_option
from theorylab.verdicts.claimed import as_claimed, held, options_of, plain_data
from theorylab.verdicts.instance import Instance
from theorylab.verdicts.sweep import follow, numbers_of

SCHEMA = 1  # of a row: another one makes every key another
PARTS: dict[str, Any] = {"problem": PROBLEMS, "topology": TOPOLOGIES, "algorithm": ALGORITHMS}
Document = dict[str, Any]


@dataclass(frozen=True)
class Template:
    """What cells have in common before their settings: an instance, and who judges it."""

    head: Document  # claim, version, check, control; or metric; or nothing
    instance: Document
    options: list[str] | None  # what may be set at its top; None: anything
    fixed: tuple[str, ...]  # what says which claim is judged, and is never set
    module: str
    statement: Statement | None = None
    file: str | None = None  # of a user's statement; it is no part of a key, its text is

    @functools.cached_property
    def text(self) -> str:
        """Canonical JSON; stored once, by its hash."""
        return canonical({"head": self.head, "instance": self.instance})


@dataclass(frozen=True)
class Cell:
    """``document`` is all that its result depends on, beside the code; ``settings`` are the paths
    that differ from the template."""

    index: int
    point: Point
    document: Document
    settings: Document
    template: Template = field(repr=False)
    key: str = ""


class Cells:
    """The cells of a plan, each made when it is asked for.

    Raises ValueError, one line, where an axis serves no cell or sets what no instance has.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan, self.points = plan, plan.points()
        self._templates: dict[tuple[str, str, str], Template] = {}
        self._code: dict[tuple[str, frozenset[str]], str] = {}
        self.total = self.points.count()
        heads = set(plan.names) & {*HEAD[:3], "metric"}
        last = None if heads else 1  # every claim is known, and fits, before any work
        for _, point in itertools.islice(self.points, last):
            self._check_axes(self.template(point))

    def __iter__(self) -> Iterator[Cell]:
        return map(self.cell, self.points)

    def cell(self, place: tuple[int, Point]) -> Cell:
        """The cell at a point; where something cannot be set so, it is one that is refused."""
        index, point = place
        template = self.template(point)
        fault: Document = {}
        try:
            instance, settings = self._instance(template, point)
        except ValueError as error:
            instance, settings, fault = {}, {}, {"refused": str(error)}
        head = {k: self._head(point, k) for k in ("seeds", "seed", "budget")}
        document: Document = {**template.head, "instance": instance, **fault}
        if self.plan.kind != "run":
            document |= head
        else:
            document |= {"columns": self.plan.columns, "over": self.plan.over}
        text = canonical([SCHEMA, point, document, self._code_of(template, instance)])
        key = hashlib.sha256(text.encode()).hexdigest()
        document |= {} if template.file is None else {"source_file": template.file}
        return Cell(index, point, document, settings, template, key)

    def template(self, point: Point) -> Template:
        """That of a point; raises ValueError where its claim, version or check is unknown."""
        claim, version, check = (str(self._head(point, key)) for key in HEAD[:3])
        names = claim, version, check
        if self.plan.kind == "metric":
            names = (str(self._head(point, "metric")), "", "")
        if names not in self._templates:
            if self.plan.kind == "claim":
                self._templates[names] = self._of_claim(*names)
            elif self.plan.kind == "metric":
                self._templates[names] = self._of_metric(names[0])
            else:
                self._templates[names] = self._of_run()
        return self._templates[names]

    def _head(self, point: Point, key: str) -> Any:
        return point[key] if key in point and key in HEAD else getattr(self.plan, key)

    def _of_claim(self, claim: str, version: str, check: str) -> Template:
        found = selected([claim])
        if len(found) != 1:
            raise ValueError(f"plan: claim {claim!r} is {len(found)} statements; need one")
        ((statement, file),) = found.values()
        names = list(statement.versions)
        version = version or ("printed" if "printed" in names else names[0])
        if version not in names:
            raise ValueError(
                f"plan: {statement.id} has no version {version!r}; need {near(version, names)}"
            )
        chosen = _chosen(statement, version, check)
        given = self.plan.instance or plain_data(chosen.instance)
        instance = as_claimed(statement, version, copy.deepcopy(given))
        control = chosen.control and not self.plan.instance
        head = {"claim": statement.id, "version": version, "check": chosen.name, "control": control}
        head |= {"own": True} if self.plan.instance else {}
        module = "" if file else f"theorylab.statements.{statement.id}"
        options = options_of(statement)
        return Template(head, instance, options, held(statement), module, statement, file)

    def _of_metric(self, metric: str) -> Template:
        METRICS.find(metric)
        options = [*Instance.model_fields]
        return Template({"metric": metric}, dict(self.plan.instance), options, (), "")

    def _of_run(self) -> Template:
        options = [k for k in Configuration.model_fields if k not in ("columns", "every")]
        return Template({"kind": "run"}, dict(self.plan.instance), options, (), "")

    def _instance(self, template: Template, point: Point) -> tuple[Document, Document]:
        plan, where = self.plan, "plan"
        made = copy.deepcopy(template.instance)
        values = dict(plan.set)
        free = {}
        for name, value in point.items():
            path = plan.path_of(name)
            if path in HEAD and not (plan.kind == "run" and path in ("seeds", "seed")):
                continue
            if self._is_option(template, path):
                values[path] = value
            else:
                free[name] = value
        for path in sorted(values, key=lambda path: (path.count("."), path not in PARTS)):
            value = values[path]
            if path in PARTS and isinstance(value, str):
                made[path] = named_part(where, path, made.get(path), value)
            elif template.statement is not None:
                set_option(template.statement, made, template.options, path, value, where)
            else:
                self._put(template, made, path, value)
        settings = dict(values)
        if plan.expressions:
            given = {**numbers_of(made), **_numbers({**free, **point})}
            follow(f"{where}: expressions", made, plan.expressions, given)
            settings |= {path: _at(made, path) for path in plan.expressions}
        if template.statement is not None:
            check_sweep(made, set(values))
            if made != template.instance:
                check_constants(template.statement, template.instance, values)
        return made, settings

    def _put(self, template: Template, made: Document, path: str, value: Any) -> None:
        first = path.partition(".")[0]
        if template.options is not None and first not in template.options:
            raise ValueError(f"plan: no option {first!r}; need {near(first, template.options)}")
        if first == "faults" and first != path:
            made.setdefault(first, {})
        put("plan", made, path, value)

    def _is_option(self, template: Template, path: str) -> bool:
        return "." in path or template.options is None or path in template.options

    def _code_of(self, template: Template, instance: Document) -> str:
        names = frozenset(_texts(instance))
        if (template.module, names) not in self._code:
            statement = template.statement
            modules, words = [template.module], set(names)
            if statement is not None:
                words |= {statement.algorithm, statement.experiment}
                words |= {statement.quantity_of(v).column for v in statement.versions.values()}
            words |= {str(template.head.get("metric", ""))}
            self._code[template.module, names] = code_hash(modules, words)
        return self._code[template.module, names]

    def _check_axes(self, template: Template) -> None:
        plan, used = self.plan, self.plan.used_in_expressions()
        for name in plan.names:
            path = plan.path_of(name)
            first = path.partition(".")[0]
            if first in template.fixed:
                raise ValueError(
                    f"plan: axis {name!r}: {first} says what is claimed; need another option"
                )
            head = (
                path in HEAD[:3]
                if plan.kind == "claim"
                else path == "metric" and plan.kind == "metric"
            )
            head |= plan.kind != "run" and path in HEAD[4:]
            known = template.options is None or first in template.options
            if not (head or known or name in used):
                options = [*HEAD[4:], *(template.options or [])]
                raise ValueError(
                    f"plan: axis {name!r} is used by no cell; need an option, "
                    f"{near(first, options)}, or an expression that has it"
                )
            for value in _named_values(plan, name):
                if path in PARTS and isinstance(value, str):
                    PARTS[path].find(value)


def _named_values(plan: Plan, name: str) -> Iterable[Any]:
    if plan.cells is not None:
        return list(dict.fromkeys(v for row in plan.cells if isinstance(v := row[name], str)))
    return plan.axes[name].values or []


def _chosen(statement: Statement, version: str, check: str) -> Check:
    """The check of that name; without one the first of the version that is meant to hold."""
    own = statement.versions[version].checks
    others = [each for content in statement.versions.values() for each in content.checks]
    if check:
        found = next((each for each in (*own, *others) if each.name == check), None)
        if found is None:
            names = list(dict.fromkeys(each.name for each in others))
            raise ValueError(
                f"plan: {statement.id} has no check {check!r}; need {near(check, names)}"
            )
        return found
    return min((*own, *others), key=rank)


def _numbers(data: Document) -> dict[str, float]:
    plain = ((k, v) for k, v in data.items() if not isinstance(v, bool))
    return {name: float(value) for name, value in plain if isinstance(value, int | float)}


def _at(instance: Document, path: str) -> Any:
    node: Any = instance
    for part in path.split("."):
        node = node[int(part)] if isinstance(node, list) else node[part]
    return node


def _texts(data: Any) -> Iterator[str]:
    """Every text that stands as a value in the document."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for value in data.values():
            yield from _texts(value)
    elif isinstance(data, list):
        for value in data:
            yield from _texts(value)
