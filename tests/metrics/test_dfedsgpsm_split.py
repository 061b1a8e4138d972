"""The noise of a round split off, against every sign written out."""

import pathlib
import runpy

import numpy as np
import pytest

from theorylab.algorithms import algorithm
from theorylab.metrics import measured, metric
from theorylab.problems import problem
from theorylab.runs import Setting
from theorylab.topologies import topology

REFERENCE = pathlib.Path(__file__).with_name("_reference_dfedsgpsm.py")
BY_HAND = runpy.run_path(str(REFERENCE))["split_by_hand"]


def setting():
    base = {"name": "log-cosh", "dim": 1, "center": 1.0}
    p = problem("noisy", 1, base=base, field="state", sigma=0.7)
    run = algorithm("dfedsgpsm", eta=0.1, alpha=0.5, rho=0.2, local_steps=2)
    return Setting(p, topology("complete", 1), run, {}, 1, np.full((1, 1), 0.3))


@pytest.mark.parametrize("column", ["square", "excess", "inner"])
def test_expectations_are_the_sums_over_all_signs(column):
    square, points, kept, gap = BY_HAND()
    slope = abs(np.tanh(0.3 - 1))
    told = {
        "square": square,
        "excess": square - points,
        "inner": abs(gap) * slope / 2.5,  # over a~ = 3/2 + 1
    }
    (row,) = measured(metric(f"dfedsgpsm.split_{column}"), setting(), {}, law="enumerated").rows
    assert row.values == pytest.approx([told[column]], rel=1e-12)
    if column == "square":
        assert row.at["kept_slopes"] == pytest.approx(np.sqrt(kept), rel=1e-12)
