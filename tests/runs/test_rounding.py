"""What is allowed for rounding, against the same numbers as fractions or with fifty digits."""

import importlib
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from theorylab.experiments import experiment
from theorylab.problems import problem
from theorylab.runs import rounding
from theorylab.runs.rounding import RELATIVE, squared_room
from theorylab.statements import Check
from theorylab.verdicts import judge_check

EPS = 2.0**-53
sizes = st.sampled_from([0.0, 1e-90, 1e-12, 1.0, 3e7, 1e90])
digits = st.integers(-(2**52), 2**52).map(lambda k: k * 2.0**-52)  # no square underflows


def plain_sum(numbers):
    total = 0.0
    for number in numbers:
        total += number
    return total


@st.composite
def vectors(draw):
    """(b, e): computed vectors, and what they are off by, as floats."""
    shape = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    filled = st.lists(digits, min_size=math.prod(shape), max_size=math.prod(shape))
    b, e = (draw(sizes) * np.reshape(draw(filled), shape) for _ in range(2))
    parallel = draw(st.sampled_from([0.0, -1.0, 1.0, -3.0]))  # the worst of all directions
    return b, parallel * b if parallel else e


@settings(max_examples=300)
@given(vectors())
def test_the_allowance_of_a_mean_square_covers_it_and_is_attained(both):
    b, e = both
    runs = len(b)
    lengths = [sum(Fraction(x) ** 2 for x in row) for row in e.tolist()]
    off = math.sqrt(float(sum(lengths) / runs)) * (1 + 4 * EPS)  # rounded up
    computed = plain_sum(plain_sum(x * x for x in row) for row in b.tolist()) / runs
    true = [
        sum((Fraction(x) - Fraction(y)) ** 2 for x, y in zip(*rows, strict=True))
        for rows in zip(b.tolist(), e.tolist(), strict=True)
    ]
    error = abs(Fraction(computed) - sum(true) / runs)
    room = squared_room(computed, off)
    assert error <= Fraction(room)
    # the largest error there can be: the same vectors, each made longer by off in the mean
    root = mpmath.sqrt(mpmath.mpf(computed))
    worst = 2 * off * root + mpmath.mpf(off) ** 2
    assert room <= worst + 1.001 * RELATIVE * (root + off) ** 2 + 8 * EPS * worst


def test_a_plain_sum_of_equal_squares_needs_the_share():
    # 2^14 outcomes of fair signs have one square each; off = 0, and the sum has drifted
    square = 0.1
    computed = plain_sum([square] * 2**14) / 2**14
    error = abs(Fraction(computed) - Fraction(square))
    room = squared_room(computed, 0.0)
    assert 1000 * EPS * square < error < room < 1.001 * RELATIVE * computed


def quadratic(scale, far, ratio, seed, sides=(1, -1)):
    """Two clients whose Hessians have condition 1/ratio, their centers far along the flat way.

    On both sides of 0, unless told otherwise, so that the minimum is none of them.
    """
    drawn = np.random.default_rng(seed).normal(size=(2, 2))
    turn = np.linalg.qr(drawn)[0]
    H = scale * turn @ np.diag([1.0, ratio]) @ turn.T
    H = ((H + H.T) / 2).tolist()
    ends = [(side * far * turn[:, 1]).tolist() for side in sides]
    return {
        "name": "coupled-quadratic", "A": [H] * 2, "B": [H] * 2, "C": np.zeros((2, 2, 2)).tolist(),
        "a": ends, "b": ends,
    }  # fmt: skip


def exact_gradient(made, i, x):
    y = [Fraction(a) - Fraction(c) for a, c in zip(x, made.centers[i].tolist(), strict=True)]
    return [sum(Fraction(h) * z for h, z in zip(row, y, strict=True)) for row in
            made.hessians[i].tolist()], y  # fmt: skip


def length(vector):
    return math.sqrt(float(sum(x * x for x in vector)))


