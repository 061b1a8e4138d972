"""Versions beside each other on one instance, and what an instance of a run may leave out."""

import numpy as np
import pytest
import sympy as sp

from theorylab.problems import FormulaProblem
from theorylab.statements import Assumption, Order, Quantity, Source, Statement, Version, versions
from theorylab.symbols import R2, L, T, eta, f0, mu, n, sigma_l
from theorylab.verdicts import judge_check

pytestmark = pytest.mark.usefixtures("registries")
RUN = {"problem": {"name": "huber"}, "clients": 1, "rounds": 4, "algorithm": {"eta": 0.5}, "x0": 3}
RATE, GAP = R2 / (2 * eta * T), Quantity("suboptimality", "last")


def claim(both, quantity=GAP):
    return Statement("own.claim", Source("own", "1", "for the tests"), quantity, both, "sgp")


def one_step_size(at):
    return at.algorithm.decay == 1


def test_a_rival_has_to_be_violated_and_every_other_version_to_hold():
    made = versions({"claim": RATE, "rival": RATE, "rival/x": RATE, "other": RATE}, RUN, n <= 1)
    told = {name: version.checks[0].expect for name, version in made.items()}
    assert told == dict.fromkeys(("rival", "rival/x"), "VIOLATED") | dict.fromkeys(
        ("claim", "other"), "HOLDS"
    )
    assert {version.checks[0].name for version in made.values()} == {"huber"}
    (named,) = versions({"claim": RATE}, RUN, check="far").values()
    assert named.checks[0].name == "far"


def test_a_version_is_the_one_that_is_written_out():
    facts = (eta * L <= 1, sp.Eq(sigma_l, 0), one_step_size, Assumption("one", rule=n <= 1))
    short = versions({"claim": RATE}, RUN, *facts, relation="==", tight=0.1)["claim"]
    long = Version(
        {"bound": RATE},
        (
            Assumption("L*eta <= 1", rule=eta * L <= 1),
            Assumption("sigma_l = 0", rule=sp.Eq(sigma_l, 0)),
            Assumption("one step size", holds=one_step_size),
            facts[3],
        ),
        short.checks,
        relation="==",
        tight=sp.Float(0.1),
    )
    assert short == long
    terms = versions({"claim": {"a": RATE, "b": R2}}, RUN)["claim"].terms
    assert terms == {"a": RATE, "b": R2}
    order = Order(1 / T, slack=0.1)
    assert versions({"claim": order}, RUN)["claim"].order is order


@pytest.mark.parametrize(
    ("instance", "fact", "line"),
    [
        ({"clients": 1}, n <= 1, "versions: the instance names no problem; need check="),
        (RUN, lambda at: True, "versions: a function without a name came as a fact; need def"),
        (RUN, "convex", "versions: 'convex' came as a fact; need a relation of symbols"),
    ],
)
def test_what_is_no_fact_is_one_line(instance, fact, line):
    with pytest.raises((TypeError, ValueError), match="^" + line):
        versions({"claim": RATE}, instance, fact)


def test_one_client_needs_no_network_and_a_method_without_options_none():
    short = {key: RUN[key] for key in ("problem", "clients", "rounds")}
    made = claim(versions({"claim": RATE}, short)).versions["claim"].checks[0].instance
    assert made == short | {"algorithm": {}, "topology": {"name": "complete"}}
    two = claim(versions({"claim": RATE}, {**short, "clients": 2})).versions["claim"]
    assert "topology" not in two.checks[0].instance
    about = {**short, "graph": "ring"}
    left = Quantity("norm", "rows", (0, 0), "x")
    other = Statement("own.exp", Source("own", "2", "x"), left, versions({"a": R2}, about), "", "e")
    assert other.versions["a"].checks[0].instance == about


def test_convexity_is_a_fact_that_a_loss_may_lack():
    """mu is -2/5 there: a claim about convex f says nothing of it, and was called VIOLATED."""
    assert (mu >= 0) not in (True, sp.true)
    bend = RUN | {"problem": {"name": "sin-sin"}, "x0": 0.3}
    gradient = Quantity("squared_gradient", "last")
    both = versions({"claim": L / 10**6}, bend, mu >= 0), versions({"claim": L / 10**6}, bend)
    found = [(claim(each, gradient), each["claim"].checks[0]) for each in both]
    told = [judge_check(each, "claim", check).verdict for each, check in found]
    assert told == ["ASSUMPTION_FAILS", "VIOLATED"]


class Bowl(FormulaProblem, name="test-loose-bowl"):
    """x^2/2 + 3/5: mu is 1, and the intervals leave -3.8."""

    @staticmethod
    def client_loss(x):
        return ((x * x) / 2 + 0.6 * np.sin(x) ** 2 + 0.6 * np.cos(x) ** 2).sum()

    @property
    def optimum(self):
        return np.zeros(self.dim)


def test_an_end_of_mu_below_0_refutes_nothing():
    """With mu = 1 the bound is 3.1/(mu eta T) = 1.55, and the measured side is 4^-4 5."""
    run = RUN | {"problem": {"name": "test-loose-bowl"}, "x0": 5**0.5}
    both = versions({"claim": f0 / (mu * eta * T)}, run)
    result = judge_check(claim(both, Quantity("squared_distance", "last")), "claim",
                         both["claim"].checks[0])  # fmt: skip
    assert (result.verdict, result.bound < 0 < result.measured) == ("INCONCLUSIVE", True)
    assert "mu = -3.8 is only a lower bound, and may be above 0" in result.reason


def test_a_mu_below_0_that_is_exact_refutes_as_any_number_does():
    both = versions({"claim": mu}, RUN | {"problem": {"name": "sin-sin"}, "x0": 0.3})
    result = judge_check(claim(both, Quantity("squared_gradient", "last")), "claim",
                         both["claim"].checks[0])  # fmt: skip
    assert (result.verdict, result.bound) == ("VIOLATED", -0.4)
