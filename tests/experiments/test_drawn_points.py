"""Left sides of assumptions at drawn points, against plain formulas and numbers known by hand."""

import math

import numpy as np
import pytest

from theorylab.experiments import experiment
from theorylab.problems import problem

COSH = {
    "problem": {"name": "log-cosh", "dim": 2, "scale": 3.0, "centers": [[1.0, 0.0], [-1.0, 0.0]]},
    "clients": 2,
}
SINES = {
    "problem": {"name": "sin-sin", "dim_u": 1, "dim_v": 1, "A": [[1.0]], "B": [[2.0]],
                "c": [0.5, -0.25, 0.75], "phases": [[0.1], [0.2], [0.3]],
                "a": [[1.0], [0.0], [2.0]], "b": [[0.0]] * 3},
    "clients": 3,
    "probes": 4,
}  # fmt: skip
# Hessian blocks 1, 2 and 0 for all: slopes are known, and so is every difference of gradients.
QUADRATIC = {
    "problem": {"name": "coupled-quadratic", "A": [[[1.0]]] * 2, "B": [[[2.0]]] * 2,
                "C": [[[0.0]]] * 2, "a": [[1.0], [-1.0]], "b": [[3.0], [0.0]],
                "sigma_u": 0.5, "sigma_v": 0.25, "noise": "rademacher"},
    "clients": 2,
}  # fmt: skip
COUPLED = {"problem": {"name": "coupled-quadratic", "seed": 4}, "clients": 3, "probes": 6}


def rows(column, options, runs=range(1), **changed):
    made = experiment("drawn-points", **{**options, **changed})
    assert experiment("drawn-points", **made.describe()).describe() == made.describe()
    return made, made.observe(column, runs, 0).rows


def values(column, options, **changed):
    return np.array([float(row.values[0]) for row in rows(column, options, **changed)[1]])


def test_values_come_from_the_drawn_points():
    made, _ = rows("gradient", COSH, probes=9)
    x, y = (z[:, 0] for z in made.points(0))
    assert x.shape == (9, 2)
    g = [3 * np.tanh(x - np.array([c, 0.0])) for c in (1.0, -1.0)]
    h = [3 * np.tanh(y - np.array([c, 0.0])) for c in (1.0, -1.0)]
    sizes = [np.linalg.norm(v, axis=1).max() for v in g]
    np.testing.assert_allclose(values("gradient", COSH, probes=9), sizes, rtol=1e-12)
    apart = np.linalg.norm(x - y, axis=1)
    slopes = [(np.linalg.norm(a - b, axis=1) / apart).max() for a, b in zip(g, h, strict=True)]
    np.testing.assert_allclose(values("slope", COSH, probes=9), slopes, rtol=1e-9)
    halves = (np.linalg.norm(g[0] - g[1], axis=1) / 2) ** 2
    largest = [halves.max()] * 2
    np.testing.assert_allclose(values("heterogeneity", COSH, probes=9), largest, rtol=1e-12)
    np.testing.assert_allclose(values("mean_heterogeneity", COSH, probes=9), halves, rtol=1e-12)


def test_u_is_common_and_v_is_not_unless_every_summand_has_its_own():
    made, _ = rows("gradient", QUADRATIC)
    for points in made.points(3):
        assert (points[:, 0, 0] == points[:, 1, 0]).all()
        assert (points[:, 0, 1] != points[:, 1, 1]).all()
    for points in made.points(3, common=False):
        assert (points[:, 0] != points[:, 1]).all()


def sine_gradient(i, u, v):
    c, phases, centers = [0.5, -0.25, 0.75], [0.1, 0.2, 0.3], [1.0, 0.0, 2.0]
    return u - centers[i] + c[i] * np.cos(u) * np.sin(v + phases[i])


@pytest.mark.parametrize("own", [False, True])
def test_diversity_with_a_u_each_and_with_one(own):
    made, found = rows("mean_diversity" + ("_own" if own else ""), SINES)
    x, _ = made.points(0, common=not own)
    for point, row in zip(x, found, strict=True):
        u, v = point[:, 0], point[:, 1]
        total = 0.0
        for i in range(3):
            every = [sine_gradient(j, u[i], v[j]) for j in range(3)]
            total += (every[i] - sum(every) / 3) ** 2 / 3
        assert row.values[0] == pytest.approx(total, rel=1e-12)
        assert row.rounding < 1.01e-9 * total  # a share for sums of up to 8e6 squares


