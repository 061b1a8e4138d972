"""HGP's matrices from free Jacobians, block by block, and the parts of its error."""

import itertools

import numpy as np
import pytest

from theorylab.experiments import experiment

OPTIONS = {"network": {"name": "sto-d", "seed": 1, "low": 0.3, "high": 0.6}, "batch": 2}


def test_a_round_is_assembled_block_by_block():
    one = experiment("hgp-blocks", **OPTIONS)
    drawn, s = one.rounds(np.arange(2), 7)
    for r, m, t, k in itertools.product(range(2), range(2), range(3), range(3)):
        at = 2 * m + 1  # odd rounds are A's
        parts, picked = (one.maps.psi_y, one.maps.phi_y), drawn.batch[r, at, t]
        psi, phi = (sum(part[t, xi] for xi in picked) / 2 for part in parts)
        # block (t, k): 1_tk psi_t + delta_{k -> t} pbar_tk / dbar_{k -> t} phi_t
        share = drawn.there[r, at, t, k] * one.edges.mean[k, t] / one.edges.frequency[t, k]
        told = (t == k) * psi + share * phi
        found = s.A[r, m, 2 * t : 2 * t + 2, 2 * k : 2 * k + 2]
        np.testing.assert_allclose(found, told, rtol=0, atol=1e-15)  # entries below 1, 4 roundings


@pytest.mark.parametrize("family", ["random", "aligned"])
def test_every_jacobian_has_the_largest_norm_that_assumption_9_allows(family):
    one = experiment("hgp-blocks", **OPTIONS, family=family, eta_A=0.6, eta_B=5.0)
    for part, eta in zip(one.maps.parts, (0.6, 0.6, 5.0, 5.0), strict=True):
        found = np.linalg.norm(part, 2, axis=(-2, -1)) * 2 * one.kappa.value
        assert (np.abs(found / eta - 1) < 2e-12).all()


def test_a_mean_over_edges_and_minibatches_is_the_samples_mean():
    # E X_A is zero exactly, so its sampled mean falls: here E of the coupled one, by sampling
    options = {**OPTIONS, "batch": 1, "coupling": 0.5, "clients": 2, "terms": [1]}
    one = experiment("hgp-blocks", **options)
    row = one.observe("mean_X", range(1), 0).rows[0]
    worst = 0.0
    B = one.rounds(np.arange(1), 0)[1].B[0, 1]
    # M = 1, i = 0: L_4 = (alpha + (1-alpha)(1-beta)) B, L_5 = (1-alpha) beta B, and R_1 = I
    for t, k in ((0, 1), (1, 0)):
        sent = one.maps.phi_y[t]
        tilt = 0.5 * (sent[:2].sum(axis=0) - sent[2:].sum(axis=0)) / 4
        E = np.zeros((4, 4))
        E[2 * t : 2 * t + 2, 2 * k : 2 * k + 2] = one.edges.mean[k, t] * tilt
        worst = max(worst, np.abs(B @ E).max())
    assert row.values[0] == pytest.approx(worst, rel=1e-12)


def test_options_come_back():
    one = experiment("hgp-blocks", **OPTIONS)
    again = experiment("hgp-blocks", **one.describe())
    for column in one.columns:
        left, right = (e.observe(column, range(2), 3).rows for e in (one, again))
        assert all(np.array_equal(a.values, b.values) for a, b in zip(left, right, strict=True))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"family": "odd"}, "need 'random' or 'aligned'"),
        ({"terms": [0]}, "need integers >= 1"),
        ({"population": 20, "batch": 3}, "4096 minibatches"),
        ({"alpha": 2}, "alpha is 2; need 0..1"),
        ({"eta_A": 0}, "need > 0"),
        ({"coupling": 1.0, "network": {"name": "sto-d"}}, "need an even population"),
    ],
)
def test_bad_input_is_one_line(options, says):
    with pytest.raises(ValueError, match=says) as caught:
        experiment("hgp-blocks", **{**OPTIONS, **options})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("size", ["dim", "hyper", "population", "batch"])
def test_a_size_of_nothing_is_refused_in_one_line(size):
    with pytest.raises(ValueError, match=rf"^hgp-blocks: .*{size}( is)? 0.*; need each >= 1"):
        experiment("hgp-blocks", network={"name": "sto-u"}, **{size: 0})
