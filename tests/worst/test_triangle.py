"""A theorem's own bound beside the worst case of its class."""

import math

import pytest

from theorylab.topologies import topology
from theorylab.worst.triangle import triangles


def test_the_corrected_theorem_is_proved_of_its_class_and_nearly_attained():
    (made,) = triangles(topology("directed-ring", 2), 3, {"alpha": 0.5})
    assert (made.version, made.proved) == ("corrected", True)
    # with equal weights P is doubly stochastic, W = 11^T/2: C q/(1-q) = 0 and D = 0 for K = 1
    eta, gap, T = 0.5, 1.0, 3
    assert made.bound.value == pytest.approx(2 * gap / (T * eta), rel=1e-9)
    played = made.answer.replay().value
    assert played <= float(made.answer.certificate.claim) <= made.bound.value
    assert 0.5 < made.factor < 1


def test_the_printed_theorem_is_exceeded_by_one_client_in_26_rounds():
    """f = x^2/2 from f = 1: the mean of 2 (1 - eta)^{2t} over t < 26 against 2 (1 - alpha)/(T eta)
    and the drift's term."""
    eta, alpha, T = 6.14e-4, 0.9895, 26
    given = {"eta": eta, "alpha": alpha, "B": 1.415}
    made = {each.version: each for each in triangles(topology("complete", 1), T, given)}
    by_hand = sum(2 * (1 - eta) ** (2 * t) for t in range(T)) / T
    assert made["printed"].answer.value == pytest.approx(by_hand, rel=1e-6)
    assert made["printed"].factor > 1.004
    assert not made["printed"].proved
    assert made["corrected"].proved
    assert math.isfinite(made["corrected"].bound.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rho": 0.1}, "has no option 'rho' here; need one of eta, alpha"),
        ({"eta": 5.0}, "fails: "),
        ({"eta": -1.0}, "eta is -1.0; need"),
    ],
)
def test_what_the_class_has_not_is_refused_in_one_line(given, message):
    with pytest.raises(ValueError, match=message) as caught:
        triangles(topology("directed-ring", 2), 2, given)
    assert "\n" not in str(caught.value)
