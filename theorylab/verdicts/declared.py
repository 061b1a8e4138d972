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
from theorylab.runs.refuted import blocks_needed, louder, off_center

Floats = NDArray[np.float64]
_POINTS, _SAMPLES, _BLOCK, _AXES = 4, 64, 16, 8
_NUMBERS = 1 << 20  # of the points along coordinates
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
    _check_slope(problem, x, gradient, _at_most(known, problem.smooth_and_convex[0]), draw, say)
    _check_constants(problem, x, gradient, known, say)
    _check_noise(problem, x[:1], gradient[:1], known, say)
    _check_minimiser(problem, x, known, say)


def _check_minimiser(problem: Problem, x: Floats, known: Mapping[str, Known], say: str) -> None:
    """No f that is looked at may be below f at the ``optimum``, or below an ``f_star``.

    Values are compared, and no gradient is asked to be 0: a kink and the edge of a set have none.
    Points outside a set that the class declares by ``inside`` say nothing.
    """
    points, best = x[:, 0], minimiser(problem)
    if best is not None and np.shape(best) != (problem.dim,):
        raise ValueError(f"{say}: optimum has shape {np.shape(best)}; need ({problem.dim},)")
    if problem.is_field:
        _check_zero(problem, best, x, say)
        return
    if best is not None:
        points = np.concatenate([best[None], _downhill(problem, best, say), points])
    common = np.repeat(points[:, None], problem.clients, axis=1)
    values = _shaped(problem, common, say)[0].mean(axis=1)
    there = _inside(problem, points, say)
    if best is not None and not there[0]:
        raise ValueError(f"{say}: optimum is not inside its own set; need one that is")
    if not there.any():
        return
    k = int(np.where(there, values, np.inf).argmin())
    least, scale = float(values[k]), float(np.abs(values[there]).max())
    room = scale * (4 * _ROOM**2 + 64 * _precision(problem, x))
    cure = (
        "" if hasattr(problem, "inside") else ", or inside(x) on the class for a minimum over a set"
    )
    if best is not None and values[0] > least + room:
        raise ValueError(
            f"{say}: f is {values[0]:.6g} at optimum, and lower by {values[0] - least:.3g} at "
            f"another point; need a minimiser{cure}"
        )
    declared = _at_least(known, "f_star")
    if least < declared - _ROOM * abs(declared) - room:
        raise ValueError(
            f"{say}: f is {least:.6g} at a point, and f_star is declared to be {declared:.6g} "
            f"({known['f_star'].how.value}); need a constant that holds{cure}"
        )
    exact = best is not None and "f_star" in known and known["f_star"].how is How.EXACT
    if exact and values[0] > declared + _ROOM * abs(declared) + room:
        raise ValueError(
            f"{say}: f is {values[0]:.6g} at optimum, and f_star is declared to be {declared:.6g} "
            "(exact); need one least value"
        )


def _check_zero(problem: Problem, best: Floats | None, x: Floats, say: str) -> None:
    """The mean field at the ``optimum`` of a saddle problem without a set is 0, up to rounding."""
    if best is None or problem.domain is not None:
        return
    far = np.concatenate([np.broadcast_to(best, x[:1].shape), x])
    fields = np.linalg.norm(_shaped(problem, far, say)[1].mean(axis=1), axis=-1)
    if fields[0] > _ROOM * fields.max():
        raise ValueError(
            f"{say}: the mean field at optimum has norm {fields[0]:.6g}; need a zero of the field"
        )


def _downhill(problem: Problem, best: Floats, say: str) -> Floats:
    """Points against the mean gradient at a declared minimiser, at lengths from 1 to 1e-9 of it,
    and along some coordinates: a step against all of a kink's slopes may gain nothing."""
    at = np.broadcast_to(best, (1, problem.clients, problem.dim)).copy()
    slope = _shaped(problem, at, say)[1][0].mean(axis=0)
    if not slope.any():
        return np.zeros((0, problem.dim))
    ways = [slope / np.linalg.norm(slope)]
    lengths = (1 + float(np.linalg.norm(best))) * 4.0 ** -np.arange(16.0)
    room = _NUMBERS // (len(lengths) * problem.clients * problem.dim)
    for j in np.argsort(-np.abs(slope))[: min(_AXES, room)]:
        ways.append(np.zeros(problem.dim))
        ways[-1][j] = np.sign(slope[j])
    return np.concatenate([best - lengths[:, None] * way for way in ways])


