"""The bench of rounds on networks, whose peers compute what ours does."""

import json

import numpy as np
import pytest

from theorylab.bench import BENCHES
from theorylab.bench._checkout import beside
from theorylab.problems import problem

networks, torch_peers = beside("networks"), beside("networks_torch")
TINY = {
    "mlp": {"hidden": [5]},
    "cnn": {"channels": [2, 3], "hidden": [5]},
    "lstm": {"units": 2},
    "resnet18": {"width": 2},
}


def test_the_quick_bench_has_every_peer_of_every_case():
    record = BENCHES["networks"](quick=True)
    assert json.loads(json.dumps(record)) == record
    for case in record["cases"]:
        assert list(case["speedup"]) == ["theorylab", "modules", "vmap", "by hand"]
        for name, ratio in case["speedup"].items():
            assert ratio == case["least"][name] / case["least"]["theorylab"]
            assert case["least"][name] <= case["seconds"][name]
    table = networks.render({**record, "missing": ["torch: not installed"]})
    assert table.row_count == len(record["cases"]) + 1


@pytest.mark.parametrize("name", TINY)
def test_every_peer_makes_the_same_models(name):
    networks.check(name, TINY[name])


@pytest.mark.parametrize("kind", torch_peers.PEERS, ids=lambda kind: kind.name)
def test_a_peer_that_computes_something_else_is_told(kind, monkeypatch):
    class Wrong(kind):
        def __init__(self, losses, x, numbers):
            super().__init__(losses, x, numbers)
            self.rho *= 1 + 1e-3

    monkeypatch.setattr(torch_peers, "PEERS", [Wrong])
    with pytest.raises(AssertionError, match=f"bench networks: {kind.name} on mlp is off by"):
        networks.check("mlp", TINY["mlp"])


def test_a_peer_draws_rows_of_its_own_client():
    losses = problem("mlp", 4, hidden=[3])
    peer = torch_peers.ByHand(
        losses, losses.points(losses.initial(0, np.arange(1)))[0], networks.NUMBERS
    )
    rows = peer.drawn(None, 50)
    low, high = peer.starts[:, None], (peer.starts + peer.sizes)[:, None]
    assert ((rows >= low) & (rows < high)).all()
    assert (rows == low).any()
    assert (rows == high - 1).any()
