"""Losses of the round, and the regret of a sequence, against fractions and loops by hand."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import theorylab.statements as st
from theorylab.algorithms import DPSGD
from theorylab.problems import FormulaProblem, Noisy, Option, Options, minimiser, problem
from theorylab.runs import simulate
from theorylab.scripts import UnscriptedError, script
from theorylab.speedup.copies import Copies
from theorylab.symbols import T, f0
from theorylab.topologies import topology
from theorylab.verdicts import judge_check

pytestmark = pytest.mark.usefixtures("registries")


class Moving(FormulaProblem, name="test-moving"):
    options = Options(center=Option(1.0, each=True, moves=(-5.0, 5.0)))

    @staticmethod
    def client_loss(x, center, t):
        return ((x - center * t / 8) ** 2).sum() / 2


class Breathing(FormulaProblem, name="test-breathing"):
    @staticmethod
    def client_loss(x, t):
        return (2 + np.cos(t)) * (x * x).sum() / 2 + x.sum() * np.sin(t)


CENTERS, START, ETA = [1.0, 3.0], 3.0, 0.25
RUN = {"problem": {"name": "test-moving", "center": CENTERS}, "topology": {"name": "complete"},
       "clients": 2, "rounds": 12, "algorithm": {"eta": ETA}, "x0": START}  # fmt: skip


def by_hand(rounds):
    """(the mean models of all rounds, the regret of the first t rounds for all t), in fractions."""
    x, models, seen, found = Fraction(START), [], [], [Fraction(0)]
    for t in range(rounds):
        points = [Fraction(c) * t / 8 for c in CENTERS]
        models.append(x)
        seen += [(points, sum((x - p) ** 2 for p in points) / 4)]
        every = [p for each, _ in seen for p in each]
        best = sum(every) / len(every)
        least = sum((best - p) ** 2 for p in every) / 4
        found.append(sum(loss for _, loss in seen) - least)
        x -= Fraction(ETA) * sum(x - p for p in points) / 2
    return models, found


def judged(bound, column="regret", over="last", run=RUN, both=False):
    version, source = st.Version({"rate": bound}), st.Source("A 2020", "Theorem 1", "regret")
    quantity = st.Quantity(column, over)
    statement = st.Statement("test.online", source, quantity, {"claim": version}, "dpsgd")
    result = judge_check(statement, "claim", st.Check("online", run))
    return (statement, result) if both else result


def test_every_round_is_played_and_recorded_with_its_own_losses():
    models, _ = by_hand(12)
    trace = simulate(problem("test-moving", 2, center=CENTERS), topology("complete", 2),
                     DPSGD(ETA), rounds=12, x0=START)  # fmt: skip
    for t, x in enumerate(models):
        loss = sum((x - Fraction(c) * t / 8) ** 2 for c in CENTERS) / 4
        assert abs(float(trace.columns["loss"][0, t]) - float(loss)) <= 1e-13 * (1 + loss)


def test_the_regret_is_that_of_fractions_and_both_verdicts_follow():
    regret = float(by_hand(12)[1][-1])
    result = judged(T**2)
    assert abs(result.measured - regret) <= 1e-9 * regret
    assert judged(sp.Rational(int(regret * 1000) + 1, 1000)).verdict == "HOLDS"
    assert judged(sp.Rational(int(regret * 1000), 1000)).verdict == "VIOLATED"
    worst = max(map(float, by_hand(12)[1]))
    assert judged(sp.Float(worst + 0.01), over="every").verdict == "HOLDS"


def test_constants_hold_for_every_round():
    p = problem("test-breathing", 1)
    known = p.constants()
    assert 3 <= known["L"].value < 3.0001
    assert 0.9999 < known["mu"].value <= 1
    assert ("f_star" in known, minimiser(p), p.formula) == (False, None, None)
    there = p.of_round(2).gradient(np.ones((1, 1, 1)))[0, 0, 0]
    assert abs(there - (2 + np.cos(2) + np.sin(2))) <= 1e-14


def test_the_regret_of_one_loss_is_the_sum_of_its_gaps():
    run = {**RUN, "problem": {"name": "huber", "centers": [[1.0], [1.0]], "width": 10.0}}
    gaps = sum((Fraction(2) * Fraction(3, 4) ** t) ** 2 / 2 for t in range(12))
    assert abs(judged(T, run=run).measured - float(gaps)) <= 1e-8


def test_a_sum_without_a_least_value_has_no_regret():
    class Slope(FormulaProblem, name="test-swing"):
        @staticmethod
        def client_loss(x, t):
            return x.sum() * np.cos(t)

    with pytest.raises(ValueError, match="is not enclosed; need convex losses"):
        judged(T, run={**RUN, "problem": {"name": "test-swing"}})


def test_losses_that_a_class_writes_by_hand_or_a_set_leave_no_least_sum():
    class Bowl(FormulaProblem):
        @staticmethod
        def client_loss(x):
            return (x * x).sum() / 2

    class Raised(Bowl, name="test-raised"):
        def loss(self, x):
            return super().loss(x) + 10

    class Confined(Bowl, name="test-confined"):
        @staticmethod
        def inside(x):
            return (x >= 1).all(-1)

    with pytest.raises(ValueError, match="is not enclosed; need convex losses"):
        judged(T, run={**RUN, "problem": {"name": "test-raised"}})
    with pytest.raises(ValueError, match="test-confined names a set by inside"):
        judged(T, run={**RUN, "problem": {"name": "test-confined"}})
    with pytest.raises(ValueError, match="f\\* of test-confined is not known"):
        judged(T, "suboptimality", run={**RUN, "problem": {"name": "test-confined"}})


def test_what_is_about_one_loss_refuses_losses_of_the_round():
    p = problem("test-moving", 2)
    refused = {
        "f\\* of test-moving is not known": lambda: judged(f0, "suboptimality"),
        "average iterate came, and test-moving has": lambda: judged(f0, "loss", "average iterate"),
        "base test-moving has losses of the round": lambda: Noisy(2, base=p),
        "a study needs fixed ones": lambda: Copies(p, np.arange(2), False),
        "runs on the host only": lambda: problem("test-moving", 2, device="cuda"),
    }
    for match, call in refused.items():
        with pytest.raises((ValueError, TypeError), match=match):
            call()
    both = judged(f0, "squared_gradient", both=True)
    with pytest.raises(UnscriptedError, match="test-moving losses of the round"):
        script(*both)
