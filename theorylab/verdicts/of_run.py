"""The constants that a run defines by itself: its start, its length, the options of its method."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from theorylab.exact import span
from theorylab.known import COMPUTED, UNIT, How, Known
from theorylab.problems import Problem, independent_clients, minimiser
from theorylab.runs import Setting
from theorylab.verdicts.instance import Instance
from theorylab.verdicts.rounding import off_minimiser

_NARROW = 2.0**-30  # of a distance: a bound is then taken at both ends of an enclosure
ROUNDOFF = Known(UNIT, How.EXACT, "float64", asked=(Fraction(UNIT), Fraction(UNIT)))


def constants_of_run(
    instance: Instance, setting: Setting, wanted: Collection[str]
) -> dict[str, Known]:
    """What the run and the options of its algorithm define, by name; R2 and R2_clients where they
    are ``wanted`` and x* is known."""
    problem = setting.problem
    options = setting.algorithm.options()
    start = setting.start[None]
    numbers = {  # a choice of reading, or one K a client, is no constant of a bound
        name: value for name, value in options.items() if isinstance(value, int | float)
    }
    computed = {
        "f0": (
            float(problem.mean_loss(problem.points(start.mean(axis=1)))[0]),
            "f at the average of x^0",
        ),
        "x0_sq": (float((start**2).sum() / problem.clients), "(1/n) sum_i ||x_i^0||^2"),
        "x0_spread": (_spread(start[0]), "(1/n) sum_i ||x_i^0 - xbar^0||^2"),
    }
    if problem.is_field:  # a payoff is no loss: no bound on a descent begins at it
        del computed["f0"]
    typed = {
        "T": (instance.rounds, "rounds of the instance"),
        "n": (problem.clients, "clients of the instance"),
        "d": (problem.dim, "coordinates of the problem"),
    } | {name: (value, f"option {name}") for name, value in numbers.items()}
    if "local_steps" not in options or "local_steps" in numbers:
        typed["K"] = (numbers.get("local_steps", 1), "option local_steps")
    made = {name: Known(value, How.EXACT, text) for name, (value, text) in computed.items()}
    for name, (value, text) in typed.items():
        made[name] = Known(float(value), How.EXACT, text, asked=span(value))
    made["roundoff"] = ROUNDOFF
    far = _distances(setting) if {"R2", "R2_clients"} & set(wanted) else {}
    made |= {name: known for name, known in far.items() if name in wanted}
    return made | {"noise_clients": _noise_clients(problem)}


def _distances(setting: Setting) -> dict[str, Known]:
    """How far the start is from x*, as far as rounding of both lets it be known; {} without x*."""
    best, start = minimiser(setting.problem), setting.start
    if best is None or start.shape[-1] != best.shape[-1]:
        return {}
    found, off = {}, off_minimiser(setting.problem)
    for name, models, text in (
        ("R2", start.mean(axis=0, keepdims=True), "||xbar^0 - x*||^2"),
        ("R2_clients", start, "(1/n) sum_i ||x_i^0 - x*||^2"),
    ):
        away = np.linalg.norm(models - best, axis=1)
        size = np.linalg.norm(models, axis=1) + np.linalg.norm(best)
        room = len(best) * float(COMPUTED) * size + off
        how = How.EXACT if (off <= _NARROW * size).all() else How.CERTIFIED
        low, value, high = (
            float((np.maximum(away + side, 0.0) ** 2).mean()) for side in (-room, 0.0, room)
        )
        found[name] = Known(value, how, text, low, high)
    return found


def _spread(start: NDArray[np.float64]) -> float:
    """Of models (n, d) about their mean: counted from the first one, so 0 where all are alike."""
    away = start - start[0]
    return float(((away - away.mean(axis=0)) ** 2).sum() / len(away))


def _noise_clients(problem: Problem) -> Known:
    apart = independent_clients(problem)
    if apart is None:
        return Known(1.0, How.LOWER, "nothing says that the clients' samples are independent")
    source = "the clients' samples are independent" if apart else "all clients share their draws"
    return Known(float(problem.clients if apart else 1), How.EXACT, source)
