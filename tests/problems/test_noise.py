"""The noise fields: exact moments where a draw has finitely many values, else large samples."""

import itertools
import math

import numpy as np
import pytest

from theorylab.known import How, Known
from theorylab.problems import _noise, _outcomes
from theorylab.problems._noise import FIELDS, RARE, NoiseField, Part

EPS = np.finfo(np.float64).eps
PARTS = (Part(0, 2, 3.0), Part(2, 5, 0.5))  # u has 2 coordinates, v has 3
FINITE = ("rademacher", "two-point", "coordinate", "aligned", "state")
POINT = np.array([[[0.3, -2.0, 1.0, 0.25, 4.0]]])
G = np.array([[[1.0, -4.0, 0.5, 0.0, 2.0]]])


def field(kind, parts=PARTS, **options):
    return NoiseField.of("test", kind, parts, **options)


def signs(d):
    """All fair signs as words, each with its chance."""
    return [(np.array(w), 0.5**d) for w in itertools.product((0.25, 0.75), repeat=d)]


def words_of(kind, p):
    """The words of a draw, one of each outcome, with their exact chances."""
    if kind in ("rademacher", "state"):
        return signs(5)
    if kind == "aligned":
        return signs(2)
    if kind == "coordinate":  # word k picks a coordinate of part k
        picks = [((j + 0.5) / 2, (k + 0.5) / 3) for j in range(2) for k in range(3)]
        return [(np.array([*at, *w]), c / 6) for at in picks for w, c in signs(2)]
    rare = [(p / 2, p), ((1 + p) / 2, 1 - p)]  # two-point: word k says whether part k is hit
    return [
        (np.array([e, f, *w]), c * ce * cf)
        for (e, ce), (f, cf) in itertools.product(rare, repeat=2)
        for w, c in signs(5)
    ]


def outcomes(kind, monkeypatch, g=G, x=POINT, **options):
    """(xi, chance) of every outcome at the point x with gradient g."""
    made, f = [], field(kind, **options)
    for words, chance in words_of(kind, f.chance):

        def fake(self, runs, clients, round, step, count, words=words):
            assert count == len(words)  # every word has its place, and none is read twice
            return words[None, None]

        monkeypatch.setattr(_noise.Stream, "uniform", fake)
        sample = f.draw(0, np.arange(1), 1, 0, 0)
        made.append((f.add(g, x, sample)[0, 0] - g[0, 0], chance))
    return made


@pytest.mark.parametrize("kind", FINITE)
@pytest.mark.parametrize("still", [False, True])
def test_a_finite_law_has_mean_zero_and_its_variance_exactly(kind, still, monkeypatch):
    g, options = (0 * G if still else G), {"chance": 0.25} if kind == "two-point" else {}
    law = outcomes(kind, monkeypatch, g=g, **options)
    assert math.fsum(chance for _, chance in law) == pytest.approx(1, abs=4 * EPS)
    mean = sum(chance * xi for xi, chance in law)
    # g + xi - g is rounded at eps (|g| + |xi|), and every xi has its opposite with the same chance
    assert np.abs(mean).max() <= 8 * EPS * 10
    square = sum(chance * xi**2 for xi, chance in law)
    expected = {"aligned": G**2 / [[[17, 17, 4.25, 4.25, 4.25]]], "state": np.cos(POINT) ** 2}
    each = np.array([4.5, 4.5, 1 / 12, 1 / 12, 1 / 12])
    if kind == "aligned":
        each = each * [2, 2, 3, 3, 3] * expected[kind][0, 0]
        each = np.array([9.0, 0, 0.25, 0, 0]) if still else each  # e_1 where g = 0
    if kind == "state":
        each = each * expected[kind][0, 0]
    assert square == pytest.approx(each, rel=1e-12, abs=64 * EPS * 10)
    root = field(kind, **options).root_variance(POINT[0])[0]
    assert root == pytest.approx(math.sqrt(each.sum()), rel=1e-12)
    cross = sum(chance * xi[0] * xi[2] for xi, chance in law)  # u and v are independent
    assert abs(cross) <= 64 * EPS * 10
    both = sum(chance * (xi[:2] ** 2).sum() * (xi[2:] ** 2).sum() for xi, chance in law)
    assert both == pytest.approx(each[:2].sum() * each[2:].sum(), rel=1e-12, abs=64 * EPS * 10)


def test_the_outcomes_are_as_large_as_they_say(monkeypatch):
    lengths = {kind: {0.0} for kind in FINITE}
    for kind in FINITE:
        options = {"chance": 0.25} if kind == "two-point" else {}
        for xi, _ in outcomes(kind, monkeypatch, **options):
            lengths[kind].add(round(float(np.linalg.norm(xi[:2])), 9))
            if kind == "coordinate":
                assert np.count_nonzero(xi[:2]) == np.count_nonzero(xi[2:]) == 1
    for kind in ("rademacher", "coordinate", "aligned"):
        assert lengths[kind] == {0, 3}
    assert lengths["two-point"] == {0, 6}


