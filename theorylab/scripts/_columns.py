"""The left side of a metric as lines of a script, from what its class says: ``Metric.plain``.

These names stand for more than themselves: bar(x), the average over the clients; apart(x, y), the
mean squared distance of clients; grad(x) and loss(x), of every client's f_i at its own point;
mgrad(x), of f at a point of all clients; body(u, v), heads(u, v) and F(u, v) of shared and personal
parts; b, the weights of the local steps' gradients in a sum with momentum.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from theorylab.metrics import METRICS, Squares
from theorylab.problems import CoupledQuadratic, plain
from theorylab.scripts._moments import moment_lines
from theorylab.scripts._parts import indented, numbers_of, packed
from theorylab.scripts._round import Run
from theorylab.scripts._steps import Asked, played
from theorylab.scripts.base import Facts, UnscriptedError, emitter
from theorylab.scripts.bound import PREFIXES
from theorylab.scripts.text import grouped

Pairs = Sequence[tuple[str, str]]
_LATER = {  # names of what is known once a round is played
    *("X", "U", "V", "w", "Xs", "Us", "Vs", "lifted", "plain", "used", "used_u", "used_v", "half"),
}
_LISTS = _LATER - {"X", "U", "V", "w"}
_BEFORE = {f"{name}0": name for name in ("X", "U", "V", "w")}


class _Written(ast.NodeTransformer):
    """The losses for their names, and no division by weights that stay 1."""

    def __init__(self, run: Run | Asked) -> None:
        def gradient(part: str) -> Callable[..., str]:
            return lambda U, V="V": run.exact(part, U, V) or f"0.0 * {V if part == 'v' else U}"

        losses: Any = None if isinstance(run, Asked) else run.losses
        loss = run.loss if isinstance(run, Asked) else losses.value
        mean_loss = run.mean_loss if isinstance(run, Asked) else losses.value
        grad = gradient("")
        self.run = run
        self.calls: dict[str, Callable[..., str]] = {
            "bar": lambda x: f"({x}).mean(-2, keepdims=True)",
            "apart": lambda x, y: f"((({x}) - ({y})) ** 2).sum(-1).mean(-1)",
            "grad": grad, "mgrad": lambda x: f"{grouped(grad(x), True)}.mean(-2)",
            "body": gradient("u"), "heads": gradient("v"),
            "loss": loss, "F": mean_loss,
        }  # fmt: skip

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in self.calls:
            return node
        points = [ast.unparse(each) for each in node.args]
        points = [x if x.isidentifier() else f"({x})" for x in points]
        return ast.parse(self.calls[name](*points), mode="eval").body

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        weights = isinstance(node.right, ast.Name) and node.right.id in ("w", "w0")
        return node.left if weights and not self.run.weighted else node

    def lines(self, text: str | ast.stmt) -> list[str]:
        body = ast.parse(text).body if isinstance(text, str) else [text]
        return [line for each in body for line in ast.unparse(self.visit(each)).splitlines()]


def _names(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}


def _renamed(text: str) -> str:
    """What stands before a round, where none follows."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = _BEFORE.get(node.id, node.id)
    return ast.unparse(tree)


def _filled(facts: Facts, text: str) -> str:
    """``text`` with whole numbers for {t}, {i}, {k} of the place, {n}, and counts of the method."""
    numbers: dict[str, Any] = {**facts.place, "n": facts.setting.problem.clients}
    options = facts.setting.algorithm.options()
    numbers |= {key: value for key, value in options.items() if isinstance(value, int)}
    if "tau" in numbers:
        numbers["kept"] = numbers["tau"] - (options["head"] == "printed")
    try:
        return text.format_map(numbers)
    except KeyError as error:
        raise UnscriptedError(f"the place {facts.result.place!r} names no {error}") from None


def _known(facts: Facts, names: Iterable[str]) -> dict[str, float]:
    """Those of the metric's constants that the lines name, without the paper's prefix."""
    if facts.column not in METRICS:
        return {}
    found = {}
    for name, value in numbers_of(facts).items():
        short = next((name.removeprefix(p) for p in PREFIXES if name.startswith(p)), name)
        if short in names:
            found[short] = value
    return found