def test_diversity_of_equal_curvatures_is_that_of_the_centers():
    # A (a_i - mean a) = -+1 at every probe
    np.testing.assert_allclose(values("mean_diversity", QUADRATIC), 1.0, rtol=1e-12)
    np.testing.assert_allclose(values("diversity", QUADRATIC), [1.0, 1.0], rtol=1e-12)


def test_heterogeneity_is_of_the_whole_gradient_at_one_point_for_all():
    # A (a_i - mean a) = -+1 and B (b_i - mean b) = +-3 at every probe, whatever the v_i are
    np.testing.assert_allclose(values("heterogeneity", QUADRATIC), [10.0, 10.0], rtol=1e-12)
    made, found = rows("heterogeneity", SINES, probes=33)
    x = made.points(0)[0][:, 0]
    away = made.problem.measured_heterogeneity(x) ** 2
    np.testing.assert_allclose([row.values[0] for row in found], away.max(axis=0), rtol=1e-9)
    assert away.max() <= made.problem.constants()["sigma_g"].value ** 2
    means = values("mean_heterogeneity", SINES, probes=33)
    np.testing.assert_allclose(means, away.mean(axis=1), rtol=1e-9)


def test_like_clients_differ_by_rounding_alone_and_the_room_covers_it():
    # three equal gradients: their computed mean is off by a unit in the last place
    alike = {"problem": {"name": "log-cosh", "dim": 1, "center": 4.0}, "clients": 3}
    largest = 4 * (3 + 1 + 4) * 2.0**-53 * (1 + 4.0 + 5 * 3.0)  # no normal of 205 draws beyond 5
    for column in ("heterogeneity", "mean_heterogeneity"):
        _, found = rows(column, alike, probes=205, reach=3.0)
        row = max(found, key=lambda r: r.values[0])
        assert 0 < row.values[0] <= row.rounding <= largest**2  # exactly, the clients are alike


@pytest.mark.parametrize(("column", "of", "by"), [
    ("slope_uu", slice(0, 2), slice(0, 2)), ("slope_uv", slice(0, 2), slice(2, 4)),
    ("slope_vv", slice(2, 4), slice(2, 4)), ("slope_vu", slice(2, 4), slice(0, 2)),
])  # fmt: skip
def test_slopes_of_one_block_move_one_and_look_at_one(column, of, by):
    made, found = rows(column, COUPLED)
    H = problem("coupled-quadratic", 3, seed=4).hessians[:, of, by]
    x, y = made.points(0)
    step = (y - x)[..., by]
    ways = np.einsum("nij,pnj->pni", H, step)
    want = (np.linalg.norm(ways, axis=-1) / np.linalg.norm(step, axis=-1)).max(axis=0)
    # nearby points lose 3 of 16 digits
    assert [r.values[0] for r in found] == pytest.approx(want.tolist(), rel=1e-10)


def test_slopes_of_a_part_are_at_most_its_block_and_near_it():
    for column, block in (("slope_u", 1.0), ("slope_v", 2.0)):
        # without coupling the slope is block |d own| / (|du| + |dv|)
        for top in values(column, QUADRATIC, probes=400):
            assert 0.9 * block < top <= block * (1 + 1e-9)


@pytest.mark.parametrize("reach", [1e-12, 1e-9, 1e-3, 1.0, 1e6])
@pytest.mark.parametrize("name", ["coupled-quadratic", "sin-sin"])
def test_a_slope_is_right_to_its_rounding(name, reach):
    # between points a few ulps apart the difference of two gradients is next to noise
    for column, constant in (("slope_uu", "L_u"), ("slope_vv", "L_v"), ("slope_uv", "L_uv")):
        made, found = rows(column, COUPLED, problem={"name": name, "seed": 4}, reach=reach)
        known = made.constants()
        for row in found:
            for paper in ("dfedalt", "dfedpgp"):
                assert row.values[0] - row.rounding <= known[f"{paper}_{constant}"].value
            assert reach < 1e-6 or row.rounding < 1e-6


def test_a_slope_between_points_that_rounding_moves_is_not_sure():
    loss = {"name": "coupled-quadratic", "a": [[1e6], [1e6]], "b": [[1e6], [1e6]],
            "A": [[[1.0]]] * 2, "B": [[[1.0]]] * 2, "C": [[[0.0]]] * 2}  # fmt: skip
    for row in rows("slope_u", QUADRATIC, problem=loss, reach=1e-9)[1]:
        assert row.values[0] - row.rounding <= 1.0


