"""A claim with a step at the very edge of its assumption, as users write it.

Right values: gradient descent on quadratics in closed form.
"""

from fractions import Fraction

import numpy as np
import pytest

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import L, T, eta, f0, f_star, mu, symbol
from theorylab.verdicts import judge_check

RUN = {
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 3,
    "algorithm": {"eta": 0.5},
    "x0": 1.0,
}
SMOOTH = (1 - mu * eta) ** T * (f0 - f_star)  # f(x^T) - f* <= of gradient descent, eta <= 1/L


def statement(rule, bound=SMOOTH):
    version = Version({"bound": bound}, (Assumption("step", rule=rule),))
    source = Source("textbook", "Theorem 1", "gradient descent")
    quantity = Quantity("suboptimality", "last")
    return Statement("edge.gd", source, quantity, {"claim": version}, "sgp")


CAP, STRICT = statement(eta * L <= 1), statement(eta * L < 2, 2 * (f0 - f_star))


def judged(claim, problem, step, exactly=True):
    instance = {**RUN, "problem": problem, "algorithm": {"eta": step}}
    return judge_check(claim, "claim", Check("own", instance), exactly=exactly)


def bowl(top):
    H = [[[top, 0.0], [0.0, top / 10]]]
    return {"name": "quadratic", "H": H, "c": [[0.0, 0.0]]}


@pytest.mark.parametrize("top", [10, 0.3, 1.1, 0.001, 49, 3])
@pytest.mark.parametrize("rule", [eta * L <= 1, eta <= 1 / L])
def test_one_over_L_applies_and_holds(top, rule):
    found = judged(statement(rule), bowl(float(top)), 1 / top)
    assert found.verdict == "HOLDS"
    assert "1 = 1" not in found.model_dump_json()


@pytest.mark.parametrize("seed", range(12))  # 100 of them were tried by hand
def test_one_over_L_of_a_drawn_quadratic_applies_and_holds(seed):
    problem = {"name": "quadratic", "dim": 3, "mu": 0.1, "L": 2.0, "seed": seed}
    assert judged(CAP, problem, 0.5).verdict == "HOLDS"
    assert judged(STRICT, problem, 1.0).verdict == "ASSUMPTION_FAILS"
    assert judged(STRICT, problem, 1 - 1e-9).verdict == "HOLDS"


def test_a_strict_edge_is_told_as_one():
    at = judged(STRICT, bowl(2.0), 1.0)
    assert at.verdict == "ASSUMPTION_FAILS"
    assert at.reason == "step: L*eta and 2 are equal, 2, and the rule is strict"
    assert judged(STRICT, bowl(2.0), 1 - 1e-12).verdict == "HOLDS"


FALSE = statement(eta * L <= 1, (1 - eta * L / 2) ** (8 * T) * (f0 - f_star))  # far too small


def test_no_violation_rests_on_an_assumption_that_rounding_decides():
    drawn = {"name": "quadratic", "dim": 3, "mu": 0.1, "L": 2.0, "seed": 1}
    inside, edge = judged(FALSE, drawn, 0.49), judged(FALSE, drawn, 0.5, exactly=False)
    assert inside.verdict == "VIOLATED"
    assert edge.verdict == "INCONCLUSIVE"
    assert "step is met by less than rounding" in edge.reason
    assert "one part in 1e9" in edge.reason


def test_an_edge_that_float64_holds_carries_a_violation():
    assert judged(FALSE, bowl(2.0), 0.5).verdict == "VIOLATED"
    assert Fraction(0.1) > Fraction(1, 10)  # so that a run with .1 is outside of eta <= 1/10
    assert judged(FALSE, bowl(10.0), 0.1, exactly=False).verdict == "INCONCLUSIVE"
    assert judged(FALSE, bowl(10.0), 0.1).verdict == "VIOLATED"  # with a tenth, in fractions
    assert judged(FALSE, bowl(10.0), 0.0999).verdict == "VIOLATED"


def test_a_third_is_a_third_in_the_assumption_and_in_the_record():
    for step in ("1/3", Fraction(1, 3)):
        found = judged(CAP, bowl(3.0), step)
        assert found.verdict == "HOLDS"
        assert found.instance["algorithm"]["eta"] == "1/3"
        assert found.constants["eta"]["asked"] == "1/3"
        assert found.constants["eta"]["value"] == 1 / 3
        (row,) = found.assumptions
        assert (row.margin, row.reason) == (0, "L*eta and 1 are equal: it is met at its edge")
        assert judged(STRICT, bowl(6.0), step).verdict == "ASSUMPTION_FAILS"
    top = {"name": "quadratic", "dim": 3, "mu": 0.1, "L": "10/3", "seed": 2}
    assert judged(CAP, top, 0.3).assumptions[0].margin == 0


def test_a_step_that_float64_cannot_tell_from_a_strict_edge_is_refused():
    near = f"{10**30 - 1}/{10**30}"
    with pytest.raises(ValueError, match=r"eta is so near to the edge .*run, 1\.0, breaks it"):
        judged(STRICT, bowl(2.0), near)


@pytest.mark.parametrize("tail", ["50000000000000000001", "49999999999999999999"])
def test_a_fraction_beside_a_float_does_not_stand_for_it(tail):
    """alpha and eta have one float64; only alpha is not a half."""
    version = Version({"bound": 2 * (f0 - f_star)}, (Assumption("step", rule=eta * L <= 1),))
    source, quantity = Source("textbook", "Theorem 1", "x"), Quantity("suboptimality", "last")
    claim = Statement("edge.gd", source, quantity, {"claim": version}, "dfedsgpsm")
    options = {"eta": 0.5, "alpha": f"{tail}/100000000000000000000", "rho": 0.0, "local_steps": 1}
    instance = {**RUN, "problem": bowl(2.0), "algorithm": options}
    found = judge_check(claim, "claim", Check("own", instance))
    assert found.assumptions[0].reason == "L*eta and 1 are equal: it is met at its edge"
    reached = {c: found.constants[c].get("asked") for c in ("eta", "L")}
    assert reached == {"eta": None, "L": None}  # what the floats print
    alone = statement(eta * L <= 1)
    other = {**RUN, "problem": bowl(2.0), "algorithm": {"eta": options["alpha"]}}
    verdict = judge_check(alone, "claim", Check("own", other)).verdict
    assert verdict == ("ASSUMPTION_FAILS" if tail.endswith("1") else "HOLDS")


def test_a_given_integer_has_all_its_digits():
    cap = symbol("cap", "c", "a constant")
    claim = statement(cap <= 2**53)

    def given(value):
        problem, step = bowl(1.0), {"eta": 0.5}
        instance = {**RUN, "problem": problem, "algorithm": step, "constants": {"cap": value}}
        return judge_check(claim, "claim", Check("own", instance))

    found = given(2**53 + 1)
    assert found.verdict == "ASSUMPTION_FAILS"
    assert found.assumptions[0].reason.endswith("exceeds 9.0072e+15 by 1")
    assert given(2**53).verdict == "HOLDS"
    assert given(np.int64(3)).verdict == "HOLDS"
    for huge in (10**400, 10**5000):
        with pytest.raises(ValueError, match=r"constants\.cap is") as raised:
            given(huge)
        assert len(str(raised.value)) < 400


@pytest.mark.parametrize("step", [np.float32(0.125), np.float64(0.125), np.int64(1)])
def test_a_step_of_numpy_is_a_number(step):
    assert judged(CAP, bowl(1.0), step).verdict == "HOLDS"
