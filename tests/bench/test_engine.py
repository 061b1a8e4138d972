import io
import json

import numpy as np
import pytest
import torch
from rich.console import Console

from theorylab import bench
from theorylab.bench import engine as module
from theorylab.kernels import get_threads


@pytest.fixture(scope="module")
def record():
    before = get_threads(), torch.get_num_threads()
    made = bench.BENCHES["engine"](quick=True)
    assert (get_threads(), torch.get_num_threads()) == before
    return made


def test_the_record_is_json_and_its_ratios_are_those_of_the_medians(record):
    assert json.loads(json.dumps(record)) == record
    assert record["machine"]["threads"] == 2
    for case in record["cases"]:
        ours = case["seconds"]["theorylab"]
        for name, seconds in case["seconds"].items():
            low, high = case["spread"][name]
            assert 0 < low <= seconds <= high
            assert case["speedup"][name] == seconds / ours
    assert set(record["growth"]) == {"R", "n", "d", "K"}
    assert all(0 <= share["share"] <= 1 for share in record["metrics"])
    rounds = record["rounds"]
    assert rounds["speedup"]["numpy"] == rounds["seconds"]["numpy"] / rounds["seconds"]["theorylab"]
    assert record["mlp"]["skipped"]


def test_work_is_counted_by_hand(record):
    logistic, quadratic = record["cases"]
    assert logistic["client_steps"] == 2 * 10 * 5
    # two gradients a step, each 32 rows twice, a product and a sum for each of 784 entries
    assert logistic["flops"] == 100 * 2 * 32 * 2 * 784 * 2
    assert quadratic["flops"] == 8 * 16 * 5 * 2 * 20 * 20 * 2
    # of 60 rows a client, 2 runs of 5 steps draw 320 times: all but 60 (59/60)^320 are seen
    seen = 60 * (1 - (59 / 60) ** 320)
    assert logistic["bytes"] == pytest.approx(10 * seen * 784 * 4, rel=1e-6)


@pytest.mark.parametrize("name", ["logistic", "quadratic"])
def test_every_contestant_computes_the_same_models(name):
    losses = module.logistic_clients(3, 7, 11) if name == "logistic" else module._quadratic(True)[0]
    x, w = module._state(losses, 2)
    assert np.all(w != 1)
    assert np.all(w == w[0])
    made = {k: np.asarray(f()) for k, f in module._contestants(losses, x, w, shared=True).items()}
    for models in made.values():
        # five steps of gradients of at most a few hundred terms
        assert np.all(abs(models - made["theorylab"]) <= 4096 * np.finfo(float).eps)
        assert np.abs(models - x).max() > 0.01


def test_the_table_shows_every_contestant(record):
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(bench.render(record))
    text = console.export_text()
    for part in ("numpy loop", "torch.func", "metrics of", "DFedSGPSM rounds", "cost in K", "mlp"):
        assert part in text
