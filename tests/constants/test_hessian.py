import math

import mpmath
import numpy as np
import pytest

from theorylab.constants.hessian import (
    block_norms,
    hessian_product,
    largest_hessian_eigenvalue,
    operator_norm,
)
from theorylab.known import How
from theorylab.problems import Problem, problem

EPS = np.finfo(float).eps
FEATURES = [[1, 2, 1], [0, 3, 1], [2, 0, 1], [1, 1, 1], [4, 0, 1], [0, 1, 1], [3, 3, 1]]
TINY = {"features": FEATURES, "owners": [0, 0, 1, 1, 1, 2, 2], "clients": 3}
CASES = [
    {"name": "quadratic", "clients": 3, "dim": 3, "seed": 3},
    {"name": "quadratic", "clients": 2, "dim": 2, "mu": 1.0, "L": 1.0},
    {"name": "log-cosh", "clients": 3, "dim": 2, "spread": 2.0, "scale": 3.0},
    {"name": "clipped-linear", "clients": 3, "dim": 2, "spread": 1.0, "clip": 0.7},
    {"name": "logistic", "labels": [0, 1, 1, 0, 1, 0, 0], "reg": 0.25, **TINY},
    {"name": "softmax", "labels": [0, 1, 2, 0, 1, 2, 0], **TINY},
]


def integer_symmetric(d, seed):
    B = np.random.default_rng(seed).integers(-5, 6, (d, d))
    return (B + B.T).astype(float)


def true_spectrum(H):
    """Eigenvalues in 40 digits, an algorithm and an arithmetic of its own."""
    with mpmath.workdps(40):
        return sorted(float(v) for v in mpmath.eigsy(mpmath.matrix(H.tolist()))[0])


@pytest.mark.parametrize("d", [1, 2, 7])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_every_end_is_found_from_its_own_side(d, seed):
    H = integer_symmetric(d, seed)
    values = true_spectrum(H)
    norm = max(abs(values[0]), abs(values[-1]))
    # The bound gives away at most (dim^1.5 + 4 dim + 32) eps ||H||; Lanczos with dim steps and a
    # second orthogonalisation loses some multiple of that in v, squared in the value.
    slack = 20 * (d**1.5 + 4 * d + 32) * EPS * norm
    for end, expected in (("magnitude", norm), ("largest", values[-1]), ("smallest", values[0])):
        found = largest_hessian_eigenvalue(lambda v: H @ v, d, end=end)
        assert abs(found.known.value - expected) <= slack
        if end == "smallest":
            assert found.known.how is How.UPPER
            assert found.known.value >= expected
        else:
            assert found.known.how is How.LOWER
            assert found.known.value <= expected
        low, high = found.interval
        assert any(low <= v <= high for v in values)


def test_few_steps_give_a_smaller_bound_and_a_wider_interval_that_still_holds():
    H = np.diag(np.arange(1.0, 41.0))
    short = largest_hessian_eigenvalue(lambda v: H @ v, 40, steps=4)
    long = largest_hessian_eigenvalue(lambda v: H @ v, 40, steps=40)
    assert short.known.value < long.known.value <= 40
    assert short.products == 5
    assert short.residual > 1e-3 > 1e-9 > long.residual
    low, high = short.interval
    assert math.ceil(low) <= math.floor(high)  # the eigenvalues are the integers 1..40


def test_the_stated_error_of_the_product_is_taken_off():
    H = integer_symmetric(5, 4)
    norm = max(map(abs, true_spectrum(H)))
    found = largest_hessian_eigenvalue(lambda v: H @ v, 5, error=0.5)
    assert norm - 0.5 - 1e-12 * norm <= found.known.value <= norm - 0.5 + 1e-12 * norm
    bent = largest_hessian_eigenvalue(lambda v: H @ v + 0.4 * v, 5, error=0.5)
    assert bent.known.value <= norm


def test_a_zero_hessian_has_norm_zero():
    found = largest_hessian_eigenvalue(lambda v: 0 * v, 6)
    assert (found.known.value, found.residual) == (0.0, 0.0)


def test_a_multiple_of_the_identity_is_found_in_one_step():
    found = largest_hessian_eigenvalue(lambda v: -3 * v, 6)
    assert found.eigenvalue == pytest.approx(-3, abs=60 * EPS)
    assert found.products == 2


