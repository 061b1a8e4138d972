"""From a point to a cell: the instance with everything set, its key, and how to replay it."""

from __future__ import annotations

import copy
import hashlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from theorylab.campaigns.axes import Point
from theorylab.campaigns.code import code_hash
from theorylab.campaigns.plan import HEAD, Plan
from theorylab.campaigns.play import check_builds
from theorylab.campaigns.templates import PARTS, Template, Templates
from theorylab.campaigns.text import Document, canonical
from theorylab.files import joined, named_files
from theorylab.registry import near
from theorylab.runs.paths import named_part, put
from theorylab.verdicts.catalogue import files_of
from theorylab.verdicts.changed import check_constants, check_sweep, set_option
from theorylab.verdicts.sweep import follow, numbers_of

SCHEMA = 1  # of a row: another one makes every key another
_TRIED, _FAR = 16, 10_000  # cells of which one can be built, and steps between them


@dataclass(frozen=True)
class Cell:
    """``document`` is all that its result depends on, beside the code; ``settings`` are the paths
    that differ from the template."""

    point: Point
    document: Document
    settings: Document
    template: Template = field(repr=False)
    key: str = ""
    files: str = ""  # that it names: see theorylab.files


class Cells:
    """The cells of a plan, each made when it is asked for.

    Raises ValueError, one line, where an axis serves no cell or sets what no instance has, and
    where no cell can be built.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan, self.points, self.templates = plan, plan.points(), Templates(plan)
        self._code: dict[tuple[str, frozenset[str]], str] = {}
        self.total = self.points.count()
        heads = set(plan.names) & {*HEAD[:3], "metric"}
        last = None if heads else 1  # every claim is known, and fits, before any work
        for point in itertools.islice(self.points, last):
            self.templates.check_axes(self.templates.at(point))
        self._try()

    def __iter__(self) -> Iterator[Cell]:
        return map(self.cell, self.points)

    @property
    def files(self) -> str:
        """All that the plan and its claims name on the disk: see ``theorylab.files``."""
        known = [_files(each, {"instance": each.instance}) for each in self.templates.known]
        return joined(named_files(self.plan.document), *known)

    def _try(self) -> None:
        """Build cells from all over the plan, the first one first, until one can be."""
        fault: Exception | None = None
        step = min(max(1, self.points.all // _TRIED), _FAR)
        for point in itertools.islice(self.points, 0, _TRIED * step, step):
            try:
                check_builds(self.cell(point).document)
                return
            except Exception as error:  # of a cell that cannot be built: one that can will do
                fault = fault or error
        raise ValueError(f"plan: no cell can be built; the first one: {fault}") from fault

    def cell(self, point: Point) -> Cell:
        """The cell at a point; where something cannot be set so, it is one that is refused."""
        template = self.templates.at(point)
        try:
            instance, settings = self._instance(template, point)
            document = {**template.head, "instance": instance}
        except ValueError as error:
            instance, settings = {}, {}
            document = {**template.head, "instance": {}, "refused": str(error)}
        if self.plan.kind == "run":
            document |= {"columns": self.plan.columns, "over": self.plan.over}
        else:
            own = ("seeds", "seed", "budget") if self.plan.kind == "claim" else ("seeds", "seed")
            document |= {key: self.templates.head(point, key) for key in own}
        parts = [SCHEMA, point, document, self._code_of(template, instance)]
        files = _files(template, document)
        text = canonical([*parts, files] if files else parts)
        key = hashlib.sha256(text.encode()).hexdigest()
        document |= {} if template.file is None else {"source_file": template.file}
        return Cell(point, document, settings, template, key, files)

    def _instance(self, template: Template, point: Point) -> tuple[Document, Document]:
        plan, where = self.plan, "plan"
        made = copy.deepcopy(template.instance)
        values = dict(plan.set)
        free = {}
        for name, value in point.items():
            path = plan.path_of(name)
            if path in plan.heads:
                continue
            if template.is_option(path):
                values[path] = value
            else:
                free[name] = value
        for path in sorted(values, key=lambda path: (path.count("."), path not in PARTS)):
            value = values[path]
            if path == "algorithm" and isinstance(value, str) and template.statement is not None:
                raise ValueError(
                    f"{where}: algorithm is {value!r}, and a claim is about one; need its options, "
                    "such as algorithm.eta"
                )
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


def _files(template: Template, document: Document) -> str:
    if template.statement is not None:
        return files_of(template.statement, document["instance"])
    metric = document.get("metric")
    return named_files(document["instance"], {} if metric is None else {"metric": metric})


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
