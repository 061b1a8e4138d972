"""Orders whose left side is sampled: a wrong exponent is refused, and seeds do what they can."""

import pytest
import sympy as sp

from theorylab.statements import Check, Order, Quantity, Source, Statement, Version
from theorylab.symbols import n
from theorylab.verdicts import judge_check

RUN = {
    "problem": {"name": "log-cosh", "sigma": 1.0, "dim": 2},
    "topology": {"name": "complete"},
    "clients": 4,
    "rounds": 30,
    "algorithm": {"eta": 0.2},
    "sweep": {"parameter": "clients", "values": [4, 8, 16, 32]},
}
SLACK = sp.Rational(1, 5)


def found(power, seeds, control=False, **options):
    check = Check("c", RUN, "HOLDS", control=control)
    order = Order(n**power, slack=SLACK, **options)
    statement = Statement(
        id="mine.rate",
        source=Source("mine", "1", "a rate"),
        algorithm="dpsgd",
        # near x* a square of two Gaussian numbers, so E X^2 is about 2 (E X)^2
        quantity=Quantity("squared_gradient", "last", kurtosis=3),
        versions={"printed": Version(order=order, checks=(check,))},
    )
    return judge_check(statement, "printed", check, seeds=seeds)


@pytest.mark.parametrize("options", [{"window": True}, {"control": True}])
def test_a_wrong_exponent_is_refused_of_samples(options):
    assert found(-2, 256, **options).verdict == "VIOLATED"


def test_a_right_exponent_is_never_refused_and_more_runs_narrow_it():
    few, more = (found(-1, seeds, window=True) for seeds in (16, 128))
    assert "VIOLATED" not in (few.verdict, more.verdict)
    assert more.ci[1] - more.ci[0] < few.ci[1] - few.ci[0]
    assert few.reason.endswith("more runs make it narrower")


def test_what_no_run_can_decide_is_not_run():
    result = found(-2, 4096)
    assert result.verdict == "INCONCLUSIVE"
    assert result.runs < 4096
    assert "a claim about the window" in result.reason
    assert "rounding" not in result.reason
