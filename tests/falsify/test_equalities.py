"""Options that an equality ties follow what is moved."""

import pytest
import sympy as sp

from theorylab.falsify.equalities import tied
from theorylab.known import How, Known
from theorylab.symbols import L, alpha, eta, mu

STEP, SHARE = ("algorithm", "eta"), ("algorithm", "alpha")
RUN = {"algorithm": {"eta": 0.5, "alpha": 0.25}, "problem": {"L": 25.0}}
POLYAK = sp.Eq(eta, 4 / (sp.sqrt(L) + sp.sqrt(mu)) ** 2)


def constants(**values):
    symbols = {"L": L, "mu": mu, "eta": eta, "alpha": alpha}
    return {symbols[name]: Known(value, How.EXACT, "given") for name, value in values.items()}


KNOWN = constants(L=25.0, mu=1.0, eta=0.5, alpha=0.25)


def test_a_tuned_step_follows_the_curvature():
    made = tied([POLYAK], RUN, {eta: STEP}, KNOWN)
    assert made["algorithm"] == {"eta": float(sp.Rational(1, 9)), "alpha": 0.25}
    assert RUN["algorithm"]["eta"] == 0.5  # what was given is as it was


def test_two_options_follow_where_one_stands_in_the_rule_of_the_other():
    rules = [sp.Eq(alpha, eta * L / 100), POLYAK]  # the first is right after the second alone
    made = tied(rules, RUN, {eta: STEP, alpha: SHARE}, KNOWN)
    assert made["algorithm"] == {
        "eta": float(sp.Rational(1, 9)),
        "alpha": float(sp.Rational(1, 36)),
    }


def test_what_stands_alone_on_no_side_is_solved_for():
    made = tied([sp.Eq(sp.sqrt(alpha), 1 - 2 / (sp.sqrt(L / mu) + 1))], RUN, {alpha: SHARE}, KNOWN)
    assert made["algorithm"]["alpha"] == float(sp.Rational(4, 9))


def test_of_two_solutions_the_nearest_is_taken():
    rule = sp.Eq(alpha**2 - alpha, -sp.Rational(6, 25))  # 2/5 and 3/5
    near = tied([rule], RUN, {alpha: SHARE}, KNOWN)
    far = tied([rule], RUN, {alpha: SHARE}, constants(alpha=0.7))
    assert (near["algorithm"]["alpha"], far["algorithm"]["alpha"]) == (0.4, 0.6)


@pytest.mark.parametrize(
    "rule",
    [
        sp.Eq(eta, 1 / (2 * mu)),  # kept already
        sp.Eq(eta, mu - L),  # no step above 0
        sp.Eq(L, 25 * mu),  # ties no option
        eta <= 1 / L,
    ],
)
def test_nothing_is_made_where_nothing_has_to_follow(rule):
    assert tied([rule], RUN, {eta: STEP}, KNOWN) is None
