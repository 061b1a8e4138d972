"""One line of mathematics of every instance."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theorylab.explain import instance_line

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
        "f_i(u, v) = u^2/2 + 2 (1 - cos u) + v^2/2, n = 3, directed ring, T along (1, 10), "
        "where T = T",
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
