"""``compare`` says when methods are the same here, and why as far as that was checked."""

from types import SimpleNamespace

import numpy as np
import pytest

from theorylab.commands.compare.alike import _complete
from theorylab.topologies import from_matrices

BASE = ["--problem", "quadratic", "--clients", "4", "--rounds", "6"]
MOMENTUM, PLAIN = "dfedsgpsm:eta=.1,alpha=.5", "sgp:eta=.1"
SAME, NETWORK, FORGETS = "every number of every round", "11^T/n", "with alpha = 0"
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


def test_a_network_that_is_complete_in_some_rounds_alone_is_no_cause():
    whole, apart = np.full((4, 4), 0.25), np.eye(4)
    for matrices, complete in (([whole], True), ([whole, apart], False)):
        setting = SimpleNamespace(
            topology=from_matrices(matrices), configuration=SimpleNamespace(own_graphs=False)
        )
        trace = SimpleNamespace(runs=np.arange(1), at=np.arange(3))
        member = SimpleNamespace(outcome=SimpleNamespace(setting=setting, trace=trace))
        assert _complete(member) == complete
