"""Whether a problem is what it says: gradients, samples, noise, batches, precisions, description.

Its constants are looked at in ``_constants``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np

from theorylab.algorithms import numbers
from theorylab.conformance._compare import (
    Floats,
    along,
    gap,
    given_to,
    precision,
    rebuilt,
    roughness,
    same,
)
from theorylab.conformance._constants import check_constants
from theorylab.conformance._sheet import DOUBT, LACKS, LIE, RAISES, UNCHECKED, Finding, Sheet, said
from theorylab.conformance.topologies import SIZES
from theorylab.extras import MissingExtraError, need
from theorylab.problems import PROBLEMS, Problem, problem
from theorylab.registry import options_of
from theorylab.runs.generators import global_draws

_SCALES = (0.0, 0.1, 1.0, 1.0, 3.0, 10.0)  # of the random points, one a run
_STEPS = (2.0**-20, 2.0**-17, 2.0**-14)  # of differences of a float64 loss; float32 takes roots
_ALONG = 12  # directions
_MOST_LARGE = 4096  # coordinates up to which every option is tried


def check_problem(name: str, given: Mapping[str, Any], clients: int | None) -> list[Finding]:
    """The findings of the problem registered as ``name``."""
    sheet, made = Sheet("problem", name), PROBLEMS.find(name)
    options, guesses, missing = given_to(made, given)
    if missing:
        sheet.add("everything", "", UNCHECKED, f"needs option {', '.join(missing)}")
        return sheet.findings
    first, losses = "", None
    for n in (4, *SIZES) if clients is None else (clients,):
        try:
            losses = problem(name, n, **options)
            break
        except Exception as error:
            word = UNCHECKED if isinstance(error, MissingExtraError) else RAISES
            first = first or said(error)
    if losses is None:
        sheet.add("everything", "the constructor", word, first)
        return sheet.findings
    n, x = losses.clients, points(losses)
    told = "" if not guesses else f", with {', '.join(guesses)}"
    where = f"{len(x)} points of {n} clients, {losses.dim} coordinates{told}"
    with sheet.asking("loss and gradient", where):
        if _pure(sheet, losses, x, where):
            _slope(sheet, losses, x)
            _runs_alone(sheet, losses, x)
            _float32(sheet, losses, x)
            _tensors(sheet, losses, x, made)
    with sheet.asking("samples", "problem.sample"):
        _samples(sheet, losses, x)
    with sheet.asking("constants", "problem.constants()"):
        check_constants(sheet, losses, x)
    rebuilt(
        sheet,
        "describe()",
        options if losses.dim <= _MOST_LARGE else {},
        made if losses.dim <= _MOST_LARGE else None,
        lambda some: problem(name, n, **some),
        lambda one: one.describe(),
        lambda told: problem(**told),
        _look,
    )
    return sheet.findings


def points(losses: Problem) -> Floats:
    """Points (R, n, d) of several sizes around the start; no two clients are at the same one."""
    start = np.asarray(numbers(losses.initial(0, np.arange(len(_SCALES)))))
    draw = np.random.Generator(np.random.Philox(7)).standard_normal(start.shape)
    size = 1.0 if losses.dim <= 256 else 1 / math.sqrt(losses.dim)
    away = np.array(_SCALES)[:, None, None] * size * draw
    return np.asarray((start + away).astype(start.dtype))


def _look(losses: Problem) -> list[Any]:
    x = points(losses)[:3]
    sample = losses.sample(5, np.arange(3), 2, 1)
    at = losses.points(x)
    known = [np.array([k.value]) for _, k in sorted(losses.constants().items())]
    return [losses.loss(at), losses.gradient(at), losses.stochastic_gradient(at, sample), *known]


def _pure(sheet: Sheet, losses: Problem, x: Floats, where: str) -> bool:
    """Whether both have the shape that they need, are finite, and can be asked twice."""
    wrong, drawn, changed = "", list[str](), ""
    for word, shape in (("loss", x.shape[:2]), ("gradient", x.shape)):
        call: Callable[[Any], Any] = getattr(losses, word)
        own = x.copy()
        with global_draws(drawn):
            first = np.array(numbers(call(losses.points(own))))
            second = numbers(call(losses.points(x.copy())))
        if not np.array_equal(own, x):
            changed = f"{word} changes the points that it is given"
        if first.shape != shape:
            sheet.judge("shapes", where, False, f"{word} has shape {first.shape}; need {shape}")
            return False
        if not np.isfinite(first).all():
            sheet.judge("finite", where, False, f"{word} is not finite at a point")
            return False
        if not same(first, second) or drawn:
            wrong = f"{word} asked again gives other numbers"
    if drawn:
        wrong = f"it draws from {drawn[0]}"
    sheet.judge("shapes, finite", where, True)
    sheet.judge("function of the point", "asked twice", not wrong, wrong)
    sheet.judge("inputs", "as they were before the call", not changed, changed)
    return True


def _slope(sheet: Sheet, losses: Problem, x: Floats) -> None:
    """f(x + h v) - f(x - h v) is 2h times a slope between the two ends.

    By the mean value theorem it is off 2h <gradient(x), v> by at most 2h times what the slope
    changes between the ends, here twice what it changes at five places; and by the rounding of two
    losses, whose size is what they are off a cubic. A lie is one at every h, so that a kink
    inside one segment is none.
    """
    g, f = numbers(losses.gradient(losses.points(x))), numbers(losses.loss(losses.points(x)))
    g, f, d = g.astype(np.float64), f.astype(np.float64), x.shape[-1]
    eps = precision(x)
    steps = _STEPS if x.dtype == np.float64 else (2.0**-10, 2.0**-8, 2.0**-6)
    draw = np.random.Generator(np.random.Philox(11))
    axes = np.eye(d)[:: max(1, d // _ALONG)][:_ALONG] if d <= _MOST_LARGE else np.zeros((0, d))
    spread = draw.standard_normal((3, d))
    worst, share = "", 0.0
    for v in (*axes, *(spread / np.linalg.norm(spread, axis=1, keepdims=True))):
        least = np.full(f.shape, np.inf)
        seen: list[tuple[Floats, Floats]] = []
        for h in steps:
            size = h * (1 + np.abs(x).max(axis=-1, keepdims=True)).astype(np.float64)
            places = along(x, size, v)
            values = np.array([numbers(losses.loss(losses.points(p))) for p in places], float)
            f0, f1 = values[0], values[-1]
            moved = losses.signs * (places[-1].astype(np.float64) - places[0])
            claimed = (g * moved).sum(axis=-1)
            measured = f1 - f0
            room = 32 * (d + 16) * eps * (np.abs(f0) + np.abs(f1) + np.abs(f))
            room += 64 * eps * np.abs(moved).max() * np.abs(g).max() + 8 * roughness(values)
            places = [places[0], places[2], places[6], places[-1]]
            for p in places:
                bent = numbers(losses.gradient(losses.points(p))).astype(np.float64)
                room = np.maximum(room, 2 * np.abs(((bent - g) * moved).sum(axis=-1)) + room * 0.5)
            least = np.minimum(least, np.abs(measured - claimed) / np.maximum(room, 1e-300))
            seen.append((claimed, measured))
        r, i = np.unravel_index(int(least.argmax()), least.shape)
        if least[r, i] > share:
            share = float(least[r, i])
            claimed, measured = (part[r, i] for part in seen[0])
            worst = (
                f"client {i}: the loss changes by {measured:.4g} where the gradient says "
                f"{claimed:.4g}, {share:.3g} times the room"
            )
    sheet.judge(
        "gradient",
        f"differences of the loss at {len(steps)} steps, in units of the loss",
        share <= 1,
        worst if share > 1 else f"{share:.2g} of the room",
    )


def _runs_alone(sheet: Sheet, losses: Problem, x: Floats) -> None:
    whole = [numbers(c(losses.points(x))) for c in (losses.loss, losses.gradient)]
    bits, share = True, 0.0
    room = 64 * (x.shape[-1] + 16) * precision(x)
    for r in range(len(x)):
        for call, all_of in zip((losses.loss, losses.gradient), whole, strict=True):
            one = numbers(call(losses.points(x[r : r + 1].copy())))[0]
            bits = bits and np.array_equal(one, all_of[r])
            off, _ = gap(one, all_of[r])
            share = max(share, off / max(float(np.abs(all_of).max()), 1e-300))
    by = "the same bits" if bits else f"off by {share:.1e} of the size, room {room:.1e}"
    sheet.judge("a batch is its runs", "each run alone", share <= room, by)


def _float32(sheet: Sheet, losses: Problem, x: Floats) -> None:
    how = "loss and gradient at the same points in float32"
    if x.dtype != np.float64:
        sheet.add("float32", how, "holds", "it has no other")
        return
    small = x.astype(np.float32)
    wide = small.astype(np.float64)
    f, g = (numbers(c(losses.points(wide))) for c in (losses.loss, losses.gradient))
    try:
        f32, g32 = (numbers(c(losses.points(small.copy()))) for c in (losses.loss, losses.gradient))
    except (TypeError, ValueError) as error:
        sheet.add("float32", how, LACKS, said(error))
        return
    d, eps = x.shape[-1], 2.0**-23
    # what rounding the data of a loss does is as much as rounding its points: |g| |x|, and |f|
    moved = np.abs(g).max() * (1 + np.abs(wide).max()) * d
    room = 32 * (d + 16) * eps
    share = max(gap(f, f32)[0] / max(np.abs(f).max() + moved, 1e-300), 0.0)
    share = max(share, gap(g, g32)[0] / max(np.abs(g).max() + moved, 1e-300))
    if share > room:
        rough = _rough32(losses, small) / max(np.abs(f).max() + moved, 1e-300)
        result = LIE if share > 64 * rough else DOUBT  # it cancels, where float64 has digits left
        sheet.add("float32", how, result, f"off by {share:.1e} of the size, room {room:.1e}")
    elif f32.dtype != np.float32 or g32.dtype != np.float32:
        sheet.add("float32", how, LACKS, f"right, but as {g32.dtype}: the dtype of x is not kept")
    else:
        sheet.add("float32", how, "holds", f"off by {share:.1e} of the size, room {room:.1e}")


def _rough32(losses: Problem, x: Floats) -> float:
    v = np.random.Generator(np.random.Philox(19)).standard_normal(x.shape)
    rough = 0.0
    for call, step in itertools.product((losses.loss, losses.gradient), (2.0**-8, 2.0**-2)):
        values = [numbers(call(losses.points(p))) for p in along(x, step, v)]
        rough = max(rough, float(roughness(np.array(values, float)).max()))
    return rough


def _tensors(sheet: Sheet, losses: Problem, x: Floats, made: Any) -> None:
    if "device" not in options_of(made):
        return
    need("its option device", "torch")
    import torch

    how = "loss and gradient at torch points, as its option device says"
    share, tensors = 0.0, cast(Any, torch.tensor(x))
    for call in (losses.loss, losses.gradient):
        own, tensor = numbers(call(losses.points(x))), call(tensors)
        if not isinstance(tensor, torch.Tensor):
            sheet.judge("torch", how, False, f"a tensor gives {type(tensor).__name__}")
            return
        off, size = gap(own, tensor)
        share = max(share, off / max(size, 1e-300))
    room = 64 * (x.shape[-1] + 16) * precision(x)
    sheet.judge("torch", how, share <= room, f"off by {share:.1e} of the size, room {room:.1e}")


def _samples(sheet: Sheet, losses: Problem, x: Floats) -> None:
    """Whether a sample is a function of (seed, run, client, round, step), and mixes no runs."""
    if not losses.stochastic:
        g = numbers(losses.gradient(losses.points(x)))
        sample = losses.sample(3, np.arange(len(x)), 1, 0)
        off, size = gap(losses.stochastic_gradient(losses.points(x), sample), g)
        room = 64 * (x.shape[-1] + 16) * precision(x) * size
        by = "" if off <= room else f"stochastic is False, and it is off the gradient by {off:.3g}"
        sheet.judge("stochastic gradient", "the gradient itself: no noise", off <= room, by)
        return
    drawn: list[str] = []
    ids, wrong = np.array([5, 0, 2, 9, 4, 1][: len(x)]), ""
    with global_draws(drawn):
        first = losses.sample(3, ids, 1, 2)
        losses.sample(3, ids, 0, 0)
        second = losses.sample(3, ids, 1, 2)
    kept = np.array(numbers(first))
    if drawn:
        wrong = f"it draws from {drawn[0]}"
    elif not same(first, second):
        wrong = "asked again, it gives another sample"
    else:
        for r in range(len(ids)):
            if not same(numbers(losses.sample(3, ids[r : r + 1], 1, 2))[0], kept[r]):
                wrong = f"run {ids[r]} alone has another sample than in a batch"
    sheet.judge("sample", "a function of (seed, run, client, round, step)", not wrong, wrong)
    one = numbers(losses.stochastic_gradient(losses.points(x.copy()), first))
    again = numbers(losses.stochastic_gradient(losses.points(x.copy()), first))
    true = same(one, again) and np.array_equal(numbers(first), kept)
    sheet.judge("stochastic gradient", "asked twice, its sample unmodified", true)
    by_runs, by_rounds = (
        _different(losses, lambda k: (k, 0, 0)),
        _different(losses, lambda k: (0, k, 0)),
    )
    by_steps = _different(losses, lambda k: (0, 0, k))
    many = max(by_runs, by_rounds, by_steps)
    lost = [
        word
        for word, found in (("run", by_runs), ("round", by_rounds), ("step", by_steps))
        if found == 1 and many > 40
    ]
    by = f"every {' and '.join(lost)} has the same sample" if lost else ""
    sheet.judge("draws anew", "64 runs, rounds and steps", not lost, by)


def _different(losses: Problem, at: Callable[[int], tuple[int, int, int]]) -> int:
    seen = set()
    for k in range(64):
        run, round, step = at(k)
        seen.add(np.asarray(numbers(losses.sample(3, np.array([run]), round, step))).tobytes())
    return len(seen)
