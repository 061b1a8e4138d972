"""Every constant against a plain transcription of the loss: never passed, and attained."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from theorylab.known import How
from theorylab.problems import problem

EPS = np.finfo(np.float64).eps
SIZES = [(1, 1), (2, 3), (3, 2)]
FLIPPED = {"c": [0.7, -0.4, 0.1], "dim_u": 2, "dim_v": 2, "seed": 3}


def plain_hessian(p, i, x):
    """From the formula of f_i, entry by entry."""
    k, d = p.shared, p.dim
    H = np.zeros((d, d))
    H[:k, :k], H[k:, k:] = p.A, p.B
    for j in range(min(k, d - k)):
        u, w = x[j], x[k + j] + p.phases[i, j]
        H[j, j] -= p.c[i] * math.sin(u) * math.sin(w)
        H[k + j, k + j] -= p.c[i] * math.sin(u) * math.sin(w)
        H[j, k + j] += p.c[i] * math.cos(u) * math.cos(w)
        H[k + j, j] = H[j, k + j]
    return H


def plain_loss(p, i, x):
    k = p.shared
    u, v = x[:k] - p.centers[i, :k], x[k:] - p.centers[i, k:]
    made = 0.5 * u @ p.A @ u + 0.5 * v @ p.B @ v
    for j in range(min(k, p.dim - k)):
        made += p.c[i] * math.sin(x[j]) * math.sin(x[k + j] + p.phases[i, j])
    return made


def bent(p, i, sign):
    """A point where sin u_k sin w_ik = sign for every k."""
    x = np.zeros(p.dim)
    m, k = p.phases.shape[1], p.shared
    x[:m] = math.pi / 2
    x[k : k + m] = sign * math.pi / 2 - p.phases[i]
    return x


@pytest.mark.parametrize("sizes", SIZES)
def test_the_loss_and_its_second_derivative_are_those_of_the_formula(sizes):
    p = problem("sin-sin", 3, dim_u=sizes[0], dim_v=sizes[1], coupling=0.8, seed=4)
    x, v = 2 * np.random.default_rng(0).standard_normal((2, 1, 3, p.dim))
    for i in range(3):
        assert p.loss(x)[0, i] == pytest.approx(plain_loss(p, i, x[0, i]), rel=64 * EPS)
        product = plain_hessian(p, i, x[0, i]) @ v[0, i]
        assert np.abs(p.formula.hessian_product(x, v)[0, i] - product).max() <= 64 * EPS * 20
    h = 2.0**-18  # truncation h^2 |f''''| |v|^3 / 6 with |v| <= 8, cancellation 64 eps 20 / h
    slope = (p.gradient(x + h * v) - p.gradient(x - h * v)) / (2 * h)
    allowed = h * h * 8**3 + 64 * EPS * 20 / h
    assert np.abs(slope - p.formula.hessian_product(x, v)).max() <= allowed


@pytest.mark.parametrize("options", [*({"dim_u": u, "dim_v": v} for u, v in SIZES), FLIPPED])
def test_the_smoothness_constants_are_attained_and_never_passed(options):
    p = problem("sin-sin", 3, **options)
    k = p.shared
    known = {name: c.value for name, c in (p.personal_constants | p.constants()).items()}
    cuts = {"L_u": np.s_[:k, :k], "L_v": np.s_[k:, k:], "L_uv": np.s_[:k, k:], "L": np.s_[:, :]}
    found = dict.fromkeys(cuts, 0.0)
    rng = np.random.default_rng(1)
    points = [(i, rng.uniform(-4, 4, p.dim)) for i in range(3) for _ in range(200)]
    points += [(i, bent(p, i, sign)) for i in range(3) for sign in (-1, 1)]
    points += [(i, bent(p, i, 1) - math.pi / 2 * np.ones(p.dim)) for i in range(3)]
    for i, x in points:
        H = plain_hessian(p, i, x)
        for name, cut in cuts.items():
            found[name] = max(found[name], float(np.linalg.norm(H[cut], 2)))
    for name, attained in found.items():
        # both are norms by LAPACK, at points with a sine of 1 - eps^2
        assert attained == pytest.approx(known[name], abs=64 * p.dim * EPS)


def test_mu_is_attained_with_one_phase_and_below_every_curvature_without():
    one = problem("sin-sin", 3, coupling=0.3, phases=[[0.5, 1.0]] * 3)
    known = one.constants()["mu"]
    assert known.how is How.EXACT
    mean = np.mean([plain_hessian(one, i, bent(one, 0, 1)) for i in range(3)], axis=0)
    assert known.value == pytest.approx(float(np.linalg.eigvalsh(mean)[0]), abs=64 * 4 * EPS)
    assert known.value < 0
    mixed = problem("sin-sin", 3, **FLIPPED)
    known = mixed.constants()["mu"]
    assert known.how is How.LOWER
    one_phase, one_sign = {"phases": [[0.0] * 2] * 2}, {"c": [1.0, 2.0]}
    for options in ({**one_phase, "c": [1.0, -1.0]}, {**one_sign, "phase": 1.0}):
        assert problem("sin-sin", 2, **options).constants()["mu"].how is How.LOWER
    for x in np.random.default_rng(0).uniform(-4, 4, (500, 4)):
        mean = np.mean([plain_hessian(mixed, i, x) for i in range(3)], axis=0)
        assert np.linalg.eigvalsh(mean)[0] >= known.value


def diversity(p, u, v):
    """|grad_u f_i(u, v_i) - grad_u F(u, V)|^2 for every i."""
    k = p.shared
    x = np.concatenate([np.broadcast_to(u, (p.clients, k)), v], axis=1)
    g = p.gradient(x[None])[0, :, :k]
    return ((g - g.mean(axis=0)) ** 2).sum(axis=1)


@pytest.mark.parametrize("options", [{"dim_u": 2, "dim_v": 1, "coupling": 1.5}, FLIPPED])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_partial_diversity_is_the_largest_over_all_signs(options, n):
    options = {**options, "c": options["c"][:n]} if "c" in options else options
    p = problem("sin-sin", n, **options)
    m, k = p.phases.shape[1], p.shared
    largest = average = 0.0
    for signs in itertools.product((-1, 1), repeat=n * m):
        v = np.zeros((n, p.dim - k))
        v[:, :m] = np.reshape(signs, (n, m)) * math.pi / 2 - p.phases
        squares = diversity(p, np.zeros(k), v)
        largest, average = max(largest, squares.max()), max(average, squares.mean())
    known = p.personal_constants
    close = {"rel": 64 * EPS, "abs": 64 * EPS}
    assert known["partial_sigma_g"].value == pytest.approx(math.sqrt(largest), **close)
    if "c" not in options or n == 1:
        assert known["partial_delta"].how is How.EXACT
        assert known["partial_delta"].value == pytest.approx(math.sqrt(average), **close)
    else:
        assert known["partial_delta"].how is How.UPPER
        assert math.sqrt(average) <= known["partial_delta"].value
        assert known["partial_delta"].value <= known["partial_sigma_g"].value * (1 + 64 * EPS)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 6),
    sizes=st.sampled_from(SIZES),
    alike=st.booleans(),
)
def test_no_point_passes_the_diversity(seed, n, sizes, alike):
    rng = np.random.default_rng(seed)
    c = np.full(n, 0.7) if alike else rng.uniform(-2, 2, n)
    p = problem("sin-sin", n, dim_u=sizes[0], dim_v=sizes[1], c=c, seed=seed)
    known = {name: k.value for name, k in p.personal_constants.items()}
    slack = 64 * EPS * (1 + 2 * known["L_u"] * 20)
    for u in rng.uniform(-5, 5, (20, sizes[0])):
        squares = diversity(p, u, rng.uniform(-5, 5, (n, sizes[1])))
        assert math.sqrt(squares.max()) <= known["partial_sigma_g"] + slack
        assert math.sqrt(squares.mean()) <= known["partial_delta"] + slack


@pytest.mark.parametrize("options", [{"seed": 1}, FLIPPED, {"dim_v": 1, "seed": 2}])
def test_sigma_g_is_what_a_search_finds(options):
    p = problem("sin-sin", 3, **options)
    known = p.constants()["sigma_g"]
    assert known.how is How.EXACT
    best = 0.0
    for start in np.random.default_rng(0).uniform(-math.pi, math.pi, (12, p.dim)):
        # the largest client is smooth between ties; a search for each client
        for i in range(3):
            found = minimize(
                lambda x, i=i: -(p.measured_heterogeneity(x[None])[0, i] ** 2), start, tol=1e-10
            )
            best = max(best, math.sqrt(-found.fun))
    assert best <= known.value * (1 + 64 * EPS)
    assert best >= known.value * (1 - 1e-7)  # flat at its top: the error of x enters squared


def test_equal_clients_have_no_heterogeneity():
    p = problem("sin-sin", 3, heterogeneity=0.0, phases=[[0.3, 2.0]] * 3)
    assert p.constants()["sigma_g"].value == 0
    apart = problem("sin-sin", 3, heterogeneity=0.0, coupling=0.0)
    assert apart.personal_constants["partial_delta"].value == 0
    assert apart.constants()["f_star"].value == apart.personal_constants["F_star"].value == 0


def least(p, personal, starts):
    n, split = p.clients, p.shared if personal else p.dim

    def value(flat):
        u = np.broadcast_to(flat[:split], (n, split))
        x = np.concatenate([u, flat[split:].reshape(n, -1)], axis=1)
        return float(p.loss(x[None]).mean())

    size = split + n * (p.dim - split)
    draws = np.random.default_rng(0).uniform(-3, 3, (starts, size))
    return min(minimize(value, start, tol=1e-12).fun for start in draws)


@pytest.mark.parametrize("personal", [False, True])
@pytest.mark.parametrize(("coupling", "gap"), [(0.0, 1e-9), (0.09, 1e-9), (0.5, 1.0), (3.0, 6.0)])
def test_the_infimum_is_below_every_minimum_and_close_where_convex(personal, coupling, gap):
    p = problem("sin-sin", 2, dim_v=3, coupling=coupling, seed=6)
    star = (p.personal_constants | p.constants())["F_star" if personal else "f_star"]
    best = least(p, personal, 12)
    assert star.value <= best + 64 * EPS  # scipy's points are above the minimum
    assert best - star.value <= gap  # bent: 2 m |c| at most, as |sin sin| <= 1 on m = 2
    assert star.how is (How.EXACT if coupling == 0 else How.LOWER)
    if coupling >= 0.5:  # not convex: a local minimum proves nothing
        flat = problem("sin-sin", 2, dim_v=3, coupling=0.0, seed=6)
        low = (flat.personal_constants | flat.constants())["F_star" if personal else "f_star"]
        assert star.value == pytest.approx(low.value - 2 * coupling, rel=1e-12)


@pytest.mark.parametrize("personal", [False, True])
def test_the_infimum_of_a_convex_f_needs_no_good_minimiser(personal, monkeypatch):
    stopped = type("Stopped", (), {})

    def lazy(value, start, **options):
        stopped.x = start + 0.01
        return stopped

    monkeypatch.setattr("scipy.optimize.minimize", lazy)
    p = problem("sin-sin", 2, dim_v=3, coupling=0.05, mu_u=0.8, mu_v=0.8, seed=6)
    star = (p.personal_constants | p.constants())["F_star" if personal else "f_star"]
    assert "near-minimiser" in star.source
    assert star.value < least(p, personal, 4) <= star.value + 0.1


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"A": [[1.0]], "mu_u": 1.0}, ValueError, "A came along with mu_u; need one of the two"),
        ({"A": [[1.0, 0], [0, -1]]}, ValueError, "A has eigenvalue -1; need a positive definite A"),
        ({"B": [[1.0, 2], [0, 1]]}, ValueError, "B is asymmetric by 2"),
        ({"c": [1.0]}, ValueError, r"c has shape \(1,\); need \(2\)"),
        ({"c": [1, 2], "coupling": 1.0}, ValueError, "c came along with coupling"),
        ({"coupling": -0.5}, ValueError, "coupling is -0.5; need a finite number >= 0"),
        ({"phases": [[0.0]] * 2}, ValueError, r"phases has shape \(2, 1\); need \(2,2\)"),
        ({"phases": [[0.0] * 2] * 2, "phase": 1}, ValueError, "phases came along with phase"),
        ({"phase": math.inf}, ValueError, "phase is inf; need a finite number >= 0"),
        ({"b": [[0.0]] * 2}, ValueError, "one of a and b came; need both or none"),
        ({"noise": "white"}, ValueError, "no noise 'white'; need one of aligned, common"),
    ],
)
def test_bad_options_are_refused_in_one_line(options, error, message):
    with pytest.raises(error, match=f"^sin-sin: .*{message}") as caught:
        problem("sin-sin", 2, **options)
    assert "\n" not in str(caught.value)
