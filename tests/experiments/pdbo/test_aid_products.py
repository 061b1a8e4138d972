"""Products counted by plain loops, and the residual of the worst matrix in closed form."""

import flint
import numpy as np
import pytest

from theorylab.experiments import experiment
from theorylab.experiments.pdbo.aid_products import normal_equations

SMALL = {"problem": {"clients": 3, "dim": 2, "hyper": 1, "seed": 5}, "step": 0.3}
CYCLE = {"name": "edge-list", "edges": [[0, 1], [1, 2], [2, 0]], "self_loops": False}


def rows(column, **options):
    made = experiment("aid-products", **options)
    return made, made.observe(column, range(1), 0).rows


def repeated(A, c, target):
    """(products, iterations) of q <- A q + c, q_1 = c, until the residual is small enough."""
    q, products, steps = c.copy(), 0, 1
    while np.linalg.norm(c - q + A @ q) > target * np.linalg.norm(c):
        q, products, steps = A @ q + c, products + 1, steps + 1
    return products, steps


def least_residuals(A, c):
    """min ||c - M q|| over the Krylov spaces of the normal equations, by least squares."""
    M = np.eye(len(c)) - A
    basis, found = [M.T @ c], []
    while len(basis) <= len(c):
        Q = np.linalg.qr(np.array(basis).T)[0]
        left = c - M @ Q @ np.linalg.lstsq(M @ Q, c, rcond=None)[0]
        found.append(np.linalg.norm(left) / np.linalg.norm(c))
        basis.append(M.T @ (M @ Q[:, -1]))
    return found


@pytest.mark.parametrize("variant", ["4a", "4b"])
@pytest.mark.parametrize("network", [{"name": "directed-ring"}, {"name": "sto-d", "seed": 3}])
def test_the_counts_are_those_of_the_loops(variant, network):
    targets = [0.3, 3e-2, 1e-3, 1e-5]
    options = {**SMALL, "variant": variant, "network": network, "targets": targets}
    made, found = rows("rb", **options)
    steps, cg = (made.observe(name, range(1), 0).rows for name in ("rb_iterations", "cg"))
    left = least_residuals(made.A, made.vector)
    for k, target in enumerate(targets):
        products, iterations = repeated(made.A, made.vector, target)
        assert found[k].values[0] == products
        assert steps[k].values[0] == iterations
        wanted = 1 + next(i for i, each in enumerate(left) if each <= target)
        assert found[k].at["cg_iterations"] == wanted
        assert cg[k].values[0] == found[k].at["cg_products"] == 2 * wanted


def test_many_products_are_counted_without_making_them():
    """A = 1 - alpha h on one client: (1 - 1e-7)^k <= 1/1000."""
    one = {"H": [[[1.0]]], "b": [[1.0]], "G": [[[0.0]]], "t": [[0.0]]}
    _, found = rows("rb_iterations", problem=one, network={"name": "complete"}, step=1e-7,
                    targets=[1e-3])  # fmt: skip
    wanted = np.log(1e-3) / np.log1p(-1e-7)
    assert abs(found[0].values[0] - wanted) <= 1 + 1e-6 * wanted


@pytest.mark.parametrize("a", [0.05, 0.5, 0.99])
@pytest.mark.parametrize("j", [1, 3, 6])
def test_the_cycle_leaves_the_reciprocal_of_a_chebyshev_polynomial(a, j):
    _, found = rows("rb_promise", norms=[a], iterations=[j])
    assert found[0].at["cg_residual"] == pytest.approx(2 * a**j / (1 + a ** (2 * j)), rel=1e-12)
    assert found[0].values[0] == pytest.approx(a ** (2 * j + 1), rel=1e-14)
    # the same matrix and vector by least squares, down to what float64 can tell
    A = a * np.roll(np.eye(2 * j), 1, axis=0)
    left = least_residuals(A, np.linalg.solve(np.eye(2 * j) - A, np.eye(2 * j)[0]))[j - 1]
    assert found[0].at["cg_residual"] == pytest.approx(left, abs=1e-12)


def test_conjugate_gradients_end_after_as_many_steps_as_there_are_numbers():
    rng = np.random.default_rng(0)
    with flint.ctx.workprec(200):
        A = flint.arb_mat(rng.normal(size=(5, 5)).tolist())
        c = flint.arb_mat(rng.normal(size=(5, 1)).tolist())
        left = [float(each) for each in normal_equations(A, c)]
    assert left[4] < 1e-40 < left[3]


def test_a_given_c_replaces_that_of_the_problem():
    options = {**SMALL, "network": {"name": "complete"}}
    made, _ = rows("rb", **options, c=[1.0, 0, 0, 0, 0, 0])
    assert np.array_equal(made.vector, np.eye(6)[0])
    assert experiment("aid-products", **made.describe()).describe() == made.describe()


def test_the_norm_and_the_asymmetry_are_those_of_the_matrix():
    made, _ = rows("rb", **SMALL, network={"name": "directed-ring"})
    known = made.constants()
    top = np.sqrt(np.linalg.eigvalsh(made.A.T @ made.A).max())
    assert known["norm_A"].value == pytest.approx(top, rel=1e-10)
    assert known["norm_A"].value >= top
    far = np.abs(np.linalg.eigvals(made.A - made.A.T)).max()
    assert known["asymmetry"].value == pytest.approx(far, rel=1e-10)


@pytest.mark.parametrize(
    "options",
    [{"targets": []}, {"targets": [1.0]}, {"targets": [1e-40]}, {"norms": [0.0]},
     {"iterations": [0]}, {"iterations": [33]}, {"c": [1.0]}, {"c": [0.0, 0.0]}],
)  # fmt: skip
def test_bad_options_get_one_line(options):
    with pytest.raises(ValueError, match=r"^aid-products: .*; need") as caught:
        experiment("aid-products", **options)
    assert "\n" not in str(caught.value)