def written(facts: Facts) -> list[str]:
    """Lines that end by assigning ``measured``, of a metric that has ``plain``."""
    kind: Any = METRICS.find(facts.column)
    told = kind.written(facts.setting, facts.result.place)
    if not told:
        raise UnscriptedError(f"no script is written for {facts.column}")
    if isinstance(told, str):
        return of_value(facts, _filled(facts, told))
    pairs = [(_filled(facts, weight), vector) for weight, vector in told]
    average = not issubclass(kind, Squares) or kind.average
    return _squares(facts, pairs, facts.at("T"), kind.first, average)


def of_value(facts: Facts, text: str) -> list[str]:
    """Of a text: what it says of round t, whose last line is an expression."""
    text = inspect.cleandoc(text)
    t, later = facts.at("t"), _names(text) & _LATER
    run = Run.of(facts, t + 1 if later else t)
    text = text if later else _renamed(text)
    keep, statements = _names(text), ast.parse(text).body
    write, after = _Written(run), list[str]()
    folds, begin = _folds(statements)
    each = [line for fold in folds for inner in fold.body for line in write.lines(inner)]
    first = [line for one in statements[:begin] for line in write.lines(one)]
    for one in statements[begin + len(folds) :]:
        after += write.lines(one)
    after[-1] = f"measured = {after[-1]}"
    if run.random:
        after[-1] = f"measured = np.{facts.reduction}({after[-1].removeprefix('measured = ')})"
    if folds and run.random:
        raise UnscriptedError("a path of random rounds")
    after = [*_sum_weights(run), *after] if "b" in keep else after
    mix = bool(keep & {"X", "U", "w"}) or run.rounds > 1
    return [
        *run.numbers(run.rounds or None, "rounds"),
        *packed(_known(facts, keep)),
        *run.losses.lines,
        *(run.network.lines if mix else []),
        *run.start(),
        *(run.outcomes() if run.random else []),
        *first,
        *run.play(keep, each, mix, "rounds"),
        *after,
    ]


def _sum_weights(run: Run) -> list[str]:
    """b_s = sum_{k >= s} alpha^{k-s}, of each local step."""
    (phase,) = run.phases
    if phase.count == 1 and run.facts.general < 2:
        return ["b = [1.0]"]
    alpha = "alpha" if run.momentum(phase) else "0.0"
    return [f"b = [sum({alpha}**j for j in range(K - s)) for s in range(K)]"]


def _squares(facts: Facts, pairs: Pairs, T: int, first: int, average: bool) -> list[str]:
    """Of pairs (weight, vector): the sum of weighted squared vectors at round T, or its mean over T
    rounds from ``first`` on, in expectation."""
    run, note = _without_sam(Run.of(facts, T + first if average else T))
    affine = plain(facts.setting.problem, CoupledQuadratic) and not any(
        each.rho for each in run.phases
    )
    moments = run.random or run.long or bool(facts.general and affine)
    if not average and not moments:
        pairs = [(weight, _renamed(vector)) for weight, vector in pairs]
    write = _Written(run)
    parts = [(weight, *write.lines(vector)) for weight, vector in pairs]
    parts = [(weight, vector) for weight, vector in parts if "0.0 * " not in vector]
    names = {name for pair in parts for each in pair for name in _names(each)}
    head = [
        *note,
        *run.numbers(T, "T"),
        *packed(_known(facts, names)),
        *run.losses.lines,
        *run.network.lines,
        *run.start(),
    ]
    if moments:
        look = [f"(({weight}) ** 0.5 * ({vector}))" if weight != "1" else vector
                for weight, vector in parts]  # fmt: skip
        return [*head, *moment_lines(run, look, T, first, average)]
    squares = [f"{'' if weight == '1' else f'{weight} * '}np.sum({grouped(vector)} ** 2)"
               for weight, vector in parts]  # fmt: skip
    if not average:
        total = f"measured = {' + '.join(squares)}"
        return [*head, *run.play(names, [], True, "T"), total]
    each = [f"total += {square}" for square in squares]
    if first:
        each = [f"if t >= {first}:", *indented(each)]
    rounds = f"T + {first}" if first else "T"
    return [*head, "total = 0.0", *run.play(names, each, True, rounds), "measured = total / T"]


