"""Small programs of matrix inequalities with known least values, and forms against their words."""

from fractions import Fraction

import numpy as np
import pytest

from theorylab.worst.barrier import BarrierError, Block, minimise, scalars
from theorylab.worst.lyapunov import Program, Step
from theorylab.worst.question import content


def test_the_least_eigenvalue_is_found():
    S = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0]])
    largest = Block(-S, np.eye(3)[None], np.array([0]))  # t I - S
    t = minimise(np.ones(1), [largest], np.array([9.0]), gap=1e-9)
    assert t[0] == pytest.approx(np.linalg.eigvalsh(S)[-1], rel=1e-8)


def test_a_linear_program_is_one_of_numbers():
    numbers = scalars(np.array([0.0, 0.0, -1.0]), np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 2.0]]))
    y = minimise(np.array([1.0, 3.0]), [numbers], np.array([2.0, 2.0]), gap=1e-9)
    assert y == pytest.approx([1.0, 0.0], abs=1e-6)  # x + 2 y >= 1: x alone is cheaper


def test_a_start_outside_is_told():
    with pytest.raises(BarrierError, match="not strictly feasible"):
        minimise(np.ones(1), [scalars(np.zeros(1), np.ones((1, 1)))], -np.ones(1), gap=1e-6)


def round_of(after, queries, clients, **kind):
    """The program of a round (rows over state | gradients) with curvatures from 1/5 to 2."""
    texts = ([[str(v) for v in row] for row in some] for some in (queries, after))
    method = dict(zip(("queries", "after"), texts, strict=True)) | {"sends": [], "starts": []}
    method |= {"owners": [j % clients for j in range(len(queries))], "weights": None}
    method |= {
        "networks": [[["1" if i == j else "0" for j in range(clients)] for i in range(clients)]]
    }
    data = content(
        "forever", clients, {"mu": Fraction(1, 5), "L": 2}, start={}, metric="distance",
        method=method,
    )  # fmt: skip
    whole = np.eye(len(after), dtype=int) + Fraction(0)
    return Program(data, whole, whole, len(after), **kind)


def program(**kind):
    """A program, and its round in floats with gradients in units of L."""
    draw = np.random.default_rng(3)
    shapes = ((3, 3), (3, 2), (2, 3))
    A, B, C = (draw.integers(-9, 10, shape) * Fraction(1, 8) for shape in shapes)
    D = np.array([[0, 0], [Fraction(1, 2), 0]], dtype=object)
    made = round_of(np.hstack([A, B]), np.hstack([C, D]), 2, **kind)
    A, B, C, D = (each.astype(float) for each in (A, 2 * B, C, 2 * D))
    return made, Step(A, B, C, D, np.full(2, 0.1), np.ones(2))


def test_the_fall_is_rho_v_less_the_next_v_less_the_sectors():
    made, step = program()
    y = np.abs(np.random.default_rng(4).standard_normal(sum(made.sizes)))
    P = np.zeros((3, 3))
    P[np.triu_indices(3)] = y[:6]
    P = P + P.T - np.diag(np.diag(P))
    eta, g = np.array([1.0, -2.0, 0.5]), np.array([0.3, -0.7])
    x, after = step.C @ eta + step.D @ g, step.A @ eta + step.B @ g
    sectors = y[6:8] @ ((g - 0.1 * x) * (x - g))
    z, fall = np.concatenate([eta, g]), made.blocks(0.9)[0]
    assert z @ fall.at(y) @ z == pytest.approx(0.9 * eta @ P @ eta - after @ P @ after - sectors)


def test_with_values_no_value_is_left_and_the_form_is_that_of_a_real_function():
    """For h = c/2 x^2 the form is rho V - V+ - sum lambda (inequality), with their values."""
    made, step = program(bregman=True)
    y = np.abs(np.random.default_rng(5).standard_normal(sum(made.sizes)))
    side, c, eta = made.side, 0.4, np.array([0.2, 1.0, -0.6])
    P = np.zeros((side, side))
    P[np.triu_indices(side)] = y[: made.sizes[0]]
    P = P + P.T - np.diag(np.diag(P))
    slope = np.linalg.solve(np.eye(2) - c * step.D, c * step.C)
    after = step.A @ eta + step.B @ (slope @ eta)
    g, later = slope @ eta, slope @ after
    x = [np.zeros(2), g / c, later / c]
    _, free, tau, _, _, _ = made.split(y)
    share = dict(zip(((2, 0), (2, 1), (1, 2), (0, 1)), free.reshape(4, 2), strict=True))
    share[0, 2] = tau + share[2, 0] + share[2, 1] - share[1, 2]
    share[1, 0] = 0.9 * tau + share[2, 1] + share[0, 1] - share[1, 2]
    said = 0.9 * (np.r_[eta, g] @ P @ np.r_[eta, g] + tau @ (c / 2 * x[1] ** 2))
    said -= np.r_[after, later] @ P @ np.r_[after, later] + tau @ (c / 2 * x[2] ** 2)
    for (a, b), shares in share.items():
        d = x[a] - x[b]
        bregman = c / 2 * d**2  # h_a - h_b - <h_b', d>
        rest = (c * d) ** 2 + 0.1 * d**2 - 2 * 0.1 * c * d**2
        said -= shares @ (bregman - rest / (2 * 0.9))
    z = np.r_[eta, g, later]
    assert z @ made.blocks(0.9)[0].at(y) @ z == pytest.approx(said)


def test_noise_is_orthogonal_to_what_does_not_come_after_it():
    """Query 1 is at x less noisy gradient 0, query 2 at x less noisy gradient 1."""
    queries = [[1, 0, 0, 0], [1, -1, 0, 0], [1, 0, -1, 0]]
    made = round_of([[1, -1, -1, -1]], queries, 1, noise=True)
    told = made.forms[0][0].apart  # eta, g_0, g_1, g_2, e_0, e_1, e_2
    assert told[4].tolist() == [True, True, False, False, False, True, True]
    assert told[5].tolist() == [True, True, True, False, True, False, True]
    assert told[6].tolist() == [True, True, True, True, True, True, False]
    assert (told == told.T).all()


def test_v_is_above_the_square_of_the_mean_model():
    made, _ = program()
    y, eta = np.zeros(sum(made.sizes)), np.array([1.0, 3.0, 7.0])
    assert eta @ made.blocks(0.9)[1].at(y) @ eta == pytest.approx(-4.0)  # (1 + 3)/2, squared
