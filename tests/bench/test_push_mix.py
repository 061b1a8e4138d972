import importlib.metadata
import io
import json
import types

import numpy as np
import pytest
import torch
from rich.console import Console

from theorylab import _core, bench
from theorylab.bench import _measure
from theorylab.bench import push_mix as module
from theorylab.bench._checkout import ABSENT, beside
from theorylab.kernels import get_threads

MIX = beside("mix")


@pytest.fixture(scope="module")
def record():
    before = get_threads(), torch.get_num_threads()
    made = bench.BENCHES["push_mix"](quick=True)
    assert (get_threads(), torch.get_num_threads()) == before
    return made


def test_the_record_is_json_and_names_the_machine(record):
    assert json.loads(json.dumps(record)) == record
    assert record["quick"]
    facts = record["machine"]
    assert facts["isa"] == _core.isa()
    assert facts["threads"] == 2
    assert {"cores", "numpy", "scipy", "torch"} <= set(facts)


def test_ratios_are_those_of_the_medians(record):
    assert [case["name"] for case in record["cases"]] == list(module.CASES)
    assert [(case["n"], case["d"]) for case in record["small"]] == module.SMALL_QUICK
    for case in record["cases"] + record["small"]:
        seconds = case["seconds"]
        assert min(seconds.values()) > 0
        assert case["copy_over_ours"] == seconds["copy"] / seconds["theorylab out="]
        for name, value in seconds.items():
            low, high = case["spread"][name]
            assert low <= value <= high
            assert case["speedup"][name] == value / seconds["theorylab out="]
            assert case["speedup_fresh"][name] == value / seconds["theorylab"]


def test_floors_count_bytes_and_flops_by_hand():
    # n = 2, d = 3, all 4 entries, float32: 6 floats read, 12 written; 12 products, 12 sums (the
    # first to +0), 6 quotients
    assert module.least_bytes(2, 3) == 4 * (6 + 12)
    assert module.flops(2, 3, 4) == 12 + 12 + 6


@pytest.mark.parametrize(("n", "column"), [(100, 11), (100, 41), (5, 5), (3, 1)])
def test_the_matrix_is_column_stochastic_with_a_self_loop(n, column):
    P = module.random_out(n, column).toarray()
    assert np.array_equal((P > 0).sum(axis=0), np.full(n, column))
    assert np.all(P.diagonal() == 1 / column)
    assert np.all(P[P > 0] == 1 / column)
    assert n < 100 or len({tuple(row) for row in P.T.tolist()}) == n


def test_every_contestant_computes_the_same_thing():
    P = module.random_out(20, 6)
    x = np.random.default_rng(0).random((20, 3000), dtype=np.float32)
    w = np.full(20, 1.5, np.float32)
    w1 = P @ w.astype(float)
    want = (P @ x.astype(float)) / w1[:, None]
    # every term is positive: a sum of m products is off by at most m eps relative (Higham 2002,
    # 3.1); three sums' worth covers both sums and the quotient, m = most entries in a row
    limit = 3 * np.diff(P.indptr).max() * np.finfo(np.float32).eps
    functions, absent = module._contestants(P, x, w)
    assert {*functions, *absent} == {
        "copy",
        "theorylab",
        "theorylab out=",
        *MIX.PEERS,
        "scipy csr out=",
        "numpy dense out=",
    }
    for name, function in functions.items():
        if name == "copy":
            continue
        z1 = np.asarray(function()[-1])
        assert np.all(abs(z1 - want) <= limit * want), name


def test_a_peer_that_is_absent_has_one_line(monkeypatch):
    def missing(P, x, w, threads):
        raise ImportError("No module named 'other'\nand more")

    monkeypatch.setattr(MIX, "PEERS", {"other": missing})
    P = module.random_out(5, 3)
    calls, absent = module.peers(P, np.ones((5, 2)), np.ones(5), 1)
    assert list(calls) == ["scipy csr out=", "numpy dense out="]
    assert absent == {"other": "not here: No module named 'other'"}


def test_a_wheel_times_numpy_and_scipy_and_says_what_it_lacks(monkeypatch):
    monkeypatch.setattr(module, "beside", lambda name: None)
    P = module.random_out(5, 3)
    calls, absent = module.peers(P, np.ones((5, 2)), np.ones(5), 1)
    assert list(calls) == ["scipy csr out=", "numpy dense out="]
    assert absent == {"others": ABSENT}


def test_mkl_without_its_library_is_absent(monkeypatch):
    def files(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.delenv("MKL_RT", raising=False)
    monkeypatch.setattr(importlib.metadata, "files", files)
    with pytest.raises(ImportError, match="mkl is not installed"):
        MIX.mkl(module.random_out(5, 3), np.ones((5, 2)), np.ones(5), 1)


def test_a_call_that_is_repeated_is_counted(monkeypatch):
    made = []
    assert module._repeated(lambda: made.append(0) or len(made), 5)() == 5
    now = [0.0]
    clock = types.SimpleNamespace(perf_counter=lambda: now[0], sleep=lambda seconds: None)
    monkeypatch.setattr(_measure, "time", clock)

    def taking(seconds):
        return lambda: now.__setitem__(0, now[0] + seconds)

    assert [module._calls(taking(s)) for s in (1e-2, 2**-13, 0.0)] == [1, 8, 1000]


def test_a_copy_copies():
    source, target = _core.fresh64((512 * 9,)), _core.fresh64((512 * 9,))
    source[:] = np.arange(source.size)
    target[:] = -1
    for kind, want in (("read", -1), ("write", 0), ("copy", source)):
        _core.traffic(kind, source, target)
        assert np.all(target == want), kind
    with pytest.raises(ValueError, match="a multiple of 512"):
        _core.traffic("copy", source[:5], target[:5])


def test_the_table_shows_every_case_and_contestant(record):
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(bench.render(record))
    text = console.export_text()
    for case in record["cases"] + record["small"]:
        assert f"n={case['n']} d={case['d']}" in text
        scale = 1e3 if case["floor_seconds"] > 1e-3 else 1e6
        for seconds in case["seconds"].values():
            assert f"{seconds * scale:.2f}" in text
        assert all(why in text for why in case["absent"].values())
    absent = {name for case in record["cases"] + record["small"] for name in case["absent"]}
    of_peers = {"MKL csr out=": "2x", "numba out=": "0.4x"}
    told = [target for peer, target in of_peers.items() if peer not in absent]
    for target in ("0.6 of copy", "0.5 of copy", "2.5 us", "8x", *told):
        assert target in text
    with pytest.raises(ValueError, match=r"record of 'other' came; need one of .*push_mix"):
        bench.render({"bench": "other"})
