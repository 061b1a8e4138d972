"""A script of what a user's file brings: its own classes as text, on a stub of the network.

Built-in parts that have no shorter form are written so, too. ``emitted`` gives the texts, which
stay as they are, and the lines that play and measure. What is measured is a column of the run, or a
metric by its own text.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from theorylab.exact import floated
from theorylab.experiments import EXPERIMENTS
from theorylab.metrics import METRICS, Metric
from theorylab.own import is_own
from theorylab.problems import Problem
from theorylab.runs import Setting
from theorylab.scripts import stub
from theorylab.scripts._carried_text import Bundle
from theorylab.scripts._columns import ENDS, LeftSide, of_own_parts, weights_of
from theorylab.scripts._instance_lines import domain_lines, network, plain_losses
from theorylab.scripts._names_read import attributes
from theorylab.scripts._outcomes import Law, law_of, sample_text
from theorylab.scripts._phases_and_noise import is_told, numbers_of
from theorylab.scripts._steps import Method, method_of
from theorylab.scripts.base import Facts, UnscriptedError
from theorylab.scripts.flat import flat
from theorylab.scripts.text import (
    MOST_NUMBERS,
    bare,
    constant,
    identifier,
    renamed,
    schedule,
    wrapped,
)

_GIVEN = "# What a step is given. Models are (R, n, d): R runs, n clients, d coordinates."
_FUNCTIONS = ("words", "uniform", "normal", "signs", "quantile", "LocalStep", "into_ball",
              "onto_simplex", "onto_plane")  # fmt: skip
_MAIN = {  # names that the lines assign
    *("net", "problem", "f", "algorithm", "metric", "experiment", "state", "before", "values"),
    *("bars", "bar", "rows", "row", "known", "setting", "faces", "laws", "chances", "hits"),
    *("each", "weights", "shares", "t", "k", "x0", "measured", "bound", "ratios", "bracket"),
    *"PTNXwYG",
}


def left_side(facts: Facts) -> LeftSide:
    """The measured side of a run; UnscriptedError, one line, where it is not written."""
    if facts.column in METRICS and not _is_plain(METRICS.find(facts.column)):
        return _metric(
            facts, facts.at("t") if facts.quantity.over == "every" else facts.setting.rounds
        )
    return of_own_parts(facts)


def _is_plain(kind: Any) -> bool:
    """Whether a metric is a built-in one that says its value in NumPy."""
    says = any("written" in vars(each) for each in kind.__mro__ if each is not Metric)
    return is_own(kind) and bool(kind.plain or says)


def _reduced(facts: Facts) -> tuple[list[str], dict[str, Any]]:
    """From a list of ``values`` of all rounds to one number a run."""
    over = facts.quantity.over
    weights, numbers = weights_of(facts) if over == "average" else ("", {})
    if over not in ENDS:
        raise UnscriptedError(f"no script is written for {facts.column}, {over}")
    if weights:
        shares = [f"weights = {weights}", "shares = [p / sum(weights) for p in weights]"]
        return [*shares, "values = sum(p * v for p, v in zip(shares, values))"], numbers
    end = "np.array(values).mean(0)" if over == "average" else ENDS[over]
    return [] if over == "best" else [f"values = {end}"], {}


def _metric(facts: Facts, rounds: int) -> LeftSide:
    """A metric's own text, as a fold."""
    kind, quantity = METRICS.find(facts.column), facts.quantity
    place, at = facts.result.place, facts.parsed.at
    if quantity.pathwise and ", run " in place:
        raise UnscriptedError("a right side that differs from run to run")
    name = kind.__name__
    known = numbers_of(facts)
    read = Bundle({name: kind}, {"rows", "start", "last", "see"}).read
    before = [f"metric = {name}({'setting' if 'setting' in read else None}, "
              f"{'known' if 'known' in read else None})"]  # fmt: skip
    if "setting" in read:
        method = "algorithm" if "algorithm" in read else "None"
        told = f"problem=problem, rounds=T, start=x0[0], algorithm={method}"
        before = [f"setting = SimpleNamespace({told})".replace(", algorithm=None", ""), *before]
    if "known" in read:
        before = [f"known = {_known(known)}", *before]
    start, last = (getattr(kind, part) is not getattr(Metric, part) for part in ("start", "last"))
    before += ["metric.start(state)"] if start else []
    if quantity.over == "rows":
        take = [f"if row.label == {place!a}:", "    values = row.values"]
        over: list[str] = []
        numbers: dict[str, Any] = {}
    elif quantity.over in ("last", "every"):
        take, over, numbers = ['rows[row.at["t"]] = row.values'], ["values = rows[T]"], {}
    else:
        take = ['rows[row.at["t"]] = row.values']
        over, numbers = _reduced(facts)
        over = ["values = [rows[t] for t in range(T)]", *over]
    before += ["rows = {}"] if take[0].startswith("rows") else []
    inside = [f"    {line}" for line in take]
    after = ["for row in metric.last(state):", *inside] if last else []
    rounds = min(rounds, max(at) + 1) if at else rounds
    each = ["for row in metric.rows(before, state):", *inside]
    return LeftSide(rounds, before, each, [*after, *over], numbers, metric=kind)