def _inside(problem: Problem, points: Floats, say: str) -> NDArray[np.bool_]:
    """Which points are in the set that f is minimised over: all, where the class names none."""
    inside = getattr(problem, "inside", None)
    if inside is None:
        return np.ones(len(points), bool)
    there = np.asarray(inside(points.copy()))
    if there.shape != (len(points),) or there.dtype != bool:
        raise ValueError(
            f"{say}: inside gives {there.dtype} of shape {there.shape} at points of shape "
            f"{points.shape}; need bool, one a point"
        )
    return there


def _precision(problem: Problem, x: Floats) -> float:
    """The relative rounding of the problem's own numbers, float32 or float64."""
    kind = numbers(problem.points(x[:1].copy())).dtype
    return float(np.finfo(kind).eps) if kind.kind == "f" else 2.0**-52


def _shaped(problem: Problem, x: Floats, say: str) -> tuple[Floats, Floats]:
    made = []
    for name, shape in (("loss", x.shape[:2]), ("gradient", x.shape)):
        value = numbers(getattr(problem, name)(problem.points(x.copy())))
        if value.shape != shape or not np.isfinite(value).all():
            odd = "is nan" if np.isnan(value).any() else "is not finite"
            came = f"has shape {value.shape}" if value.shape != shape else odd
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
    slope = (problem.signs * gradient * along).sum(axis=-1)
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
    own, (smooth, convex) = _shaped(problem, common, say)[1], problem.smooth_and_convex
    mean = own.mean(axis=1)
    line, climb = np.diff(common[:, 0], axis=0), np.diff(mean, axis=0)
    facts: list[tuple[str, Callable[..., float], float, str]] = [
        (smooth, _at_most, float((np.linalg.norm(rise, axis=-1) / apart).max()), "a slope is"),
        ("B", _at_most, float(np.linalg.norm(gradient, axis=-1).max()), "a gradient has norm"),
        (
            "sigma_g",
            _at_most,
            float(np.linalg.norm(own - mean[:, None], axis=-1).max()),
            "a client's gradient is off the mean by",
        ),
        (
            convex,
            _at_least,
            float(((climb * line).sum(axis=-1) / (line * line).sum(axis=-1)).min()),
            "f bends by",
        ),
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
    off = np.linalg.norm(noise.mean(axis=0), axis=-1).max()
    far = off > 6 * size / math.sqrt(_SAMPLES) + room
    if math.isfinite(sigma) and (far or size > 4 * sigma + room):
        _check_blocks(problem, at, gradient, sigma, room, say)


def _check_blocks(
    problem: Problem, at: Any, gradient: Floats, sigma: float, room: float, say: str
) -> None:
    """Fresh draws refute a mean or a sigma_l that a look at a few found odd; a truth is refused
    with chance 1e-9 at most, whatever its law."""
    clients, step = gradient.shape[1], _SAMPLES
    means, squares = [], []
    for _ in range(blocks_needed(2 * clients)):
        drawn = [problem.sample(1, np.arange(1), 0, step + k) for k in range(_BLOCK)]
        noise = [numbers(problem.stochastic_gradient(at, one))[0] - gradient[0] for one in drawn]
        means.append(np.mean(noise, axis=0))
        squares.append(np.square(noise).sum(axis=-1).mean(axis=0))
        step += _BLOCK
    many = f"{len(means)} times {_BLOCK} stochastic gradients"
    for i in range(clients):
        if louder(np.array(squares)[:, i], sigma, room):
            size = math.sqrt(float(np.mean(np.array(squares)[:, i])))
            raise ValueError(
                f"{say}: {many} are off by {size:.6g}, and sigma_l is declared to be {sigma:.6g}; "
                "need a constant that holds"
            )
    for i in range(clients):
        if off_center(np.array(means)[:, i], sigma, _BLOCK, room):
            off = float(np.linalg.norm(np.mean(means, axis=0)[i]))
            raise ValueError(
                f"{say}: the mean of {many} is off the gradient by {off:.6g}, which no noise of "
                f"sigma_l = {sigma:.6g} is; need an unbiased one"
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