@settings(max_examples=60)
@given(
    st.sampled_from([1e-20, 1.0, 1e20]), st.sampled_from([0.0, 1.0, 1e8]),
    st.sampled_from([1.0, 1e-6, 1e-13]), st.integers(0, 10**6), st.sampled_from([1e-9, 1.0, 1e9]),
)  # fmt: skip
def test_gradients_losses_and_deviations_are_right_to_their_allowance(
    scale, far, ratio, seed, reach
):
    options = quadratic(scale, far, ratio, seed)
    made = problem(options.pop("name"), 2, **options)
    x = reach * np.random.default_rng(seed).normal(size=(1, 2, 4))
    g, losses, exact = made.gradient(x)[0], made.loss(x)[0], []
    for i in range(2):
        true, y = exact_gradient(made, i, x[0, i].tolist())
        exact.append(true)
        off = length([Fraction(a) - b for a, b in zip(g[i].tolist(), true, strict=True)])
        allowed = rounding.gradient_off(made, x)[0, i]
        largest = float(np.linalg.norm(x[0, i]) + np.linalg.norm(made.centers[i]))
        size = 2 * scale * (largest + np.linalg.norm(made.optimum))
        # d = 4, and the curvature is the scale: 24 sqrt(d) EPS of curvature and gradient at most
        assert off <= allowed <= 1.01 * 48 * EPS * size
        loss = sum(a * b for a, b in zip(true, y, strict=True)) / 2
        assert abs(Fraction(float(losses[i])) - loss) <= rounding.loss_off(made, x)[0, i]
    mean = [(a + b) / 2 for a, b in zip(*exact, strict=True)]
    apart = g - g.mean(axis=0)
    for i in range(2):
        true = [a - m for a, m in zip(exact[i], mean, strict=True)]
        off = length([Fraction(a) - b for a, b in zip(apart[i].tolist(), true, strict=True)])
        assert off <= rounding.deviation_off(made, x)


@pytest.mark.parametrize("phase", [0.0, 3.0, 1e9])
def test_a_phase_is_as_far_as_a_center(phase):
    made = problem("sin-sin", 1, phases=[[phase]], dim_u=1, dim_v=1, seed=3)
    x = np.array([[[0.7, 1.1 / 3]]])
    with mpmath.workdps(50):
        u, w = mpmath.mpf(0.7), mpmath.mpf(1.1 / 3) + phase
        parts = [made.A[0, 0], made.B[0, 0]]
        true = [mpmath.mpf(p) * (mpmath.mpf(y) - mpmath.mpf(c))
                for p, y, c in zip(parts, x[0, 0], made.centers[0], strict=True)]  # fmt: skip
        c = mpmath.mpf(float(made.c[0]))
        true[0] += c * mpmath.cos(u) * mpmath.sin(w)
        true[1] += c * mpmath.sin(u) * mpmath.cos(w)
        g = made.gradient(x)[0, 0]
        off = mpmath.sqrt(sum((mpmath.mpf(a) - b) ** 2 for a, b in zip(g, true, strict=True)))
        assert off <= rounding.gradient_off(made, x)[0, 0]
        loss = sum(mpmath.mpf(p) * (mpmath.mpf(y) - mpmath.mpf(k)) ** 2 / 2
                   for p, y, k in zip(parts, x[0, 0], made.centers[0], strict=True))  # fmt: skip
        loss += c * mpmath.sin(u) * mpmath.sin(w)
        assert abs(mpmath.mpf(float(made.loss(x)[0, 0])) - loss) <= rounding.loss_off(made, x)[0, 0]


@settings(max_examples=100)
@example(40, 0.4 * EPS, 1.0, 0.0, 0.0)  # every step a whole ulp, for .6 of one
@example(40, 2.0, 1e8 + 1e-7, 1e8, 0.0)  # what is off doubles every step
@example(40, 1e-3, 0.0, 0.0, 1.0)  # nothing but the gradient's error
@given(
    st.integers(1, 40), st.floats(1e-20, 3.0), st.sampled_from([0.0, 1e-10, 1.0, 1e8]),
    st.sampled_from([0.0, 1.0, 1e8]), st.sampled_from([0.0, 1e-9, -1.0]),
)  # fmt: skip
def test_a_walk_strays_by_its_allowance_at_most(steps, eta, start, center, slip):
    x, true, way = start, Fraction(start), [abs(start)]
    for _ in range(steps):
        x = x - eta * (1.5 * (x - center) + slip)
        true -= Fraction(eta) * Fraction(3, 2) * (true - Fraction(center))
        way.append(abs(x))
    # a difference, a product and a sum; and what the computed gradient is off by on purpose
    gradient = 4 * EPS * (1.5 * (max(way) + center) + abs(slip)) + abs(slip)
    off = rounding.walk_off(steps, eta, 1.5, max(way), gradient)
    assert abs(Fraction(x) - true) <= Fraction(off)