def _known(known: dict[str, Any]) -> str:
    parts = ", ".join(f"{k!a}: SimpleNamespace(value={v!r})" for k, v in known.items())
    return f"{{{parts}}}"


def has_own(facts: Facts) -> bool:
    """Whether the text of a class is carried: a user's, or a built-in method's without phases, or
    a built-in metric's without ``plain``."""
    statement = facts.statement
    if statement.experiment:
        return not is_own(EXPERIMENTS.find(statement.experiment))
    setting = facts.setting
    parts: list[Any] = [type(setting.algorithm)]  # a network is numbers
    parts += [type(each) for each in (setting.problem, getattr(setting.problem, "base", None))
              if each is not None and each.formula is None]  # fmt: skip
    plain = facts.column not in METRICS or _is_plain(METRICS.find(facts.column))
    return not (plain and is_told(setting.algorithm) and all(map(is_own, parts)))


@dataclass
class _Parts:
    """What a script is made of. roots: the classes whose text is carried, by name. losses: the text
    of built-in losses. numbers: the numbers that are assigned to a name. bare: the classes that are
    made without their constructor."""

    roots: dict[str, Any] = field(default_factory=dict)
    losses: list[str] = field(default_factory=list)
    numbers: dict[str, Any] = field(default_factory=dict)
    bare: set[str] = field(default_factory=set)

    def options(self, given: Mapping[str, Any]) -> str:
        """Options of a call: numbers by a name, so that a sweep can move them."""
        made = []
        for key, value in given.items():
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if number and key not in _MAIN and self.numbers.get(key, value) == value:
                self.numbers[key] = value
                made.append(f"{key}={key}")
            elif key.startswith("eta") and isinstance(value, str):
                made.append(f"{key}={schedule(value)}")
            else:
                made.append(f"{key}={constant(value)}")
        return ", ".join(made)


def emitted(facts: Facts) -> tuple[list[str], list[str]]:
    """(texts, lines that end by assigning ``measured``); UnscriptedError, one line, where there are
    none."""
    if facts.statement.experiment:
        return _experiment(facts)
    setting, parts, left = facts.setting, _Parts(), left_side(facts)
    shorter = replace(setting, rounds=left.rounds)
    law = law_of(facts, shorter)
    method = method_of(facts, left.local, left.keep)
    lines = [*law.lines, *_network(shorter), *_losses(facts, parts, law)]
    parts.roots[law.net] = getattr(stub, law.net)
    lines += [f"net = {law.net}(problem, P, {law.runs})", *law.set_up]
    if method.kind is not None:
        options = parts.options(setting.algorithm.options())
        parts.roots[method.kind.__name__] = method.kind
        lines.append(f"algorithm = {method.kind.__name__}({options})")
    else:
        parts.roots["State"] = stub.State
        if left.metric is not None and any("algorithm=" in line for line in left.before):
            options = ", ".join(f"{key}={key}" for key in method.numbers)
            lines.append(f"algorithm = SimpleNamespace({options})")
    parts.numbers |= {**method.numbers, **left.numbers, "T": left.rounds}
    if left.metric is not None:
        parts.roots[left.metric.__name__] = left.metric
    lines += [*_start(setting.start, law, method), *left.before]
    if left.local:
        parts.roots["LocalStep"] = stub.LocalStep
        if method.kind is not None:
            parts.roots["watched"] = stub.watched
            lines.append("watched(net, metric)")
    begin = "net.begin(t)" if law.random else "net.t = t"
    lines.append("for t in range(T):")
    lines += [f"    {line}" for line in (begin, *method.lines, *left.each)]
    best = facts.quantity.over == "best"
    expectation = law.expectation("v" if best else "values", facts)
    measured = f"min({expectation} for v in values)" if best else expectation
    lines += [*left.after, f"measured = {measured}"]
    texts, lines = _assembled(parts, lines, setting)
    return flat(texts, lines) if facts.short else (texts, lines)


