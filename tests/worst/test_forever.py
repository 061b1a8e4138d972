"""Rates for all T: closed forms, runs that no rate is below, and what is refused."""

import importlib.util
import pathlib
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from theorylab.algorithms import algorithm
from theorylab.topologies import from_matrices, topology
from theorylab.worst import (
    DoublyStochastic,
    NotCertifiedError,
    check_certificate,
    forever,
    lyapunov,
)

HERE = pathlib.Path(__file__).parent
spec = importlib.util.spec_from_file_location("linear_methods", HERE / "linear_methods.py")
methods = importlib.util.module_from_spec(spec)
spec.loader.exec_module(methods)

MU, L = Fraction(1, 10), Fraction(1)
CHECKER = HERE.parents[1] / "theorylab/worst/check_certificate.py"


def network(*rounds):
    return from_matrices([np.array(P, dtype=float) for P in rounds])


def rate(method, *rounds, **options):
    return forever(method, network(*(rounds or [[[1]]])), mu=MU, L=L, **options)


@pytest.mark.parametrize(("eta", "mu", "big"), [(1.0, 0.1, 1), (1.5, 0.1, 1), (0.15, 1.0, 10)])
def test_gradient_descent_has_its_known_rate(eta, mu, big):
    exact = max(abs(1 - mu * eta), abs(1 - big * eta))
    alone, mu = topology("complete", 1), Fraction(str(mu))
    told = forever(algorithm("dpsgd", eta=eta), alone, mu=mu, L=Fraction(big))
    assert exact <= float(told.rate) ** 0.5 <= exact + 1e-3
    assert told.attained == pytest.approx(exact**2, rel=1e-12)
    assert 1 <= told.numbers["factor"] <= Fraction(10001, 10000)  # V is the squared distance


@pytest.mark.parametrize(
    ("method", "rounds", "exact"),
    [
        (algorithm("sgp", eta=0.5), [methods.ring(3)], 0.95),  # 1 - mu eta
        (algorithm("sgp", eta=0.5), [methods.ring(10)], 0.95),
        (algorithm("dpsgd", eta=0.5), [methods.path(4)], 0.95),
        (methods.Tracking(0.25), [methods.path(3)], 0.975),
        (methods.HeavyBall(1.0, 0.1), [[[1]]], 0.8872983),  # the radius at curvature mu
        (methods.Nesterov(1.0, 0.25), [[[1]]], 0.8648346),
    ],
)
def test_rates_that_quadratics_attain_are_proved(method, rounds, exact):
    told = rate(method, *rounds)
    assert exact - 1e-6 <= float(told.rate) ** 0.5 <= exact + 1e-3
    assert told.attained**0.5 == pytest.approx(exact, abs=1e-6)


