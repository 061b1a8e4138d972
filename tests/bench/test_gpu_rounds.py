"""The rounds that the GPU bench times beside ours are the same rounds."""

import dataclasses
import sys

import numpy as np
import pytest

from theorylab.bench import _gpu_rounds as module
from theorylab.bench._checkout import beside
from theorylab.bench._gpu_board import DryBoard

PEERS = beside("gpu_rounds")


def ends(run):
    x, w = run(module.CYCLE)
    return np.asarray(x), np.asarray(w)[:, 0]


@pytest.mark.parametrize("rho", [0.0, 0.05])
@pytest.mark.parametrize("sparse", [False, True])
def test_without_noise_a_peers_models_are_ours(rho, sparse):
    given = module.setting(13, 7, rho, 0.0, 3)  # each sends to 10 of 12: the weights differ
    trace = module.ours(DryBoard(), given)(module.CYCLE)
    run, unit = PEERS.torch_run(given, "cpu", sparse=sparse)
    x, w = ends(run)
    assert unit == 1
    # sums of at most 13 products a round, and some ten roundings a step: 16 (13 + 30) at most, of
    # numbers below 2
    assert np.abs(x - trace.final_x[0]).max() <= 2 * 688 * np.finfo(np.float32).eps
    assert np.abs(w - trace.final_w[0]).max() <= 2 * 208 * np.finfo(np.float32).eps
    assert np.ptp(w) > 0.1
    assert np.abs(x).max() > 0.1


def test_a_peers_noise_has_the_size_of_ours():
    given = module.setting(2, 4000, 0.0, 0.5, 1)
    still = dataclasses.replace(given, sigma=0.0)
    (noisy, _), (plain, _) = (PEERS.torch_run(one, "cpu") for one in (given, still))
    ((a, _), (b, _)) = noisy(1), plain(1)
    of_peer = (a - b).numpy()
    trace, quiet = (module.ours(DryBoard(), one)(1) for one in (given, still))
    of_ours = trace.final_x[0] - quiet.final_x[0]
    # 8,000 normals each: their mean square has a standard error of sqrt(2 / 8000) = 1.6 %
    assert np.mean(of_peer**2) == pytest.approx(np.mean(of_ours**2), rel=0.15)


def test_peers_that_compile_are_made_only_where_time_is_left():
    given = module.setting(4, 6, 0.0, 0.0)
    compiling = {"torch.compile", "torch.compile, graph", "jax scan"}
    quick = set(PEERS.makers(given, "cuda", False))
    assert quick == {"torch eager", "torch eager, graph"}
    assert set(PEERS.makers(given, "cuda", True)) == quick | compiling
    long = dataclasses.replace(given, centers=np.broadcast_to(np.float32(0), (4, 10_000_000)))
    assert set(PEERS.makers(long, "cuda", True)) == {"torch eager", "torch.compile", "jax scan"}
    large = module.setting(PEERS.SPARSE, 2, 0.0, 0.0)
    assert "torch eager, sparse" in PEERS.makers(large, "cuda", False)


def test_a_row_names_every_contestant_and_every_absent_one(monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    skipped = []
    rows = [*module.rounds(DryBoard(), lambda: 1.0, False, skipped)]
    assert [(row["rho"], row["sigma"]) for row in rows] == list(module.KINDS)
    for row in rows:
        assert row["sizes"] == {"n": 4, "d": 6, "K": module.STEPS}
        for key in ("round_ms", "spread", "rounds", "settled"):
            assert set(row[key]) == {"theorylab", "torch eager"}
        assert set(row["lacking"]) == ({"jax scan"} if row["rho"] else set())  # the first kind
    assert skipped == []


def test_rounds_that_do_not_fit_are_skipped_by_name(monkeypatch):
    skipped = []
    assert not [*module.rounds(DryBoard(), lambda: -1.0, True, skipped)]
    assert skipped == ["rounds, n=4 d=6 rho=0.05 sigma=0.1: no time left"]
    monkeypatch.setattr(DryBoard, "free", lambda self: 1000)
    assert not [*module.rounds(DryBoard(), lambda: 1.0, True, skipped)]
    assert skipped[1] == "rounds, n=4 d=6 rho=0.05 sigma=0.1: needs 2304 bytes, 1000 are free"


def test_what_a_start_costs_is_no_part_of_a_round(monkeypatch):
    clock = [0.0]

    def run(rounds):
        clock[0] += 3.0 + 0.25 * rounds

    monkeypatch.setattr(module.time, "perf_counter", lambda: clock[0])
    assert module._each(DryBoard(), module.Contestant(run, unit=4), 2) == 0.25


def test_a_start_that_took_longer_than_start_and_rounds_settles_nothing(monkeypatch):
    board = DryBoard()
    monkeypatch.setattr(module, "_each", lambda *_: -1e-3)
    row = module._row(board, module.setting(4, 6, 0.0, 0.0), False)
    assert row["round_ms"]["theorylab"] > 0
    assert not row["settled"]["theorylab"]
