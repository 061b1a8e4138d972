"""Results along a sweep: the one value that is shown, or every value of an order in one loop."""

from __future__ import annotations

import ast
import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from theorylab import symbols
from theorylab.scripts.base import NAMES, WIDEST, Facts, UnscriptedError
from theorylab.scripts.bound import (
    constant_lines,
    constants_of,
    formula_lines,
    large_names,
    names_of,
)
from theorylab.scripts.left_side import emitted
from theorylab.scripts.text import comment, literal, tops
from theorylab.statements import Check, Statement
from theorylab.verdicts import Result
from theorylab.verdicts.case import Case
from theorylab.verdicts.judge import subject_of
from theorylab.verdicts.swept import Swept


class _ShapesError(UnscriptedError):
    """More than numbers differs from value to value."""


def swept(statement: Statement, result: Result) -> tuple[Case, Swept]:
    """The case of a result along a sweep, and its subject, which has one case a value."""
    instance = {key: value for key, value in result.instance.items() if key not in NAMES}
    version = statement.versions[result.version]
    check = Check(result.check or "script", instance)
    case = Case(statement, result.version, version, check, statement.quantity_of(version))
    subject = subject_of(case)
    assert isinstance(subject, Swept)
    return case, subject


def alone(statement: Statement, result: Result) -> Result:
    """``result`` as that of the ordinary instance at the value of the sweep where its place is.

    Raises UnscriptedError where the place names no value.
    """
    _, subject = swept(statement, result)
    labels = [f"{subject.sweep.name}={value:g}" for value in subject.sweep.values]
    here, _, rest = result.place.partition(", ")
    if labels.count(here) != 1:
        raise UnscriptedError(f"the place {comment(result.place, 60)} is no value of the sweep")
    instance = subject.cases[labels.index(here)].check.instance
    return result.model_copy(update={"instance": {**_names(result), **instance}, "place": rest})


def _names(result: Result) -> dict[str, Any]:
    return {key: value for key, value in result.instance.items() if key in NAMES}


class Ordered:
    """The script of an order: every value that is fitted, in one loop, and the growth of the ratio
    along them."""

    def __init__(
        self, statement: Statement, result: Result, seed: int, long: bool, short: bool
    ) -> None:
        case, subject = swept(statement, result)
        assert case.version.order is not None
        self.version, self.order, self.result = case.version, case.version.order, result
        self.texts: list[str] = []  # of a user's classes, the same at every value
        count = subject.sweep.fitted
        self.values = subject.sweep.values[-count:]
        seen = subject.seen(case, subject.constants(case), 1, 1, 0)
        self.facts: list[Facts] = []
        for each, place in zip(subject.cases[-count:], seen.behind[-count:], strict=True):
            _, _, rest = place.label.partition(", ")
            table = {symbols.name_of(s): known.as_json() for s, known in place.constants.items()}
            instance = {**_names(result), **each.check.instance}
            update = {"instance": instance, "place": rest, "constants": table}
            made = result.model_copy(update=update)
            self.facts.append(Facts(statement, made, seed=seed, long=long, short=short))
        self._written: dict[int, list[tuple[list[str], list[str]]]] = {}

    def lines(self, tight: int) -> list[str]:
        """The body of the script; ``tight`` as of ``constant_lines``."""
        loop: list[str] = []
        for general in range(3):
            try:
                loop = _loop(self._ratios(general, tight))
            except _ShapesError:
                if general == 2:
                    raise
            else:
                break
        rising = self.values[-1] > self.values[0]
        points = literal(list(self.values))
        scale = points if self.order.rate is not None else f"np.log10({points})"
        at = scale if rising else f"-np.array({scale})"
        unit = "decade" if self.order.rate is None else "unit"
        terms = self.version.terms
        taken = [*tops(self.texts), *loop]
        found = constants_of(terms.values(), self.result.constants, taken)
        return [
            *loop,
            f"measured = 10 ** np.polyfit({at}, np.log10(ratios), 1)[0]  # per {unit}",
            *constant_lines(found, tight),
            *formula_lines("bound", terms, names_of(found), tight),
        ]

    def _measured(self, general: int) -> list[tuple[list[str], list[str]]]:
        """The texts and the lines of what is measured at every value, which no tightness changes;
        none where both sides are bounds."""
        if self.order.left is not None:
            return [([], []) for _ in self.facts]
        if general not in self._written:
            facts = [replace(each, general=general) for each in self.facts]
            self._written[general] = [emitted(each) for each in facts]
        return self._written[general]

    def _ratios(self, general: int, tight: int) -> list[list[str]]:
        """The ratio at every value: what is measured, the constants, and the bracket."""
        sides = {"measured": self.order.left, "bracket": self.order.bracket}
        parts = {name: side for name, side in sides.items() if side is not None}
        pairs = self._measured(general)
        self.texts, bodies = pairs[-1][0], [lines for _, lines in pairs]
        if any(texts != self.texts for texts, _ in pairs):
            raise _ShapesError("the values of the sweep need different texts")
        every = [
            constants_of(parts.values(), each.result.constants, [*tops(self.texts), *body])
            for each, body in zip(self.facts, bodies, strict=True)
        ]
        values = [{each.name: each.value for each in found} for found in every]
        apart = {name for name in values[0] if len({each.get(name) for each in values}) > 1}
        large = set().union(*map(large_names, every))
        made = []
        for body, found in zip(bodies, every, strict=True):
            names = names_of(found, large)
            lines = [*body, *constant_lines(found, tight, apart)]
            for name, side in parts.items():
                lines += formula_lines(name, {"": side}, names, tight)
            made.append(lines)
        return made


