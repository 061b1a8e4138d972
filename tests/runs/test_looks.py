"""States of several rounds are looked at together: every number is that of one look a round."""

import sys
from dataclasses import dataclass

import numpy as np
import pytest

from theorylab.algorithms import SGP, DFedAlt, DFedAvg, DFedPGP, DFedSGPSM, Ditto
from theorylab.problems import Quadratic, exact_batches, from_loss, problem
from theorylab.runs import _looks, simulate
from theorylab.topologies import topology

ENGINE = sys.modules["theorylab.runs.simulate"]  # the package has a function of that name
GRAPH = topology("directed-exponential", 5)
SMOOTH = {"name": "log-cosh", "dim": 2, "spread": 2.0}
COUPLED = problem("coupled-quadratic", 5, sigma_u=0.5, sigma_v=0.2)
STATES = ("squared_gradient", "consensus", "loss", "weight_min", "weight_max", "own_loss")
PARTS = ("squared_gradient", "loss", "consensus", "gradient_u", "gradient_v", "gradient_theta")
DIGITS = problem(
    "softmax", 5, features=np.arange(40).reshape(20, 2) % 7, labels=np.arange(20) % 3,
    owners=np.arange(20) % 5, batch=2,
)  # fmt: skip
CASES = {
    "log-cosh": (problem("log-cosh", 5, dim=3, spread=1.0, sigma=0.5), SGP(0.05), STATES),
    "quadratic d=1": (problem("quadratic", 5, dim=1, sigma=0.5), SGP(0.05), STATES),
    "quadratic": (problem("quadratic", 5, dim=9, sigma=0.5), DFedSGPSM(0.05, 0.5, 0.1, 2), STATES),
    "noisy": (problem("noisy", 5, base=SMOOTH, field="state"), SGP(0.05), STATES),
    "softmax": (DIGITS, SGP(0.05), STATES),
    "own models": (DIGITS, Ditto(0.05), STATES),
    "pgp": (COUPLED, DFedPGP(0.05, 0.04), PARTS),
    "alt": (problem("sin-sin", 5, sigma_u=0.1, sigma_v=0.1), DFedAlt(0.05, 0.04), PARTS),
}


def numbers(trace):
    return [*trace.columns.values(), *trace.last.values(), trace.final_x, trace.final_w]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("every", [1, 3])
