"""A stranger's theorem with a problem of its own, whose true rate has a closed form."""

from __future__ import annotations

import random
from typing import Any

PROBLEM = """\
import numpy as np
from theorylab.known import How, Known
from theorylab.problems import Problem
from theorylab.statements import *
from theorylab.symbols import T, eta, f0, f_star, mu
class Mine(Problem, name="hostile-mine"):
    def __init__(self, clients, dim=1):
        super().__init__(clients, dim, False)
    def loss(self, x):
        {loss}
    def gradient(self, x):
        {gradient}
    def sample(self, *_): return None
    def stochastic_gradient(self, x, sample): return self.gradient(x)
    def measured_noise(self, x): return np.zeros((len(x), self.clients))
    def describe(self): return {{}}
    def constants(self):
        exact = {{"L": {L}, "mu": {mu}, "sigma_l": 0.0, "sigma_g": 0.0, "f_star": {level}}}
        return {{name: Known(value, How.EXACT, "by hand") for name, value in exact.items()}}
{top}
STATEMENT = Statement("hostile.thm1", Source("hostile", "1", "a rate"), "last_suboptimality",
    {{"claim": Version({{"a": {bound}}}, (Assumption("a", rule={rule}),), (Check("one", {{
        "problem": {{"name": "hostile-mine"}}, "topology": {{"name": "complete"}}, "clients": 1,
        "rounds": {rounds}, "algorithm": {{"eta": {step}}}, "x0": {x0}}}),))}}, algorithm="sgp")
"""
RIGHT = {
    "loss": "return 0.5 * CURVE * ((x - CENTRE) ** 2).sum(axis=-1) + LEVEL",
    "gradient": "return CURVE * (x - CENTRE)", "top": "", "rule": "eta * mu <= 1",
}  # fmt: skip


def theorem(draw: random.Random, factor: float, **other: Any) -> str:
    """The file of gradient descent on curve/2 (x - c)^2 + level: its gap after T rounds is
    (1 - step curve)^(2T) times that before, whatever the numbers."""
    curve, step = draw.choice((0.5, 1.0, 4.0)), draw.choice((0.1, 0.25, 0.5, 0.9))
    centre, level = draw.choice((0.0, 1.0, -7.0)), draw.choice((0.0, 1.0, -1e3))
    rounds, x0 = draw.choice((1, 2, 5, 20, 400)), draw.choice((3.0, 0.25, 1e3))
    step /= curve
    bound = f"{factor!r} * (1 - mu * eta) ** (2 * T) * (f0 - f_star)"
    parts = RIGHT | {"L": curve, "mu": curve, "level": level, "rounds": rounds, "step": step,
                     "x0": x0, "bound": bound} | other  # fmt: skip
    text = PROBLEM.format(**parts)
    for name, value in (("CURVE", curve), ("CENTRE", centre), ("LEVEL", level)):
        text = text.replace(name, repr(value))
    return text
