"""The losses, the set and the network of an instance as lines and expressions of a script.

Models are arrays (..., n, d), one row a client; in front there may be an axis of outcomes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.formulas import Formula, written
from theorylab.problems import Domain, Problem
from theorylab.problems._domain import Affine, Ball, Interval, Simplex
from theorylab.scripts.base import UnscriptedError
from theorylab.scripts.text import MOST_NUMBERS, array, bare, constant, identifier, literal
from theorylab.topologies import Topology

Linear = Callable[[str], str]  # a vector's text -> that of its image; "" where it is 0
Floats = NDArray[Any]
MOST_MATRICES = 64  # rounds of a network that does not repeat
_SUM = 1e-12  # how far a row sum may be from 1 by the rounding of its entries


@dataclass(frozen=True)
class Plain:
    """lines: the data. gradient: grad f_i(x_i) of all clients. value: f_i(x_i), (..., n)."""

    lines: list[str]
    gradient: Linear
    value: Linear


@dataclass(frozen=True)
class Personal:
    """Of f_i(u_i, v_i). body, heads: the gradients in u and in v, "" where they are 0. value: the
    mean over the clients. lines: the data."""

    lines: list[str]
    body: Callable[[str, str], str]
    heads: Callable[[str, str], str]
    value: Callable[[str, str], str]


def plain_losses(problem: Problem, general: bool = False) -> Plain:
    """Losses in one model; UnscriptedError where they are not told as one function."""
    lines, (value, gradient, _) = _parts(_formula(problem), 0, general)
    return Plain(lines, lambda x: gradient(x) or f"0.0 * {x}", value)


def personal_losses(problem: Problem, general: bool = False) -> Personal:
    """Losses in a shared u and personal v_i; UnscriptedError where they are not told so."""
    lines, (total, body, heads) = _parts(_formula(problem), problem.shared, general)
    return Personal(lines, body, heads, lambda u, v: f"np.mean({total(u, v)}, axis=-1)")


def _formula(problem: Problem) -> Formula:
    if problem.formula is None:
        round_ = " of the round" * problem.drifts
        raise UnscriptedError(f"no script is written for {problem.name} losses{round_}")
    return problem.formula


def _parts(formula: Formula, d_u: int, general: bool) -> tuple[list[str], list[Callable[..., str]]]:
    """(lines of the data, texts of the loss and of both gradients by those of the models).

    general: 0 and 1 have names, too.
    """
    names = {name: identifier(name, ("x", "u", "v", "U", "V", "X")) for name in formula.data}
    fixed, common = {}, {*formula.data} - {*formula.each}
    lines, many = [], 0
    for name, value in formula.data.items():
        one, data = formula.plain.get(name), np.asarray(value, float)
        if one is not None and one.option in (0, 1) and not general:
            fixed[name] = one
            continue
        if one is not None and (number := formula.named(name)) is not None:
            fixed[name] = number
            lines.append(f"{names[name]} = {literal(float(one.option))}")
            common.add(name)
            continue
        if name in formula.each and (data == data[0]).all():
            data = data[0]
            common.add(name)
        lines.append(f"{names[name]} = {array(data)}")
        many += data.size
    if many > MOST_NUMBERS:
        raise UnscriptedError(f"{many} numbers are too many for a script")
    models = ("x",) if d_u in (0, formula.dim) else ("u", "v")
    terms = formula.retraced(d_u, fixed)
    return lines, [_of(term, names, models, common) for term in terms]


def _of(
    term: Any, names: Mapping[str, str], parts: Sequence[str], common: Collection[str]
) -> Callable[..., str]:
    """The text of a term as a function of the texts of the parts of the model; "" of 0."""

    def text(*models: str) -> str:
        if term.op == "const":
            return f"{literal(float(term.option))} + 0 * {models[0]}" if term.option else ""
        plain = (x if x.isidentifier() or bare(x) != x else f"({x})" for x in models)
        return written(term, {**names, **dict(zip(parts, plain, strict=True))}, literal, common)

    return text


def domain_lines(domain: Domain) -> list[str]:
    """Lines that give ``problem`` its projection, its prox, and F = f + g as its mean loss."""
    if isinstance(domain, Ball):
        near = f"into_ball(x, {constant(domain.center)}, {domain.radius!r})"
    elif isinstance(domain, Simplex):
        near = f"onto_simplex(x, {domain.total!r})"
    elif isinstance(domain, Affine):
        near = f"onto_plane(x, {constant(domain.A)}, {constant(domain.b)})"
    elif isinstance(domain, Interval):
        return _of_interval(domain)
    else:
        raise UnscriptedError(f"the set {type(domain).__name__}")
    return [f"problem.project = lambda x: {near}"]


def _of_interval(domain: Interval) -> list[str]:
    made = []
    if domain.confines:
        ends = ", ".join(map(constant, (domain.low, domain.high)))
        made.append(f"problem.project = lambda x: np.clip(x, {ends})")
    if domain.l1 or domain.bend:
        soft = f"x - np.clip(x, -{domain.l1!r} * s, {domain.l1!r} * s)" if domain.l1 else "x"
        soft = f"({soft}) / (1 + {domain.bend!r} * s)" if domain.bend else soft
        made.append(f"problem.prox = lambda x, s: problem.project({soft})")
        parts = [f"{domain.l1!r} * abs(x).sum(-1)"] if domain.l1 else []
        parts += [f"{domain.bend!r} / 2 * (x * x).sum(-1)"] if domain.bend else []
        made += ["f = problem.mean_loss",
                 f"problem.mean_loss = lambda x: f(x) + {' + '.join(parts)}"]  # fmt: skip
    return made


@dataclass(frozen=True)
class Network:
    """lines: they assign ``P``. at: P(t) as an expression in ``t``. weights: whether push-sum's
    weights move, that is whether a row does not sum to 1. fixed: one matrix for all rounds."""

    lines: list[str]
    at: str
    weights: bool
    fixed: bool


def network(topology: Topology, rounds: int) -> Network:
    """The matrices of rounds 0 .. ``rounds`` - 1, over the edges of run 0; none of one client.

    Raises UnscriptedError where they are drawn anew in too many rounds.
    """
    period = topology.period
    if period is None or period > rounds:
        period = rounds
    if period > MOST_MATRICES:
        raise UnscriptedError(f"a network with other edges in each of {period} rounds")
    matrices = [topology.matrix(t, 0).toarray() for t in range(period)]
    apart = max(float(np.abs(P.sum(axis=1) - 1).max()) for P in matrices)
    if all((matrices[0] == P).all() for P in matrices):
        one = len(matrices[0]) == 1 and matrices[0][0, 0] == 1
        lines = [] if one else [f"P = {matrix(matrices[0])}"]
        return Network(lines, "" if one else "P", apart > _SUM, True)
    lines = [f"P = [{', '.join(map(matrix, matrices))}]"]
    at = "P[t]" if period == rounds else f"P[t % {period}]"
    return Network(lines, at, apart > _SUM, False)


def matrix(P: Floats) -> str:
    """An expression that is ``P`` to the last bit or two."""
    n = len(P)
    for text in _guesses(P, n):
        made = eval(text, {"np": np})
        if made.shape == P.shape and np.abs(made - P).max() <= 2.0**-52 * np.abs(P).max():
            return text
    return array(P)


def _guesses(P: Floats, n: int) -> list[str]:
    found = [f"np.full(({n}, {n}), 1 / {n})"]
    degrees = sorted({int(np.count_nonzero(column)) for column in P.T})
    if len(degrees) == 1 and n > 2:
        shifts = [int(i) for i in np.flatnonzero(P[:, 0])]
        if len(shifts) <= 4:
            parts = ["np.eye(n)" if s == 0 else f"np.roll(np.eye(n), {s}, axis=0)" for s in shifts]
            whole = " + ".join(parts).replace("(n)", f"({n})")
            found.append(f"({whole}) / {len(shifts)}")
        row = np.array2string(P[:, 0])
        if len(row) and n > 6:
            near = _circulant(P, n)
            found += [near] if near else []
    if n > 8 and n % 2 == 0:  # two sources, each heard by half of the others
        k = n // 2
        rest = f"np.full(({n}, {n - 2}), 1 / {n})"
        found.append(f"np.c_[np.tile(np.eye(2), ({k}, 1)) / {k}, {rest}]")
    return found


def _circulant(P: Floats, n: int) -> str:
    """Of the entry on the diagonal and one beside it, on both sides."""
    own, near = P[0, 0], P[1, 0]
    text = f"{own!r} * np.eye({n}) + {near!r} * (np.roll(np.eye({n}), 1, 0)"
    return f"{text} + np.roll(np.eye({n}), -1, 0))".replace("np.float64(", "").replace(") *", " *")
