"""The left side of a run as lines, from the text beside a metric (``Metric.plain``) or a column.

These names of a text are replaced by NumPy:

- bar(x) is the average over the clients, and apart(x, y) the mean squared distance of clients.
- grad(x) and loss(x) are of every client's f_i at its own point. mgrad(x) is the gradient of f at
  a point that all clients share. fbar(x) and gbar(x) are f and its gradient at the average of x.
- body(u, v), heads(u, v) and F(u, v) are the gradients and the loss of shared and personal parts.
- sq(x) is the sum of squares, own0 the models that clients keep, and b the weights that the
  gradients have in a sum with momentum.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from theorylab import symbols
from theorylab.known import How
from theorylab.metrics import METRICS
from theorylab.problems import Problem, minimiser, minimiser_off
from theorylab.scripts._moments import moment_lines
from theorylab.scripts._phases_and_noise import is_split, numbers_of
from theorylab.scripts._round import Run
from theorylab.scripts._steps import Asked, played
from theorylab.scripts.base import Facts, UnscriptedError
from theorylab.scripts.bound import PREFIXES, formula, value_text
from theorylab.scripts.text import constant, grouped, indented, packed
from theorylab.symbols import name_of

Pairs = Sequence[tuple[str, str]]  # (weight, vector)
_COLUMNS = {  # at the start of a round
    "suboptimality": "fbar(X0) - {best}",
    "squared_distance": "((X0.mean(-2) - {minimiser}) ** 2).sum(-1)",
    "loss": "fbar(X0)",
    "squared_gradient": "(gbar(X0) ** 2).sum(-1)",
    "consensus": "apart(X0 / w0, bar(X0))",
    "own_loss": "loss(own0).mean(-1)",
    "weight_min": "w0.min((-2, -1))",
    "weight_max": "w0.max((-2, -1))",
}
ENDS = {
    **{"max": "np.array(values).max(0)", "run best": "np.array(values).min(0)"},
    **{"best": "values", "average": "total / T"},
}
_LATER = {  # names of what is known once a round is played
    *("X", "U", "V", "w", "Xs", "Us", "Vs", "lifted", "plain", "used", "used_u", "used_v", "half"),
}
_LISTS = _LATER - {"X", "U", "V", "w"}
_BEFORE = {f"{name}0": name for name in ("X", "U", "V", "w", "own")}
_STATES = {
    **{"X": "state.x", "U": "state.x", "V": "state.v", "w": "state.w[..., None]"},
    "own": 'state.memory.get("own", state.z)',
    "own0": 'before.memory.get("own", before.z)',
    **{"X0": "before.x", "U0": "before.x", "V0": "before.v", "w0": "before.w[..., None]"},
}

_OWN = {  # of a method with shared and personal parts
    "own": "np.concatenate([state.z, state.v], -1)",
    "own0": "np.concatenate([before.z, before.v], -1)",
}


def column_text(facts: Facts) -> tuple[str, int, dict[str, Any]]:
    """(text, how many rounds it is of, numbers that it reads by name); UnscriptedError, one line,
    where there is none."""
    over, T = facts.quantity.over, facts.setting.rounds
    value = _column_value(facts)
    if over in ("last", "every"):
        return value, facts.at("t") if over == "every" else T, {}
    weights, numbers = weights_of(facts)
    first = [f"weights = {weights}", "shares = [p / sum(weights) for p in weights]"]
    share, end = ("shares[t] * ", "total") if weights else ("", "total / T")
    if over == "average iterate":
        end = value.replace("X0", f"({end})")
        value = "X0"
    elif over != "average":
        text = ["values = []", "for t in rounds:", f"    values.append({value})", ENDS[over]]
        return "\n".join(text), T, {}
    loop = ["total = 0.0", "for t in rounds:", f"    total = total + {share}({value})", end]
    return "\n".join([*(first if weights else []), *loop]), T, numbers


def _column_value(facts: Facts) -> str:
    name, problem = facts.column, facts.setting.problem
    if name not in _COLUMNS:
        raise UnscriptedError(f"no script is written for {name} of a run")
    text = _COLUMNS[name]
    if name == "suboptimality":
        best = least_written(problem) if facts.long else problem.constants()["f_star"].value
        return text.format(best=repr(float(best))) if best else text.removesuffix(" - {best}")
    if name == "squared_distance":
        best_x = minimiser_written(problem) if facts.long else minimiser(problem)
        assert best_x is not None
        if not best_x.any():
            return text.replace(" - {minimiser}", "")
        return text.format(minimiser=constant(best_x))
    return text


def least_written(problem: Problem) -> float:
    """f* in a script that is played: of an enclosure another float than 0, which has a literal."""
    least = problem.constants()["f_star"]
    enclosed = least.how is How.CERTIFIED
    return float(least.value or (enclosed and (least.upper or least.lower)) or 0.0)


def minimiser_written(problem: Problem) -> Any:
    """x* (d,) there: in its ball, and where an entry is 0, the radius, which has a literal."""
    best = minimiser(problem)
    return None if best is None else np.where(best == 0, minimiser_off(problem) or 0.0, best)


def weights_of(facts: Facts) -> tuple[str, dict[str, Any]]:
    """The weights of an average over the rounds, and the numbers that they are made of."""
    expr = facts.quantity.weights
    if expr is None:
        return "", {}
    names = {symbols.t: "t"}
    numbers: dict[str, Any] = {}
    for symbol in sorted(symbols.symbols_of(expr) - {symbols.t}, key=str):
        plain = name_of(symbol)
        if plain not in facts.result.constants:
            raise UnscriptedError("an average whose weights are not known")
        names[symbol] = plain
        numbers[plain] = float(value_text(symbol, facts.result.constants[plain], plain))
    return f"[{formula(expr, names)} for t in range(T)]", numbers


def program(pairs: Pairs, average: bool, first: int) -> str:
    """A sum of weighted squared vectors as a text, or its mean over T rounds from ``first`` on."""
    terms = [f"{'' if weight == '1' else f'{weight} * '}sq({v})" for weight, v in pairs]
    if not average:
        return " + ".join(terms)
    adds = [f"total += {term}" for term in terms]
    adds = [f"if t >= {first}:", *indented(adds)] if first else adds
    return "\n".join(["total = 0.0", "for t in rounds:", *indented(adds), "total / T"])


class _Written(ast.NodeTransformer):
    """The losses for their names, and no division by weights that stay 1."""

    def __init__(self, run: Run | Asked) -> None:
        def gradient(part: str) -> Callable[..., str]:
            return lambda U, V="V": run.exact(part, U, V) or f"0.0 * {V if part == 'v' else U}"

        grad = gradient("")
        self.run = run
        self.calls: dict[str, Callable[..., str]] = {
            "bar": lambda x: f"({x}).mean(-2, keepdims=True)",
            "apart": lambda x, y: f"((({x}) - ({y})) ** 2).sum(-1).mean(-1)",
            "grad": grad, "mgrad": lambda x: f"{grouped(grad(x), True)}.mean(-2)",
            "body": gradient("u"), "heads": gradient("v"),
            "loss": run.loss, "F": run.mean_loss, "sq": run.squared,
            "fbar": run.average_loss, "gbar": run.average_slope,
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

    def lines(self, *parts: str | ast.stmt) -> list[str]:
        body = [one for part in parts
                for one in (ast.parse(part).body if isinstance(part, str) else [part])]  # fmt: skip
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


def _asked(facts: Facts) -> str | Pairs:
    """What the metric says of the instance, its numbers filled in."""
    kind: Any = METRICS.find(facts.column)
    found = kind.written(facts.setting, facts.result.place)
    if not found:
        raise UnscriptedError(f"no script is written for {facts.column}")
    if isinstance(found, str):
        return _filled(facts, found)
    return [(_filled(facts, weight), vector) for weight, vector in found]


@dataclass(frozen=True)
class _Text:
    """What a text says of round t, or of T: ``rounds`` that are played, the names that it reads,
    and its statements before the rounds, after each, and at the end, the last an expression."""

    rounds: int
    names: set[str]
    first: list[ast.stmt]
    each: list[ast.stmt]
    after: list[ast.stmt]

    @staticmethod
    def of(text: str, t: int, more: int) -> _Text:
        """more: how many rounds after ``t`` are played, where the text reads what comes of them."""
        text = inspect.cleandoc(text)
        later = bool(_names(text) & {*_LATER, "rounds"})
        text = text if later else _renamed(text)
        statements = ast.parse(text).body
        folds = [k for k, one in enumerate(statements)
                 if isinstance(one, ast.For) and ast.unparse(one.iter) == "rounds"]  # fmt: skip
        begin, end = (folds[0], folds[0] + 1) if folds else (0, 0)
        each: Any = [inner for one in statements[begin:end] for inner in one.body]  # type: ignore[attr-defined]
        rounds = t + more if later else t
        return _Text(rounds, _names(text), statements[:begin], each, statements[end:])


def written(facts: Facts) -> list[str]:
    """Lines that end by assigning ``measured``, of a column, or of a metric that has ``plain``."""
    if facts.column not in METRICS:
        text, T, numbers = column_text(facts)
        if is_split(facts):
            raise UnscriptedError(f"{facts.column} of shared and personal parts")
        text = f"{text.removesuffix('values')}min(values)" if text.endswith("values") else text
        return of_text(facts, text.replace("own0", "X0 / w0"), T, numbers=numbers)
    kind: Any = METRICS.find(facts.column)
    found = _asked(facts)
    if isinstance(found, str):
        return of_text(facts, found)
    return _squares(facts, found, facts.at("T"), kind.first if kind.average else 0, kind.average)


def of_text(
    facts: Facts,
    text: str,
    T: int | None = None,
    first: int = 0,
    numbers: Mapping[str, Any] = MappingProxyType({}),
) -> list[str]:
    """Of a text about round t, or about T rounds from ``first`` on."""
    told = _Text.of(text, facts.round if T is None else T, 1 if T is None else first)
    run, names = Run.of(facts, told.rounds), told.names
    write = _Written(run)
    if told.each and run.random:
        raise UnscriptedError("a path of random rounds")
    *after, value = write.lines(*told.after)
    value = f"np.{facts.reduction}({value})" if run.random else value
    count, name = (T, "T") if T is not None else (run.rounds or None, "rounds")
    loop = f"{name} + {first}" if first and told.each else name
    mix = bool(names & {"X", "U", "w"}) or run.rounds > 1
    return [
        *run.numbers(count, name),
        *packed({**numbers, **_known(facts, names)}),
        *run.losses.lines,
        *(run.network.lines if mix else []),
        *run.start(),
        *(run.outcomes() if run.random else []),
        *write.lines(*told.first),
        *run.play(names, write.lines(*told.each), mix, loop),
        *(_sum_weights(run) if "b" in names else []),
        *after,
        f"measured = {value}",
    ]


def _sum_weights(run: Run) -> list[str]:
    """b_s = sum_{k >= s} alpha^{k-s}, of each local step."""
    (phase,) = run.phases
    if phase.count == 1 and run.facts.general < 2:
        return ["b = [1.0]"]
    alpha = "alpha" if run.momentum(phase) else "0.0"
    return [f"b = [sum({alpha}**j for j in range(K - s)) for s in range(K)]"]


def _squares(facts: Facts, pairs: Pairs, T: int, first: int, average: bool) -> list[str]:
    """Of pairs (weight, vector), in expectation: as ``program`` says."""
    run, note = _without_sam(Run.of(facts, T + first))
    write = _Written(run)
    every = [(weight, vector, write.lines(vector)[0]) for weight, vector in pairs]
    parts = [part for part in every if "0.0 * " not in part[2]]
    affine = facts.setting.problem.affine_gradient and not any(each.rho for each in run.phases)
    if not (run.random or run.long or (facts.general and affine)):
        return of_text(
            facts, program([(weight, v) for weight, v, _ in parts], average, first), T, first
        )
    look = [vector if weight == "1" else f"(({weight}) ** 0.5 * ({vector}))"
            for weight, _, vector in parts]  # fmt: skip
    names = {name for weight, *_ in parts for name in _names(weight)}
    return [
        *note,
        *run.numbers(T, "T"),
        *packed(_known(facts, names)),
        *run.losses.lines,
        *run.network.lines,
        *run.start(),
        *moment_lines(run, look, T, first, average),
    ]


def _without_sam(run: Run) -> tuple[Run, list[str]]:
    """Noise and SAM: the run without SAM, from which the theorem's own proof bounds the way."""
    if not run.random or not any(each.rho for each in run.phases):
        return run, []
    note = ["# without SAM: rho only moves the root of this sum, by at most L_u rho / sqrt(L_u)"]
    return replace(run, phases=[replace(each, rho=0.0) for each in run.phases]), note


