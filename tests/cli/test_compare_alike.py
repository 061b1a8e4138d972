"""``compare`` says when methods are the same here, and why as far as that was checked."""

from types import SimpleNamespace

import numpy as np
import pytest

from theorylab.commands.compare.alike import _complete
from theorylab.topologies import from_matrices

BASE = ["--problem", "quadratic", "--clients", "4", "--rounds", "6"]
MOMENTUM, PLAIN = "dfedsgpsm:eta=.1,alpha=.5", "sgp:eta=.1"
SAME, NETWORK, FORGETS = "every recorded number", "11^T/n", "with alpha = 0"
LONG = "dfedsgpsm:eta=.1,local_steps=3"


@pytest.mark.parametrize(
    ("methods", "topology", "said"),
    [
        ((MOMENTUM, PLAIN), "complete", {SAME, NETWORK, FORGETS}),
        ((MOMENTUM, PLAIN), "random-out", {SAME, NETWORK, FORGETS}),
        ((MOMENTUM, PLAIN), "ring", {SAME, FORGETS}),
        ((PLAIN, PLAIN), "ring", {SAME, "Neither"}),
        ((f"{MOMENTUM},local_steps=3", LONG), "complete", set()),
        ((MOMENTUM, "sgp:eta=.2"), "complete", set()),
    ],
)
def test_equal_runs_are_told_with_the_causes_that_were_checked(run, methods, topology, said):
    done = run("compare", *methods, *BASE, "--topology", topology)
    assert done.code == 0, done.err
    text = " ".join(done.out.split())
    for part in (SAME, NETWORK, FORGETS, "Neither"):
        assert (part in text) == (part in said), part


def test_a_complete_network_that_loses_messages_is_no_cause(run):
    done = run("compare", MOMENTUM, PLAIN, *BASE, "--topology", "complete", "--loss", "0.3")
    assert SAME in done.out
    assert NETWORK not in done.out


LASTS = """
from dataclasses import dataclass

from theorylab.algorithms import Algorithm


@dataclass(frozen=True)
class HeavyBall(Algorithm, name="test-alike-heavy-ball"):
    eta: float
    alpha: float = 0.0
    local_steps: int = 1
    first_memory = {"m": 0}

    def step(self, state, net):
        m = self.alpha * state.memory["m"] + net.gradient(state.x)
        return net.next(state, x=net.mix(state.x - self.eta * m), memory={"m": m})
"""


@pytest.mark.parametrize(
    ("alpha", "rounds"),
    [
        ("0.5", ["--rounds", "20", "--every", "10"]),  # three rounds record the first alone
        ("0.5", ["--rounds", "1"]),  # no memory shows in the first round
        ("1e-20", ["--rounds", "6"]),  # which rounding hides
        (
            "0.5",
            ["--rounds", "6", "--set", "problem.dim=1", "--set", "problem.c=[[0],[0],[0],[0]]"],
        ),  # nobody moves
    ],
)
def test_a_momentum_that_lasts_is_not_said_to_start_anew(run, tmp_path, alpha, rounds):
    (tmp_path / "lasts.py").write_text(LASTS)
    method = f"test-alike-heavy-ball:eta=.1,alpha={alpha}"
    line = ["--problem", "quadratic", "--clients", "4", "--topology", "ring", *rounds]
    done = run("--import", str(tmp_path / "lasts.py"), "compare", method, method, *line)
    assert done.code == 0, done.err
    assert SAME in done.out
    assert "anew" not in done.out


def test_a_network_that_is_complete_in_some_rounds_alone_is_no_cause():
    whole, apart = np.full((4, 4), 0.25), np.eye(4)
    for matrices, complete in (([whole], True), ([whole, apart], False)):
        setting = SimpleNamespace(
            topology=from_matrices(matrices),
            configuration=SimpleNamespace(own_graphs=False),
            document={"faults": None},
        )
        trace = SimpleNamespace(runs=np.arange(1), at=np.arange(3))
        member = SimpleNamespace(outcome=SimpleNamespace(setting=setting, trace=trace))
        assert _complete(member) == complete