@pytest.mark.parametrize("shape", [(2, 5), (5, 2), (1, 1), (4, 4)])
def test_the_norm_of_a_block_is_its_largest_singular_value(shape):
    A = np.random.default_rng(1).integers(-4, 5, shape).astype(float)
    norm = math.sqrt(max(true_spectrum(A @ A.T)))  # integers: A A^T is exact
    known = operator_norm(lambda v: A @ v, lambda u: A.T @ u, shape)
    assert known.how is How.LOWER
    assert norm * (1 - 1e-12) <= known.value <= norm
    wrong = operator_norm(lambda v: A @ v, lambda u: -2 * np.ones(shape).T @ u, shape)
    assert wrong.value <= norm


def test_blocks_are_cut_out_of_the_right_rows_and_columns():
    H = np.array([[2.0, 0, 5, 0], [0, 7, 0, 0], [5, 0, 1, 0], [0, 0, 0, 3]])
    shared = np.array([True, False, False, True])
    found = block_norms(lambda v: H @ v, 4, shared)
    assert [k.value for k in found] == pytest.approx([3, 7, 5, 5], rel=1e-12)
    none = block_norms(lambda v: H @ v, 4, np.ones(4, bool))
    assert (none.L_v.value, none.L_uv.value, none.L_v.how) == (0, 0, How.EXACT)


@pytest.mark.parametrize("options", CASES, ids=lambda o: o["name"])
def test_the_product_is_the_slope_of_the_gradient(options):
    p, h = problem(**options), 2.0**-17
    rng = np.random.default_rng(2)
    x, v = rng.standard_normal((2, 2, p.clients, p.dim))
    slope = (p.gradient(x + h * v) - p.gradient(x - h * v)) / (2 * h)
    # Truncation: h^2 |v|^3 sup |f''''| / 6; along v the fourth derivative is at most
    # 2 L (|v| max |x_j|)^2 <= 2 L 18 |v|^2. Rounding: gradients good to 64 eps, over h.
    size, L = np.linalg.norm(v, axis=-1).max(), p.constants()["L"].value
    allowed = 6 * h * h * L * size**3 + 64 * EPS * (1 + np.abs(p.gradient(x)).max()) / h
    assert np.abs(hessian_product(p, x, v) - slope).max() <= allowed


def test_far_away_log_cosh_is_flat_without_a_warning():
    p = problem("log-cosh", 2)
    far = np.full((1, 2, 1), 1e300)
    assert 0 <= hessian_product(p, far, np.ones((1, 2, 1))).max() < 1e-300


@pytest.mark.parametrize(
    ("hvp", "options", "message"),
    [
        (lambda v: np.triu(np.ones((3, 3))) @ v, {}, "need a symmetric H"),
        (lambda v: v[:2], {}, r"is shape \(2,\); need \(3,\)"),
        (lambda v: v * np.nan, {}, r"is nan or inf; need \(3,\)"),
        (lambda v: v, {"steps": 0}, "steps is 0; need at least 1"),
        (lambda v: v, {"end": "top"}, "end is 'top'; need one of magnitude, largest, smallest"),
    ],
)
def test_a_bad_product_is_named(hvp, options, message):
    with pytest.raises(ValueError, match=message):
        largest_hessian_eigenvalue(hvp, 3, **options)


def test_a_problem_without_a_formula_and_a_wrong_shape_are_refused():
    p = problem("quadratic", 2, dim=2)
    with pytest.raises(ValueError, match=r"direction \(1, 2, 1\); need \(R,2,2\) both"):
        hessian_product(p, np.ones((1, 2, 2)), np.ones((1, 2, 1)))

    class Other(Problem):
        def loss(self, x):
            return x[..., 0]

        gradient = None

    with pytest.raises(TypeError, match="is a Other; need a problem whose loss is one function"):
        hessian_product(Other(1, 1), np.ones((1, 1, 1)), np.ones((1, 1, 1)))


@pytest.mark.parametrize(
    "options",
    [
        {"name": "coupled-quadratic", "seed": 3},
        {"name": "sin-sin", "seed": 3},
        {"name": "noisy", "base": {"name": "log-cosh", "dim": 3, "spread": 1.0}, "sigma": 0.5},
    ],
    ids=lambda options: options["name"],
)
def test_products_of_the_personalised_and_noisy_problems_are_differences_of_gradients(options):
    made = problem(options["name"], 3, **{k: v for k, v in options.items() if k != "name"})
    x, v = np.random.default_rng(0).normal(size=(2, 2, 3, made.dim))
    h = 1e-5
    slope = (made.gradient(x + h * v) - made.gradient(x - h * v)) / (2 * h)
    # central differences: h^2 |f''''| / 6 and eps |grad| / h, both below 1e-9 at these sizes
    assert np.allclose(hessian_product(made, x, v), slope, rtol=0, atol=1e-8)