@pytest.mark.parametrize(
    ("method", "rounds", "said"),
    [
        (algorithm("sgp", eta=0.5), [methods.chord()], "another run falls by the factor"),
        (
            algorithm("dfedsgpsm", eta=0.25, alpha=0.5, local_steps=2),
            [methods.chord(), methods.ring(3)],
            "in every round from round",
        ),
        (
            methods.HeavyBall(1.0, 0.25),
            [[[1]]],
            "a fixed point that it reaches falls by the factor",
        ),
    ],
)
def test_the_checker_alone_accepts_the_file(method, rounds, said, tmp_path):
    file = tmp_path / "rate.json"
    rate(method, *rounds).save(file)
    command = [sys.executable, "-I", "-S", str(CHECKER), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("PROVED:")
    assert said in done.stdout


def test_the_floor_of_noise_is_that_of_a_quadratic():
    told = rate(algorithm("dpsgd", eta=0.5), noise=True)
    exact = 0.5**2 / (1 - (1 - 0.1 * 0.5) ** 2)  # the variance at the end, of mu/2 x^2
    assert exact <= told.floor <= 1.002 * exact


def test_a_class_of_networks_has_one_v_for_every_sequence():
    support = [[1, 1, 0], [0, 1, 1], [1, 0, 1]]
    of = DoublyStochastic(support, Fraction(1, 4))
    told = forever(algorithm("dpsgd", eta=0.5), of, mu=MU, L=L)
    assert 0.95 <= float(told.rate) ** 0.5 <= 0.951
    assert len(told.certificate["multipliers"][0]) == 2  # its vertices: mostly stay, mostly move


curvatures = some.lists(some.floats(0.1, 1.0), min_size=6, max_size=6)
places = some.lists(some.floats(-1.0, 1.0), min_size=6, max_size=6)
CLAIMS = {}


@given(curvatures, places, some.lists(some.integers(0, 1), min_size=30, max_size=30))
@settings(max_examples=40)
def test_no_run_is_above_its_claim(curvature, place, sequence):
    """D-PSGD in plain NumPy: f_i of two coordinates, any sequence of the class's vertices."""
    if not CLAIMS:
        of = DoublyStochastic([[1, 1, 0], [0, 1, 1], [1, 0, 1]], Fraction(1, 4))
        told = forever(algorithm("dpsgd", eta=0.5), of, mu=MU, L=L, spread=True)
        CLAIMS.update(told.numbers, rate=told.rate)
    h, a = np.array(curvature).reshape(3, 2), np.array(place).reshape(3, 2)
    star = (h * a).sum(0) / h.sum(0)
    spread = ((h * (star - a)) ** 2).sum() / 3
    eye = np.eye(3)
    vertices = [0.75 * eye + 0.25 * np.roll(eye, 1, 1), 0.25 * eye + 0.75 * np.roll(eye, 1, 1)]
    x, start = np.zeros((3, 2)), (star**2).sum()
    for t, k in enumerate(sequence):
        bound = CLAIMS["factor"] * CLAIMS["rate"] ** t * start + CLAIMS["spread"] * spread
        assert ((x.mean(0) - star) ** 2).sum() <= float(bound) + 1e-12
        x = vertices[k] @ (x - 0.5 * h * (x - a))


@given(some.floats(0.1, 1.0), some.floats(0.1, 1.0), some.floats(0.02, 0.9))
@settings(max_examples=6)
def test_a_rate_is_never_below_what_two_quadratics_do(first, second, eta):
    """Push-sum on random curvatures, its matrix written out: no rate below the spectral radius."""
    h, P = np.array([first, second, 0.5]), np.array(methods.ring(3), dtype=float)
    radius = np.abs(np.linalg.eigvals(P @ np.diag(1 - eta * h))).max()
    assert radius**2 <= float(rate(algorithm("sgp", eta=eta), methods.ring(3)).rate) + 1e-12


def test_a_step_that_is_too_long_is_told():
    with pytest.raises(NotCertifiedError, match="the step is too long, mu is 0, or the network"):
        rate(algorithm("dpsgd", eta=2.5))
    with pytest.raises(NotCertifiedError, match="no V falls"):
        forever(algorithm("dpsgd", eta=0.5), topology("complete", 1), mu=Fraction(0), L=L)


def test_networks_and_classes_that_are_none_are_told_in_one_line():
    sgp, drawn = algorithm("sgp", eta=0.5), topology("random-out", 4, degree=2, seed=1)
    with pytest.raises(ValueError, match="drawn anew every round; need a periodic network"):
        forever(sgp, drawn, mu=MU, L=L)
    with pytest.raises(ValueError, match="mu = 1, L = 1; need 0 <= mu < L"):
        forever(sgp, topology("complete", 2), mu=L, L=L)
    with pytest.raises(ValueError, match="the class has no such networks"):
        forever(sgp, DoublyStochastic([[1, 1], [1, 1]], Fraction(2, 3)), mu=MU, L=L)
    unmixed = [[1, 0, 0], [0, methods.HALF, 1], [0, methods.HALF, 0]]
    with pytest.raises(NotCertifiedError, match="weights have no single limit"):
        rate(sgp, unmixed)


@pytest.mark.parametrize("paths", [0, 1])
def test_noise_that_comes_by_another_query_is_not_called_orthogonal(monkeypatch, paths):
    """A program that takes e_0 for orthogonal to g_2, or to g_1 and g_2, has too small a floor."""
    method, alone = methods.LookAhead(0.5, 0.5), from_matrices([np.ones((1, 1))])

    class Direct(check_certificate.Fall):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            first = [next(iter(row)) if row else None for row in self.vectors]
            self.orthogonal = []
            for e in (first[min(row)] for row in self.e if row):
                near = {e}
                for _, (x, g, _) in self.nodes if paths else ():
                    near |= {first[min(g)]} if e in self.vectors[min(x)] else set()
                self.orthogonal += [(e, b) for b in range(self.size) if b not in near]

    monkeypatch.setattr(lyapunov, "Fall", Direct)
    with pytest.raises(NotCertifiedError, match="no certificate near"):
        forever(method, alone, mu=MU, L=L, noise=True)
