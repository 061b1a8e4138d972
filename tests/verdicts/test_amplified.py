"""A run whose rounding grows decides nothing of the exact one."""

from fractions import Fraction

import numpy as np
import pytest
from sympy import Rational

from theorylab.algorithms import Algorithm
from theorylab.known import How, Known
from theorylab.problems import Problem
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import T, eta, mu, symbol, t
from theorylab.verdicts import judge_check

R2 = symbol("amplified_R2", "R^2", "|x^0 - x*|^2", units=(0, 2))
# eigenvalues 1/10 along (2, -1) and 3 along (1, 2)
H = [[0.68, 1.16], [1.16, 2.42]]
RATE = (1 - mu * eta) ** (2 * T) * R2


class Kink(Problem, name="test-amplified-kink"):
    """f(x) = |x|, whose sign decides every step."""

    def __init__(self, clients):
        super().__init__(clients, 1)
        self.optimum = np.zeros(1)

    def loss(self, x):
        return np.abs(x).sum(axis=2)

    def gradient(self, x):
        return np.sign(x)

    def constants(self):
        return {"f_star": Known(0.0, How.EXACT, "f = |x|")}


class Shifted(Algorithm, name="test-amplified-shifted"):
    """Gradient descent in coordinates where it starts at 0."""

    def __init__(self, eta):
        self.eta = eta

    def step(self, state, net):
        return net.next(state, x=state.x - self.eta * net.gradient(state.x))


def judged(bound, rounds, relation="<=", method="sgp", left="squared_distance", **changes):
    instance = {
        "problem": {"name": "quadratic", "H": [H], "c": [[0.0, 0.0]]},
        "topology": {"name": "complete"},
        **{"clients": 1, "rounds": rounds},
        "algorithm": {"eta": 1.0},
        "x0": [2.0, -1.0],
        "constants": {"amplified_R2": 5},
    }
    source = Source("test", "none", "an unstable direction that is never entered")
    version = Version({"b": bound}, relation=relation)
    quantity = left if isinstance(left, Quantity) else Quantity(left, "last")
    statement = Statement("test.amplified", source, quantity, {"claim": version}, method)
    return judge_check(statement, "claim", Check("one", instance | changes))


def exact(rounds):
    """|x^T|^2 in rationals: every step multiplies the start by 9/10."""
    x = [Fraction(2), Fraction(-1)]
    rows = [[Fraction(str(entry)) for entry in row] for row in H]
    for _ in range(rounds):
        moves = [sum(h * b for h, b in zip(row, x, strict=True)) for row in rows]
        x = [a - move for a, move in zip(x, moves, strict=True)]
    return sum(a * a for a in x)


@pytest.mark.parametrize("rounds", [60, 200])
def test_a_true_rate_is_not_violated_by_an_unstable_direction(rounds):
    assert exact(rounds) == 5 * Fraction(9, 10) ** (2 * rounds)
    found = judged(2 * RATE, rounds)
    assert found.verdict == "INCONCLUSIVE"
    assert found.measured > 2 * float(exact(rounds))  # what float64 says
    assert "rounding is amplified: a change of x^0 in its last digits moves its models" in (
        found.reason
    )


def test_a_false_lower_bound_does_not_hold_by_it():
    assert exact(100) < 1
    found = judged(R2 / 5, 100, relation=">=")
    assert (found.verdict, "rounding is amplified" in found.reason) == ("INCONCLUSIVE", True)


def test_a_lower_bound_holds_only_where_rounding_decides_no_place():
    # 1e-8 below |x^t|^2: nearest at t = 1, and at t = 36 rounding moves more than that
    assert exact(36) > 1e-8
    below = R2 * (1 - mu * eta) ** (2 * t) - 1e-8
    every = Quantity("squared_distance", "every")
    found = judged(below, 36, relation=">=", left=every)
    assert (found.verdict, "rounding is amplified" in found.reason) == ("INCONCLUSIVE", True)
    assert judged(below, 10, relation=">=", left=every).verdict == "HOLDS"


def test_expectations_that_are_exact_but_for_rounding_are_guarded_too():
    # noise grows by 2 a step: to sigma^2 sum_k 4^k < 1e61, where the rounding has come to 1e87
    noisy = {"name": "quadratic", "H": [H], "c": [[0.0, 0.0]], "sigma": 1e-30}
    assert Fraction(1, 10**60) * 4**200 < 10**61
    found = judged(R2 * 1e70, 200, problem=noisy)
    assert found.runs == 1
    assert (found.verdict, "rounding is amplified" in found.reason) == ("INCONCLUSIVE", True)


@pytest.mark.parametrize("rounds", [1, 10])
def test_few_rounds_decide(rounds):
    assert judged(2 * RATE, rounds).verdict == "HOLDS"
    assert judged(RATE / 2, rounds).verdict == "VIOLATED"
    assert judged(RATE / 2, rounds, relation=">=").verdict == "HOLDS"


def test_a_sign_that_rounding_decides_is_none():
    # .6 - 3/5 is 0, where the subgradient is 0, too: the exact run stays
    assert Fraction("0.6") - 3 * Fraction("0.2") == 0
    changes = {"problem": {"name": "test-amplified-kink"}, "x0": 0.6, "algorithm": {"eta": 0.2}}
    found = judged(R2 * 0, 4, left="suboptimality", **changes)
    assert (found.verdict, "moves its models by" in found.reason) == ("INCONCLUSIVE", True)
    found = judged(R2 * 0, 4, left="suboptimality", **changes | {"x0": 0.5})
    assert found.verdict == "VIOLATED"  # .3, .1, -.1, .1


