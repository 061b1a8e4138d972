"""Every registered algorithm, ready to be run."""

import pytest

from theorylab.algorithms import algorithm

# What an algorithm must be told; everything else has a default.
REQUIRED = {
    "dfedpgp": {"eta_u": 0.05, "eta_v": 0.1},
    "dfedavgm-p": {"eta_u": 0.05, "eta_v": 0.1},
    "dfedalt": {"eta_u": 0.05, "eta_v": 0.1},
    "dfedsalt": {"eta_u": 0.05, "eta_v": 0.1, "rho": 0.1},
    "deprl": {"alpha": 0.1, "beta": 0.05},
    "dis-pfl": {"eta": 0.05, "rounds": 6},
}


@pytest.fixture
def made():
    """made(name): the algorithm of that name, a new one each time."""

    def make(name):
        return algorithm(name, **REQUIRED.get(name, {"eta": 0.05}))

    return make
