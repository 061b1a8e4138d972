"""Gradients and losses of the built-in problems as expressions of a script, data as numbers.

Models are arrays (..., n, d), one row a client; in front there may be an axis of outcomes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.problems import (
    ClippedLinear,
    CoupledQuadratic,
    LogCosh,
    Logistic,
    Pinwheel,
    Problem,
    Quadratic,
    SinSin,
    plain,
)
from theorylab.scripts.base import UnscriptedError
from theorylab.scripts.text import MOST_NUMBERS, array, bare, grouped, literal

Floats = NDArray[Any]
Linear = Callable[[str], str]  # a vector's text -> that of its image; "" where it is 0
RIPPLED = "rippled"


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
    """Losses in one model; UnscriptedError where they are not written out here."""
    if plain(problem, Pinwheel):
        problem = problem.base
    if plain(problem, Quadratic):
        lines, away = _minus("c", problem.centers, general)
        more, H = _linear("H", problem.hessians, general)

        def square(x: str) -> str:
            return f"(({away(x)}) * ({H(away(x)) or '0.0'})).sum(-1) / 2"

        return Plain([*lines, *more], lambda x: H(away(x)) or f"0.0 * {x}", square)
    if plain(problem, LogCosh):
        return _separable(problem, _tanh, _log_cosh, general)
    if plain(problem, ClippedLinear):
        return _separable(problem, _clipped(problem), _huber(problem), general)
    if plain(problem, Logistic):
        return _logistic(problem)
    if plain(problem, CoupledQuadratic) or plain(problem, SinSin) or problem.name == RIPPLED:
        return _joined(problem, personal_losses(problem, general))
    raise UnscriptedError(f"no script is written for {problem.name} losses")


def _logistic(problem: Any) -> Plain:
    """Rows A (n, m, d) with targets b (n, m) in {0, 1}, as many at each client."""
    n, m, d = problem.clients, int(problem.sizes[0]), problem.dim
    if problem.columns != 1 or (problem.sizes != m).any():
        raise UnscriptedError("logistic losses of clients of unlike sizes")
    if problem.features.size > MOST_NUMBERS:
        raise UnscriptedError(f"{problem.features.size} numbers are too many for a script")
    lines = [
        f"A = {array(problem.features.reshape(n, m, d))}",
        f"b = {array(problem.targets.reshape(n, m))}",
        f"reg = {literal(problem.reg)}",
    ]

    def margin(x: str) -> str:
        return f'np.einsum("imk,...ik->...im", A, {x})'

    def gradient(x: str) -> str:
        off = f"1 / (1 + np.exp(-{margin(x)})) - b"
        return f'np.einsum("imk,...im->...ik", A, {off}) / {m} + reg * {x}'

    def value(x: str) -> str:
        each = f"np.logaddexp(0, {margin(x)}) - b * {margin(x)}"
        return f"({each}).mean(-1) + reg * ({x} ** 2).sum(-1) / 2"

    return Plain(lines, gradient, value)


def _joined(problem: Problem, parts: Personal) -> Plain:
    """Losses in u and v as losses in one model x = (u, v)."""
    du = problem.shared

    def ends(x: str) -> tuple[str, str]:
        return f"{x}[..., :{du}]", f"{x}[..., {du}:]"

    def gradient(x: str) -> str:
        U, V = ends(x)
        return f"np.concatenate([{parts.body(U, V) or f'0 * {U}'}, {parts.heads(U, V)}], -1)"

    def value(x: str) -> str:
        return parts.value(*ends(x)).removeprefix("np.mean(").removesuffix(", axis=-1)")

    return Plain(parts.lines, gradient, value)


def _separable(problem: Any, slope: Linear, potential: Linear, general: bool) -> Plain:
    """a sum_j phi(x_j - c_ij)."""
    lines, away = _minus("c", problem.centers, general)
    more, a = _number("a", float(problem.scale), general)

    def gradient(x: str) -> str:
        return a + slope(bare(away(x)))

    def value(x: str) -> str:
        return a + potential(bare(away(x)))

    return Plain([*lines, *more], gradient, value)


def _tanh(y: str) -> str:
    return f"np.tanh({y})"


def _log_cosh(y: str) -> str:
    return f"(np.logaddexp({y}, -({y})) - np.log(2)).sum(-1)"


def _clipped(problem: Any) -> Linear:
    b = literal(float(getattr(problem, "_slope_limit", 1.0)))
    return lambda y: f"np.clip({y}, -{b}, {b})"


def _huber(problem: Any) -> Linear:
    slope = _clipped(problem)
    return lambda y: f"({slope(y)} * ({y} - {slope(y)} / 2)).sum(-1)"


def personal_losses(problem: Problem, general: bool = False) -> Personal:
    """Losses in a shared u and personal v_i; UnscriptedError where they are not written out."""
    quadratic, sines = plain(problem, CoupledQuadratic), plain(problem, SinSin)
    if not quadratic and not sines and problem.name != RIPPLED:
        raise UnscriptedError(f"no script is written for {problem.name} losses in u and v")
    found: Any = problem
    n, du = problem.clients, problem.shared
    dv = problem.dim - du
    if problem.name == RIPPLED:
        A, B = (np.tile(s * np.eye(d), (n, 1, 1)) for s, d in ((found.A, du), (found.B, dv)))
    elif sines:
        A, B = (np.tile(M, (n, 1, 1)) for M in (found.A, found.B))
    else:
        A, B = found.A, found.B
    C = found.C if quadratic else np.zeros((n, du, dv))
    lines_a, from_a = _minus("a", found.centers[:, :du], general)
    lines_b, from_b = _minus("b", found.centers[:, du:], general)
    lines_A, of_A = _linear("A", A, general)
    lines_B, of_B = _linear("B", B, general)
    lines_C, of_C, of_Ct = _coupling(C)
    lines = [*lines_a, *lines_b, *lines_A, *lines_B, *lines_C]
    wave: Callable[[str, str, str, str], str] = lambda f, g, U, V: ""  # noqa: E731
    ripple = ""
    if sines and found.c.any():
        if du != dv:
            raise UnscriptedError("sines of parts of different sizes")
        more, c = _column("c", found.c, general)
        also, phase = _minus("phase", -found.phases, general, "+")
        lines += [*more, *also]
        wave = lambda f, g, U, V: f"{c} * np.{f}({U}) * np.{g}({bare(phase(V))})"  # noqa: E731
    if problem.name == RIPPLED and found.r:
        lines.append(f"r = {literal(found.r)}")
        ripple = "r"

    def body(U: str, V: str) -> str:
        parts = [of_A(from_a(U)), of_C(from_b(V)), wave("cos", "sin", U, V)]
        return _sum([*parts, f"r * np.sin({U})" if ripple else ""])

    def heads(U: str, V: str) -> str:
        return _sum([of_B(from_b(V)), of_Ct(from_a(U)), wave("sin", "cos", U, V)])

    def value(U: str, V: str) -> str:
        a, b = from_a(U), from_b(V)
        squares = [
            f"{x} * {_factor(image)} / 2" if image != x else f"{x} ** 2 / 2"
            for x, image in ((a, of_A(a)), (b, of_B(b)))
            if image
        ]
        cross = f"{a} * {_factor(of_C(b))}" if of_C(b) else ""
        parts = [*squares, cross, wave("sin", "sin", U, V)]
        parts.append(f"2 * r * np.sin({U} / 2) ** 2" if ripple else "")
        summed = [f"({part}).sum(-1)" for part in parts if part]
        return f"np.mean({' + '.join(summed)}, axis=-1)"

    return Personal(lines, body, heads, value)


def _factor(text: str) -> str:
    """An expression that may stand behind a product sign."""
    return f"({text})" if " @ " in text else grouped(text)


def _sum(parts: list[str]) -> str:
    return " + ".join(part for part in parts if part)


def _number(name: str, value: float, general: bool) -> tuple[list[str], str]:
    """(lines, a factor in front of a product); nothing where it is 1."""
    if value == 1 and not general:
        return [], ""
    return [f"{name} = {literal(value)}"], f"{name} * "


def _column(name: str, values: Floats, general: bool) -> tuple[list[str], str]:
    """A number a client, (n,), as a factor of rows."""
    if (values == values[0]).all():
        return [f"{name} = {literal(float(values[0]))}"], name
    return [f"{name} = {array(values[:, None])}"], name


def _minus(name: str, centers: Floats, general: bool, sign: str = "-") -> tuple[list[str], Linear]:
    """x less the centers (n, d); with the sign "+" x plus their negatives."""
    data = centers if sign == "-" else -centers
    if not data.any() and not general:
        return [], lambda x: x
    if (data == data.flat[0]).all():
        text = literal(float(data.flat[0]))
    else:
        text = array(data[0]) if (data == data[0]).all() else array(data)
    return [f"{name} = {text}"], lambda x: f"({x} {sign} {name})"


def _linear(name: str, matrices: Floats, general: bool) -> tuple[list[str], Linear]:
    """Every client's own symmetric matrix, (n, d, d), times its row."""
    first, d = matrices[0], matrices.shape[1]
    same = (matrices == first).all()
    if same and (first == first[0, 0] * np.eye(d)).all():
        scale = float(first[0, 0])
        if scale == 0 and not general:
            return [], lambda x: ""
        if scale == 1 and not general:
            return [], lambda x: x
        return [f"{name} = {literal(scale)}"], lambda x: f"{name} * {x}"
    if d == 1:
        return [f"{name} = {array(matrices[:, 0])}"], lambda x: f"{name} * {x}"
    if same:
        return [f"{name} = {array(first)}"], lambda x: f"{x} @ {name}"
    line = f"{name} = {array(matrices)}"
    return [line], lambda x: f'np.einsum("ijk,...ik->...ij", {name}, {x})'


def _coupling(C: Floats) -> tuple[list[str], Linear, Linear]:
    """(lines, v -> C_i v_i, u -> C_i^T u_i)."""
    if not C.any():
        return [], lambda v: "", lambda u: ""
    if C.shape[1:] == (1, 1):
        lines, name = _column("C", C[:, 0, 0], False)
        return lines, lambda v: f"{name} * {v}", lambda u: f"{name} * {u}"
    lines = [f"C = {array(C)}"]
    return (
        lines,
        lambda v: f'np.einsum("ijk,...ik->...ij", C, {v})',
        lambda u: f'np.einsum("ikj,...ik->...ij", C, {u})',
    )
