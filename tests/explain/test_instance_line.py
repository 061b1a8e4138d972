"""One line of mathematics of every instance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theorylab.explain import instance_line
from theorylab.explain._losses import losses
from theorylab.problems.huber import Huber

RUN = {"topology": {"name": "directed-ring"}, "clients": 3, "rounds": 20}
CASES = [
    (
        {**RUN, "problem": {"name": "quadratic", "H": [[[1.0]]] * 3, "c": [[1.0], [2.0], [4.0]]},
         "algorithm": {"eta": 0.1}},
        "f_i(x) = (x - c_i)^2/2, c = (1, 2, 4), n = 3, directed ring, eta = .1, T = 20",
    ),
    (
        {**RUN, "problem": {"name": "log-cosh", "dim": 1, "center": -8.0, "scale": 2.0},
         "algorithm": {"eta": 1.0, "alpha": 0.0, "local_steps": 4}, "x0": 0.5},
        "f_i(x) = 2 log cosh(x + 8), n = 3, directed ring, eta = 1, K = 4, T = 20, x^0 = .5",
    ),
    (
        {**RUN, "problem": {"name": "coupled-quadratic", "A": [[[1.0]]] * 2, "B": [[[3.0]]] * 2,
                            "C": [[[0.5]]] * 2, "a": [[0.0]] * 2, "b": [[1.0]] * 2}},
        "f_i(u, v) = u^2/2 + 3 (v - 1)^2/2 + .5 u (v - 1), n = 3, directed ring, T = 20",
    ),
    (
        {"clients": 2, "topology": {"name": "edge-list", "edges": [[0, 0], [1, 1], [0, 1, 0.25]]}},
        "n = 2, edges 0 -> 1 (.25) and self-loops",
    ),
    (
        {**RUN, "problem": {"name": "rippled", "a": [[0.0]], "b": [[0.0]], "r": 2.0},
         "sweep": {"parameter": "T", "values": [1, 10], "set": {"rounds": "T"}}},
        "f_i(u, v) = u^2/2 + 4 sin(u/2)^2 + v^2/2, n = 3, directed ring, T along (1, 10), "
        "where T = T",
    ),
    (
        {"clients": 3, "problem": {"name": "sin-sin", "A": [[1.0]], "B": [[1.0]], "c": [2.0] * 3,
                                   "phases": [[0.0], [1.0], [2.0]], "sigma_u": 0.5,
                                   "noise": "rademacher", "a": [[0.0]] * 3, "b": [[1.0]] * 3}},
        "f_i(u, v) = u^2/2 + (v - 1)^2/2 + 2 sin(u) sin(v + phase_i), phase = (0, 1, 2), "
        "sigma_u = .5, rademacher noise, n = 3",
    ),
    (
        {"clients": 9, "problem": {"name": "noisy", "base": {"name": "clipped-linear", "clip": 3.0},
                                   "sigma": 2.0}},
        "f_i(x) = y (x - y/2), y = clip(x, -3, 3), sigma = 2, gaussian noise, n = 9",
    ),
    (
        {"clients": 9, "problem": {"name": "quadratic", "dim": 3, "mu": 0.5, "seed": 0}},
        "f_i(x) = (x - c_i)^T H_i (x - c_i)/2, x in R^3, c, H drawn, mu = .5, seed = 0, n = 9",
    ),
    (
        {"clients": 2, "problem": {"name": "log-cosh", "scale": 0.5, "dim": 4, "spread": 1.0}},
        "f_i(x) = .5 sum_j log cosh(x_j - c_ij), x in R^4, c drawn, spread = 1, n = 2",
    ),
    (
        {"clients": 2, "sweep": {"parameter": "L_u", "values": [1.0, 9.0],
                                 "set": {"problem.L_u": "L_u", "problem.a.0.0": "L_u"}},
         "problem": {"name": "coupled-quadratic", "C": [[[0.0]]] * 2, "mu_u": 1.0, "L_u": 1.0,
                     "mu_v": 4.0, "L_v": 4.0, "a": [[0.0]] * 2, "b": [[0.0]] * 2}},
        "f_i(u, v) = A_i (u - a_i)^2/2 + 4 v^2/2, A by L_u, n = 2, L_u along (1, 9), where "
        "L_u = L_u, problem.a.0.0 = L_u",
    ),
    (
        {"clients": 2, "problem": {"name": "rosenbrock", "targets": [1.0, -1.0]}},
        "f_i(x) = (x_2 - x_1^2)^2/2 + (x_1 - targets_i)^2/2, x in R^2, targets = (1, -1), n = 2",
    ),
    (
        {"problem": {"name": "logistic", "target": [3, 8]}, "clients": 2},
        "logistic losses (target = (3, 8)), n = 2",
    ),
    ({}, "no options"),
]  # fmt: skip


@pytest.mark.parametrize(("instance", "line"), CASES)
def test_an_instance_reads_as_mathematics(instance, line):
    assert instance_line(instance) == line


def test_every_check_has_a_line_that_fits_a_paragraph(versions):
    for where, _, version in versions:
        for check in version.checks:
            line = instance_line(check.instance)
            assert line.isascii(), (where, check.name)
            assert "\n" not in line, (where, check.name)
            assert 0 < len(line) <= 500, (where, check.name)


LEAVES = st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8)
DATA = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = st.sampled_from(
    ["problem", "topology", "network", "clients", "rounds", "algorithm", "x0", "sweep", "other"]
)


@given(st.dictionaries(KEYS, DATA, max_size=5))
def test_a_strangers_instance_never_raises(instance):
    assert isinstance(instance_line(instance), str)


NAMES = st.sampled_from(["quadratic", "log-cosh", "coupled-quadratic", "sin-sin", "rippled",
                         "noisy", "clipped-linear", "other"])  # fmt: skip
OPTIONS = st.dictionaries(
    st.sampled_from(["A", "B", "C", "a", "b", "c", "H", "center", "centers", "scale", "base",
                     "sigma", "sigma_u", "r", "phases", "dim"]), DATA, max_size=6,
)  # fmt: skip


@given(NAMES, OPTIONS)
def test_a_strangers_options_never_raise(name, options):
    assert isinstance(instance_line({"problem": {**options, "name": name}}), str)


def test_the_options_that_set_one_letter_are_told_in_one_order_in_every_process():
    problem = {"name": "coupled-quadratic", **dict.fromkeys(("mu_u", "L_u", "mu_v", "L_v"), 1.0)}
    values = {"problem.mu_u": "L_v", "problem.mu_v": "L_v", "problem.L_u": "L_v"}
    sweep = {"parameter": "problem.L_v", "values": [1.0, 2.0], "set": values}
    line = instance_line({"problem": problem, "sweep": sweep})
    assert "A by L_u, mu_u, B by L_v, mu_v, " in line  # a set's order is another in each process


class FromFile(Huber, name="test-told-from-file"):
    """Centers that a file holds."""

    def __init__(self, clients, path):
        super().__init__(clients, centers=np.loadtxt(path)[:, None])


def test_a_loss_is_read_anew_where_its_file_has_changed(tmp_path):
    path = tmp_path / "centers.txt"
    told = []
    for centers in ("1 2", "1 7"):
        path.write_text(centers)
        told.append(losses({"name": "test-told-from-file", "path": str(path)}, 2))
    assert "7" not in told[0]
    assert "7" in told[1]
