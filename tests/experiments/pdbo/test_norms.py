"""The norms of Lemma 6's matrices against closed forms."""

import numpy as np
import pytest

from theorylab.experiments import experiment

EPS = np.finfo(float).eps


def test_scalar_matrices_give_the_sums_of_the_proof():
    a, b, eta, M = 0.8, 0.3, 0.6, 4
    one = experiment("hgp-norms", family="scalar", alpha=a, beta=b, eta_A=eta, eta_B=1.0, terms=[M])
    damp = 1 - b + b * eta
    told = {
        "R3": lambda i: a ** (M - i + 1) * eta**i
        + (1 - a) * a ** (M - i) * sum(eta**j for j in range(i + 1)),
        "R1": lambda i: sum(eta**j for j in range(i + 1)),
        "L5": lambda i: (1 - a) * b
        * sum(a ** (M - j) * damp ** (j - i - 1) for j in range(i + 1, M + 1)),
        "L4": lambda i: sum(a ** (M - j + 1) * eta ** (j - i - 1) for j in range(i + 1, M + 1))
        + (1 - a) * (1 - b) * sum(
            a ** (M - j) * damp ** (j - k) * eta ** (k - i - 1)
            for j in range(i + 1, M + 1) for k in range(i + 1, j + 1)
        ),
    }  # fmt: skip
    for column, formula in told.items():
        for row in one.observe(column, range(2), 0).rows:
            # B is 1e-12 short of its norm
            np.testing.assert_allclose(row.values, formula(int(row.at["term_index"])), rtol=2e-12)
            assert row.at["rounds_left"] == M - row.at["term_index"]


@pytest.mark.parametrize("family", ["scalar", "negative", "alternating", "random", "nilpotent"])
def test_every_matrix_has_the_norm_it_is_said_to_have(family):
    one = experiment("hgp-norms", family=family, eta_A=0.7, eta_B=3.0, terms=[4], size=3)
    s = one.rounds(np.arange(5), 1)
    for matrices, norm in ((s.A, 0.7), (s.A_bar, 0.7), (s.B, 3.0), (s.B_bar, 3.0)):
        found = np.linalg.norm(matrices, 2, axis=(-2, -1))
        assert (found <= norm * (1 + 8 * EPS)).all()
        assert (found >= norm * (1 - 2e-12)).all()


def test_a_network_comes_with_kappa_and_the_slope_of_phi():
    place = {"problem": {"clients": 3, "seed": 1}, "network": {"name": "sto-d", "seed": 2}}
    one = experiment("hgp-norms", family="network", place=place, terms=[1])
    known = one.constants()
    assert known["kappa"].value > 3
    assert known["phi_slope"].value == known["omega_entry"].value == 1  # (4b): phi is the identity
    assert "op_A" not in known


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"family": "odd"}, "need one of scalar"),
        ({"family": "network"}, "both or none"),
        ({"terms": [-1]}, "need integers >= 0"),
        ({"beta": 2}, "beta is 2; need 0..1"),
        ({"eta_A": 0}, "need > 0"),
    ],
)
def test_bad_input_is_one_line(options, says):
    with pytest.raises(ValueError, match=says) as caught:
        experiment("hgp-norms", **options)
    assert "\n" not in str(caught.value)


def test_l4_without_a_round_after_it_is_refused():
    one = experiment("hgp-norms", terms=[0])
    with pytest.raises(ValueError, match="L4 has no i < M"):
        one.observe("L4", range(1), 0)


def test_local_maps_make_matrices_within_assumption_9():
    maps = {"network": {"name": "sto-d", "seed": 2}, "batch": 2}
    one = experiment("hgp-norms", family="maps", maps=maps, terms=[3], eta_A=0.6, eta_B=1.5)
    s, known = one.rounds(np.arange(4), 1), one.constants()
    for matrices, top in ((s.A, 0.6), (s.A_bar, 0.6), (s.B, 1.5), (s.B_bar, 1.5)):
        assert (np.linalg.norm(matrices, 2, axis=(-2, -1)) <= top).all()
    assert 2 * known["kappa"].value * known["phi_A"].value == pytest.approx(0.6, rel=1e-11)
    assert known["hgp_size"].value == s.A.shape[-1]
    assert experiment("hgp-norms", **one.describe()).describe() == one.describe()
    with pytest.raises(ValueError, match="family is 'maps', maps None; need both or none"):
        experiment("hgp-norms", family="maps")
