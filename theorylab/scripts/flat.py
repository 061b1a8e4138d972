"""A script of a user's own classes as functions and a loop: short, and without the classes.

``flat`` turns the lines of ``_user_script.emitted`` into these, where the text allows that. The
short script is run beside the long one before it is given away, so that a misreading is never sent.
"""

from __future__ import annotations

import ast
import copy
import itertools
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from theorylab.scripts._functions import Written
from theorylab.scripts._states import Draws, States, moves
from theorylab.scripts._syntax import (
    ClassfulError,
    Program,
    StateOf,
    Unweighted,
    Watching,
    assigned,
    constant_text,
    expression,
    kept_lines,
    named,
    names_in,
    pairs_of,
    renamed,
    state_text,
    stored,
)

_OBJECTS = ("problem", "algorithm", "net", "metric", "setting", "known")


def flat(texts: Sequence[str], lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """(texts, lines) without classes, of the texts and lines of a script.

    Raises ClassfulError, or any error of a user's text, where there is no such form.
    """
    return _Flat(texts, lines).written()


class _Flat(States):
    def __init__(self, texts: Sequence[str], lines: Sequence[str]) -> None:
        text = "\n".join(lines)
        net = re.search(r"^net = \w+\(\w+, (\w+), (.+)\)$", text, re.MULTILINE)
        values = re.search(r"\bvalues_*\b", text)
        assert net is not None
        assert values is not None
        text, self.P, self.values = text.replace("len(net.runs)", net[2]), net[1], values[0]
        P = next(each for each in ast.parse(text).body if stored(each) == [self.P])
        if isinstance(P, ast.Assign) and isinstance(P.value, ast.List) and len(P.value.elts) == 1:
            text = text.replace(f"{self.P}[0]", self.P)
        self.source, self.lines = "\n".join(texts).splitlines(), text.splitlines()
        self.module, driver = ast.parse("\n".join(self.source)), ast.parse(text).body
        at = [k for k, each in enumerate(driver) if any(map(moves, ast.walk(each)))]
        loop = driver[at[0]] if len(at) == 1 else None
        if not isinstance(loop, ast.For) or ast.unparse(loop.target) != "t":
            raise ClassfulError("rounds")
        self.first, self.loop, self.after = driver[: at[0]], loop, driver[at[0] + 1 :]
        for each in driver:
            each.place = each.lineno  # type: ignore[attr-defined]
        space = self._ran(self.first)
        assigned = {name for each in driver for name in stored(each)}
        self.part = {n.rstrip("_"): space[n] for n in assigned if n.rstrip("_") in _OBJECTS}
        tops = [n for n in self.module.body if isinstance(n, ast.ClassDef | ast.FunctionDef)]
        self.globals = assigned | {n.name for n in tops}
        self.globals |= {
            n for s in self.module.body if isinstance(s, ast.Assign) for n in stored(s)
        }
        objects = {n: space[n] for n in assigned if n.rstrip("_") in _OBJECTS}
        super().__init__(self.module, objects, set(self.globals))
        self.numbers = {n: constant_text(space[n]) for n in assigned - {*objects} if n in space}
        self.stated = {*self.numbers}  # by the lines themselves
        self.space, self.draws = space, Draws(self.first, self.part["net"])
        self.seen = self._recorded()
        self.draws.settled(len({t for t, *_ in self.draws.asked}) or 1)
        self.single: dict[int, ast.FunctionDef] = {}
        for each in self.first:
            if " = SimpleNamespace(" in ast.unparse(each):
                owner, call = space[stored(each)[0]], each.value  # type: ignore[attr-defined]
                pairs = ((str(word.arg), word.value) for word in call.keywords)
                self.given |= {(id(owner), key): value for key, value in pairs
                               if not self.is_object(getattr(owner, key))}  # fmt: skip

    def _ran(self, statements: Sequence[ast.stmt], space: dict[str, Any] | None = None) -> Any:
        if space is None:
            space = {"__name__": "__main__", "np": np, "itertools": itertools, "math": math}
            exec(compile(self.module, "script", "exec"), space)
        exec(compile(ast.Module([*statements], []), "script", "exec"), space)
        return space

    def _recorded(self) -> list[tuple[int, str, Any]]:
        """(round, label, t) of every row that the metric gives; round -1 is after the last."""
        space, seen = self._ran(self.first), list[tuple[int, str, Any]]()
        part = {n.rstrip("_"): space[n] for n in self.objects}
        self.draws.watch(part["net"])
        held = [part[n] for n in ("problem", "algorithm", "metric") if n in part]
        before = [state_text(each) for each in held]
        if "metric" in part:
            metric, net = part["metric"], part["net"]
            rows, last = metric.rows, getattr(metric, "last", lambda state: ())

            def noted(found: Any, t: int) -> Any:
                for row in found:
                    seen.append((t, row.label, row.at.get("t")))
                    yield row

            space["noted_rows"] = lambda *states: noted(rows(*states), net.t)
            space["noted_last"] = lambda state: noted(last(state), -1)
        lines = [Watching().visit(copy.deepcopy(s)) for s in (self.loop, *self.after)]
        self._ran([ast.fix_missing_locations(each) for each in lines], space)
        if [state_text(each) for each in held] != before:
            raise ClassfulError("an object that changes")
        return seen

    # The lines

    def written(self) -> tuple[list[str], list[str]]:
        for each in self.first:
            self._before(each)
        self._rounds()
        numbers = {k: v for k, v in self.numbers.items() if k not in self.stated}
        functions = {each.name: each for each in self.made.values()}
        return kept_lines(
            Program(self.source, self.module, self.lines, self.out, functions, numbers)
        )

    def _before(self, each: ast.stmt) -> None:
        """A line before the rounds."""
        text, targets = ast.unparse(each), stored(each)
        if targets == [self.P]:
            self._network(each)
        elif text.startswith("state = "):
            self.first_state(".init(" in text)
        elif text.startswith("watched("):
            raise ClassfulError("local steps")
        elif ".start(state)" in text:
            self.metric_start()
        elif not (
            {*targets} & {*self.objects} or text == "rows = {}" or "." in text.split(" = ")[0]
        ):
            self.out.append(Written(self, {**self.objects, "state": self.state}).visit(each))

    def _network(self, each: ast.stmt) -> None:
        assert isinstance(each, ast.Assign)
        value, P = each.value, self.space[self.P]
        every = [*P.values()] if isinstance(P, dict) else [P]
        self.alone = all(len(m) == 1 for one in every for m in one)
        lists = value.values if isinstance(value, ast.Dict) else [value]
        self.fixed = all(isinstance(v, ast.List) and len(v.elts) == 1 for v in lists)
        if self.fixed:
            parts = [v.elts[0] for v in lists if isinstance(v, ast.List)]
            value = ast.Dict(value.keys, parts) if isinstance(value, ast.Dict) else parts[0]
        each.value = value
        self.out.append(each)

    def _step(self, statement: ast.stmt) -> list[ast.stmt]:
        value = statement.value.elts[1]  # type: ignore[attr-defined]
        if not ast.unparse(value.func).endswith(".step"):
            return []
        algorithm = self.part["algorithm"]
        text, home = self.method(algorithm, "step")
        scope = dict(zip([a.arg for a in text.args.args],
                         (algorithm, self.state, self.part["net"]), strict=True))  # fmt: skip
        return assigned([*self.live.values()], [self._answer(text, scope, home, "state")])

    def _answer(
        self, text: ast.FunctionDef, scope: dict[str, Any], home: str, kind: str
    ) -> ast.expr:
        """A call of a function, or what it answers where that is one line."""
        asked = ast.Call(named(text.name), [], [])
        found = self.called(text, scope, home, asked, Written(self, {}), kind)
        assert isinstance(found, ast.Call)
        (made,) = (f for f in self.made.values() if f.name == ast.unparse(found.func))
        (only, *more) = made.body
        one = isinstance(only, ast.Return) and not more and only.value is not None
        return copy.deepcopy(only.value) if one else found  # type: ignore[attr-defined]

    def _write(self, lines: Sequence[ast.stmt], before: StateOf, after: StateOf) -> list[ast.stmt]:
        """Lines that read the state before a round and after it."""
        scope, found = {**self.objects, "before": before, "state": after}, list[ast.stmt]()
        other, ones = dict[str, str](), set[str]()
        for each in lines:
            if isinstance(each, ast.For) and "metric." in ast.unparse(each.iter):
                value = self._values(each, before, after)
                found.append(ast.Expr(ast.Call(expression(f"{self.values}.append"), [value], [])))
                continue
            made = renamed(Written(self, scope).visit(copy.deepcopy(each)), other)
            made = Unweighted(ones).visit(made)
            pairs = pairs_of(made)
            ones |= {n for n, v in pairs if ast.unparse(v).startswith("np.ones(")}
            other |= {name: value.id for name, value in pairs if isinstance(value, ast.Name)}
            left = [(n, v) for n, v in pairs if n not in ones and n not in other]
            found += [made] if not pairs else assigned([n for n, _ in left], [v for _, v in left])
        return found

    def _values(self, loop: ast.stmt, before: StateOf, after: StateOf, label: str = "") -> ast.expr:
        """The values of the metric's row, by its label where there are several."""
        name = "last" if "metric.last(" in ast.unparse(loop) else "rows"
        metric = self.part["metric"]
        text, home = self.method(metric, name)
        states = (before, after) if name == "rows" else (after,)
        parameters = [a.arg for a in text.args.args]
        scope = dict(zip(parameters, (metric, *states), strict=True))
        yields = [n for n in ast.walk(text) if isinstance(n, ast.Yield)]
        end = text.body[-1]
        if len(yields) == 1 and isinstance(end, ast.Expr) and end.value is yields[0]:
            if id(text) not in self.single:
                self.single[id(text)] = copy.deepcopy(text)
                self.single[id(text)].body[-1] = ast.Return(yields[0].value)
            return self._answer(self.single[id(text)], scope, home, "row")
        if not label:
            raise ClassfulError("several rows")
        asked = ast.unparse(self._answer(text, scope, home, "labels"))
        return expression(f"dict({asked})[{label!a}]")

    def _place(self, loop: ast.stmt) -> tuple[int, str] | None:
        """The round and the label of the row that is measured; None where it is one of each."""
        inner = loop.body[0]  # type: ignore[attr-defined]
        if isinstance(inner, ast.If):
            asked = ast.literal_eval(inner.test.comparators[0])  # type: ignore[attr-defined]
            return [(t, label) for t, label, _ in self.seen if label == asked][-1]
        for each in self.after:
            if ast.unparse(each).startswith(f"{self.values} = rows["):
                T = eval(ast.unparse(each.value.slice), self.space)  # type: ignore[attr-defined]
                return [(t, label) for t, label, at in self.seen if at == T][-1]
        rounds = eval(ast.unparse(self.loop.iter.args[0]), self.space)  # type: ignore[attr-defined]
        if [(t, at) for t, _, at in self.seen if at < rounds] != [(t, t) for t in range(rounds)]:
            raise ClassfulError("rows of other rounds")
        return None

    def _rounds(self) -> None:
        """The loop, and what comes after it."""
        (at,) = (k for k, each in enumerate(self.loop.body) if moves(each))
        scope = {**self.objects, "state": self.state}
        head = [Written(self, scope).visit(each) for each in self.loop.body[:at]
                if not ast.unparse(each).startswith("net.")]  # fmt: skip
        step, tail = [*head, *self._step(self.loop.body[at])], self.loop.body[at + 1 :]
        texts = [(each, ast.unparse(each)) for each in self.after]
        last = next((each for each, text in texts if "metric.last(" in text), self.loop)
        rows = tuple(f"{self.values} = {mark}rows[" for mark in ("", "["))
        after = [each for each, text in texts if each is not last and not text.startswith(rows)]
        count, end = ast.unparse(self.loop.iter)[6:-1], list[ast.stmt]()  # of range(T)
        place = self._place(tail[0]) if "metric" in self.part else None
        if place is None:
            self.out += ast.parse(f"{self.values} = []").body if "metric" in self.part else []
            early, late, saved = self._placed(lambda b, a: self._write(tail, b, a), "t", "t + 1")
            step = [*saved, *early, *step, *late]
        else:
            r, label = place
            row = tail[0] if r >= 0 else last
            early, late, saved = self._placed(
                lambda b, a: assigned([self.values], [self._values(row, b, a, label)]),
                str(r),
                str(r + 1) if r >= 0 else count,
            )
            step, end = [*saved, *step], [*early, *late]
            if r >= 0 and not self.draws.order:
                count = str(r) if early else str(r + 1)
            elif r >= 0 and r + 1 < self.draws.rounds:
                raise ClassfulError("a round before the last, of what is drawn")
            elif early and r >= 0:
                step, end = [*early, *step], []
        self.out += [ast.parse(line).body[0] for line in self.draws.lines]
        loop = ast.parse(f"for t in range({count}):\n    pass").body[0]
        assert isinstance(loop, ast.For)
        loop.body = step
        before = self.state
        if "before" in names_in(after):
            before = self.by_name("_before")
            names = [*self.live.values()]
            loop.body = [*assigned([f"{n}_before" for n in names], [*map(named, names)]), *step]
        self.out += [loop, *end, *self._write(after, before, self.by_name())]

    def _placed(
        self, write: Callable[[StateOf, StateOf], list[ast.stmt]], t: str, then: str
    ) -> tuple[list[ast.stmt], list[ast.stmt], list[ast.stmt]]:
        """(lines before a step, after it, and of what has to be kept at the start of a round)."""
        made = dict(self.made)
        before, after = self.by_name(t=t), self.by_name(t=then)
        found = write(before, after)
        if not after.read:
            return found, [], []
        if not before.read:
            return [], found, []
        self.made = made
        before = self.by_name("_before", t)
        self.variables |= {f"{name}_before" for name in self.live.values()}
        found = write(before, self.by_name(t=then))
        asked = names_in([*found, *self.made.values()])
        kept = [name for name in self.live.values() if f"{name}_before" in asked]
        return [], found, assigned([f"{name}_before" for name in kept], [*map(named, kept)])
