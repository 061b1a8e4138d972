"""Runs on a set, or beside a term: steps that project, what leaves the set, scripts of both."""

import importlib.util

import numpy as np
import pytest

from theorylab.algorithms import DPSGD
from theorylab.problems import problem, with_noise
from theorylab.runs import simulate
from theorylab.scripts import script
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import R2, T
from theorylab.topologies import topology
from theorylab.verdicts import judge_check

BOWL = {"name": "quadratic", "H": [[[2.0, 0.5], [0.5, 1.0]]], "c": [[1.5, 0.25]]}
DOMAINS = {
    "box": {"set": {"kind": "box", "low": [-1.0, -0.5], "high": 1.0}},
    "ball": {"set": {"kind": "ball", "radius": 0.75, "center": [0.5, 0.0]}},
    "simplex": {"set": {"kind": "simplex", "total": 2.0}},
    "affine": {"set": {"kind": "affine", "A": [[1.0, 2.0]], "b": [1.0]}},
    "l1": {"prox": {"kind": "l1", "weight": 0.5}},
    "both": {"prox": {"kind": "elastic-net", "l1": 0.5, "l2": 0.25},
             "set": {"kind": "box", "low": [-0.75, 0.5]}},
}  # fmt: skip


METHODS = """
from theorylab.algorithms import Algorithm


class Kept(Algorithm, name="test-kept"):
    def step(self, state, net):
        return net.next(state, x=net.project(state.x - 0.25 * net.gradient(state.x)))


class Proximal(Algorithm, name="test-proximal"):
    def step(self, state, net):
        return net.next(state, x=net.prox(state.x - 0.25 * net.gradient(state.x), 0.25))


class Free(Algorithm, name="test-free"):
    def step(self, state, net):
        return net.next(state, x=state.x - 0.25 * net.gradient(state.x))
"""


@pytest.fixture
def methods(tmp_path, registries):
    """Projected, proximal and plain steps, in a file, for a script shows its text."""
    path = tmp_path / "methods.py"
    path.write_text(METHODS)
    spec = importlib.util.spec_from_file_location("methods_of_domains", path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made.Kept(), made.Proximal(), made.Free()


def run(method, rounds=3, losses=None, **options):
    losses = losses or problem(clients=1, **{**BOWL, **options})
    return simulate(losses, topology("complete", 1), method, rounds=rounds, runs=1)


def by_hand(name, x):
    """Three proximal steps, each nearest point by a fine search along what is free."""
    H, c = np.array(BOWL["H"][0]), np.array(BOWL["c"][0])
    for _ in range(3):
        y = x - 0.25 * H @ (x - c)
        if name == "box":
            x = np.array([min(max(y[0], -1), 1), min(max(y[1], -0.5), 1)])
        elif name == "ball":
            gap = y - [0.5, 0]
            x = [0.5, 0] + gap * min(1, 0.75 / np.sqrt(gap @ gap))
        elif name == "simplex":
            a = min(max((y[0] - y[1] + 2) / 2, 0), 2)
            x = np.array([a, 2 - a])
        elif name == "affine":
            x = y - np.array([1, 2]) * (y[0] + 2 * y[1] - 1) / 5
        else:
            x = np.array([np.sign(b) * max(abs(b) - 0.125, 0) for b in y])
            x = np.maximum(x / (1 + 0.0625), [-0.75, 0.5]) if name == "both" else x
    return x


START = {"both": [0.0, 0.5], "simplex": [1.0, 1.0], "affine": [0.2, 0.4]}


@pytest.mark.parametrize("name", DOMAINS)
def test_a_run_and_its_script_are_the_steps_by_hand(methods, name):
    kept, proximal, _ = methods
    method = proximal if name in ("l1", "both") else kept
    right = by_hand(name, np.array(START.get(name, [0.0, 0.0])))
    found = run(method, **DOMAINS[name]).final_x[0, 0]
    assert found == pytest.approx(right, abs=1e-14)
    instance = {"problem": BOWL | DOMAINS[name], "clients": 1, "rounds": 3, "algorithm": {}}
    instance |= {"topology": {"name": "complete"}}
    for column in ("squared_distance", "suboptimality"):
        version = Version({"bound": R2 / 10 ** (9 * T)}, (), (Check("one", instance, "VIOLATED"),))
        source, quantity = Source("test", "1", "far"), Quantity(column, "last")
        claim = Statement("test.far", source, quantity, {"printed": version}, method.name)
        result = judge_check(claim, "printed", version.checks[0])
        assert result.verdict == "VIOLATED", result.reason
        names = {}
        exec(script(claim, result), names)
        assert names["measured"] == pytest.approx(result.measured, rel=1e-9)


def test_a_method_that_knows_no_set_is_refused_before_it_runs(methods):
    with pytest.raises(ValueError, match="dpsgd: the problem has a set or a term, and this method"):
        run(DPSGD(0.25), **DOMAINS["box"])


def test_a_step_that_leaves_the_set_is_told_with_its_round(methods):
    _, _, free = methods
    with pytest.raises(ValueError, match=r"round \d: a model is off the problem's set by 0\.\d"):
        run(free, **DOMAINS["ball"])
    noisy = with_noise(problem(clients=1, **BOWL, **DOMAINS["ball"]), "gaussian", 0.1)
    with pytest.raises(ValueError, match=r"round \d: a model is off the problem's set"):
        run(free, losses=noisy)


def test_a_step_that_stays_inside_need_not_project(methods):
    _, _, free = methods
    inside = run(free, set={"kind": "ball", "radius": 50})
    assert inside.final_x.tolist() == run(free).final_x.tolist()


def test_a_start_outside_of_the_set_is_told(methods):
    kept, _, _ = methods
    losses = problem(clients=1, **BOWL, **DOMAINS["ball"])
    with pytest.raises(ValueError, match=r"x0: a model is off .* set by 4\.57; need a"):
        simulate(losses, topology("complete", 1), kept, rounds=1, runs=1, x0=4.0)


def test_where_there_is_no_set_a_projection_and_a_prox_are_the_model_itself(methods):
    kept, proximal, free = methods
    assert run(kept).final_x.tolist() == run(free).final_x.tolist()
    assert run(proximal).final_x.tolist() == run(free).final_x.tolist()
