"""The declared constants of a problem against what points and samples of it attain.

Points prove one side only: a slope above a declared L refutes it, and no number of slopes below it
proves it. Noise is random, so it refutes by a confidence limit whose chance of error is 1e-9.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from theorylab.algorithms import numbers
from theorylab.conformance._compare import Floats, along, precision, roughness
from theorylab.conformance._sheet import LACKS, UNCHECKED, Sheet
from theorylab.known import How, Known
from theorylab.problems import FormulaProblem, Problem, minimiser
from theorylab.runs import mean_interval
from theorylab.runs.refuted import blocks_needed, off_center

_DRAWS = 2048
_ENTRIES = 1 << 22  # numbers in a batch of draws
_CHANCE = 1e-9  # of calling a truth a lie, for each thing that is sampled
_BELOW = 1e-3  # what ``mean_interval`` spends on its lower limit, all of it
_REFINED = 12  # rounds of power iteration
_SLACK = 1e-9  # of a constant: what its formula may have rounded


def check_constants(sheet: Sheet, losses: Problem, x: Floats) -> None:
    """Rows for every declared constant, and for the noise."""
    if isinstance(losses, FormulaProblem):
        for part, reason in losses.lacks().items():
            sheet.add(part, "what follows from client_loss", LACKS, reason)
    known = losses.constants()
    wrong = [name for name, each in known.items() if not isinstance(each, Known)]
    if wrong:
        sheet.judge("constants", "each a Known", False, f"{wrong[0]} is no Known")
        return
    high, low = _curvature(losses, x, None)
    at = np.ascontiguousarray(np.broadcast_to(x[:, :1], x.shape))
    own = _gradient(losses, x)
    common = _gradient(losses, at)
    mean = common.mean(axis=1, keepdims=True)
    size = float(np.abs(common).max())
    rounding = 16 * (x.shape[-1] + 16) * precision(x)
    smooth, convex = losses.smooth_and_convex
    _at_most(sheet, known, smooth, high, f"slopes of gradients at {len(x)} points", rounding)
    norms = float(np.linalg.norm(own, axis=-1).max())
    _at_most(sheet, known, "B", norms, "norms of gradients", rounding)
    away = float(np.linalg.norm(common - mean, axis=-1).max())
    _at_most(sheet, known, "sigma_g", away, "|grad f_i - grad f|", rounding, size * rounding)
    if convex in known:
        declared, how = _least(known[convex]), "how little f bends between points"
        room = (_SLACK + rounding) * (abs(known[convex].value) + abs(low))
        _row(sheet, convex, known[convex], low, how, declared is None or low >= declared - room)
    if losses.is_field:
        _zero(sheet, losses, x, size)
    else:
        _least_value(sheet, losses, known, x)
    if losses.stochastic:
        if "L_sample" in known:
            steep, _ = _curvature(losses, x, losses.sample(3, np.arange(len(x)), 0, 0))
            _at_most(sheet, known, "L_sample", steep, "slopes of one sample's gradients", rounding)
        _noise(sheet, losses, known, at)


def _gradient(losses: Problem, x: Floats, sample: object = None) -> Floats:
    at = losses.points(np.ascontiguousarray(x))
    if sample is None:
        return np.asarray(numbers(losses.gradient(at)), np.float64)
    return np.asarray(numbers(losses.stochastic_gradient(at, sample)), np.float64)  # type: ignore[arg-type]


def _curvature(losses: Problem, x: Floats, sample: object) -> tuple[float, float]:
    """(the steepest slope of a client's gradient, the least slope of the mean's) between points.

    Both are attained: |g(y) - g(x)| / |y - x|, and <g(y) - g(x), y - x> / |y - x|^2. Power
    iteration on differences finds directions that are steep, and that bend little. What rounding
    may have added is taken off.
    """
    draw = np.random.Generator(np.random.Philox(13))
    d, eps, steepest, least = x.shape[-1], precision(x), 0.0, math.inf
    together = np.ascontiguousarray(np.broadcast_to(x[:, :1], x.shape))
    places = along(x, 0.1 * math.sqrt(eps), draw.standard_normal(x.shape))
    rough = 8 * float(roughness(np.array([_gradient(losses, p, sample) for p in places])).max())
    rough *= math.sqrt(d)
    for far in (1.0, 1e3):
        v = draw.standard_normal(x.shape)
        step = eps ** (1 / 4) * (1 + np.abs(x).max(axis=-1, keepdims=True))
        g = _gradient(losses, x, sample)
        noise = 64 * (d + 16) * eps * float(np.abs(g).max()) + rough
        for _ in range(_REFINED):
            v /= np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-300)
            y = (x + far * step * v).astype(x.dtype)
            moved = y.astype(np.float64) - x
            rise = _gradient(losses, y, sample) - g
            length = np.maximum(np.linalg.norm(moved, axis=-1), 1e-300)
            slope = (np.linalg.norm(rise, axis=-1) - noise) / length
            steepest = max(steepest, float(np.nan_to_num(slope).max()))
            v = np.where(np.linalg.norm(rise, axis=-1, keepdims=True) > noise, rise, v)
        if sample is not None:
            continue
        # one step for all clients: the mean's slope is that at a common point
        step = eps ** (1 / 4) * (1 + np.abs(together).max(axis=(1, 2), keepdims=True))
        g = _gradient(losses, together).mean(axis=1)
        noise = 64 * (d + 16) * eps * float(np.abs(g).max()) + rough
        u = draw.standard_normal(g.shape)
        for k in range(2 * _REFINED):
            size = np.linalg.norm(u, axis=-1, keepdims=True)
            u = u / size if size.min() > 1e-100 else draw.standard_normal(u.shape)
            w = np.eye(d)[k % d] + np.zeros_like(u) if k >= _REFINED else u
            y = (together + far * step * w[:, None]).astype(x.dtype)
            moved = y[:, 0].astype(np.float64) - together[:, 0]
            rise = _gradient(losses, y).mean(axis=1) - g
            length = np.maximum(np.linalg.norm(moved, axis=-1), 1e-300)
            bend = (rise * moved).sum(axis=-1) / length**2 + noise / length
            least = min(least, float(bend.min()))
            u = steepest * u - rise / length[:, None]
    return steepest, least


def _most(known: Known) -> float | None:
    """What the constant is declared not to exceed; None where nothing is."""
    return known.value if known.at_least else known.upper


def _least(known: Known) -> float | None:
    return known.value if known.at_most else known.lower


def _at_most(
    sheet: Sheet,
    known: Mapping[str, Known],
    name: str,
    attained: float,
    how: str,
    rounding: float,
    off: float = 0.0,
) -> None:
    if name in known:
        declared = _most(known[name])
        true = declared is None or attained <= declared * (1 + _SLACK + rounding) + off
        _row(sheet, name, known[name], attained, how, true)


def _row(sheet: Sheet, name: str, known: Known, attained: float, how: str, true: bool) -> None:
    text = f"declared {known.text()} ({known.how.value}), attained {attained:.4g}"
    if known.how is How.ESTIMATE:
        sheet.add(name, how, UNCHECKED, f"{text}; an estimate proves nothing")
    elif (
        true
        and (_most(known) if name not in ("mu", "mu_field", "f_star") else _least(known)) is None
    ):
        sheet.add(name, how, UNCHECKED, f"{text}; points refute the other side only")
    else:
        sheet.judge(name, how, true, text)


def _zero(sheet: Sheet, losses: Problem, x: Floats, size: float) -> None:
    """The mean field of a saddle problem at the optimum, against those at other points."""
    best = minimiser(losses)
    if best is not None and losses.domain is None:
        there = np.broadcast_to(np.asarray(best, x.dtype), x[:1].shape)
        left = float(np.linalg.norm(_gradient(losses, there).mean(axis=1)))
        told = f"its norm is {left:.4g}, elsewhere up to {size:.4g}"
        sheet.judge("optimum", "the mean field there", left <= _SLACK * size, told)


def _least_value(sheet: Sheet, losses: Problem, known: Mapping[str, Known], x: Floats) -> None:
    """f_star and the optimum against the least loss that descent finds."""
    best, found = minimiser(losses), x[:, 0].astype(np.float64)
    if best is None and "f_star" not in known:
        return

    def plain(points: Floats) -> Floats:
        spread = np.repeat(points.astype(x.dtype)[:, None], losses.clients, axis=1)
        each = np.asarray(numbers(losses.loss(losses.points(spread))), np.float64)
        return np.asarray(each.mean(axis=1))

    def value(points: Floats) -> Floats:
        inside = getattr(losses, "inside", None)
        there = np.ones(len(points), bool) if inside is None else inside(points)
        return np.where(there, plain(points), np.inf)  # beyond its set nothing is claimed

    if best is not None:
        found = np.concatenate([np.asarray(best, np.float64).reshape(1, -1), found])
    found = found[np.isfinite(value(found))]
    if not len(found):
        how = "the least f inside the set"
        sheet.add("f_star", how, UNCHECKED, "no point that was looked at is inside")
        return
    start = value(found)
    now, step = start, np.ones(len(found))
    for _ in range(200):  # each point halves its step where the loss does not fall
        spread = np.repeat(found.astype(x.dtype)[:, None], losses.clients, axis=1)
        slope = _gradient(losses, spread).mean(axis=1)
        after = found - step[:, None] * slope
        there = value(after)
        better = there < now
        found = np.where(better[:, None], after, found)
        now, step = np.where(better, there, now), np.where(better, 1.5 * step, 0.4 * step)
    least = float(now.min())
    size = max(abs(least), abs(float(start.min())))
    rounding = 64 * (x.shape[-1] + 16) * precision(x)
    line = along(found, math.sqrt(precision(x)), np.ones_like(found))
    rough = 8 * float(roughness(np.array([plain(p) for p in line])).max())
    if "f_star" in known:
        declared = _least(known["f_star"])
        room = rounding * size + rough + _SLACK * abs(known["f_star"].value)
        true = declared is None or least >= declared - room
        _row(sheet, "f_star", known["f_star"], least, "the least f that descent finds", true)
    if best is not None:
        at_best = float(value(np.asarray(best, np.float64).reshape(1, -1))[0])
        by = f"f is {at_best:.6g} there, and {least:.6g} elsewhere"
        how = "f there against the least f that descent finds"
        sheet.judge(
            "optimum", how, at_best <= least + rough + rounding * max(size, abs(at_best)), by
        )


def _noise(sheet: Sheet, losses: Problem, known: Mapping[str, Known], at: Floats) -> None:
    """The mean of the stochastic gradients, and their declared variance, by confidence limits.

    No law is assumed: unbiased noise may rest on an event too rare to be drawn. A mean is refuted
    by the variance that is declared, and where none is, nothing refutes it.
    """
    n, d = losses.clients, losses.dim
    many = max(64, min(_DRAWS, _ENTRIES // (n * d)))
    ids, biased, understated, most = np.arange(many), "", "", 0.0
    sigma = _most(known["sigma_l"]) if "sigma_l" in known else None
    points = at[1:4:2]
    share = _CHANCE / _BELOW / (2 * n * len(points))
    declared = "sigma_l" if sigma is not None else ""
    blocks = blocks_needed(n * len(points))
    size, bounded = many // blocks, False
    for k, point in enumerate(points):
        batch = np.ascontiguousarray(np.broadcast_to(point, (many, n, d)))
        g = _gradient(losses, point[None])[0]
        off = _gradient(losses, batch, losses.sample(17 + k, ids, 0, 0)) - g
        rounding = 64 * (d + 16) * precision(at) * float(np.abs(g).max())
        squares = (off**2).sum(axis=-1)
        means = off[: blocks * size].reshape(blocks, size, n, d).mean(axis=1)
        try:
            own = np.asarray(numbers(losses.measured_noise(losses.points(point[:1]))))[0]
            declared = "measured_noise" if sigma is None else "sigma_l and measured_noise"
        except ValueError:  # it does not say
            own = np.full(n, math.inf)
        for client in range(n):
            limit = min(math.inf if sigma is None else sigma, float(own[client]))
            bounded = bounded or math.isfinite(limit)
            if math.isfinite(limit) and off_center(means[:, client], limit, size, rounding):
                away = float(np.linalg.norm(off[:, client].mean(axis=0)))
                biased = f"client {client}: the mean is off by {away:.4g}, sigma is {limit:.4g}"
            low = mean_interval(squares[:, client], share=share).low
            most = max(most, math.sqrt(low))
            for word, bound in (("sigma_l", sigma), ("measured_noise", float(own[client]))):
                if bound is not None and math.sqrt(low) > bound * (1 + 1e-6) + 2 * rounding:
                    text = f"{word} is {bound:.4g}, and it is above {math.sqrt(low):.4g}"
                    understated = f"client {client}: {text}"
    how = f"{many} samples at {len(points)} points; a truth fails with chance 1e-9"
    if bounded:
        by = biased or f"{blocks} blocks of {size}, one within twice its standard error"
        sheet.judge("stochastic gradient's mean", how, not biased, by)
    else:
        by = "no sigma_l is declared, so that a rare sample may bring any mean"
        sheet.add("stochastic gradient's mean", how, UNCHECKED, by)
    if declared:
        by = understated or f"it is above {most:.4g}"
        sheet.judge(declared, f"sqrt E|noise|^2, {how}", not understated, by)
    else:
        sheet.add("sigma_l", how, UNCHECKED, f"none is declared; it is above {most:.4g}")
