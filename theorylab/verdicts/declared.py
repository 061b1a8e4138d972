"""What a user's problem declares, looked at where it is cheap: a verdict rests on all of it.

Nothing is proven here. A sign, a shape or a constant that is plainly wrong is found at a few
points, and refused before anything is judged.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import numbers
from theorylab.known import How, Known
from theorylab.own import is_own
from theorylab.problems import Problem, minimiser

Floats = NDArray[np.float64]
_POINTS, _SAMPLES = 4, 64
_ROOM = 1e-6  # of a constant: what its user may have rounded
_SAME = 1e-9  # of a batch and its runs: BLAS and einsum may add in another order


def check_declared(problem: Problem, start: Floats) -> None:
    """Raise ValueError, one line, for the first thing that ``problem`` declares and breaks.

    start: x^0 of every client, (n, d). Nothing is looked at for a problem of theorylab's own.
    """
    if is_own(type(problem)):
        return
    draw = np.random.Generator(np.random.Philox(0))
    shape = (_POINTS, problem.clients, problem.dim)
    reach = 1.0 + float(np.abs(start).max())
    x = start + reach * draw.standard_normal(shape)
    x[0] = start
    say = f"problem {problem.name}"
    loss, gradient = _shaped(problem, x, say)
    _check_batch(problem, x, loss, gradient, say)
    known = problem.constants()
    _check_slope(problem, x, gradient, _at_most(known, "L"), draw, say)
    _check_constants(problem, x, gradient, known, say)
    _check_noise(problem, x[:1], gradient[:1], known, say)
    _check_minimiser(problem, gradient, say)


def _check_minimiser(problem: Problem, gradient: Floats, say: str) -> None:
    """An ``optimum`` must have a mean gradient of about 0, and the shape of a model."""
    best = minimiser(problem)
    if best is None:
        return
    if np.shape(best) != (problem.dim,):
        raise ValueError(f"{say}: optimum has shape {np.shape(best)}; need ({problem.dim},)")
    point = np.broadcast_to(best, (1, problem.clients, problem.dim)).copy()
    slope = np.linalg.norm(_shaped(problem, point, say)[1].mean(axis=1))
    size = float(np.abs(gradient).max())
    if slope > _ROOM * size:
        raise ValueError(
            f"{say}: the mean gradient at optimum has norm {slope:.6g}, beside gradients of "
            f"{size:.6g}; need a minimiser"
        )


def _shaped(problem: Problem, x: Floats, say: str) -> tuple[Floats, Floats]:
    made = []
    for name, shape in (("loss", x.shape[:2]), ("gradient", x.shape)):
        value = numbers(getattr(problem, name)(problem.points(x.copy())))
        if value.shape != shape or not np.isfinite(value).all():
            came = f"has shape {value.shape}" if value.shape != shape else "is not finite"
            raise ValueError(f"{say}: {name} {came} at points of shape {x.shape}; need {shape}")
        made.append(np.asarray(value, np.float64))
    return made[0], made[1]


def _check_batch(problem: Problem, x: Floats, loss: Floats, gradient: Floats, say: str) -> None:
    for r in range(len(x)):
        one_loss, one_gradient = _shaped(problem, x[r : r + 1], say)
        for name, one, whole in (("loss", one_loss, loss), ("gradient", one_gradient, gradient)):
            size = np.abs(whole).max()
            if not np.abs(one[0] - whole[r]).max() <= _SAME * size:
                raise ValueError(
                    f"{say}: {name} of {len(x)} runs together is not that of run {r} alone; need "
                    "every run by itself"
                )


def _check_slope(
    problem: Problem, x: Floats, gradient: Floats, smooth: float, draw: Any, say: str
) -> None:
    """Each client's gradient against differences of its loss: a kink may spoil half the points."""
    along = draw.standard_normal(x.shape)
    along /= np.linalg.norm(along, axis=-1, keepdims=True)
    step = 1e-6 * (1 + np.linalg.norm(x, axis=-1))
    ends = [_shaped(problem, x + sign * step[..., None] * along, say)[0] for sign in (1, -1)]
    slope = (gradient * along).sum(axis=-1)
    measured = (ends[0] - ends[1]) / (2 * step)
    room = 1e-3 * np.maximum(np.abs(slope), np.abs(measured)) + 1e-8 * np.abs(gradient).max()
    room += 2.0**-48 * np.abs(ends).sum(axis=0) / step
    room += smooth * step if math.isfinite(smooth) else 0.0
    wrong = np.abs(slope - measured) > room
    i = int(wrong.sum(axis=0).argmax())
    if 2 * wrong[:, i].sum() > len(x):
        r = int(wrong[:, i].argmax())
        raise ValueError(
            f"{say}: the gradient of client {i} has slope {slope[r, i]:.6g} along a direction in "
            f"which differences of the loss have {measured[r, i]:.6g}; need its derivative"
        )


