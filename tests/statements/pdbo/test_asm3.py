"""Assumption 3: the iteration's difference quotient is A-bar."""

import numpy as np
import pytest

from theorylab.experiments import experiment
from theorylab.experiments.pdbo import stationary as pdbo_stationary
from theorylab.statements.pdbo._instances import NOISY, STO_D, place

FAULTS = {
    "transposed": lambda A: A.T,
    "twice": lambda A: 2 * A,
    "the identity more": lambda A: A + np.eye(len(A)),
    "a millionth off": lambda A: A * (1 + 1e-6),
    "no coupling": lambda A: A * np.eye(len(A)),
}


@pytest.mark.parametrize("name", FAULTS)
def test_another_jacobian_is_refuted(name, monkeypatch):
    dense = pdbo_stationary.Place.__init__

    def wrong(self, *args, **options):
        dense(self, *args, **options)
        self.A_bar = FAULTS[name](self.A_bar)

    monkeypatch.setattr(pdbo_stationary.Place, "__init__", wrong)
    one = experiment("pdbo-stationary", **place(NOISY, STO_D))
    room = one.constants()["size_R"].value * 8 * (6 + 8) * 2.0**-53
    assert one.observe("slope", range(1), 0).rows[0].values[0] > 1e3 * room
