"""The bench of whole rounds: a record of every case, against peers that compute the same."""

import json

import numpy as np
import pytest

from theorylab.bench import BENCHES, _round_peers, render, rounds
from theorylab.problems import problem
from theorylab.topologies import topology

KINDS = {kind.name: kind for kind in (rounds.NumPyLoop, *rounds.LIBRARIES.values())}


@pytest.fixture(scope="module")
def record():
    return BENCHES["rounds"](quick=True)


def loop_of(name, n=9, runs=2, way="", sigma=1.0):
    if rounds.missing(name) is not None:
        pytest.skip(rounds.missing(name))
    return KINDS[name](problem("quadratic", n, dim=2, sigma=sigma), runs, way)


def test_the_quick_bench_has_every_peer_of_every_case(record):
    assert json.loads(json.dumps(record)) == record
    assert [case["noisy"] for case in record["cases"]] == [False, True] * len(rounds.QUICK)
    there = {"numpy"} | {name for name in rounds.LIBRARIES if rounds.missing(name) is None}
    for case in record["cases"]:
        assert set(case["speedup"]) == there
        for name in there:
            ratio = case["seconds"][name] / case["seconds"]["theorylab"]
            assert case["speedup"][name] == ratio
        assert ("our noise" in case["seconds"]) == case["noisy"]
    assert render(record).row_count == len(record["cases"]) + len(record["missing"]) + 1


def test_a_fresh_process_of_many_clients_tells_its_memory(record):
    found = record["million"]
    assert 0 < found["imports"] <= found["problem"] <= found["bytes"] < 2**30
    assert found["whole"] > 0


def test_a_peer_that_is_not_installed_has_one_line(record, monkeypatch):
    monkeypatch.setitem(rounds.LIBRARIES, "no_such_library", rounds.LIBRARIES["torch"])
    line = "no_such_library: not installed; pip install 'theorylab[bench]'"
    assert rounds.missing("no_such_library") == line
    table = render({**record, "missing": [line]})
    assert table.row_count == len(record["cases"]) + 2
    assert line in list(table.columns[0].cells)


@pytest.mark.parametrize("name", KINDS)
def test_a_peer_that_computes_something_else_is_told(name):
    graph = topology("random-out", 9, degree=4)
    for way in loop_of(name).variants(problem("quadratic", 9, dim=2), 2):
        losses = problem("quadratic", 9, dim=2, sigma=1.0)
        rounds._check(losses, graph, KINDS[name](losses, 2, way))
        losses.centers = losses.centers + 1e-9
        wrong = KINDS[name](losses, 2, way)
        with pytest.raises(AssertionError, match=f"{name} is off by"):
            rounds._check(problem("quadratic", 9, dim=2, sigma=1.0), graph, wrong)


@pytest.mark.parametrize("name", KINDS)
def test_a_peer_that_draws_another_law_is_told(name, monkeypatch):
    loop = loop_of(name)
    rounds._check_law(loop)
    receivers, noise = loop.draws(rounds._DRAWN)
    monkeypatch.setattr(loop, "draws", lambda _: (receivers, 1.3 * noise))
    with pytest.raises(AssertionError, match=f"{name} draws another law"):
        rounds._check_law(loop)
    next_ones = (np.arange(9)[:, None] + 1 + np.arange(4)) % 9
    same = np.broadcast_to(next_ones, receivers.shape)
    monkeypatch.setattr(loop, "draws", lambda _: (same, noise))
    with pytest.raises(AssertionError, match=f"{name} draws another law"):
        rounds._check_law(loop)
    monkeypatch.setattr(loop, "draws", lambda _: (np.repeat(same[..., :1], 4, axis=2), noise))
    with pytest.raises(AssertionError, match="repeats a receiver"):
        rounds._check_law(loop)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("sigma", [0.0, 1.0])
def test_a_run_is_its_rounds_whatever_the_size_of_a_block(name, sigma):
    loop = loop_of(name, n=60, sigma=sigma)
    loop.block = 3
    state = loop.run(7)
    assert state[:, -1].sum() == pytest.approx(60, abs=60 * 60 * 2.0**-52)
    assert np.isfinite(state).all()
    assert np.abs(state[:, :-1]).max() > 0.01
    assert not np.array_equal(state, loop.run(6))


def test_the_fastest_way_is_kept():
    losses = problem("quadratic", 9, dim=2)
    kept = _round_peers.fastest(rounds.NumPyLoop, losses, 1, lambda loop: loop.way == "sparse")
    assert kept.way == "dense"