def test_looks_at_several_rounds_have_the_bits_of_one_a_round(case, every, monkeypatch):
    losses, method, columns = case
    options = {"rounds": 13, "runs": 2, "every": every, "x0": 0.5, "columns": columns}
    sizes, real = [], _looks.record_state
    with monkeypatch.context() as patch:
        patch.setattr(_looks, "LONGEST", 6)
        patch.setattr(_looks, "record_state", lambda *a: sizes.append(len(a[3].x) // 2) or real(*a))
        some = simulate(losses, GRAPH, method, **options)
    monkeypatch.setattr(_looks, "NUMBERS", 0)
    monkeypatch.setattr(ENGINE, "fused", lambda *a, **k: None)
    one = simulate(losses, GRAPH, method, **options)
    for left, right in zip(numbers(some), numbers(one), strict=True):
        assert np.array_equal(left, right)
    assert sum(sizes) == len(some.at)
    assert max(sizes) > 1


def failure(monkeypatch, *arguments, **options):
    """The line of a run that fails, which is the same with one look a round and by ``step``."""
    lines = []
    for number, fuses in ((_looks.NUMBERS, True), (_looks.NUMBERS, False), (0, False)):
        with monkeypatch.context() as patch, np.errstate(all="ignore"):
            patch.setattr(_looks, "NUMBERS", number)
            if not fuses:
                patch.setattr(ENGINE, "fused", lambda *a, **k: None)
            with pytest.raises(ValueError, match=r"^\w+: .*") as caught:
                simulate(*arguments, **options)
        lines.append(str(caught.value))
    assert len(set(lines)) == 1
    return lines[0]


@pytest.mark.parametrize("every", [1, 4])
def test_a_run_overflows_at_the_same_round_however_many_are_looked_at(every, monkeypatch):
    losses, method = problem("quadratic", 5, dim=2), SGP(9.0)
    options = {"rounds": 500, "every": every, "x0": 1.0}
    line = failure(monkeypatch, losses, GRAPH, method, **options)
    round_of_it = int(line.split(" at round ")[1].split(";")[0])
    assert line.startswith("simulate: squared_gradient overflowed at round ")
    kept = []
    with np.errstate(all="ignore"), pytest.raises(_looks.DivergedError):
        simulate(losses, GRAPH, method, **options, checkpoint=kept.append)
    assert kept[-1].state.t == round_of_it  # whatever was sound is handed out
    assert all(np.isfinite(values).all() for values in kept[-1].table.values())


@dataclass(frozen=True)
class Failing(DFedSGPSM):
    at: int = 5

    def step(self, state, context):
        if state.t == self.at:
            raise ValueError("step: no more")
        return super().step(state, context)


def test_what_overflowed_before_a_round_that_raises_comes_first(monkeypatch):
    monkeypatch.setattr(Failing, "__module__", "theorylab.algorithms.failing")
    losses, options = problem("quadratic", 5, dim=2), {"rounds": 600, "x0": 1.0}
    assert failure(monkeypatch, losses, GRAPH, Failing(0.1), **options) == "step: no more"
    assert failure(monkeypatch, losses, GRAPH, Failing(9.0), **options) == "step: no more"
    line = failure(monkeypatch, losses, GRAPH, Failing(9.0, at=400), **options)
    assert line.startswith("simulate: squared_gradient overflowed at round ")


@pytest.mark.parametrize("method", [SGP(0.1), DFedAvg(0.1)])
def test_a_watch_sees_the_recorded_states_and_the_last_one(method):
    losses, runs, seen = problem("log-cosh", 5, dim=2, sigma=0.1), 2, []

    def watch(states, count):
        seen.append((states, count))

    end = simulate(losses, GRAPH, method, rounds=300, runs=runs, watch=watch)
    counts = [count for _, count in seen]
    assert [states.t for states, _ in seen] == [0, *np.cumsum(counts[:-1])]
    assert sum(counts) == 301
    assert np.array_equal(seen[-1][0].x, end.final_x)
    early = simulate(losses, GRAPH, method, rounds=10, runs=runs).final_x
    assert np.array_equal(seen[0][0].x.reshape(-1, runs, 5, 2)[10], early)


class Steep(Quadratic):
    def loss(self, x):
        return 2 * super().loss(x)


def test_only_built_in_problems_promise_a_batch_that_is_its_runs():
    own = from_loss(lambda x, c: ((x - c) ** 2).sum(), dim=2, data=np.eye(2))
    assert not exact_batches(own)
    assert not exact_batches(Steep(5, dim=2))
    assert not exact_batches(problem("noisy", 5, base=Steep(5, dim=2)))
    assert all(exact_batches(losses) for losses, *_ in CASES.values())


class Writes(SGP):
    def step(self, state, context):
        after = super().step(state, context)
        state.x[:] = 7.0  # against the rules
        return after


def test_a_strangers_step_is_played_after_its_state_was_looked_at():
    losses = problem("quadratic", 5, dim=2)
    kept = [simulate(losses, GRAPH, made(0.1), rounds=5, x0=1.0) for made in (SGP, Writes)]
    assert np.array_equal(kept[0].columns["loss"], kept[1].columns["loss"])


def test_what_a_watch_raises_is_the_callers():
    seen = []

    def watch(states, count):
        seen.append((states.t, count))
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        simulate(
            problem("quadratic", 4, dim=2), topology("ring", 4), SGP(0.1), rounds=20, every=5,
            watch=watch,
        )  # fmt: skip
    assert len(seen) == 1
