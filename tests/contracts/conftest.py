"""Every registered algorithm, ready to be run, and every check, as if it were judged."""

import pytest

from theorylab.algorithms import algorithm
from theorylab.statements import worst_of
from theorylab.verdicts import Result

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


@pytest.fixture
def result_of():
    """A result that tells against a version as one of its checks does; nothing is judged."""

    def made(statement, name, check):
        version = statement.versions[name]
        causes = version.causes_of(check)
        quantity = statement.quantity_of(version)
        return Result(
            id=statement.id, version=name, check=check.name, verdict=check.expect,
            expected=check.expect, measured=2.0, ci=(2.0, 2.0), bound=1.0, log10_bound=0.0,
            ratio=2.0, terms={}, assumptions=[], constants={}, instance=dict(check.instance),
            interval="", reason="", runs=1, severity=worst_of(causes) or "", curve=None,
            causes=[cause.id for cause in causes], quantity=quantity.text,
            formula=version.formula, source=statement.source.paper, seconds=0.0,
        )  # fmt: skip

    return made