def _check_constants(
    problem: Problem, x: Floats, gradient: Floats, known: Mapping[str, Known], say: str
) -> None:
    gap, rise = np.diff(x, axis=0), np.diff(gradient, axis=0)
    apart = np.linalg.norm(gap, axis=-1)
    room = 2.0**-40 * np.abs(gradient).max()
    common = np.broadcast_to(x[:, :1], x.shape).copy()
    values, own = _shaped(problem, common, say)
    mean = own.mean(axis=1)
    line, climb = np.diff(common[:, 0], axis=0), np.diff(mean, axis=0)
    facts: list[tuple[str, Callable[..., float], float, str]] = [
        (
            "L",
            _at_most,
            float((np.linalg.norm(rise, axis=-1) / apart).max()),
            "a slope is",
        ),
        ("B", _at_most, float(np.linalg.norm(gradient, axis=-1).max()), "a gradient has norm"),
        (
            "sigma_g",
            _at_most,
            float(np.linalg.norm(own - mean[:, None], axis=-1).max()),
            "a client's gradient is off the mean by",
        ),
        (
            "mu",
            _at_least,
            float(((climb * line).sum(axis=-1) / (line * line).sum(axis=-1)).min()),
            "f bends by",
        ),
        ("f_star", _at_least, float(values.mean(axis=1).min()), "f is"),
    ]
    for name, limit, measured, text in facts:
        declared = limit(known, name)
        above = measured - declared if limit is _at_most else declared - measured
        if above > _ROOM * abs(declared) + room:
            raise ValueError(
                f"{say}: {text} {measured:.6g} at a point, and {name} is declared to be "
                f"{declared:.6g} ({known[name].how.value}); need a constant that holds"
            )


def _check_noise(
    problem: Problem, x: Floats, gradient: Floats, known: Mapping[str, Known], say: str
) -> None:
    at = problem.points(x.copy())
    first = [problem.sample(1, np.arange(1), 0, step) for step in range(_SAMPLES)]
    drawn = np.stack([numbers(problem.stochastic_gradient(at, sample)) for sample in first])
    again = numbers(problem.stochastic_gradient(at, problem.sample(1, np.arange(1), 0, 0)))
    if drawn.shape[1:] != x.shape or not np.array_equal(again, drawn[0]):
        raise ValueError(
            f"{say}: a stochastic gradient is no function of (seed, run, client, round, step), or "
            f"has shape {drawn.shape[1:]}; need one of shape {x.shape}"
        )
    noise = drawn - gradient
    size = np.sqrt((noise**2).sum(axis=-1).mean(axis=0)).max()
    room = _SAME * np.abs(gradient).max()
    if not problem.stochastic and size > room:
        raise ValueError(
            f"{say}: stochastic is False, and a stochastic gradient is off by {size:.6g}; "
            "need the gradient itself"
        )
    sigma = _at_most(known, "sigma_l")
    if size > 4 * sigma + room:  # far from what 64 samples scatter by, spikes included
        raise ValueError(
            f"{say}: {_SAMPLES} stochastic gradients are off by {size:.6g}, and sigma_l is "
            f"declared to be {sigma:.6g}; need a constant that holds"
        )
    off = np.linalg.norm(noise.mean(axis=0), axis=-1).max()
    if off > 6 * size / math.sqrt(_SAMPLES) + room:
        raise ValueError(
            f"{say}: the mean of {_SAMPLES} stochastic gradients is off the gradient by {off:.6g}, "
            f"a single one by {size:.6g}; need an unbiased one"
        )


def _at_most(known: Mapping[str, Known], name: str) -> float:
    """What the constant is declared not to exceed."""
    found = known.get(name)
    if found is None or not (found.at_least or found.how is How.CERTIFIED):
        return math.inf
    return found.value if found.at_least or found.upper is None else found.upper


def _at_least(known: Mapping[str, Known], name: str) -> float:
    """What the constant is declared not to fall below."""
    found = known.get(name)
    if found is None or not (found.at_most or found.how is How.CERTIFIED):
        return -math.inf
    return found.value if found.at_most or found.lower is None else found.lower
