"""Letters of the field decide: lambda2, sigma2 and R2 are enclosed, and a bound holds at both ends.

Right values: a 6-ring with Metropolis weights has |lambda_2| = 2/3, a directed one cos(pi/6) for
both; x* and x^0 are written out.
"""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy as sp

from theorylab.known import How, Known
from theorylab.statements import Check, Source, Statement, Version
from theorylab.symbols import (
    R2,
    R2_clients,
    T,
    eta,
    kappa,
    lambda2,
    sigma2,
    singular_gap,
    spectral_gap,
    symbol,
    x0_spread,
)
from theorylab.verdicts import judge_check
from theorylab.verdicts.evidence import value_on_side

ALIKE = {"name": "quadratic", "dim": 1, "mu": 1.0, "L": 1.0, "heterogeneity": 0.0}
STARTS = [[1.0], [-2.0], [0.5], [0.0], [3.0], [1.5]]
RING = {"problem": ALIKE, "topology": {"name": "ring"}, "clients": 6, "rounds": 6, "x0": STARTS}
RING |= {"algorithm": {"eta": 2**-10, "order": "mix-then-step"}}


def judged(bound, run=RING, expect="HOLDS", constants=None, quantity="last_consensus"):
    version = Version({"bound": bound}, (), (Check("one", run, expect),), constants=constants or {})
    of = Statement(
        "letters.one", Source("me", "1", "letters"), quantity, {"claim": version}, "dpsgd"
    )
    return judge_check(of, "claim", version.checks[0])


@pytest.mark.parametrize("letter", [lambda2, sigma2])
def test_a_claim_on_the_spectrum_of_a_ring_is_decided(letter):
    assert judged(letter ** (2 * T) * x0_spread).verdict == "HOLDS"
    assert judged(letter ** (4 * T) * x0_spread).verdict == "VIOLATED"


@pytest.mark.parametrize(
    ("network", "letter", "right"),
    [
        ("ring", lambda2, sp.Rational(2, 3)),
        ("ring", spectral_gap, sp.Rational(1, 3)),
        ("directed-ring", lambda2, sp.cos(sp.pi / 6)),
        ("directed-ring", sigma2, sp.cos(sp.pi / 6)),
        ("directed-ring", singular_gap, 1 - sp.cos(sp.pi / 6)),
    ],
)
def test_the_letters_are_those_of_the_closed_forms(network, letter, right):
    found = judged(1000 * letter, RING | {"topology": {"name": network}})
    assert float(found.bound) == pytest.approx(1000 * float(right), rel=2**-50)
    (known,) = (found.constants[name] for name in ("lambda2", "sigma2") if name in found.constants)
    assert (known["how"], known["upper"] - known["lower"] < 2**-50) == ("exact", True)


def test_an_option_gives_its_symbol_a_value_and_constants_for_it_are_refused_with_the_reason():
    share = symbol("order_share", "o", "an option of nobody")
    assert judged(1000 * share, constants={share: lambda at: 1.0}).verdict == "HOLDS"
    told = "constants.eta is computed from the instance, where option eta of the algorithm gives it"
    with pytest.raises(ValueError, match=f"{told}; need no constants for it, or another name"):
        judged(1000 * eta, constants={eta: lambda at: 2.0**-10})


def test_an_estimate_of_a_drawn_network_decides_nothing():
    found = judged(100 * lambda2, RING | {"topology": {"name": "random-symmetric", "degree": 2}})
    assert found.verdict == "INCONCLUSIVE"
    assert "lambda2 is known as estimate (" in found.reason


def test_a_wide_enclosure_is_not_taken_for_a_number():
    wide = Known(0.5, How.CERTIFIED, "wide", 0.25, 0.75)
    assert value_on_side(lambda2, wide) is None


def test_the_start_is_as_far_from_the_minimiser_as_it_is():
    bowl = {"name": "quadratic", "H": [[[1.0]]] * 2, "c": [[3.0], [5.0]]}  # x* = 4
    run = RING | {"problem": bowl, "clients": 2, "x0": [[1.0], [2.0]], "rounds": 1}
    mean, clients = Fraction(5, 2) ** 2, Fraction(3**2 + 2**2, 2)
    found = judged(R2 + R2_clients, run).constants
    for name, right in (("R2", mean), ("R2_clients", clients)):
        low, high = found[name]["lower"], found[name]["upper"]
        assert Fraction(low) <= right <= Fraction(high)
        assert high - low < 1e-11


def test_a_file_that_computes_its_own_R2_goes_on_as_before():
    mine = symbol("R2", "R^2", "|x^0 - x*|^2", units=(0, 2))
    assert mine is R2
    found = judged(R2, constants={R2: lambda setting: 123.0})
    assert found.bound == 123.0


def test_a_problem_that_does_not_know_its_minimiser_says_so():
    with pytest.raises(ValueError, match=r"'R2' \(ridge does not know its x\*\)"):
        judged(R2, RING | {"problem": {"name": "ridge"}})


def test_the_start_of_a_regression_is_as_far_as_its_minimiser_is_known():
    # mean log(1 + exp(-+x)) has its minimiser at 0, which the search comes near to
    even = {"features": [[1.0], [1.0]], "labels": [1, 0], "owners": [0, 0], "batch": None}
    found = {}
    for name, rows in (("even", even), ("odd", even | {"labels": [1, 1]})):
        losses = {"name": "logistic", **rows, "reg": 0.5}
        run = RING | {"problem": losses, "clients": 1, "x0": 1.0, "rounds": 1}
        found[name] = judged(R2 * 9, run | {"topology": {"name": "complete"}}).constants["R2"]
    assert found["even"]["lower"] <= 1 <= found["even"]["upper"]
    # of two labels 1 the minimiser solves x / 2 = 1 / (1 + exp(x))
    best = mpmath.findroot(lambda x: x / 2 - 1 / (1 + mpmath.exp(x)), 0.6)
    assert found["odd"]["lower"] <= (1 - best) ** 2 <= found["odd"]["upper"]


def test_an_unknown_letter_is_told_with_the_nearest():
    near = symbol("lamda2", r"\ell", "a typing error")
    with pytest.raises(ValueError, match="did you mean lambda2"):
        judged(near * eta * kappa)


def test_the_ball_that_the_minimiser_lies_in_widens_R2(monkeypatch):
    # the middle of the ball is 1e-7 off the true x* = 4: R2 of a start at 1 is 9, not (3 - 1e-7)^2
    bowl = {"name": "quadratic", "H": [[[1.0]]], "c": [[4.0]]}
    run = RING | {"problem": bowl, "clients": 1, "x0": 1.0}
    monkeypatch.setattr("theorylab.verdicts.of_run.minimiser", lambda problem: np.array([4 - 1e-7]))
    for off, verdict in ((2e-7, "INCONCLUSIVE"), (2e-11, "HOLDS")):  # nine digits serve
        monkeypatch.setattr("theorylab.verdicts.of_run.off_minimiser", lambda problem, off=off: off)
        found = judged(R2, run)
        assert found.verdict == verdict
        if verdict == "INCONCLUSIVE":
            assert found.constants["R2"]["lower"] < 9 < found.constants["R2"]["upper"]