@dataclass(frozen=True)
class LeftSide:
    """The lines of a left side: before the rounds, after each round, which goes from ``before`` to
    ``state``, and after all rounds.

    They leave ``values``, one number a run, or (``best``) a list of such. rounds: how many are
    played. metric: a user's class whose text is carried. keep: lists of local steps that the lines
    read, by the names of ``method_of``.
    """

    rounds: int
    before: list[str]
    each: list[str]
    after: list[str]
    numbers: dict[str, Any]
    metric: Any = None
    keep: Collection[str] = ()

    @property
    def local(self) -> bool:
        """Whether the metric looks at local steps."""
        return bool(self.metric is not None and self.metric.local)


def of_own_parts(facts: Facts) -> LeftSide:
    """A built-in left side of a user's algorithm or problem; UnscriptedError, one line."""
    write, numbers = _Written(Asked(facts)), dict[str, Any]()
    kind: Any = METRICS.find(facts.column) if facts.column in METRICS else None
    found = "" if kind is None else _asked(facts)
    if kind is None:
        found, T, numbers = column_text(facts)
        text = _Text.of(found, T, 0)
    elif isinstance(found, str):
        text = _Text.of(found, facts.round, 1)
    else:
        T, first = facts.at("T"), kind.first if kind.average else 0
        mean = program(found, kind.average, first).replace("total / T", f"total / {T}")
        text = _Text.of(mean, T, first)
    used = [name for name in _STATES if name in text.names]
    states = {**_STATES, **_OWN} if is_split(facts) else _STATES
    stated = [f"{', '.join(used)} = {', '.join(map(states.__getitem__, used))}"] if used else []
    options = facts.setting.algorithm.options()
    numbers |= {k: v for k, v in options.items() if k in text.names} | _known(facts, text.names)
    sums = _sum_weights(played(facts)) if "b" in text.names else []
    *after, value = write.lines(*text.after)
    each = write.lines(*text.each)
    once = " + np.zeros(len(net.runs))" if text.names & {"left", "gaps"} else ""  # of all runs
    values = [f"values = {value}{once}"] if value != "values" else []
    return LeftSide(
        text.rounds,
        write.lines(*text.first),
        [*stated, *each] if each else [],
        [*([] if each else stated), *sums, *after, *values],
        numbers,
        keep=text.names & _LISTS,
    )
