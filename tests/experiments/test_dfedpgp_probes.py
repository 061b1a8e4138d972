"""Points drawn for DFedPGP's assumptions: each left side from one plain formula."""

import mpmath
import numpy as np
import pytest

from theorylab.experiments import experiment
from theorylab.problems import problem
from theorylab.topologies import topology

OPTIONS = {"problem": {"name": "coupled-quadratic", "seed": 4}, "clients": 3, "probes": 6}


def values(column, **options):
    made = experiment("dfedpgp-probes", **{**OPTIONS, **options})
    return made, np.array([r.values[0] for r in made.observe(column, range(1), 0).rows])


@pytest.mark.parametrize(("column", "of", "by"), [
    ("slope_u", slice(0, 2), slice(0, 2)), ("slope_uv", slice(0, 2), slice(2, 4)),
    ("slope_v", slice(2, 4), slice(2, 4)), ("slope_vu", slice(2, 4), slice(0, 2)),
])  # fmt: skip
def test_slopes_move_one_block_and_look_at_one(column, of, by):
    made, found = values(column)
    H = problem("coupled-quadratic", 3, seed=4).hessians[:, of, by]
    x, y = made.points(0)
    step = (y - x)[..., by]
    ways = np.einsum("nij,pnj->pni", H, step)
    want = (np.linalg.norm(ways, axis=-1) / np.linalg.norm(step, axis=-1)).max(axis=0)
    # nearby points lose 3 of 16 digits
    assert found == pytest.approx(want, rel=1e-10)


def test_diversity_is_the_largest_gap_to_the_mean_at_one_u():
    made, found = values("diversity")
    x, _ = made.points(0)
    assert (x[:, :1, :2] == x[:, :, :2]).all()
    g = made.problem.gradient(x)[..., :2]
    want = [max(((g[p, i] - g[p].mean(axis=0)) ** 2).sum() for p in range(6)) for i in range(3)]
    assert found == pytest.approx(want, rel=1e-13)


def test_noise_is_one_draw_a_run():
    noisy = {"name": "sin-sin", "sigma_u": 0.5, "sigma_v": 0.1, "noise": "rademacher"}
    made = experiment("dfedpgp-probes", **{**OPTIONS, "problem": noisy})
    for column, sigma in (("noise_u", 0.5), ("noise_v", 0.1)):
        observed = made.observe(column, range(5), 0)
        assert not observed.exact
        for row in observed.rows:  # rademacher noise has its length in every draw
            assert row.values == pytest.approx(np.full(5, sigma**2), rel=1e-12)


def test_the_rate_is_lemma_3_s():
    made = experiment("dfedpgp-probes", **OPTIONS, steps=[2, 3])
    for row, K in zip(made.observe("rate", range(1), 0).rows, (2, 3), strict=True):
        hops = (K + 1) * 2  # ring of three: D = 2, Delta = 2, B = 1
        want = (1 - 3 * mpmath.mpf(2) ** -hops) ** (mpmath.mpf(1) / (hops + 1))
        assert float(row.values[0]) == pytest.approx(float(want), rel=1e-15)


@pytest.mark.parametrize("reach", [1e-12, 1e-9, 1e-3, 1.0, 1e6])
@pytest.mark.parametrize("name", ["coupled-quadratic", "sin-sin"])
def test_a_slope_is_right_to_its_rounding(name, reach):
    # between points a few ulps apart the difference of two gradients is next to noise
    options = {"problem": {"name": name, "seed": 4}, "reach": reach}
    made = experiment("dfedpgp-probes", **{**OPTIONS, **options})
    known = made.constants()
    for column, constant in (("slope_u", "L_u"), ("slope_v", "L_v"), ("slope_uv", "L_uv")):
        for row in made.observe(column, range(1), 0).rows:
            assert row.values[0] - row.rounding <= known[f"dfedpgp_{constant}"].value
            assert reach < 1e-6 or row.rounding < 1e-6


def test_pulled_columns_do_not_sum_to_one():
    network = {"name": "random-in", "degree": 1, "seed": 3}
    _, found = values("lost_mass", topology=network, steps=[4])
    for t, off in enumerate(found):
        P = topology("random-in", 3, degree=1, seed=3).matrix(t, 0).toarray()
        assert off == max(abs(sum(P[i, j] for i in range(3)) - 1) for j in range(3))
    _, found = values("lost_mass", topology={"name": "complete"}, steps=[2])
    assert found.max() <= 3 * 2.0**-53


def test_only_quadratics_are_quadratics():
    assert experiment("dfedpgp-probes", **OPTIONS).constants()["dfedpgp_quadratic"].value == 1
    other = experiment("dfedpgp-probes", problem={"name": "sin-sin"}, clients=2)
    assert other.constants()["dfedpgp_quadratic"].value == 0


def test_bad_options_are_one_line():
    with pytest.raises(ValueError, match="probes is 0"):
        experiment("dfedpgp-probes", **{**OPTIONS, "probes": 0})
    with pytest.raises(ValueError, match="no personal part"):
        experiment("dfedpgp-probes", problem={"name": "log-cosh"}, clients=2)
