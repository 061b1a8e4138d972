"""Step sizes that change from round to round: a function of t, or a text of one."""

import json
from dataclasses import replace

import numpy as np
import pytest

from theorylab.algorithms import algorithm
from theorylab.problems import problem
from theorylab.runs import expected_trace, simulate
from theorylab.statements import BUILT_IN
from theorylab.topologies import topology
from theorylab.verdicts import judge_check

RING = topology("directed-ring", 5)
GOSSIP = ("sgp", "osgp", "dpsgd", "dfedavg", "dfedsgpsm", "dfedsgpsm-s", "asyng", "local")
SERVER = ("fedavg", "fedprox", "ditto", "fedbabu", "fedper", "fedrep", "clustered-fl", "fed-rod")
MORE = {
    "dfedsam": {"rho": 0.1},
    "dfedavgm": {"alpha": 0.5},
    "dis-pfl": {"rounds": 5},
    "fed-rod": {"risk": "empirical"},
    "asyng": {"point": "one-point"},
}


def losses():
    split = problem("quadratic", 5, dim=4, sigma=0.3, seed=2)
    split.shared = 2
    return split


def end(name, eta, **options):
    method = algorithm(name, eta=eta, **{**MORE.get(name, {}), **options})
    trace = simulate(losses(), RING, method, rounds=5, runs=2, x0=1.0)
    return np.concatenate([a.ravel() for a in (trace.final_x, trace.final_v) if a is not None])


@pytest.mark.parametrize("name", [*GOSSIP, *SERVER, "dfedsam", "dfedavgm", "dis-pfl"])
def test_every_round_has_its_own_step(name):
    text, function = end(name, "0.1 * 0.5**t"), end(name, lambda t: 0.1 * 0.5**t)
    assert np.array_equal(text, function)
    # 0.1 * 0.5**t is 0.1 times a power of two: the very numbers that decay gives
    assert np.array_equal(text, end(name, 0.1, decay=0.5))
    assert not np.array_equal(text, end(name, 0.1))
    assert np.array_equal(end(name, "0.1"), end(name, 0.1))


def test_exact_moments_see_that_rounds_differ():
    still = topology("complete", 5)
    made = {
        key: expected_trace(losses(), still, algorithm("sgp", **options), rounds=6, x0=1.0)
        for key, options in {
            "text": {"eta": "0.1 * 0.5**t"},
            "decay": {"eta": 0.1, "decay": 0.5},
            "constant": {"eta": 0.1},
        }.items()
    }
    for column, values in made["text"].columns.items():
        assert np.allclose(values, made["decay"].columns[column], rtol=1e-12, atol=1e-15)
    loss = {key: trace.last["loss"][0] for key, trace in made.items()}
    assert abs(loss["text"] - loss["constant"]) > 1e-3


def test_a_text_is_kept_as_it_came():
    method = algorithm("sgp", eta="1/(10 + t)")
    options = json.loads(json.dumps(method.options()))
    assert options["eta"] == "1/(10 + t)"
    assert algorithm("sgp", **options) == method


@pytest.mark.parametrize(
    ("eta", "error", "message"),
    [
        ("fast", ValueError, "sgp: eta: 'fast': 'fast' is no number; need one of t"),
        ("t - 3", ValueError, r"sgp: eta is -3\.0 in round 0; need a step size > 0"),
        ("__import__('os')", ValueError, "__import__ is no function"),
        ("1/t", ValueError, "sgp: eta: '1/t': "),
        (lambda t: -1, ValueError, "sgp: eta is -1 in round 0; need a step size > 0"),
        (lambda t: float("inf"), ValueError, "sgp: eta is inf in round 0"),
        (None, TypeError, "sgp: eta is None; need a step size > 0"),
        (0, ValueError, "sgp: eta is 0; need a step size > 0"),
    ],
)
def test_what_is_no_step_size_is_told_in_one_line(eta, error, message):
    with pytest.raises(error, match=message) as caught:
        algorithm("sgp", eta=eta)
    assert "\n" not in str(caught.value)


def test_a_step_that_becomes_none_later_is_told_with_its_round():
    with pytest.raises(ValueError, match=r"sgp: eta is -0\.5 in round 4; need a step size > 0"):
        end("sgp", "3.5 - t")


def test_a_bound_with_one_eta_says_that_there_is_none():
    for name, version in (("dfedsgpsm.thm1", "printed"), ("dfedsgpsm.lem4", "printed")):
        statement = BUILT_IN[name]
        check = statement.versions[version].checks[0]
        options = {**check.instance["algorithm"], "eta": "0.001/(1 + t)"}
        plain = {key: value for key, value in check.instance.items() if key != "sweep"}
        changed = replace(check, instance={**plain, "algorithm": options})
        with pytest.raises(ValueError, match=r"'0\.001/\(1 \+ t\)'.*need (a|one) number") as caught:
            judge_check(statement, version, changed)
        assert "\n" not in str(caught.value)