def _experiment(facts: Facts) -> tuple[list[str], list[str]]:
    """A user's experiment: its own text, and the row at the place."""
    kind, parts = EXPERIMENTS.find(facts.statement.experiment), _Parts()
    options = floated({k: v for k, v in facts.instance.items() if k != "constants"})[0]
    parts.roots[kind.__name__] = kind
    told = f"{facts.column!a}, range({facts.result.runs}), 0"
    mean, mean_of_law = "values.mean()", "values.mean() if chances is None else chances @ values"
    if facts.quantity.chance is not None:
        raise UnscriptedError("a quantile of an experiment")
    if facts.quantity.pathwise:
        mean = f"values.{facts.reduction}()"
    made = [
        f"experiment = {kind.__name__}({parts.options(options)})",
        f"for row in experiment.observe({told}).rows:",
        f"    if row.label == {facts.result.place!a}:",
        "        values, chances = row.values, row.weights",
        f"measured = {mean if facts.quantity.pathwise else mean_of_law}",
    ]
    return _assembled(parts, made, None)


def _start(start: Any, law: Law, method: Method) -> list[str]:
    n, d = start.shape
    runs = "1" if law.kind == "one" else "len(net.runs)"
    if (start == start.flat[0]).all():
        x0 = f"np.full(({runs}, {n}, {d}), {float(start.flat[0])!r})"
    elif law.kind == "one":
        x0 = f"np.array({constant(start[None].tolist())})"
    else:
        x0 = f"np.repeat(np.array({constant(start[None].tolist())}), {runs}, 0)"
    return [f"x0 = {x0}", *method.start]


def _network(setting: Setting) -> list[str]:
    """The matrices, as a list ``P``, or a list by the name of each network."""
    if setting.topology.networks:
        each = {k: _network(replace(setting, topology=v)) for k, v in
                setting.topology.networks.items()}  # fmt: skip
        parts = [f"{k!a}: {lines[0].removeprefix('P = ')}" for k, lines in each.items()]
        return [f"P = {{{', '.join(parts)}}}"]
    made = network(setting.topology, max(setting.rounds, 1))
    if not made.lines:
        return ["P = [np.eye(1)]"]
    text = made.lines[0].removeprefix("P = ")
    return [f"P = [{text}]" if made.fixed else made.lines[0]]


def _losses(facts: Facts, parts: _Parts, law: Law) -> list[str]:
    """The lines that make ``problem``."""
    problem: Any = facts.setting.problem
    base = problem.base if hasattr(problem, "base") and is_own(type(problem)) else problem
    options = floated({k: v for k, v in facts.parsed.problem.items() if k != "name"})[0]
    if is_own(type(base)) or base.formula is not None or base.drifts:
        plain = plain_losses(base, facts.general > 1)
        parts.roots["Problem"] = stub.Problem
        parts.losses = [
            "class Losses(Problem):",
            "    def gradient(self, x):",
            f"        return {bare(plain.gradient('x'))}",
            "",
            "    def loss(self, x):",
            f"        return {bare(plain.value('x'))}",
        ]
        made = [*plain.lines, f"problem = Losses({base.clients}, {base.dim})"]
    else:
        if base is not problem:
            options = {k: v for k, v in options["base"].items() if k not in ("name", "clients")}
        parts.roots[type(base).__name__] = type(base)
        if "device" in options:
            raise UnscriptedError("models on a device")
        made = _built(base, options, parts)
    if law.random and problem.stochastic and is_own(type(problem)):
        noisy = f"problem.gradient(x) + {_xi(problem)}"
        if law.net == "SampledNet":
            made.append(f"problem.sample = {sample_text(problem)}")
        made.append(f"problem.stochastic_gradient = lambda x, xi: {noisy}")
    return made if problem.domain is None else [*made, *domain_lines(problem.domain)]


