"""|(a + e)^2 - a^2| <= (2 a + e) e for a, e > 0: an equality, whose left side cancels in float64.

At a = 3 and e = 2.5e-16 the sum a + e is rounded to 3 + 4.4e-16, and the left side is 1.8 times
what it is. At e = .1 nothing cancels, and half of the bound is false.
"""

import numpy as np

from theorylab.experiments import Experiment, Observation, Row
from theorylab.known import How, Known
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import symbol

a = symbol("a", "a", "a number", positive=True)
e = symbol("e", "e", "its change", positive=True)
CHANGE = Quantity("change", "rows", (0, 0), r"|(a + e)^2 - a^2|")


class Squared(Experiment, name="claims.squared"):
    """How much a square changes."""

    columns = ("change",)

    def __init__(self, *, a=3.0, e=0.1):
        self.a, self.e = a, e

    def describe(self):
        return {"a": self.a, "e": self.e}

    def constants(self):
        return {name: Known(getattr(self, name), How.EXACT, "given") for name in "ae"}

    def observe(self, column, runs, seed):
        value = abs((self.a + self.e) ** 2 - self.a**2)
        return Observation((Row(np.array([value]), {}, "a"),), exact=True)


def statement(name, factor, step, verdict):
    check = Check("one", {"a": 3.0, "e": step}, verdict)
    version = Version({"bound": factor * (2 * a + e) * e}, (), (check,))
    source = Source("rounding", name, "a difference of squares")
    return Statement(
        f"rounding.{name}", source, CHANGE, {"claim": version}, experiment="claims.squared"
    )


STATEMENTS = [
    statement("tiny", 1, 2.5e-16, "INCONCLUSIVE"),
    statement("twice", 2, 0.1, "HOLDS"),
    statement("half", 0.5, 0.1, "VIOLATED"),
]
