import math
from fractions import Fraction

import numpy as np
import pytest

from theorylab.constants.personalised import (
    PartialQuadratic,
    derived,
    kappa,
    least_eigenvalue_of_arrow,
    mean_jacobian,
    pdbo_constants,
    topology_kappa,
)
from theorylab.known import How, Known
from theorylab.problems import problem
from theorylab.topologies import topology

EPS = np.finfo(float).eps
COUPLED = np.array([[[3.0, 1, 0], [1, 2, 0], [0, 0, 4]], [[3.0, 0, -2], [0, 1, 0], [-2, 0, 1]]])


def uncoupled(n=3):
    H = np.zeros((n, 3, 3))
    H[:, 0, 0], H[:, 1, 1], H[:, 2, 2] = 2, np.arange(1, n + 1), 5
    b = np.arange(3.0 * n).reshape(n, 3) ** 2
    return PartialQuadratic(H, b, 1, 0.5, 1.5)


def test_blocks_of_integers_have_their_norms():
    found = PartialQuadratic(COUPLED, np.zeros((2, 3)), 1).constants()
    close = 100 * EPS
    assert found["L_u"].value == pytest.approx(3, abs=close)
    assert found["L_v"].value == pytest.approx(4, abs=close)
    assert found["L_uv"].value == found["L_vu"].value == pytest.approx(2, abs=close)
    assert found["chi"].value == pytest.approx(2 / math.sqrt(12), abs=close)
    assert found["L_deprl"].value == pytest.approx(4, abs=close)
    assert found["L"].value == pytest.approx(2 + math.sqrt(5), abs=close)  # of [[3, -2], [-2, 1]]
    assert all(k.how is How.EXACT for k in found.values())


def test_coupling_or_different_shared_curvature_leaves_no_finite_diversity():
    coupled = PartialQuadratic(COUPLED, np.zeros((2, 3)), 1).constants()
    assert coupled["partial_delta"].value == math.inf
    assert "H_uv != 0" in coupled["partial_delta"].source
    H = np.array([np.eye(2), 2 * np.eye(2)])
    bent = PartialQuadratic(H, np.zeros((2, 2)), 1).constants()
    assert bent["partial_sigma_g"].value == math.inf
    assert "H_uu differ" in bent["partial_sigma_g"].source
    alone = PartialQuadratic(COUPLED[:1], np.ones((1, 3)), 1).constants()
    assert (alone["partial_delta"].value, alone["partial_sigma_g"].value) == (0, 0)


def test_without_coupling_the_diversity_is_that_of_the_linear_terms():
    quadratic = uncoupled()
    b = [Fraction(int(v)) for v in quadratic.b[:, 0]]
    gaps = [v - sum(b) / 3 for v in b]
    found = quadratic.constants()
    assert found["partial_sigma_g"].value == pytest.approx(float(max(map(abs, gaps))), rel=8 * EPS)
    mean = float(sum(g * g for g in gaps) / 3)
    assert found["partial_delta"].value == pytest.approx(math.sqrt(mean), rel=8 * EPS)
    y = np.random.default_rng(0).standard_normal((5, 3, 3)) * 10
    y[:, :, 0] = y[:, :1, 0]  # one u for all
    g = quadratic.gradient(y)[..., 0]
    spread = np.abs(g - g.mean(axis=1, keepdims=True))
    assert spread.max() == pytest.approx(found["partial_sigma_g"].value, rel=1e-12)
    same = PartialQuadratic(quadratic.H, np.full((3, 3), 0.1), 1).constants()
    assert same["partial_delta"].value == 0


def test_mu_is_that_of_all_variables_at_once():
    # F(u, v_1, v_2) for H_i = [[a_i, c_i], [c_i, e_i]] written out: an arrow of Fractions.
    H = np.array([[[4.0, 1], [1, 2]], [[6.0, -2], [-2, 3]]])
    arrow = np.array([[5, 0.5, -1], [0.5, 1, 0], [-1, 0, 1.5]])
    found = PartialQuadratic(H, np.zeros((2, 2)), 1).constants()["mu"].value
    determinant = np.linalg.det(arrow - found * np.eye(3))
    assert abs(determinant) < 1e-13
    assert 0 < found < 1


