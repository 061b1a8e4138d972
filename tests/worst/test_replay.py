"""Worst functions are run by the engine, and no run of the class is above the value."""

import importlib.util
import pathlib
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theorylab.topologies import from_matrices, topology
from theorylab.worst import Functions, NotSolvedError, UnboundedError, worst
from theorylab.worst.certificate import certify
from theorylab.worst.replay import _run

HERE = pathlib.Path(__file__).parent
spec = importlib.util.spec_from_file_location("cases_of_worst", HERE / "cases.py")
cases = importlib.util.module_from_spec(spec)
spec.loader.exec_module(cases)
ONE = topology("complete", 1)
BENT = {"network": ONE, "functions": Functions(-1, 1), "start": {"gap": 1}}
FLAT = {"functions": Functions(0, None, B=1), "start": {"distance": 1}, "metric": "gap-of-mean"}


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("sgp", {"rounds": 3}),
        ("dfedsgpsm", {"local_steps": 2, "alpha": 0.5, "eta": 0.2}),
        ("sgp", {"functions": Functions(0, 1), "metric": "gap", "network": topology("ring", 2)}),
        (
            "dpsgd",
            {"rounds": 4, **BENT},
        ),
        ("dpsgd", {"rounds": 3, "network": ONE, **FLAT}),
        ("dpsgd", {"network": topology("complete", 2), **FLAT}),
        ("dpsgd", {"rounds": 5, "network": topology("path", 3), **FLAT}),  # x* is at a kink
        ("dpsgd", {**BENT, "rounds": 10, "metric": "least-gradient", "eta": 1.0}),
        (
            "dpsgd",  # x* is anywhere
            {"network": ONE, "functions": Functions(), "start": {"gap": 1}, "metric": "gradient"},
        ),
    ],
)
def test_the_engine_attains_the_value_on_functions_of_the_class(name, options):
    words, more = cases.asked(name, **options)
    found = worst(*words, **more)
    played = found.replay()
    assert played.excess <= 1 + 1e-9
    # the solver's gap, and what shrinking takes for the last digits of its data; a free x* was
    # held within a ball
    assert (1 - 1e-6) * found.value <= played.value <= (1 + 1e-8) * found.value


def test_functions_that_leave_the_class_of_the_start_are_told():
    words, more = cases.asked()
    found = worst(*words, **more)
    played = found.replay()
    data = [f.data for f in played.problem.functions]
    run = _run(found.question, data, 1.1 * played.start, *words)
    assert run.excess == pytest.approx(1.1, rel=1e-6)


def plain_run(W, eta, rounds, curvatures, centers, x0):
    """|xbar^T - x*|^2 of x = W (x - eta grad f) on quadratics with x* = 0, in NumPy."""
    x = np.repeat(x0[None], len(W), axis=0)
    for _ in range(rounds):
        x = W @ (x - eta * curvatures * (x - centers))
    return float((x.mean(axis=0) ** 2).sum())


@settings(max_examples=12, deadline=None, derandomize=True, database=None)
@given(st.integers(2, 3), st.integers(1, 3), st.integers(1, 12), st.integers(0, 10**6))
def test_no_run_on_quadratics_of_the_class_is_above_the_proved_claim(n, rounds, eta, seed):
    draw = np.random.default_rng(seed)
    parts = draw.integers(0, 4, size=n) + 1
    circle = [
        [Fraction(int(parts[(j - i) % n]), int(parts.sum())) for j in range(n)] for i in range(n)
    ]
    P = np.array(circle, dtype=float)
    network = from_matrices([P])
    words, more = cases.asked("dpsgd", rounds=rounds, network=network, eta=eta / 8)
    found = worst(*words, **more, certify=True)
    assert found.certificate is not None
    for _ in range(30):
        curvatures = draw.uniform(0.1, 1, size=(n, 2))
        slopes = draw.normal(size=(n, 2))  # at x* = 0; they sum to 0, their mean square is 1
        slopes -= slopes.mean(axis=0)
        slopes /= np.sqrt((slopes**2).sum() / n)
        x0 = draw.normal(size=2)
        x0 /= np.linalg.norm(x0)
        met = plain_run(P, eta / 8, rounds, curvatures, -slopes / curvatures, x0)
        assert met <= float(found.certificate.claim)


@pytest.mark.parametrize(
    ("options", "missing"),
    [
        ({"start": {"distance": 1}}, "distance has no bound without spread"),
        ({"functions": Functions(0, None), "network": ONE, "name": "dpsgd"}, "gap has no .* B"),
        (
            {"functions": Functions(-1, 1), "start": {"gap": 1}, "rounds": 3},
            "mean-gradient has no bound without heterogeneity",
        ),
    ],
)
def test_what_has_no_worst_case_names_the_assumption_that_is_missing(options, missing):
    words, more = cases.asked(**{"start": {"distance": 1}, **options})
    with pytest.raises(UnboundedError, match=missing):
        worst(*words, **more)


def test_a_margin_that_rounding_does_not_allow_is_told_with_one_that_does(monkeypatch):
    words, more = cases.asked(rounds=3)
    found = worst(*words, **more, certify=True, margin=1e-12)
    assert found.outcome.told in ("NOT CERTIFIED", "PROVED")
    if found.certificate is None:
        assert "would do" in found.reason
    with pytest.raises(ArithmeticError):  # without room for rounding nothing is proved
        certify(found.question, found.program, found.found, -1e-3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "luck"}, "metric 'luck' is unknown; need one of distance, gap"),
        ({"start": {"luck": 1}}, "start 'luck' is unknown; need some of distance, gap"),
        ({"start": {"spread": 1}}, "no condition of the start is given; need distance or gap"),
        ({"start": {"distance": -1}}, "distance is -1; need at least 0"),
        ({"functions": Functions(-1, 1)}, "speaks of x.* which a class with mu < 0 has not"),
        ({"rounds": 0}, "rounds is 0; need at least 1"),
    ],
)
def test_a_question_that_is_none_is_refused_in_one_line(options, message):
    words, more = cases.asked(**options)
    with pytest.raises(ValueError, match=message) as caught:
        worst(*words, **more)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1, 1), "mu is 1, L is 1; need -L <= mu < L"),
        ((-2, 1), "mu is -2, L is 1; need -L <= mu < L"),
        ((-1, None), "mu is -1 without L"),
        ((0, 1, 0), "B is 0; need B > 0"),
    ],
)
def test_a_class_that_is_none_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Functions(*arguments)


def test_a_solver_that_stops_early_says_so(monkeypatch):
    monkeypatch.setattr("theorylab.worst.solver.ITERATIONS", 2)
    words, more = cases.asked()
    with pytest.raises(NotSolvedError, match="stopped with a gap of"):
        worst(*words, **more)


@pytest.mark.parametrize(("eta", "rounds"), [(100, 2), (3, 20)])
def test_a_large_worst_case_is_not_called_unbounded(eta, rounds):
    """Of f = x^2/2 it is (1 - eta)^(2T), and no other L-smooth f has more than (1 + eta)^(2T)."""
    words, more = cases.asked(
        "dpsgd", rounds, ONE, Functions(), {"distance": 1}, "distance", eta=eta
    )
    with pytest.raises(NotSolvedError, match="the solver stopped with a gap of"):
        worst(*words, **more)
