"""What the cells of a claim, a metric or a run have in common, and which axes they take."""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from theorylab.algorithms import ALGORITHMS
from theorylab.campaigns.axes import Point
from theorylab.campaigns.plan import HEAD, Plan
from theorylab.campaigns.text import Document, canonical
from theorylab.metrics import METRICS
from theorylab.problems import PROBLEMS
from theorylab.registry import near
from theorylab.runs.configuration import Configuration
from theorylab.statements import Check, Statement
from theorylab.topologies import TOPOLOGIES
from theorylab.verdicts import selected
from theorylab.verdicts.changed import rank
from theorylab.verdicts.claimed import as_claimed, held, options_of, plain_data
from theorylab.verdicts.instance import Instance

PARTS: dict[str, Any] = {"problem": PROBLEMS, "topology": TOPOLOGIES, "algorithm": ALGORITHMS}
_NAMES = {"claim": HEAD[:3], "metric": HEAD[3:4], "run": ()}  # what says which template it is


@dataclass(frozen=True)
class Template:
    """What cells have in common before their settings: an instance, and who judges it."""

    head: Document  # claim, version, check, control; or metric; or nothing
    instance: Document
    options: list[str] | None  # what may be set at its top; None: anything
    fixed: tuple[str, ...] = ()  # what says which claim is judged, and is never set
    statement: Statement | None = None
    file: str | None = None  # of a user's statement; it is no part of a key, its text is

    @functools.cached_property
    def text(self) -> str:
        """Canonical JSON; stored once, by its hash."""
        return canonical({"head": self.head, "instance": self.instance})

    @property
    def module(self) -> str:
        """That of a built-in statement."""
        own = self.statement is None or self.file is not None
        return "" if own else f"theorylab.statements.{self.statement.id}"  # type: ignore[union-attr]

    def is_option(self, path: str) -> bool:
        return "." in path or self.options is None or path in self.options


class Templates:
    """Those of a plan, each made once."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._known: dict[tuple[str, ...], Template] = {}

    @property
    def known(self) -> list[Template]:
        """Those that were asked for."""
        return [*self._known.values()]

    def at(self, point: Point) -> Template:
        """That of a point; raises ValueError where its claim, version or check is unknown."""
        values = tuple(str(self.head(point, name)) for name in _NAMES[self.plan.kind])
        if values not in self._known:
            self._known[values] = self._made(*values)
        return self._known[values]

    def _made(self, *names: str) -> Template:
        if self.plan.kind == "claim":
            return _of_claim(self.plan, *names)
        return _of_metric(self.plan, *names) if self.plan.kind == "metric" else _of_run(self.plan)

    def head(self, point: Point, key: str) -> Any:
        """What a point, or else its plan, says of one of ``HEAD``."""
        return point[key] if key in point and key in HEAD else getattr(self.plan, key)

    def check_axes(self, template: Template) -> None:
        """Refuse an axis that no cell of this template uses, or that names what is unknown."""
        plan, used = self.plan, self.plan.used_in_expressions()
        for name in plan.names:
            path = plan.path_of(name)
            first = path.partition(".")[0]
            if first in template.fixed:
                raise ValueError(
                    f"plan: axis {name!r}: {first} says what is claimed; need another option"
                )
            if not (path in plan.heads or template.is_option(first) or name in used):
                options = [*plan.heads, *(template.options or ())]
                raise ValueError(
                    f"plan: axis {name!r} is used by no cell; need an option, "
                    f"{near(first, options)}, or an expression that has it"
                )
            for value in _named_values(plan, name):
                if path in PARTS and isinstance(value, str):
                    PARTS[path].find(value)


def _of_claim(plan: Plan, claim: str, version: str, check: str) -> Template:
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
    given = plan.instance or plain_data(chosen.instance)
    instance = as_claimed(statement, version, copy.deepcopy(given))
    control = chosen.control and not plan.instance
    head = {"claim": statement.id, "version": version, "check": chosen.name, "control": control}
    head |= {"own": True} if plan.instance else {}
    return Template(head, instance, options_of(statement), held(statement), statement, file)


def _of_metric(plan: Plan, metric: str) -> Template:
    METRICS.find(metric)
    return Template({"metric": metric}, plan.instance, [*Instance.model_fields])


def _of_run(plan: Plan) -> Template:
    options = [k for k in Configuration.model_fields if k not in ("columns", "every")]
    return Template({"kind": "run"}, plan.instance, options)


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
