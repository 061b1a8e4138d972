"""Two clients without noise and one with signs, and a round of the first by hand."""

import numpy as np

from theorylab.constants import Bench, dfedpgp_constants
from theorylab.metrics import measured, metric
from theorylab.verdicts.instance import built, parsed

QUIET = {
    "problem": {
        "name": "coupled-quadratic", "A": [[[1.0]], [[2.0]]], "B": [[[1.0]], [[0.5]]],
        "C": [[[0.3]], [[-0.2]]], "a": [[1.0], [-1.0]], "b": [[0.0], [2.0]],
    },
    "topology": {
        "name": "edge-list", "edges": [[0, 0], [0, 1], [1, 0]], "weights": "uniform",
        "self_loops": False,
    },
    "clients": 2,
    "algorithm": {"eta_u": 0.05, "eta_v": 0.1, "steps_u": 3, "steps_v": 2, "batch": "per-step"},
    "rounds": 2,
    "x0": [[1.0, 0.5], [0.0, -1.0]],
}  # fmt: skip
SIGNS = {
    **QUIET,
    "problem": {
        "name": "coupled-quadratic", "A": [[[1.0]]], "B": [[[1.0]]], "C": [[[0.0]]], "a": [[1.0]],
        "b": [[0.0]], "sigma_u": 0.5, "sigma_v": 0.25, "noise": "state",
    },
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 1,
    "x0": [0.3, 0.7],
}  # fmt: skip


def setting(**options):
    return built("here", parsed("here", options), "dfedpgp")


def constants(**options):
    s = setting(**options)
    return dfedpgp_constants(Bench(s.problem, s.topology, s.algorithm.options(), s.start, s.rounds))


def rows(column, how=(), **options):
    known = constants(**options)
    return measured(metric(f"dfedpgp.{column}"), setting(**options), known, **dict(how)).rows


def quiet_round():
    """Round 0 of QUIET by hand: vs, us."""
    A, B, C, a, b = (1, 2), (1, 0.5), (0.3, -0.2), (1, -1), (0, 2)
    vs, us = [np.array([0.5, -1.0])], [np.array([1.0, 0.0])]
    for _ in range(2):
        g = [B[i] * (vs[-1][i] - b[i]) + C[i] * (us[0][i] - a[i]) for i in range(2)]
        vs.append(vs[-1] - 0.1 * np.array(g))
    gu = []
    for _ in range(3):
        g = [A[i] * (us[-1][i] - a[i]) + C[i] * (vs[-1][i] - b[i]) for i in range(2)]
        gu.append(np.array(g))
        us.append(us[-1] - 0.05 * gu[-1])
    return vs, us, gu