ALONE = {"topology": {"name": "complete"}, "clients": 2}
ILL = {**ALONE, "problem": quadratic(1.0, 1e8, 1e-12, 5, (1, 1)), "rounds": 8}
LOCAL = {"eta_u": 0.05, "eta_v": 0.05, "steps_u": 2, "steps_v": 2}
ULPS = {  # 1 - .6 * 2^-53 rounds to 1 - 2^-53: steps in floats are 1.7 times the true ones
    "topology": {"name": "complete"}, "clients": 1, "rounds": 1, "x0": 1.0,
    "problem": {"name": "coupled-quadratic", "A": [[[1.0]]], "B": [[[1.0]]], "C": [[[0.0]]],
                "a": [[0.0]], "b": [[0.0]]},
    "algorithm": {"eta_u": 0.6 * EPS, "eta_v": 0.6 * EPS, "steps_u": 300, "steps_v": 300,
                  "batch": "per-step"},
}  # fmt: skip
PUSHED = {"eta_u": 1e-3, "eta_v": 1e-3, "batch": "per-step"}
RESTING = {  # at the minimum from the start: what moves is rounding
    "problem": {"name": "sin-sin", "coupling": 0.0, "A": [[1.0]], "B": [[1.0]],
                "a": [[1e8 / 3]] * 3, "b": [[1e8 / 3]] * 3},
    "clients": 3, "rounds": [10, 100], "x0": 1e8 / 3,
    "topology": {"name": "edge-list", "weights": "uniform", "edges": [
        [0, 1], [1, 2], [2, 0], [0, 2], [0, 0], [1, 1], [2, 2]]},
}  # fmt: skip
FAR_PHASE = {
    "problem": {"name": "sin-sin", "phases": [[1e8, 1e8 + 1]] * 3, "seed": 1},
    "clients": 3, "reach": 1e-6, "probes": 8,
}  # fmt: skip
TRUE = {
    "ill eq12": ("deprl.eq12", "printed", {**ILL, "rounds": 8,
                                           "algorithm": {"alpha": 0.1, "beta": 0.1, "tau": 2}}),
    "ill eq22": ("dfedpgp.eq22", "printed", {**ILL, "algorithm": LOCAL}),
    "ill eq13": ("dfedalt.eq13", "corrected", {**ILL, "algorithm": {**LOCAL, "eta_u": 0.01}}),
    "ulps lem2": ("dfedpgp.lem2", "corrected", ULPS),
    "ulps eq25": ("dfedpgp.eq25", "corrected", ULPS),
    "resting thm1": ("dfedpgp.thm1", "corrected", {
        **RESTING, "rounds": 101, "at": [10, 100], "algorithm": PUSHED}),
    "resting lem3": ("dfedpgp.lem3", "corrected", {
        **RESTING, "rounds": 101, "at": [10, 100], "algorithm": PUSHED}),
    "resting deprl": ("deprl.thm1", "corrected", {
        **RESTING, "rounds": 100, "at": [10, 100],
        "topology": {"name": "ring", "weights": "metropolis"},
        "algorithm": {"alpha": 1e-3, "beta": 1e-3, "tau": 1}}),
    # found by verify/instances.py: clients that are all alike stay together
    "alike": ("dfedpgp.lem3", "corrected", {
        "problem": {"name": "coupled-quadratic", "A": [[[1.0]]] * 3, "B": [[[1.0]]] * 3,
                    "C": [[[0.0]]] * 3, "a": [[3.0]] * 3, "b": [[0.0]] * 3},
        "topology": {"name": "directed-exponential"}, "clients": 3, "rounds": 4, "at": [2, 3],
        "algorithm": {"eta_u": 1e-4, "eta_v": 0.07, "steps_u": 5, "steps_v": 1,
                      "batch": "per-step"}}),
    "phase deprl": ("deprl.asm2", "printed", FAR_PHASE),
    "phase dfedalt": ("dfedalt.asm1", "printed/uv", FAR_PHASE),
}  # fmt: skip


@pytest.mark.parametrize("name", TRUE)
def test_what_is_true_is_not_refuted_by_rounding(name):
    where, version, instance = TRUE[name]
    content = importlib.import_module(f"theorylab.statements.{where}").STATEMENT
    found = judge_check(content, version, Check(name, instance), seeds=16, exactly=False)
    assert found.verdict in ("HOLDS", "INCONCLUSIVE"), found.reason
    if name == "resting lem3":  # the gradient in its bound comes with an allowance
        return
    # and yet the measured side is above the bound by far more than a share
    bound = found.bound - found.terms.get("rounding", 0.0)
    assert found.measured > bound + 1e-9 * abs(bound)


def test_noise_over_all_signs_is_right_to_its_allowance():
    # 2^12 outcomes, equal squares: what their plain sum loses is in the allowance
    loss = {"name": "coupled-quadratic", "dim_u": 6, "dim_v": 6, "sigma_u": 0.7, "sigma_v": 0.3,
            "noise": "rademacher", "coupling": 0.0, "heterogeneity": 0.0}  # fmt: skip
    made = experiment("drawn-points", problem=loss, clients=1, reach=1e-3)
    for part, sigma in (("u", 0.7), ("v", 0.3)):
        for row in made.observe(f"noise_{part}", range(1), 0).rows:
            # the scale sigma/sqrt(d) is rounded: 4 EPS of a square more
            share = 4 * EPS * sigma**2
            assert abs(float(row.values[0]) - sigma**2) <= row.rounding + share
