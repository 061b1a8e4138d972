"""What ``host_bits`` says of a run holds of every built-in method and problem.

torch on the host plays the GPU's torch: it, too, adds up in an order of its own.
"""

import pathlib
import re

import numpy as np
import pytest
import torch

from theorylab.algorithms import SGP, algorithm
from theorylab.algorithms._algorithm import ALGORITHMS
from theorylab.kernels._paths import emulated
from theorylab.own import is_own
from theorylab.problems import names, problem
from theorylab.problems._base import PROBLEMS
from theorylab.problems._placed import Placed
from theorylab.registry import options_of
from theorylab.runs import Faults, host_bits, simulate
from theorylab.topologies import topology

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "install.md"
METHODS = sorted(name for name in ALGORITHMS if is_own(ALGORITHMS.find(name)))
GIVEN = {"eta": 0.05, "eta_u": 0.05, "eta_v": 0.05, "alpha": 0.5, "beta": 0.5, "rho": 0.1}
SMALL = {
    "rippled": {"a": [[0.0]] * 4, "b": [[0.0]] * 4},
    "noisy": {"base": {"name": "quadratic"}},
}
NETWORKS = {"cnn", "lstm", "mlp", "resnet18"}
LOSSES = {"log-cosh": {"dim": 3, "spread": 1.0, "sigma": 0.1}, "logistic": {"batch": 4}}
OTHERS = [("asyng", {"point": "one-point"}), ("dpsgd", {"order": "mix-then-step"})]


def built(name, **options):
    known = options_of(ALGORITHMS.find(name))
    given = {k: GIVEN.get(k) for k, v in known.items() if v.default is v.empty}
    given |= {k: v for k, v in {"rounds": 3, "fraction": 1.0}.items() if k in known}
    return algorithm(name, **{**given, **options})


def played(base, run, faults):
    """All that the last state holds."""
    ends, graph = [], topology("random-out", base.clients, degree=3)
    simulate(
        base, graph, run, rounds=3, every=3, columns=(), faults=faults,
        watch=lambda state, count: ends.append(state),
    )  # fmt: skip
    last = ends[-1]
    parts = [last.x, last.w, last.z, last.v, *last.memory.values()]
    return [np.asarray(part) for part in parts if part is not None]


def agree(base, run, faults=None):
    """(whether the GPU's double has the host's bits, the sums that torch made in its rounds)."""
    want, seen = played(base, run, faults), []

    class Watched(Placed):
        def _at(self, what, x, tail):
            seen.append(what)
            return super()._at(what, x, tail)

    there = Watched(base, "cpu")
    with emulated():
        made = played(there, run, faults)
    same = all(map(np.array_equal, made, want))
    return same, [what for what in seen if what != "local_steps"]


@pytest.mark.parametrize("losses", LOSSES)
@pytest.mark.parametrize(("name", "options"), [*((name, {}) for name in METHODS), *OTHERS])
def test_who_is_said_to_have_the_hosts_bits_has_them_and_who_is_not_adds_up(name, options, losses):
    base = problem(losses, 40, **LOSSES[losses])
    run = built(name, **options)
    refused = None
    try:
        same, sums = agree(base, run)
    except ValueError as error:
        refused = str(error)
    if refused:  # a method of two parts, or of mixtures
        assert re.search("personal|shared|component", refused)
        assert not run.fixed_order()
        return
    if host_bits(base, run):
        assert same
        assert not sums
    else:
        assert sums or not same


@pytest.mark.parametrize(
    "name", sorted({n for n in names() if is_own(PROBLEMS.find(n))} - NETWORKS - {"composite"})
)
def test_a_problem_that_is_said_to_step_by_a_kernel_does(name):
    base = problem(name, 4, **SMALL.get(name, {}))
    there = Placed(base, "cpu")
    x, w = there.points(np.zeros((1, 4, base.dim))), torch.ones(1, 4, dtype=torch.float64)
    asked = {"steps": 1, "counts": None, "eta": 0.1, "alpha": 0.0, "rho": 0.0}
    with emulated():
        steps = there.local_steps(x, w, 0, np.arange(1), 0, **asked)
    assert host_bits(base, SGP(eta=0.1)) is host_bits(there, SGP(eta=0.1)) is (steps is not None)


def test_late_messages_and_methods_of_ones_own_are_not_promised():
    class Mine(SGP):
        def half(self, state, context):
            return super().half(state, context)

    Mine.__module__ = "mine"
    base = problem("log-cosh", 4, dim=3)
    assert host_bits(base, SGP(eta=0.1), Faults(loss=0.5, stragglers=0.5))
    assert not host_bits(base, SGP(eta=0.1), Faults(delay=1))
    assert not host_bits(base, Mine(eta=0.1))
    assert not host_bits(problem("mlp", 4, hidden=[2]), SGP(eta=0.1))


@pytest.mark.parametrize("name", ["osgp", "dfedsgpsm", "dfedavgm"])
def test_faults_but_delays_keep_the_bits(name):
    base, faults = problem("log-cosh", 40, **LOSSES["log-cosh"]), Faults(loss=0.3, stragglers=0.5)
    run = built(name, local_steps=3)
    assert host_bits(base, run, faults)
    assert agree(base, run, faults) == (True, [])


def test_the_page_names_them_all():
    text = " ".join(PAGE.read_text().split())
    said = re.search(r"host's bits in float64 if the method is one of (.*?) and the problem one of "
                     r"(.*?), and no message is late", text)  # fmt: skip
    methods, problems = (re.findall(r"`([^`]+)`", part) for part in said.groups())
    base = problem("log-cosh", 4, dim=3)
    assert methods == [name for name in METHODS if host_bits(base, built(name))]
    own = sorted(set(names()) - NETWORKS - {"composite"})
    assert problems == [
        name for name in own if is_own(PROBLEMS.find(name))
        and host_bits(problem(name, 4, **SMALL.get(name, {})), SGP(eta=0.1))
    ]  # fmt: skip