@pytest.mark.parametrize("kind", FIELDS)
def test_large_samples_have_the_variance_and_independence_they_state(kind):
    f, runs, n = field(kind, chance=0.25 if kind in RARE else None), 20_000, 3
    sample = f.draw(7, np.arange(runs), n, 2, 1)
    g, x = np.broadcast_to(G, (runs, n, 5)), np.broadcast_to(0 * POINT, (runs, n, 5))
    xi = f.add(g, x, sample) - g
    # Means of N values: 7 standard deviations, in the normal approximation 3e-12 for each of the
    # about 100 looked at here; |xi|^2 has standard deviation at most 2 sigma^2 (two-point: sqrt 3).
    bound = 7 / math.sqrt(runs)
    for low, high, sigma in PARTS:
        own = xi[..., low:high] / sigma
        assert np.abs(own.mean(axis=0)).max() <= bound
        square = (own**2).sum(axis=-1)
        assert np.abs(square.mean(axis=0) - 1).max() <= 2 * bound
        for i, j in ((0, 1), (1, 2)):
            together = (own[:, i] * own[:, j]).sum(axis=-1).mean()
            shared = 1 if kind == "common" else 0
            assert abs(together - shared) <= 2 * bound
        average = (own.mean(axis=1) ** 2).sum(axis=-1).mean()
        assert abs(average - (1 if kind == "common" else 1 / n)) <= 2 * bound
    other = f.draw(7, np.arange(runs), n, 2, 2), f.draw(7, np.arange(runs), n, 3, 1)
    for later in other:
        again = f.add(g, x, later) - g
        assert abs((xi * again).sum(axis=-1).mean()) <= 9.25 * bound * 2
    assert f.independent_clients == (kind != "common")


@pytest.mark.parametrize("kind", FIELDS)
def test_a_draw_is_a_function_of_run_client_round_and_step(kind):
    f = field(kind, chance=0.5 if kind in RARE else None)
    whole = f.draw(3, np.array([5, 9]), 4, 6, 2)
    assert np.array_equal(whole[1:], f.draw(3, np.array([9]), 4, 6, 2))
    assert np.array_equal(whole[:, :2], f.draw(3, np.array([5, 9]), 2, 6, 2))
    many = np.arange(64)  # so that 64 fair signs never agree by chance
    first = f.draw(3, many, 2, 6, 2)
    for changed in ((4, many, 2, 6, 2), (3, many, 2, 7, 2), (3, many, 2, 6, 3)):
        assert not np.array_equal(first, f.draw(*changed))


def test_one_sample_serves_several_points():
    f = field("aligned")
    sample = f.draw(0, np.arange(40), 2, 0, 0)
    g = np.broadcast_to(G, (40, 2, 5))
    here, there = (f.add(h, g, sample) - h for h in (g, -2 * g))
    # the same signs along the opposite gradient; g + xi - g is rounded at eps (|g| + sigma)
    assert np.abs(here + there).max() <= 8 * EPS * 16
    assert np.unique(np.sign(here[..., 0])).tolist() == [-1, 1]
    tiny = f.add(1e-200 * g, g, sample)
    assert np.linalg.norm(tiny[..., :2], axis=-1) == pytest.approx(3, rel=8 * EPS)


def test_float32_is_added_in_float64_and_rounded_once():
    f = field("gaussian")
    sample = f.draw(0, np.arange(3), 2, 0, 0)
    g = np.full((3, 2, 5), 0.1, np.float32)
    made = f.add(g, g, sample)
    assert made.dtype == np.float32
    assert np.array_equal(made, (g.astype(np.float64) + sample).astype(np.float32))


@pytest.mark.parametrize("kind", FIELDS)
def test_the_variance_of_a_set_of_coordinates(kind):
    f = field(kind)
    u, cut = np.array([True, True, False, False, False]), np.array([False, True, True, True, False])
    assert f.part_sigma(u) == Known(3.0, How.EXACT, f.part_sigma(u).source)
    assert f.part_sigma(~u).value == 0.5
    if kind == "aligned":  # all of it may fall on the coordinates inside
        assert f.part_sigma(cut).value == math.hypot(3, 0.5)
        assert f.part_sigma(cut).how is How.UPPER
    else:
        assert f.part_sigma(cut).value == pytest.approx(math.sqrt(4.5 + 1 / 6), rel=4 * EPS)


def test_l_sample_says_how_the_noise_bends():
    L = Known(2.0, How.EXACT, "given")
    for kind in FIELDS:
        known = field(kind).constants(L)
        assert known["sigma_l"].value == math.hypot(3, 0.5)
        assert (known["L_sample"].value == 2) == field(kind).additive
    bent = field("state", length=0.5).constants(L)["L_sample"]
    assert bent.value == pytest.approx(2 + 3 / (0.5 * math.sqrt(2)))
    assert bent.how is How.UPPER
    low = field("state").constants(Known(2.0, How.LOWER, "sampled"))["L_sample"]
    assert low.how is How.ESTIMATE
    jump = field("aligned").constants(L)["L_sample"], field("aligned").constants(L, grows=False)
    assert jump[0].value == math.inf
    assert (jump[0].how, jump[1]["L_sample"].how) == (How.EXACT, How.UPPER)
    still = field("aligned", (Part(0, 3, 0.0),)).constants(L)["L_sample"]
    assert still.value == 2


def test_skewed_noise_has_mean_0_variance_1_and_the_third_moment_of_its_chance():
    f = field("skewed", chance=0.2)  # 2 with chance 1/5, -1/2 with chance 4/5
    for low, high, sigma in PARTS:
        values = f.draw(1, np.arange(400), 2, 0, 0)[..., low:high] / (sigma / math.sqrt(high - low))
        assert np.abs(np.where(values > 0, values - 2, values + 0.5)).max() <= 4 * EPS
    for draw in _outcomes.outcomes("skewed", ((0, 1, 1.0),), 0.2):
        moments = [float(draw.chances @ draw.values[:, 0] ** k) for k in (1, 2, 3)]
        assert moments == pytest.approx([0.0, 1.0, 1.5], abs=4 * EPS)


def test_a_skewed_law_needs_both_of_its_values():
    with pytest.raises(ValueError, match="chance is 1; need chance < 1 of noise 'skewed'"):
        field("skewed", chance=1.0)
    with pytest.raises(ValueError, match=r"chance came with .* need 'skewed' or 'two-point'"):
        field("gaussian", chance=0.5)
