r"""The worst case over all losses of a class, as a semidefinite program (PEPit, Clarabel).

A run looks at each f_i at finitely many points that are linear combinations of x^0 and of the
gradients it met. Over all L-smooth f_i what it can meet there is a set of Gram matrices, cut out by
the interpolation conditions (Taylor, Hendrickx, Glineur 2017, Theorem 4 and (3.10) of Taylor's
thesis for curvature >= -L); the worst squared gradient, or loss, is linear in the Gram matrix.

Of the average f = (1/n) sum_i f_i the theorems know f >= f* = 0. Two programs bracket it:

* outer: f(xbar^t) - |grad f(xbar^t)|^2 / (2L) >= 0 at every xbar^t, which every L-smooth f >= 0
  satisfies. Its value is at least the worst case.
* inner: f_ij - |g_ij|^2 / (2L) >= 0 for every client at every point. Then the functions of
  ``interpolation`` are >= 0, so the run that attains the value exists.

With one client f_1 = f, so every f_1 >= 0 satisfies the inner conditions, and the inner value is
the worst case. For convex losses (one client here) there is a minimiser x* among the points, and
both programs are the same and exact.

Nothing here is a proof: the solver's numbers are floats, and are handed on as estimates.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import operator
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.extras import need
from theorylab.known import How, Known
from theorylab.tightness.setting import GAP, LAST, LEAST, B, L, Setting

Floats = NDArray[np.float64]
MODULES = ("PEPit", "cvxpy", "clarabel")
RANK = 1e-9  # eigenvalues of the Gram matrix below this share of the largest are the solver's noise


@dataclass(frozen=True)
class Data:
    """What a worst run met at one client: points and gradients (m, d), values (m,)."""

    points: Floats
    gradients: Floats
    values: Floats

    def shrunk(self, a: float) -> Data:
        """The data of a^2 f(x/a): as smooth as f, gradients a times, values a^2 times as large."""
        return Data(a * self.points, a * self.gradients, a * a * self.values)


def needed() -> None:
    """Raise MissingExtraError, one line, unless the modules of the extra ``sdp`` are there."""
    need("tightness", *MODULES)


def worst_case(setting: Setting, *, inner: bool) -> tuple[Known, list[Data]]:
    """The program's value, an estimate, and the data of the run that attains it, one a client.

    Raises:
        MissingExtraError: without the extra ``sdp``.
        ValueError: if the solver gives no number.
    """
    needed()
    pepit: Any = importlib.import_module("PEPit")
    pep = pepit.PEP()
    functions = _declared(pepit, pep, setting.clients, setting.convex)
    x0 = _zero(pepit)  # translations change nothing
    start = [f.oracle(x0) for f in functions]
    averages = setting.trajectory(lambda i, z: functions[i].oracle(z)[0], x0)
    n = setting.clients
    along = []
    for t, xbar in enumerate(averages):
        pairs = start if t == 0 else [f.oracle(xbar) for f in functions]
        along.append((_sum([g for g, _ in pairs]) / n, _sum([v for _, v in pairs]) / n))
    if setting.convex:
        pep.set_initial_condition(_to_minimiser(pepit, functions) <= GAP**2)
    else:
        for (_, first), (_, other) in itertools.pairwise(start):
            pep.add_constraint(first == other)  # f_i + c_i with sum c_i = 0 changes nothing
        pep.set_initial_condition(along[0][1] <= GAP)
        met = [p for f in functions for p in f.list_of_points] if inner else []
        for g, value in [(g, v) for _, g, v in met] + along:
            pep.add_constraint(value - g**2 / (2 * L) >= 0)
    if setting.bounded:
        for f in functions:
            for _, g, _ in f.list_of_points:
                pep.add_constraint(g**2 <= B**2)
    if setting.claim == LAST:
        pep.set_performance_metric(along[-1][1])
    elif setting.claim == LEAST:
        for g, _ in along:
            pep.set_performance_metric(g**2)
    else:
        pep.set_performance_metric(_sum([g**2 for g, _ in along]) / len(along))
    value = _solved(pep)
    return value, _met(functions)


def _declared(pepit: Any, pep: Any, clients: int, convex: bool) -> list[Any]:
    kinds = importlib.import_module("PEPit.functions")
    kind = kinds.SmoothConvexFunction if convex else kinds.SmoothFunction
    return [pep.declare_function(kind, L=L) for _ in range(clients)]


def _to_minimiser(pepit: Any, functions: list[Any]) -> Any:
    """|x^0 - x*|^2 with x^0 = 0: a new point where the gradients sum to 0 and f is 0."""
    x_star = pepit.Point()
    slopes = [pepit.Point() for _ in functions[1:]]
    slopes.append(-_sum(slopes) if slopes else _zero(pepit))
    levels = [pepit.Expression() for _ in functions[1:]]
    nothing = pepit.Expression(is_leaf=False, decomposition_dict={})
    levels.append(-_sum(levels) if levels else nothing)
    for f, g, v in zip(functions, slopes, levels, strict=True):
        f.add_point((x_star, g, v))
    return x_star**2


def _zero(pepit: Any) -> Any:
    """The origin. PEPit's own ``null_point`` keeps its coordinates from one program to the next."""
    return pepit.Point(is_leaf=False, decomposition_dict={})


def _sum(parts: list[Any]) -> Any:
    return functools.reduce(operator.add, parts)


def _solved(pep: Any) -> Known:
    with warnings.catch_warnings():  # cvxpy warns of an inaccurate solution: the status says so
        warnings.simplefilter("ignore")
        value = pep.solve(wrapper="cvxpy", solver="CLARABEL", verbose=0)
    solver = pep.wrapper
    status = str(solver.prob.status)
    if value is None or not np.isfinite(value) or not status.startswith("optimal"):
        raise ValueError(f"the semidefinite program ended as {status!r}; need a smaller one")
    gap = abs(float(value) - float(pep.objective.eval()))
    return Known(
        float(value), How.ESTIMATE, f"float dual value, Clarabel, {status}, duality gap {gap:.1e}"
    )


def _met(functions: list[Any]) -> list[Data]:
    """The worst run in coordinates, as few as the Gram matrix has large eigenvalues."""
    points = [np.array([p[0].eval() for p in f.list_of_points]) for f in functions]
    slopes = [np.array([p[1].eval() for p in f.list_of_points]) for f in functions]
    values = [np.array([float(p[2].eval()) for p in f.list_of_points]) for f in functions]
    _, sizes, axes = np.linalg.svd(np.vstack(points + slopes), full_matrices=False)
    axes = axes[: max(1, int((sizes**2 > RANK * sizes[0] ** 2).sum()))].T
    return [Data(x @ axes, g @ axes, v) for x, g, v in zip(points, slopes, values, strict=True)]
