"""Theorem 2's O(.): the exponent that it misses, the brackets, controls that must fail."""

import dataclasses

import pytest

from theorylab.statements import Check
from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedalt._orders import ORDERS
from theorylab.statements.dfedsalt._instances import NOISY_RADIUS
from theorylab.statements.dfedsalt.thm2 import STATEMENT
from theorylab.verdicts import judge_check

FAR = {"law": "moments", "sweep": made.along("rounds", [10**k for k in range(8, 13)])}


@pytest.mark.parametrize("version", ["printed", "printed/appendix"])
def test_along_t_the_ratio_grows_as_the_root(version):
    found = judge_check(STATEMENT, version, Check("far", made.swept(**FAR, radius=0.0)))
    # 10^(1/2) in the limit; the transient is 1e-3 of the first T
    assert found.measured == pytest.approx(10**0.5, rel=2e-3)
    assert found.verdict == "VIOLATED"


# The float next to 1 is its rounding. 0.999999999999999 has 15 digits: it is what was written, and
# so is the rho that it makes: it differs (docs/verdicts.md, "Numbers are what was written").
@pytest.mark.parametrize(
    ("factor", "fails"), [(1 - 2.0**-53, False), (1 - 1e-15, True), (1.001, True)]
)
def test_the_radius_is_the_theorems_to_the_rounding_of_a_float(factor, fails):
    data = made.swept(**NOISY_RADIUS)
    follow = {**data["sweep"]["set"], "algorithm.rho": f"{factor!r}*dfedalt_radius/sqrt(rounds)"}
    data["sweep"] = {**data["sweep"], "set": follow}
    found = judge_check(STATEMENT, "printed", Check("planted", data))
    assert found.verdict == ("ASSUMPTION_FAILS" if fails else "VIOLATED")
    assert found.reason.startswith("Theorem: rho = rho_0/sqrt T") == fails


def test_controls_fail(missed):
    """As claims about the window: nothing is proved against an order that is true."""
    content = dataclasses.replace(STATEMENT.versions["corrected"], assumes=())
    statement = dataclasses.replace(STATEMENT, versions={"corrected": content})

    def claimed(bracket):
        order = dataclasses.replace(content.order, bracket=bracket, window=True)
        return {"terms": content.terms, "order": order}

    along, right = made.swept(**made.ALONG_ROUNDS, radius=0.0), content.order.bracket
    faults = {
        "T^(-3/4)": (claimed(right**1.5), along),
        "1/T": (claimed(right**2), along),
        "m^(-3/2)": (claimed(right**1.5), made.swept(**made.ALONG_CLIENTS, radius=0.0)),
        "printed": (claimed(ORDERS["thm2"]), made.swept(radius=0.0)),
        "appendix": (claimed(ORDERS["thm2-appendix"]), made.swept(radius=0.0)),
    }
    assert missed(statement, "corrected", faults) == set()


def test_no_order_along_t_grows(never_violated):
    def make(draw):
        noise = dict(zip(("sigma_u", "sigma_v"), map(float, 10 ** draw.uniform(-2, 1, 2)),
                         strict=True))  # fmt: skip
        problem = made.scalars(2, float(10 ** draw.uniform(-1, 1)), 1.0, **noise)
        sweep = made.along("rounds", [10**k for k in range(5, 10)], 4)
        L = {"u": repr(problem["A"][0][0][0]), "v": "1"}
        return made.swept(problem=problem, sweep=sweep, L=L, radius=0.0, x0=float(draw.normal()))

    assert never_violated(STATEMENT, "corrected", make, range(10)) == 1
