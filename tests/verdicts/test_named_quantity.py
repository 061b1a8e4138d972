"""A quantity that is known by its name has a ceiling only where the problem has its constants."""

import pytest

from theorylab.known import How, Known
from theorylab.problems import Problem
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import B, L
from theorylab.verdicts import judge_check

RUN = {
    "problem": {"name": "test-no-slope"},
    "topology": {"name": "ring"},
    **{"clients": 3, "rounds": 8, "x0": 1.0},
    "algorithm": {"eta": 0.1},
}


def judged(quantity, term):
    source = Source("test", "none", "a ceiling")
    versions = {"claim": Version({"bound": term})}
    statement = Statement("test.ceiling", source, quantity, versions, "sgp")
    return judge_check(statement, "claim", Check("one", RUN))


class NoSlope(Problem, name="test-no-slope"):
    """f(x) = x^2/2, of which L is known and no bound on a gradient."""

    def __init__(self, clients):
        super().__init__(clients, 1)

    def loss(self, x):
        return (x**2).sum(axis=2) / 2

    def gradient(self, x):
        return 1.0 * x

    def constants(self):
        return {"L": Known(1.0, How.EXACT, "f = x^2/2")}


def test_a_named_quantity_has_no_ceiling_where_its_symbol_is_not_known():
    named = judged("mean_squared_gradient", L * 0 + 2)
    assert (named.verdict, "B" in named.constants) == ("HOLDS", False)
    own = Quantity("squared_gradient", "average", ceiling=B**2)
    with pytest.raises(ValueError, match="nothing defines the constant 'B'"):
        judged(own, L * 0 + 2)
    with pytest.raises(ValueError, match="nothing defines the constant 'B'"):
        judged("mean_squared_gradient", B)