def _without_sam(run: Run) -> tuple[Run, list[str]]:
    """Noise and SAM: the run without SAM, from which the theorem's own proof bounds the way."""
    if not run.random or not any(each.rho for each in run.phases):
        return run, []
    note = ["# without SAM: rho only moves the root of this sum, by at most L_u rho / sqrt(L_u)"]
    return replace(run, phases=[replace(each, rho=0.0) for each in run.phases]), note


@dataclass(frozen=True)
class Told:
    """A left side where a round goes from ``before`` to ``state``: the lines before the rounds,
    after each, and at the end, which leave ``values``, one a run. keep: of ``method_of``."""

    rounds: int
    keep: set[str]
    numbers: dict[str, Any]
    before: list[str] = field(default_factory=list)
    each: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


_STATES = {
    **{"X": "state.x", "U": "state.x", "V": "state.v", "w": "state.w[..., None]"},
    **{"X0": "before.x", "U0": "before.x", "V0": "before.v", "w0": "before.w[..., None]"},
}


def told(facts: Facts) -> Told:
    """A built-in left side of a user's algorithm, problem or network; UnscriptedError, one line."""
    kind: Any = METRICS.find(facts.column)
    text = kind.written(facts.setting, facts.result.place)
    if not text:
        raise UnscriptedError(f"no script is written for {facts.column}")
    write = _Written(Asked(facts))
    if not isinstance(text, str):
        return _told_squares(facts, kind, text, write)
    text = _filled(facts, inspect.cleandoc(text))
    t, later = facts.at("t"), _names(text) & _LATER
    text = text if later else _renamed(text)
    names, statements = _names(text), ast.parse(text).body
    folds, begin = _folds(statements)
    keep, known = names & _LISTS, _known(facts, names)
    each = [line for fold in folds for inner in fold.body for line in write.lines(inner)]
    each = [*_stated(names), *each] if folds else []
    after = [] if folds else _stated(names)
    after += _sum_weights(played(facts)) if "b" in names else []
    rest = [line for one in statements[begin + len(folds) :] for line in write.lines(one)]
    rest[-1] = f"values = np.atleast_1d({rest[-1]})"
    first = [line for one in statements[:begin] for line in write.lines(one)]
    return Told(t + bool(later), keep, known, first, each, [*after, *rest])


def _folds(statements: list[ast.stmt]) -> tuple[list[ast.For], int]:
    """The loop over the rounds, if there is one, and how many statements stand before it."""
    folds = [one for one in statements
             if isinstance(one, ast.For) and ast.unparse(one.iter) == "rounds"]  # fmt: skip
    return folds, statements.index(folds[0]) if folds else 0


def _stated(names: Iterable[str]) -> list[str]:
    """What the names of models are of the states."""
    used = [name for name in _STATES if name in names]
    return [f"{', '.join(used)} = {', '.join(_STATES[name] for name in used)}"] if used else []


def _told_squares(facts: Facts, kind: Any, pairs: Pairs, write: _Written) -> Told:
    T, average = facts.at("T"), bool(kind.average)
    pairs = [(_filled(facts, weight), _renamed(v) if not average else v) for weight, v in pairs]
    names = {name for pair in pairs for each in pair for name in _names(each)}
    options = facts.setting.algorithm.options()
    numbers = {**{k: v for k, v in options.items() if k in names}, **_known(facts, names)}
    lines = [*_stated(names)]
    for weight, vector in pairs:
        lines.append(f"y = {write.lines(vector)[0]}")
        lines.append(f"total = total + {weight} * (y**2).reshape(len(y), -1).sum(-1)")
    rounds, first = T + kind.first if average else T, kind.first if average else 0
    if not average:
        return Told(rounds, set(), numbers, after=["total = 0.0", *lines, "values = total"])
    each = [f"if t >= {first}:", *indented(lines)] if first else lines
    return Told(rounds, set(), numbers, ["total = 0.0"], each, [f"values = total / {T}"])


@emitter("squared_gradient")
def of_gradient(facts: Facts) -> list[str]:
    """||grad f(xbar)||^2 on average over the rounds."""
    quantity, T = facts.quantity, facts.setting.rounds
    if quantity.over != "average" or quantity.weights is not None:
        raise UnscriptedError(f"no script is written for {facts.column}, {quantity.over}")
    return _squares(facts, [("1", "mgrad(bar(X0))")], T, 0, True)
