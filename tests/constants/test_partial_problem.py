"""Block constants of the problems in (u, v), and of what a noise field adds."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theorylab.constants import PartialQuadratic, loss_constants
from theorylab.known import How
from theorylab.problems import problem, with_noise
from theorylab.problems._noise import FIELDS
from theorylab.strategies import problems_with_known_constants

EPS = np.finfo(float).eps
PARTIAL = {
    *("L_u", "L_v", "L_uv", "L_vu", "chi", "L_deprl", "sigma_u", "sigma_v", "sigma_deprl"),
    *("partial_sigma_g", "partial_delta"),
}
SPLIT = problems_with_known_constants(names=["coupled-quadratic", "sin-sin"])


def test_the_blocks_of_a_coupled_quadratic_are_the_norms_that_were_asked():
    p = problem(
        "coupled-quadratic", 3, dim_u=2, dim_v=3, L_u=2.0, L_v=3.0, coupling=0.05,
        sigma_u=0.5, sigma_v=2.0,
    )  # fmt: skip
    found = loss_constants(p, shared=p.shared)
    expected = {"L_u": 2, "L_v": 3, "L_uv": 0.05, "L_vu": 0.05, "L_deprl": 3}
    expected |= {"sigma_u": 0.5, "sigma_v": 2, "sigma_deprl": 2, "chi": 0.05 / math.sqrt(6)}
    for name, value in expected.items():
        assert found[name].how is How.EXACT
        assert found[name].value == pytest.approx(value, rel=64 * 5 * EPS)
    assert found["partial_delta"].value == found["partial_sigma_g"].value == math.inf
    cut = PartialQuadratic.of(p, np.arange(5) < 2)
    assert (cut.sigma_u, cut.sigma_v) == (0.5, 2)
    assert found["F_star"].value == p.F_star < found["f_star"].value
    assert found["sigma_l"].value == math.hypot(0.5, 2)
    assert set(found) == PARTIAL | set(p.constants()) | {"F_star"}


def test_equal_curvature_without_coupling_leaves_a_finite_diversity():
    p = problem("coupled-quadratic", 3, mu_u=1.0, coupling=0.0, seed=3)
    found = loss_constants(p, shared=2)
    gap = p.centers[:, :2] - p.centers[:, :2].mean(axis=0)
    squares = (gap**2).sum(axis=1)
    assert found["partial_sigma_g"].value == pytest.approx(math.sqrt(squares.max()), rel=64 * EPS)
    assert found["partial_delta"].value == pytest.approx(math.sqrt(squares.mean()), rel=64 * EPS)


def test_a_coupled_quadratic_can_be_cut_elsewhere():
    p = problem("coupled-quadratic", 2, dim_u=2, dim_v=2, sigma_u=1.0, sigma_v=3.0)
    shared = np.array([True, False, False, True])
    found = loss_constants(p, shared=shared)
    for name, rows, columns in (("L_u", shared, shared), ("L_uv", shared, ~shared)):
        norms = [np.linalg.norm(H[rows][:, columns], 2) for H in p.hessians]
        assert found[name].value == pytest.approx(max(norms), rel=64 * EPS)
    assert (
        found["sigma_u"].value == found["sigma_v"].value == pytest.approx(math.sqrt(5), rel=4 * EPS)
    )
    assert "F_star" not in found
    with pytest.raises(ValueError, match=r"shared is \[0, 3\]; need the first 2 coordinates"):
        loss_constants(problem("sin-sin", 2), shared=shared)


def test_every_constant_of_sin_sin_is_finite_so_that_the_assumptions_can_hold():
    p = problem("sin-sin", 4, sigma_u=0.5, sigma_v=2.0)
    found = loss_constants(p, shared=p.shared)
    assert set(found) == PARTIAL | set(p.constants()) | {"F_star"}
    assert all(math.isfinite(k.value) for name, k in found.items() if name != "B")
    assert found["chi"].how is How.EXACT
    assert found["chi"].value == pytest.approx(0.5 / math.sqrt(1.5 * 1.5), rel=64 * EPS)
    assert found["L_deprl"].value == max(found["L_u"].value, found["L_v"].value)
    assert found["F_star"].value <= found["f_star"].value


@settings(max_examples=80)
@given(SPLIT, st.integers(0, 2**32 - 1), st.sampled_from([0.1, 1.0, 10.0]))
def test_no_pair_of_points_breaks_a_block_constant(p, seed, size):
    k = p.shared
    known = {name: c.value for name, c in loss_constants(p, shared=k).items()}
    rng = np.random.default_rng(seed)
    x, step = size * rng.standard_normal((2, 4, p.clients, p.dim))
    off = 64 * EPS * (1 + known["L"] * (np.abs(x).max() + np.abs(step).max() + 8)) * p.dim
    for moved, pair in ((np.s_[..., k:], ("L_u", "L_vu")), (np.s_[..., :k], ("L_uv", "L_v"))):
        only = step.copy()
        only[moved] = 0
        change, far = p.gradient(x + only) - p.gradient(x), np.linalg.norm(only, axis=-1)
        for name, part in zip(pair, (np.s_[..., :k], np.s_[..., k:]), strict=True):
            assert np.all(np.linalg.norm(change[part], axis=-1) <= known[name] * far + off)
    # DePRL's Assumption 2 with L_deprl
    change = p.gradient(x + step) - p.gradient(x)
    reach = np.linalg.norm(step[..., :k], axis=-1) + np.linalg.norm(step[..., k:], axis=-1)
    for part in (np.s_[..., :k], np.s_[..., k:]):
        assert np.all(np.linalg.norm(change[part], axis=-1) <= known["L_deprl"] * reach + off)
    x[..., :k] = x[:, :1, :k]  # one u, a v_i for each client
    g = p.gradient(x)[..., :k]
    squares = ((g - g.mean(axis=1, keepdims=True)) ** 2).sum(axis=-1)
    assert math.sqrt(squares.max()) <= known["partial_sigma_g"] + off
    assert math.sqrt(squares.mean(axis=1).max()) <= known["partial_delta"] + off
    low = known["F_star"] - off * (1 + np.abs(x).max())
    assert np.all(p.loss(x).mean(axis=1) >= low)


@pytest.mark.parametrize("kind", FIELDS)
def test_noise_changes_only_the_constants_of_noise(kind):
    for name, shared in (("log-cosh", 1), ("coupled-quadratic", 2), ("sin-sin", 2)):
        options = {"dim": 2} if name == "log-cosh" else {}
        base = problem(name, 3, **options)
        quiet = loss_constants(base, shared=shared)
        found = loss_constants(with_noise(base, kind, 2.0), shared=shared)
        for key in PARTIAL - {"sigma_u", "sigma_v", "sigma_deprl"}:
            assert found[key] == quiet[key]
        # half of the coordinates each; aligned noise may fall on one half alone
        share = 2.0 if kind == "aligned" else math.sqrt(2)
        how = How.UPPER if kind == "aligned" else How.EXACT
        for key in ("sigma_u", "sigma_v", "sigma_deprl"):
            assert found[key].value == pytest.approx(share, rel=4 * EPS)
            assert found[key].how is how
