"""The GPU bench without a GPU: every case emulated, and what it says when something is wrong."""

import io
import json

import pytest
from rich.console import Console

from theorylab import bench
from theorylab.bench import __main__ as program
from theorylab.bench import gpu
from theorylab.bench._gpu_board import DryBoard
from theorylab.bench._gpu_case import sets_of


@pytest.fixture(scope="module")
def record():
    return gpu.run(dry=True, seed=11, budget=1e9)  # nothing is late


def shown(record):
    console = Console(width=250, record=True, file=io.StringIO())
    console.print(gpu.render(record))
    return console.export_text()


def test_every_kernel_runs_in_the_dry_run_or_is_skipped_by_name_with_a_reason(record):
    assert record["failed"] == []
    assert gpu.all_is_well(record)
    assert record["emulated"]
    skipped = dict(line.split(": ", 1) for line in record["skipped"])
    for name, kernel in gpu.KERNELS.items():
        cases = [case["name"] for case in record["cases"] if case["kernel"] == name]
        if kernel.missing() is None:
            assert cases == [case.name for case in kernel.cases]
            assert any(check["kernel"] == name and check["trials"] for check in record["checks"])
        else:
            assert "is not there" in skipped[name]
            assert not cases


def test_the_record_is_json_and_its_ratios_are_those_of_the_medians(record):
    assert json.loads(json.dumps(record)) == record
    for case in record["cases"]:
        seconds = case["seconds"]
        floors = [seconds[label] for label in ("copy", "read", "write") if label in seconds]
        assert case["floor"] in seconds
        assert case["floor_seconds"] == min(floors)
        assert case["ours"] == ["theorylab emulated"]
        for label, value in seconds.items():
            low, high = case["spread"][label]
            assert 0 < low <= value <= high
            assert case["share"][label] == case["floor_seconds"] / value
        for goal in case["goals"]:
            assert goal["met"] == (goal["got"] >= goal["goal"])


def test_the_headline_is_measured_at_the_stated_size_against_stated_aims():
    (headline,) = (case for case in gpu.KERNELS["push_mix"].cases if case.name == "headline")
    assert headline.sizes == {"n": 100, "d": 4_194_304, "column": 11}
    assert (headline.dtype, headline.share, headline.against) == (
        *("float32", 0.8, ("torch csr out=", 2.0)),
    )
    assert gpu.KERNELS["push_mix"].set_bytes(headline.sizes, 4) == 3 * 4 * 100 * 4_194_304
    assert gpu.KERNELS["glm_hvp"].cases[0].share == 0.7


def test_the_table_shows_every_case_contestant_check_and_omission(record):
    text = shown(record)
    assert "EMULATED" in text
    for case in record["cases"]:
        assert f"{case['kernel']}, {case['name']}:" in text
        for label, seconds in case["seconds"].items():
            assert label in text
            assert f"{seconds * 1e3:.3f}" in text
    assert "same bits" in text
    assert record["whole_run"]["sizes"]["rounds"] == 3
    assert "a whole run with its metrics: n=4 d=30 K=2 rounds=3 every=1:" in text
    assert all(line in text for line in record["skipped"])


def test_small_arrays_rotate_and_large_ones_twice():
    board = DryBoard()
    cache = board.facts().l2
    assert sets_of(board, 10 * cache) == 2
    assert sets_of(board, cache) == 4
    assert sets_of(board, 1) == 16


def test_without_a_gpu_one_line_and_the_host_is_still_there(monkeypatch, capsys):
    def nowhere(dry):
        raise gpu.NoGpuError("torch sees no GPU")

    monkeypatch.setattr(gpu, "board", nowhere)
    assert program.main(["--gpu"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("bench: no GPU can be used (torch sees no GPU); need a driver")
    assert program.main(["push_mox"]) == 2
    assert (
        "need one of engine, glm_hvp, judge, networks, push_mix, rounds, start"
        in capsys.readouterr().err
    )
    monkeypatch.setitem(bench.BENCHES, "engine", lambda quick: {"bench": "engine", "quick": quick})
    monkeypatch.setattr(program, "render", lambda record: f"table {record['quick']}")
    assert program.main(["engine", "--quick"]) == 0
    assert capsys.readouterr().out == "table True\n"
