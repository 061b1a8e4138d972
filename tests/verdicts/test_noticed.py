"""A verdict tells what is seen of a stranger's step; runs that are no sample decide nothing."""

import random
from dataclasses import dataclass

import numpy as np
import pytest

from theorylab import cli
from theorylab.algorithms import Algorithm
from theorylab.known import How, Known
from theorylab.problems import Problem
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import f0, f_star
from theorylab.verdicts import judge_check
from theorylab.verdicts import noticed as told

pytestmark = pytest.mark.usefixtures("registries")


def method(fold, **declared):
    @dataclass(frozen=True)
    class Method(Algorithm, name="test-method"):
        eta: float = 0.1

        def step(self, state, net):
            return net.next(state, x=fold(net.mix(state.x - self.eta * net.gradient(state.x)), net))

    for name, value in declared.items():
        setattr(Method, name, value)


def judged(over="last", eta=0.1, method="test-method", **more):
    claim = Statement(
        id="own.claim",
        source=Source("own", "1", "the mean does not grow"),
        algorithm=method,
        quantity=Quantity("squared_gradient", over),
        versions={"v": Version(terms={"start": 4 * (f0 - f_star)})},
    )
    instance = {
        **{"problem": {"name": "log-cosh", "dim": 2}, "topology": {"name": "ring"}},
        **{"clients": 6, "rounds": 10, "algorithm": {"eta": eta}, "x0": 2.0},
        **more,
    }
    return judge_check(claim, "v", Check("own", instance))


def one_coin(x, net):
    return x * (1 - np.random.default_rng([net.seed, 3]).integers(2) / 2)


@pytest.mark.parametrize(
    ("fold", "line"),
    [
        (one_coin, "what the step draws is the same in every run, so that runs are no sample"),
        (lambda x, net: x * random.random(), "a round draws from random, which no seed"),
    ],
)
def test_runs_that_are_no_sample_decide_nothing(fold, line):
    method(fold, draws=True)
    found = judged()
    assert found.verdict == "INCONCLUSIVE"
    assert found.reason.startswith(line)
    assert found.noticed.startswith(line)


def test_a_declared_coin_of_all_runs_is_judged():
    method(one_coin, draws=True, shared_draws=True)
    found = judged()
    assert (found.verdict, found.noticed) == ("HOLDS", "")


@pytest.mark.parametrize(
    ("fold", "declared", "line"),
    [
        (lambda x, net: 0.9 * x, {}, "without gradients the sum of x over the clients is not kept"),
        (lambda x, net: x * 0 + x.mean(axis=1, keepdims=True), {}, "client 2 moves in the same"),
        (lambda x, net: x, {"step_size": lambda self, t: 0.3}, "step_size(0) is 0.3, and the step"),
        (lambda x, net: x, {}, ""),
    ],
)
def test_what_else_is_seen_is_told_and_decides_nothing(fold, declared, line):
    method(fold, **declared)
    found = judged()
    assert found.verdict == "HOLDS"
    assert found.noticed.startswith(line)
    assert bool(found.noticed) == bool(line)
    assert f"; note: {line}" in found.reason or not line


@pytest.mark.parametrize(("fold", "verdict"), [
    (one_coin, "INCONCLUSIVE"), (lambda x, net: x, "HOLDS"),
])  # fmt: skip
def test_a_sweep_is_looked_at_as_its_instances_are(fold, verdict):
    method(fold, draws=True)
    found = judged(sweep={"parameter": "rounds", "values": [5, 10, 20]})
    assert (found.verdict, bool(found.noticed)) == (verdict, verdict != "HOLDS")


@pytest.mark.parametrize(("kind", "line"), [
    ("round", "the problem's sample is the same in every run, so that runs are no sample"),
    ("run", ""),
])  # fmt: skip
def test_samples_of_a_problem_that_runs_share_decide_nothing(kind, line):
    class Shaken(Problem, name="test-shaken"):
        def __init__(self, clients, kind="run"):
            super().__init__(clients, 1, True)
            self.kind = kind

        def loss(self, x):
            return (x**2).sum(axis=2) / 2

        def gradient(self, x):
            return 1 * x

        def stochastic_gradient(self, x, sample):
            return x + sample

        def sample(self, seed, runs, round, step):
            key = [[round, step, r if self.kind == "run" else 0, seed % 2**32] for r in runs]
            signs = np.array([np.random.default_rng(k).choice([-1.0, 1]) for k in key])
            return np.repeat(signs[:, None, None], self.clients, axis=1)

        def measured_noise(self, xbar):
            return np.ones((len(xbar), self.clients))

        def constants(self):
            return {"f_star": Known(0.0, How.EXACT, "x^2 / 2"), "L": Known(1.0, How.EXACT, "1")}

    for each in ("run", kind):  # the class is looked at anew where its words are others
        shaken = {"name": "test-shaken", "kind": each}
        found = judged(problem=shaken, method="dpsgd", eta=4.0, x0=1.0, rounds=2)
    assert found.noticed.startswith(line)
    assert bool(found.noticed) == bool(line)
    assert found.verdict == ("INCONCLUSIVE" if line else "VIOLATED")
    assert not line or found.reason.startswith(line)


def test_a_class_is_looked_at_once(monkeypatch):
    seen = []
    whole = told.noticed
    monkeypatch.setattr(told, "noticed", lambda setting: seen.append(1) or whole(setting))
    method(lambda x, net: x)
    for eta in (0.1, 0.2, 0.3):
        judged(eta=eta)
    assert len(seen) == 1


def test_the_table_shows_it_where_the_verdict_was_expected(tmp_path, capsys):
    file = tmp_path / "lossy.py"
    file.write_text(
        "from theorylab.algorithms import Algorithm\n"
        "from theorylab.statements import Check, Quantity, Source, Statement, Version\n"
        "from theorylab.symbols import f0, f_star\n"
        "class Lossy(Algorithm, name='test-lossy'):\n"
        "    def step(self, state, net):\n"
        "        x = net.mix(state.x - 0.1 * net.gradient(state.x))\n"
        "        return net.next(state, x=0.9 * x)\n"
        "RUN = {'problem': {'name': 'log-cosh'}, 'topology': {'name': 'ring'}, 'clients': 4,\n"
        "       'rounds': 5, 'algorithm': {}, 'x0': 2.0}\n"
        "STATEMENT = Statement(id='own.lossy', source=Source('own', '1', 'no growth'),\n"
        "    algorithm='test-lossy', quantity=Quantity('suboptimality', 'last'),\n"
        "    versions={'v': Version(terms={'a': f0 - f_star},\n"
        "                           checks=(Check('one', RUN, 'HOLDS'),))})\n"
    )
    assert cli.run(["verify", str(file)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "own.lossy [v]: note: without gradients the sum of x over the clients" in shown
    assert shown.count("without gradients the sum of x") == 2  # in the last sentence, too