def test_noise_is_the_largest_variance_of_each_part_over_its_whole_law():
    loss = {**SINES["problem"], "sigma_u": 0.5, "sigma_v": 2.0, "noise": "state", "length": 0.7}
    for part, column, sigma in (("u", 0, 0.5), ("v", 1, 2.0)):
        made, found = rows(f"noise_{part}", SINES, problem=loss)
        x, _ = made.points(0)
        want = ((sigma * np.cos(x[..., column] / 0.7)) ** 2).max(axis=0)
        assert [r.values[0] for r in found] == pytest.approx(want.tolist(), rel=1e-9)


def test_noise_whose_law_is_too_long_is_one_draw_a_run():
    # 2^15 outcomes of a client; every draw of signs has its length
    wide = {"name": "sin-sin", "dim_u": 14, "dim_v": 1, "sigma_u": 0.5, "sigma_v": 0.1}
    made = experiment("drawn-points", problem={**wide, "noise": "rademacher"}, clients=3, probes=2)
    for column, sigma in (("noise_u", 0.5), ("noise_v", 0.1)):
        observed = made.observe(column, range(5), 0)
        assert not observed.exact
        for row in observed.rows:
            assert row.values == pytest.approx(np.full(5, sigma**2), rel=1e-12)


def test_far_away_noise_is_not_told_from_rounding():
    # Gradients of size 1e13 are multiples of 1e-3: noise of 1e-7 is lost in them.
    loss = {"name": "sin-sin", "sigma_u": 1e-7, "sigma_v": 1e-7, "noise": "aligned", "seed": 1}
    for row in rows("noise_v", SINES, range(64), problem=loss, reach=1e13)[1]:
        assert row.values.mean() - row.rounding < 1e-14


def test_the_noise_of_the_whole_gradient_is_the_problems_own():
    noisy = {"name": "noisy", "base": COSH["problem"], "field": "state", "sigma": 0.5}
    made, found = rows("noise", COSH, problem=noisy)
    want = made.problem.measured_noise(made.points(0)[0][:, 0]).max(axis=0) ** 2
    np.testing.assert_allclose([r.values[0] for r in found], want, rtol=1e-12)


def test_the_bias_of_sam_is_that_of_the_listed_signs():
    base = {"name": "log-cosh", "dim": 1}
    noise = {"name": "noisy", "base": base, "field": "state", "sigma": 2.0, "length": 0.5}
    options = {"problem": noise, "clients": 1}
    made, (row,) = rows("bias", options, rho=0.1)
    worst = 0.0
    for x in made.points(0)[0][:8, 0, 0]:
        gaps = []
        for s in (1, -1):
            g = math.tanh(x) + 2 * s * math.cos(x / 0.5)
            up = x + 0.1 * math.copysign(1, g)
            gaps.append(2 * s * math.cos(up / 0.5))
        worst = max(worst, abs(sum(gaps) / 2))
    assert row.values[0] == pytest.approx(worst, rel=1e-12)
    assert values("bias", options) == pytest.approx([0], abs=1e-15)


def test_means_over_all_signs_have_no_bias():
    for column in ("bias", "bias_u", "bias_v"):
        for row in rows(column, QUADRATIC)[1]:
            assert row.values[0] <= row.at["gradient_rounding"]


@pytest.mark.parametrize(
    ("column", "change", "line"),
    [
        ("slope", {"probes": 0}, "probes is 0; need an integer >= 1"),
        ("slope", {"reach": 0.0}, "reach is 0.0"),
        ("slope", {"rho": -1.0}, "rho -1.0"),
        ("slope", {"problem": {"dim": 2}}, "problem has no name"),
        ("slope_u", {"problem": COSH["problem"]}, "has no personal part; need column slope"),
        ("noise", {}, "need noise_u or noise_v"),
    ],
)
def test_what_cannot_be_is_one_line(column, change, line):
    with pytest.raises(ValueError, match=f"^drawn-points: [^\n]*{line}"):
        rows(column, QUADRATIC, **change)


def test_a_bias_needs_a_finite_law():
    with pytest.raises(ValueError, match="need"):
        rows("bias_u", QUADRATIC, problem={**QUADRATIC["problem"], "noise": "gaussian"})


def test_only_quadratics_are_quadratics():
    for options, is_one in ((COUPLED, 1), (SINES, 0), (COSH, 0)):
        made, _ = rows("gradient", options)
        assert made.constants()["dfedpgp_quadratic"].value == is_one