def test_a_quadratic_problem_is_cut_along_any_coordinates():
    p = problem("quadratic", 3, dim=4, sigma=2.0, seed=5)
    shared = np.array([False, True, False, True])
    cut = PartialQuadratic.of(p, shared)
    x = np.random.default_rng(1).standard_normal((1, 3, 4))
    order = [1, 3, 0, 2]
    expected = p.gradient(x)[..., order]
    # sums of 4 products of numbers below 4
    assert np.abs(cut.gradient(x[..., order]) - expected).max() <= 64 * EPS
    assert (cut.sigma_u, cut.sigma_v) == (math.sqrt(2), math.sqrt(2))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"H": np.ones((2, 2))}, r"H has shape \(2, 2\)"),
        ({"b": np.zeros((1, 3))}, r"b \(1, 3\); need \(n,d,d\), \(n,d\)"),
        ({"b": np.full((2, 3), np.nan)}, "holds nan or inf"),
        ({"H": COUPLED + np.eye(3)[[1, 2, 0]]}, r"H\[0\] is asymmetric by 1"),
        ({"shared": 3}, "shared is 3; need 0 < shared < d = 3"),
        ({"sigma_v": -1.0}, "sigma_v is -1.0; need a finite number >= 0"),
    ],
)
def test_bad_quadratics_are_refused_in_one_line(changed, message):
    options = {"H": COUPLED, "b": np.zeros((2, 3)), "shared": 1}
    with pytest.raises(ValueError, match=message):
        PartialQuadratic(**{**options, **changed})


def side(own, cross):
    parts = {"L_u": own, "L_v": own, "L_uv": cross, "L_vu": cross, "sigma_u": own, "sigma_v": own}
    return derived({name: Known(2.0, how, "given") for name, how in parts.items()})


def test_chi_is_as_one_sided_as_its_parts():
    exact, up, low = How.EXACT, How.UPPER, How.LOWER
    for own, cross, chi in (
        (exact, exact, exact),
        (exact, up, up),
        (low, up, up),
        (up, low, low),
        (up, exact, low),
        (up, up, How.ESTIMATE),
        (low, low, How.ESTIMATE),
    ):
        assert side(own, cross)["chi"].how is chi
    assert side(exact, low)["L_deprl"].how is low
    assert side(up, low)["L_deprl"].how is How.ESTIMATE
    flat = {name: Known(0.0, exact, "") for name in ("L_u", "L_v", "L_uv", "L_vu")}
    noise = {name: Known(1.0, exact, "") for name in ("sigma_u", "sigma_v")}
    assert derived({**flat, **noise})["chi"].value == math.inf


def test_kappa_of_two_clients_that_meet_half_of_the_time():
    # Uniform weights: with the edge a client keeps 1/2, without it 1.
    stay, go, often = Fraction(3, 4), Fraction(1, 4), Fraction(1, 2)
    expected = 2 * stay / 1 + 2 * go / often
    P = [[float(stay), float(go)], [float(go), float(stay)]]
    known = kappa(P, [[1, 0.5], [0.5, 1]])
    assert (known.value, known.how) == (float(expected), How.EXACT)


def test_kappa_divides_by_the_frequency_of_the_edge_back():
    P = np.array([[0.5, 0.25], [0.5, 0.75]])
    often = np.array([[1.0, 0.25], [0.5, 1.0]])  # 1 -> 0 in a quarter, 0 -> 1 in half of the rounds
    assert kappa(P, often).value == 0.5 + 0.75 + 0.25 / 0.5 + 0.5 / 0.25


@pytest.mark.parametrize("n", [2, 5])
def test_kappa_of_static_symmetric_edges_is_the_number_of_clients(n):
    known = topology_kappa(topology("ring", n))
    assert known.how is How.EXACT
    assert known.value == pytest.approx(n, abs=4 * n * n * EPS)


def test_edges_without_a_way_back_have_no_kappa():
    known = topology_kappa(topology("directed-ring", 4))
    assert known.value == math.inf
    assert "Assumption 6 fails: client 3 sends to 0, 0 never to 3" in known.source
    assert pdbo_constants(known, phi_y=np.eye(2))["eta_A"].value == math.inf


def test_kappa_of_a_drawn_topology_is_an_estimate_above_n():
    known = topology_kappa(topology("erdos-renyi", 4, p=0.5, time_varying=True), rounds=50)
    assert known.how is How.ESTIMATE
    assert known.value > 4