def test_a_start_at_zero_moves_the_steps_instead():
    # the same run, seen from its start: y = x - x^0
    place = {"name": "quadratic", "H": [H], "c": [[-2.0, 1.0]]}
    whole = {"algorithm": {"eta": 1}}  # an integer is a step size, too
    for method, more in (("sgp", {}), ("test-amplified-shifted", {}), ("sgp", whole)):
        found = judged(2 * RATE, 200, problem=place, x0=0.0, method=method, **more)
        assert (found.verdict, "rounding is amplified" in found.reason) == ("INCONCLUSIVE", True)
    assert judged(RATE / 2, 10, problem=place, x0=0.0).verdict == "VIOLATED"


@pytest.mark.parametrize("rounds", [60, 200])
def test_a_start_that_is_zero_in_part_moves_the_steps_too(rounds):
    # the same run beside a coordinate that starts elsewhere and shrinks as the slow direction does
    wider = [[*row, 0.0] for row in H] + [[0.0, 0.0, 0.1]]
    place = {"name": "quadratic", "H": [wider], "c": [[-2.0, 1.0, 0.0]]}
    line = {"problem": place, "x0": [[0.0, 0.0, 1.0]]}
    assert 5 + 1 <= 2 * 5  # |x^0 - x*|^2 beside 2 R^2: the claim is true
    found = judged(2 * RATE, rounds, **line)
    assert (found.verdict, "rounding is amplified" in found.reason) == ("INCONCLUSIVE", True)
    assert judged(RATE / 2, 10, **line).verdict == "VIOLATED"


class Named(Algorithm, name="test-amplified-named"):
    """Gradient descent whose step size has a name of its user's own."""

    def __init__(self, rate):
        self.rate = np.float64(rate)  # a number of NumPy's is one, too

    def step(self, state, net):
        return net.next(state, x=state.x - self.rate * net.gradient(state.x))


def test_a_step_size_of_another_name_moves_too():
    place = {"name": "quadratic", "H": [H], "c": [[-2.0, 1.0]]}
    line = {"problem": place, "x0": 0.0, "method": "test-amplified-named"}
    line["algorithm"] = {"rate": 1.0}
    true = 2 * (1 - mu) ** (2 * T) * R2
    found = judged(true, 200, **line)
    assert (found.verdict, "rounding is amplified" in found.reason) == ("INCONCLUSIVE", True)
    assert judged(true / 4, 10, **line).verdict == "VIOLATED"


TRUE = R2 * Rational(9, 10) ** (2 * T)  # of the slow direction; the other one is never entered


def test_the_step_sizes_that_a_class_names_move_too():
    # the heads walk as the models above; the shared part stays
    heads = {"A": [[[1.0]]], "B": [H], "C": [[[0.0, 0.0]]], "a": [[0.0]], "b": [[-2.0, 1.0]]}
    place = {"problem": {"name": "coupled-quadratic", **heads}, "x0": 0.0}
    place["left"] = Quantity("own_loss", "last", units=(0, 2))
    place |= {"method": "deprl", "algorithm": {"alpha": 1.0, "beta": 0.5}}
    found = judged(TRUE, 200, **place)
    assert (found.verdict, "rounding is amplified" in found.reason) == ("INCONCLUSIVE", True)
    assert judged(TRUE / 40, 10, **place).verdict == "VIOLATED"


class Chaotic(Algorithm, name="test-amplified-chaotic"):
    """eta moves the last coordinate, alpha the others."""

    def __init__(self, eta, alpha, decay=1.0):
        if not 0 < decay <= 1:
            raise ValueError(f"decay is {decay}; need 0 < decay <= 1")
        self.eta, self.alpha, self.decay = eta, alpha, decay

    def step(self, state, net):
        sizes = np.full(state.x.shape[2], self.alpha)
        sizes[-1] = self.eta
        return net.next(state, x=state.x - sizes * self.decay**state.t * net.gradient(state.x))


def test_every_number_of_a_strangers_method_may_be_a_step_size():
    # decay cannot grow: the others move without it
    slow = [[*row, 0.0] for row in H] + [[0.0, 0.0, 0.1]]
    place = {"problem": {"name": "quadratic", "H": [slow], "c": [[-2.0, 1.0, 0.0]]}, "x0": 0.0}
    place |= {"method": "test-amplified-chaotic", "algorithm": {"eta": 0.5, "alpha": 1.0}}
    found = judged(TRUE, 200, **place)
    assert (found.verdict, "rounding is amplified" in found.reason) == ("INCONCLUSIVE", True)
    assert judged(TRUE / 2, 10, **place).verdict == "VIOLATED"


def test_a_step_size_that_is_a_text_of_the_round_moves_too():
    place = {"name": "quadratic", "H": [H], "c": [[-2.0, 1.0]]}
    for text in ("1", "1 + 0 * t"):
        found = judged(TRUE, 200, problem=place, x0=0.0, algorithm={"eta": text})
        assert (found.verdict, "rounding is amplified" in found.reason) == ("INCONCLUSIVE", True)