def _xi(problem: Any) -> str:
    noise: Any = getattr(problem, "field", None)
    if not hasattr(noise, "additive") and not hasattr(problem, "noise_variance"):
        raise UnscriptedError(f"the noise of {problem.name}")
    if noise is None or noise.additive:
        return "xi"
    if noise.kind == "state":
        return f"xi * np.cos(x / {noise.length!r})"
    raise UnscriptedError(f"{noise.kind} noise")


def _built(problem: Problem, options: Mapping[str, Any], parts: _Parts) -> list[str]:
    """A user's problem by its constructor; where that draws, by the numbers that it has drawn."""
    name = type(problem).__name__
    own = Bundle({name: type(problem)}, set())
    draws = "random" in own.needed or any("random" in line for line in own.imports)
    kept = {k: v for k, v in vars(problem).items() if not k.startswith("_") and k != "blocks"}
    if draws and sum(np.size(value) for value in kept.values()) <= MOST_NUMBERS:
        try:
            lines = [f"problem.{key} = {constant(value)}" for key, value in kept.items()]
        except UnscriptedError:
            pass
        else:
            parts.bare.add(name)
            return [f"problem = {name}.__new__({name})  # and the numbers that it has", *lines]
    given = ", ".join(filter(None, [str(problem.clients), parts.options(options)]))
    return [f"problem = {name}({given})"]


def _assembled(
    parts: _Parts, lines: list[str], setting: Setting | None
) -> tuple[list[str], list[str]]:
    """The texts, and the lines, with names that nothing else has."""
    read = ast.parse("\n".join([*parts.losses, *lines]))
    calls = [node.func for node in ast.walk(read) if isinstance(node, ast.Call)]
    called = {each.id for each in calls if isinstance(each, ast.Name)}
    parts.roots |= {name: getattr(stub, name) for name in _FUNCTIONS if name in called}
    bundle = Bundle(parts.roots, attributes(read), parts.bare)
    made = [*_packed(parts.numbers), *lines]
    if setting is not None:
        made = _attributes(made, bundle.needed, setting)
    if any("SimpleNamespace" in line for line in made):
        bundle.imports["from types import SimpleNamespace"] = None
    if any("lambda t: " in line for line in made):
        bundle.imports["import math"] = None
    tree = ast.walk(ast.parse("\n".join(made)))
    assigned = {n.id for n in tree if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    assigned |= {"Losses"} if parts.losses else set()
    clash = {n: identifier(n, {*bundle.names, *assigned}) for n in assigned & bundle.names}
    lines = [part for line in renamed(made, clash) for part in wrapped(line)]
    losses = [part for line in renamed(parts.losses, clash) for part in wrapped(line)]
    texts = [_GIVEN, *bundle.lines(False), *([""] if losses else []), *losses, ""]
    own = bundle.lines(True)
    if own:
        texts += [f"# From {', '.join(bundle.files)}.", *own, ""]
    return [*bundle.import_lines, "", *texts], lines


def _packed(numbers: Mapping[str, Any]) -> list[str]:
    if not numbers:
        return []
    return [f"{', '.join(numbers)} = {', '.join(map(constant, numbers.values()))}"]


def _attributes(lines: list[str], needed: set[str], setting: Setting) -> list[str]:
    """What the texts read of a built-in problem besides its losses, as numbers."""
    problem: Any = setting.problem
    base = problem.base if hasattr(problem, "base") and is_own(type(problem)) else problem
    if not is_own(type(base)):
        return lines
    more = []
    for key in sorted(needed - {"clients", "dim", "shared", "stochastic", "x", "t", "z", "w"}):
        value = getattr(base, key, None) if hasattr(type(base), key) or key in vars(base) else None
        if isinstance(value, np.ndarray | float | int) and not isinstance(value, bool):
            more.append(f"problem.{key} = {constant(value)}")
    first = next(k for k, line in enumerate(lines) if line.startswith("problem = "))
    return [*lines[: first + 1], *more, *lines[first + 1 :]]
