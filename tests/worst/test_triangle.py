"""A theorem's own bound beside the worst case of its class."""

import math
from dataclasses import replace
from fractions import Fraction

import pytest

from theorylab.topologies import topology
from theorylab.worst.recorder import ROUNDED
from theorylab.worst.theorems import THEOREMS
from theorylab.worst.triangle import triangles

PERSONAL = ("dfedpgp.thm1", "dfedalt.thm1_bound", "deprl.thm1")


def corrected(id, n, T, given):
    made = triangles(id, topology(THEOREMS[id].network, n), T, given)
    return next(each for each in made if each.version == "corrected")


def test_the_corrected_theorem_is_proved_of_its_class_and_nearly_attained():
    made = corrected("dfedsgpsm.thm1", 2, 3, {"alpha": 0.5})
    assert made.proved
    # with equal weights P is doubly stochastic, W = 11^T/2: C q/(1-q) = 0 and D = 0 for K = 1
    eta, gap, T = 0.5, 1.0, 3
    assert made.bound.value == pytest.approx(2 * gap / (T * eta), rel=1e-9)
    played = made.replay().value
    assert played <= float(made.answer.certificate.claim) <= made.bound.value
    assert 0.5 < made.factor < 1


@pytest.mark.parametrize("id", PERSONAL)
def test_a_theorem_with_personal_parts_is_proved_of_all_losses_with_smooth_blocks(id):
    made = corrected(id, 3, 2, {})
    played = made.replay().value  # jointly smooth losses, a part of the class
    assert made.inside.value * (1 - 2e-3) <= played <= made.inside.value * (1 + 1e-6)
    assert made.inside.value <= float(made.answer.certificate.claim) <= made.bound.value
    assert made.proved


def test_dfedsalt_is_proved_with_its_radius_and_more_of_it_makes_both_sides_larger():
    """The corrected bound has A eta_u K_u (L rho)^2; A = 1 of one step."""
    small, large = (corrected("dfedsalt.thm2_bound", 2, 2, {"rho": rho}) for rho in (0.1, 0.5))
    for made in (small, large):
        assert made.replay().value <= float(made.answer.certificate.claim) <= made.bound.value
        assert made.proved
    assert small.answer.value < large.answer.value * (1 - 1e-2)


def test_one_worker_with_full_steps_attains_the_bound_of_deprl():
    """4 (f - f*)/(T beta) at beta L = 1: the gap falls to 0 in a step, by a quadratic of u alone;
    alpha small, so that heads matter little."""
    for T in (1, 2):
        made = corrected("deprl.thm1", 1, T, {"alpha": 0.25, "beta": 1.0})
        assert made.bound.value == pytest.approx(4 / T, rel=1e-12)
        assert made.answer.value == pytest.approx(4 / T, rel=1e-6)
        assert not made.proved  # attained: the claim is above it by the margin


def test_a_claim_between_the_bound_and_its_nearest_float_is_not_proved():
    """4/T at T = 5: the float that is nearest to 4/5 is above it."""
    made, exact = corrected("deprl.thm1", 1, 5, {"alpha": 0.25, "beta": 1.0}), Fraction(4, 5)
    assert Fraction(made.bound.value) > exact > made.least > exact * (1 - Fraction(1, 2**51))

    def claiming(claim):
        certificate = replace(made.answer.certificate, claim=claim)
        return replace(made, answer=replace(made.answer, certificate=certificate))

    above = (exact + Fraction(1, 2**60)) / (1 + ROUNDED)  # the excess of recorded weights
    assert above * (1 + ROUNDED) < Fraction(made.bound.value)
    assert not claiming(above).proved
    assert claiming(above * (1 - Fraction(1, 2**50))).proved
    assert Fraction(claiming(exact).factor) >= exact / made.least > 1


def test_the_printed_theorem_is_exceeded_by_one_client_in_26_rounds():
    """f = x^2/2 from f = 1: the mean of 2 (1 - eta)^{2t} over t < 26 against 2 (1 - alpha)/(T eta)
    and the drift's term."""
    eta, alpha, T = 6.14e-4, 0.9895, 26
    given = {"eta": eta, "alpha": alpha, "B": 1.415}
    made = {
        each.version: each
        for each in triangles("dfedsgpsm.thm1", topology("complete", 1), T, given)
    }
    by_hand = sum(2 * (1 - eta) ** (2 * t) for t in range(T)) / T
    assert made["printed"].answer.value == pytest.approx(by_hand, rel=1e-6)
    assert made["printed"].factor > 1.004
    assert not made["printed"].proved
    assert made["corrected"].proved
    assert math.isfinite(made["corrected"].bound.value)


@pytest.mark.parametrize(
    ("id", "given", "message"),
    [
        ("dfedsgpsm.thm1", {"rho": 0.1}, "has no option 'rho' here; need one of eta, alpha"),
        ("dfedsgpsm.thm1", {"eta": 5.0}, "fails: "),
        ("dfedsgpsm.thm1", {"eta": -1.0}, "eta_l > 0 fails"),
        ("dfedpgp.thm1", {"B": 1.0}, "has no option 'B' here; need one of eta_u"),
        ("dfedalt.thm1_bound", {"eta_u": 1.0}, "eta_u K_u L_u <= 1/2 fails"),
        ("deprl.thm1", {"beta": 2.0}, "beta L <= 1 fails"),
    ],
)
def test_what_the_class_has_not_is_refused_in_one_line(id, given, message):
    with pytest.raises(ValueError, match=message) as caught:
        triangles(id, topology(THEOREMS[id].network, 2), 2, given)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("id", ["dfedalt.thm1_bound", "deprl.thm1"])
def test_a_network_that_changes_is_refused(id):
    periodic = topology("one-peer-exponential", 4)
    assert periodic.period > 1
    with pytest.raises(ValueError, match="changes from round to round; need one"):
        triangles(id, periodic, 2, {})


def test_a_factor_is_lost_at_the_largest_term():
    """2 (f0 - f*)/(T eta) = 4/3 with T = 3 and eta = 1/2; the drift of three is the rest."""
    made = corrected("dfedsgpsm.thm1", 3, 3, {})
    names, share, alone = made.lost
    assert names == "T, f0, f_star"
    assert share == pytest.approx(4 / 3 / made.bound.value, rel=1e-9)
    claim = float(made.answer.certificate.claim)
    assert made.bound.value - 4 / 3 + alone * 4 / 3 == pytest.approx(claim, rel=1e-9)