def test_sgp_on_its_full_state_can_not_have_an_eta_below_one():
    # z - alpha H z / omega at z = 0, and omega as it is: d phi = diag(I - alpha H, 1).
    phi = np.diag([0.5, 0.25, 1.0])
    n = Known(3.0, How.EXACT, "n")
    found = pdbo_constants(n, phi_y=phi, phi_lambda=[[2.0, 0, 0]])
    assert (found["eta_A"].value, found["eta_A"].how) == (6.0, How.LOWER)
    assert found["eta_B"].value == 12.0
    known = pdbo_constants(n, phi_y=phi[None], psi_y=7 * phi[None], everywhere=True)["eta_A"]
    assert (known.value, known.how) == (42.0, How.EXACT)
    guess = Known(3.0, How.ESTIMATE, "n")
    assert pdbo_constants(guess, phi_y=phi, everywhere=True)["eta_A"].how is How.ESTIMATE


def test_the_mean_jacobian_has_the_blocks_of_equation_8():
    rng = np.random.default_rng(3)
    P = np.array([[0.5, 0.0, 0.25], [0.5, 1.0, 0.0], [0.0, 0.0, 0.75]])
    phi, psi = rng.integers(-3, 4, (2, 3, 2, 2)).astype(float)
    A = mean_jacobian(P, phi, psi)
    for j in range(3):
        for i in range(3):
            block = P[i, j] * phi[j] + (psi[j] if i == j else 0)
            assert np.array_equal(A[2 * j : 2 * j + 2, 2 * i : 2 * i + 2], block)
    found = pdbo_constants(
        Known(3.0, How.EXACT, "n"), phi_y=phi, psi_y=psi, mean_P=P, everywhere=True
    )
    assert found["radius_A"].value <= found["norm_A"].value * (1 + 100 * EPS)
    assert found["norm_A"].value == pytest.approx(math.sqrt(np.linalg.eigvalsh(A @ A.T)[-1]))


def test_bad_tables_are_named():
    eye = np.eye(2)
    with pytest.raises(ValueError, match=r"frequency\[0,1\] is 2.0; need 0..1"):
        kappa(eye, [[1, 2.0], [0, 1]])
    with pytest.raises(ValueError, match=r"mean_P\[1,0\] is nan"):
        kappa([[1, 0], [np.nan, 1]], eye)
    with pytest.raises(ValueError, match=r"column 1 of mean_P sums to 0\.5; need 1"):
        kappa([[1, 0], [0, 0.5]], eye)
    with pytest.raises(ValueError, match=r"frequency \(3, 3\); need \(n,n\) both"):
        kappa(eye, np.eye(3))
    with pytest.raises(ValueError, match=r"eta_A: Jacobian has shape \(2,\)"):
        pdbo_constants(Known(2.0, How.EXACT, ""), phi_y=[1, 2])
    with pytest.raises(ValueError, match="have shape none; need"):
        mean_jacobian(eye, None, None)


@pytest.mark.parametrize("coupling", [0.0, 1e-6, 1.0, 30.0])
def test_the_least_eigenvalue_of_an_arrow_is_that_of_the_whole_matrix(coupling):
    draw = np.random.default_rng(11)
    n, k, m = 5, 2, 3
    corner = draw.normal(size=(k, k))
    blocks = draw.normal(size=(n, m, m))
    corner, blocks = corner + corner.T, blocks + blocks.swapaxes(1, 2)
    sides = coupling * draw.normal(size=(n, k, m))
    whole = np.zeros((k + n * m, k + n * m))
    whole[:k, :k] = corner
    for i in range(n):
        at = slice(k + i * m, k + (i + 1) * m)
        whole[:k, at], whole[at, :k], whole[at, at] = sides[i], sides[i].T, blocks[i]
    found = least_eigenvalue_of_arrow(corner, sides, blocks)
    assert found == pytest.approx(np.linalg.eigvalsh(whole)[0], abs=50 * EPS * (4 + 20 * coupling))


def test_mu_of_many_clients_takes_no_matrix_of_all_coordinates():
    # f_i = u^2 + c u v + v^2 / 2: both others of n + 1 eigenvalues are those of a 2x2 matrix.
    n, c = 4000, 0.5
    H = np.tile([[2.0, c], [c, 1.0]], (n, 1, 1))
    mu = PartialQuadratic(H, np.zeros((n, 2)), 1).constants()["mu"].value
    low = np.linalg.eigvalsh([[2, c / math.sqrt(n)], [c / math.sqrt(n), 1 / n]])[0]
    assert mu == pytest.approx(low, abs=10 * EPS)