@dataclass(frozen=True)
class _Part:
    """One top statement of a body: its lines, its comment, and where it assigns closed expressions
    to names, these."""

    lines: list[str]
    tree: str
    pairs: list[tuple[str, str]]

    @property
    def told(self) -> str:
        return self.lines[0].partition("  # ")[2]


def _parts(body: Sequence[str]) -> list[_Part]:
    texts = "\n".join(body).splitlines()
    made: list[_Part] = []
    nodes = ast.parse("\n".join(body)).body
    for _, several in itertools.groupby(nodes, lambda node: node.lineno):
        group = [*several]
        first = group[0].lineno - 1
        while first and texts[first - 1].startswith("#"):  # what is said of it stands above
            first -= 1
        lines = texts[first : group[-1].end_lineno]
        pairs = _literals(group[0]) if len(group) == 1 else []
        made.append(_Part(lines, "".join(map(ast.dump, group)), pairs))
    return made


def _loop(bodies: Sequence[Sequence[str]]) -> list[str]:
    """One loop whose body is what all bodies have in common. What differs are closed expressions
    assigned to names, which become the loop's variables; what is a number in all goes before it.

    Raises _ShapesError where more differs.
    """
    every = [_parts(body) for body in bodies]
    steps = [[part.tree for part in parts if not part.pairs] for parts in every]
    pairs = [[pair for part in parts for pair in part.pairs] for parts in every]
    named = [[name for name, _ in each] for each in pairs]
    refused = _ShapesError("the values of the sweep need different scripts")
    if any(one != steps[0] for one in steps) or any(one != named[0] for one in named):
        raise refused
    once = {name for name in named[0] if named[0].count(name) == 1}
    columns = {name: [dict(each)[name] for each in pairs] for name in named[0] if name in once}
    moving = {name: column for name, column in columns.items() if len(set(column)) > 1}
    if not moving:
        raise UnscriptedError("nothing that is measured moves along the sweep")
    if len({str([p for p in each if p[0] not in once]) for each in pairs}) > 1:
        raise refused
    ahead: list[str] = []
    inside: list[str] = []
    told: list[str] = []
    changed = _changed(bodies[0])
    for part in every[0]:
        still = [(name, value) for name, value in part.pairs if name not in moving]
        if part.pairs and len(still) < len(part.pairs):
            moved = ", ".join(name for name, _ in part.pairs if name in moving)
            told += [f"{moved}: {part.told}"] if part.told else []
            lines = [f"{name} = {value}" for name, value in still]
        else:
            lines = part.lines
        fixed = part.pairs and not changed & {name for name, _ in part.pairs}
        (ahead if fixed else inside).extend(lines)
    rows = [", ".join(row) for row in zip(*moving.values(), strict=True)]
    points = ", ".join(rows if len(moving) == 1 else [f"({row})" for row in rows])
    said = comment("; ".join(told), WIDEST - 16)
    return [
        *ahead,
        f"ratios = []{f'  # {said}' if told else ''}",
        f"for {', '.join(moving)} in [{points}]:",
        *(f"    {line}" for line in inside),
        "    ratios.append(measured / bracket)",
    ]


def _changed(body: Sequence[str]) -> set[str]:
    """The names that are assigned more than once, so that a loop has to begin with them anew."""
    counts: Counter[str] = Counter()
    tree = ast.parse("\n".join(body))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    local = {id(n) for f in functions for n in ast.walk(f)}
    for node in ast.walk(tree):
        stored = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        if stored and id(node) not in local:
            counts[node.id] += 1  # type: ignore[attr-defined]
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            counts[node.target.id] += 1
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            counts.update(n.id for n in ast.walk(node.value) if isinstance(n, ast.Name))
    return {name for name, count in counts.items() if count > 1}


def _literals(statement: ast.stmt) -> list[tuple[str, str]]:
    """(name, closed expression as text) of an assignment of such; [] of anything else."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return []
    target, value = statement.targets[0], statement.value
    several = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
    targets = target.elts if isinstance(target, ast.Tuple) else [target]
    values = value.elts if several and isinstance(value, ast.Tuple) else [value]
    if len(targets) != len(values):
        return []
    for each in values:
        if {node.id for node in ast.walk(each) if isinstance(node, ast.Name)} - {"np"}:
            return []
    return [
        (name.id, ast.unparse(each))
        for name, each in zip(targets, values, strict=True)
        if isinstance(name, ast.Name)
    ]


def merged(body: Sequence[str]) -> list[str]:
    """The body with neighbouring assignments of closed expressions on one line, where they fit."""
    made: list[str] = []
    row: list[tuple[str, str]] = []

    def flush() -> None:
        if row:
            names, values = (", ".join(column) for column in zip(*row, strict=True))
            made.append(f"{names} = {values}")
        row.clear()

    for part in _parts(body):
        if not part.pairs or part.told or len(part.lines) > 1:
            flush()
            made.extend(part.lines)
            continue
        texts = part.lines[0].partition(" = ")
        pairs = part.pairs if len(part.pairs) > 1 else [(texts[0], texts[2])]
        if row and sum(len(a) + len(b) + 4 for a, b in [*row, *pairs]) > WIDEST:
            flush()
        row.extend(pairs)
    flush()
    return made
