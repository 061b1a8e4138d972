"""True statements on random instances: not one VIOLATED.

Every version that holds is judged on random changes of its own checks, drawn with a seed of their
own. What is no instance, and what breaks an assumption, does not count.
"""

import time

import numpy as np
import pytest

from theorylab.falsify import moves
from theorylab.falsify.score import Judge
from theorylab.falsify.starts import known_choices, starts
from theorylab.statements import BUILT_IN

# Whether a network has the window that an instance states is a question about that instance.
STATED = ("dfedsgpsm.asm1", "dfedpgp.asm1")
HOLDING = [
    (statement.id, name)
    for statement in BUILT_IN.values()
    for name, version in statement.versions.items()
    if statement.id not in STATED
    and {"HOLDS"} <= {c.expect for c in version.checks if not c.control}
    and "VIOLATED" not in {c.expect for c in version.checks if not c.control}
]
SAMPLE = [
    ("dfedsgpsm.asm4", "printed/average"),
    ("dfedsgpsm.lem3_factor", "printed"),
    ("deprl.asm2", "printed"),
    ("pdbo.eq13", "corrected"),
    ("pdbo.lem6", "corrected/l4"),
    ("pdbo.thm11_gap", "corrected"),
]


def judged_inside(name, version, count, seconds):
    """How many instances inside the assumptions were judged, at most ``count``; none VIOLATED."""
    statement = BUILT_IN[name]
    first = starts(statement, version)
    others = known_choices(statement, version, first)
    draw = np.random.Generator(np.random.Philox(2024))
    judge = Judge(statement, version, 16, 0, time.monotonic() + seconds, patience=seconds / 10)
    while judge.inside < count and not judge.over:
        base = first[int(draw.integers(len(first)))]
        instance = moves(base, draw, 1 + int(draw.integers(4)), others)
        _, result = judge(instance)
        if result is not None and result.verdict == "VIOLATED":
            # A sampled mean is off now and then: what counts stands with many fresh runs, too.
            sure = Judge(statement, version, 1024, 1, time.monotonic() + seconds)
            assert sure(instance)[1].verdict != "VIOLATED", (instance, result.reason)
    return judge.inside


@pytest.mark.parametrize(("name", "version"), SAMPLE)
def test_random_true_instances_are_never_violated(name, version):
    assert judged_inside(name, version, 40, seconds=5.0) >= 3  # more where the machine is free


@pytest.mark.slow
@pytest.mark.parametrize(("name", "version"), HOLDING)
def test_two_hundred_random_true_instances_are_never_violated(name, version):
    assert judged_inside(name, version, 200, seconds=600.0) == 200
