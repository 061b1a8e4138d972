"""Which rows there are, which sizes are refused, and whose number the bound is."""

import importlib

import numpy as np
import pytest

from theorylab.tightness import METHODS, MissingExtraError, momentum, needed, settings
from theorylab.tightness.push_sum import network
from theorylab.tightness.setting import GAP, B, L
from theorylab.tightness.theorem import corrected_theorem1


def test_every_method_has_rows_and_gradient_descent_has_three():
    rows = settings(None, 3, 2)
    assert {row.method for row in rows} == set(METHODS)
    assert len(rows) == len(METHODS) + 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("newton", 3, 3), "no method 'newton'; need one of gradient-descent, "),
        ((None, 0, 3), "clients is 0, rounds 3; need at least 1"),
        ((None, 3, 0), "clients is 3, rounds 0; need at least 1"),
        (("push-sum", 5, 9), "push-sum: clients is 5, rounds 9: .* 90 gradients; need at most"),
        (("gradient-descent", 1, 49), "49 gradients; need at most 48"),
    ],
)
def test_a_size_or_a_name_that_does_not_do_is_refused_in_one_line(arguments, message):
    with pytest.raises(ValueError, match=message) as caught:
        settings(*arguments)
    assert "\n" not in str(caught.value)


def test_the_network_of_push_sum_is_column_stochastic_and_from_three_on_not_row_stochastic():
    for clients in (1, 2, 3, 5):
        P = network(clients).matrix(0).toarray()
        assert np.allclose(P.sum(axis=0), 1, rtol=0, atol=4 * np.finfo(float).eps)
        assert (np.abs(P.sum(axis=1) - 1).max() > 0.1) == (clients > 2)


def test_the_theorem_for_one_client_is_its_first_and_its_drift_term():
    # n = 1: delta = 1 and M = 0, so C = 0. K = 2, alpha = 1/2: b = (3/2, 1), a~ = 5/2,
    # a~_0 = 0, a~_1 = 1; drift = L^2 eta^2 B^2 (b_2 / a~) a~_1^2
    known = corrected_theorem1(network(1), eta=momentum.ETA, alpha=0.5, local_steps=2, rounds=3)
    eta = 1 / (5 * L)
    by_hand = 2 * GAP / (3 * eta * 2.5) + (L * eta * B) ** 2 / 2.5
    assert known.value == pytest.approx(by_hand, rel=1e-9)  # C, q and delta are rounded outwards
    assert "dfedsgpsm.thm1 [corrected]" in known.source


def test_a_step_above_the_theorem_s_cap_has_no_bound():
    with pytest.raises(ValueError, match=r"eta_l < 1 / \(L a~\) fails"):
        corrected_theorem1(network(3), eta=1.0, alpha=0.0, local_steps=1, rounds=3)


def test_without_the_extra_one_line_says_which(monkeypatch):
    def absent(name, *arguments):
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr(importlib, "import_module", absent)
    with pytest.raises(MissingExtraError, match=r"PEPit is not .* extra sdp: .*theorylab\[sdp\]'$"):
        needed()
