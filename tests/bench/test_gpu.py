"""The GPU bench without a GPU: every case emulated, and what it says when something is wrong."""

import io
import json
from functools import partial

import numpy as np
import pytest
from rich.console import Console

from theorylab import bench
from theorylab.bench import __main__ as program
from theorylab.bench import _gpu_checks as checks
from theorylab.bench import gpu
from theorylab.bench._gpu_board import DryBoard
from theorylab.bench._gpu_case import Case, Kernel, Trial, Work, sets_of
from theorylab.kernels._paths import emulating


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


ONE = (Case("one", {}, {}),)


def kernel(call=None, work=None, needs="_push_mix_device", cases=ONE):
    """A kernel that doubles, on the device as ``call`` does it."""

    def one(dtype, place, into):
        x = place(np.arange(5, dtype=dtype))
        made = (into or (np.empty(5, dtype),))[0]
        if call is None or not emulating():
            made[...] = x * 2
        else:
            call(x, made)
        return [made]

    def trials(rng, dtype, small):
        yield Trial("five", partial(one, dtype), ((5,),))

    def nothing(board, case, sizes, sets):
        return Work(800, 1, "copy", [lambda: None] * sets)

    return Kernel(needs, cases, lambda sizes, itemsize: 800, work or nothing, trials)


def run(monkeypatch, tested, **options):
    monkeypatch.setattr(gpu, "KERNELS", {"tested": tested})
    return gpu.run(dry=True, **{"budget": 1e9, **options})


def half(x, made):
    made[:3] = x[:3] * 2


def last_bit(x, made):
    made[...] = np.nextafter(x * 2, np.inf)


def beside(x, made):
    made[...] = x * 2
    if made.base is not None:
        made.base[checks.GUARD - 1] = 0


def other_dtype(x, made):
    made.dtype = np.int64 if made.itemsize == 8 else np.int32


def broken(x, made):
    raise RuntimeError("push_mix: the launch\n failed")


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (half, "result 0 into buffers: 2 of 5 differ"),
        (last_bit, "result 0 into buffers: 5 of 5 differ"),
        (other_dtype, "result 0 into buffers is int64 (5,); need float64 (5,)"),
        (beside, "result 0: written beside its buffer"),
        (broken, "five: RuntimeError: push_mix: the launch failed"),
    ],
)
def test_a_faulty_kernel_fails_its_check(fault, text, monkeypatch, capsys):
    made = run(monkeypatch, kernel(fault), only_checks=True)
    assert all(text in check["why"] for check in made["checks"] if check["dtype"] == "float64")
    assert not gpu.all_is_well(made)
    assert "WRONG: five" in shown(made)
    assert program.main(["--gpu", "--dry-run", "--only-checks"]) == 1
    assert "WRONG" in capsys.readouterr().out


def test_a_right_kernel_passes_and_nan_is_any_nan(monkeypatch):
    made = run(monkeypatch, kernel(), only_checks=True)
    assert gpu.all_is_well(made)
    assert made["cases"] == []
    a, b = np.array([np.nan, 0.0]), np.array([-np.nan, 0.0])
    assert checks.same_bits(a, b)
    assert not checks.same_bits(a, np.array([np.nan, -0.0]))
    assert not checks.same_bits(a, a.astype(np.float32))
    assert not checks.same_bits(np.array([1.0, 0.0]), a)


def test_what_fails_is_named_and_the_rest_goes_on(monkeypatch):
    def work(board, case, sizes, sets):
        if case.name == "broken":
            raise MemoryError("no room")
        made = Work(800, 1, "copy", [lambda: None])
        made.peers["peer"] = [lambda: 1 / 0]
        made.peers["other"] = [lambda: None]
        if case.name == "ours":
            made.ours = [lambda: [][1]]
        return made

    cases = tuple(Case(name, {}, {}) for name in ("broken", "ours", "fine"))
    made = run(monkeypatch, kernel(work=work, cases=cases))
    assert made["failed"] == [
        "tested, broken: MemoryError: no room",
        "tested, ours, emulated: IndexError: list index out of range",
    ]
    assert not gpu.all_is_well(made)
    ours, fine = made["cases"]
    assert set(ours["seconds"]) == {"copy", "other"}
    assert set(fine["seconds"]) == {"copy", "other", "theorylab emulated"}
    assert fine["lacking"] == {"peer": "ZeroDivisionError: division by zero"}
    assert "FAILED   tested, broken: MemoryError: no room" in shown(made)


def test_what_is_late_or_too_large_or_not_there_is_skipped_by_name(monkeypatch):
    late = run(monkeypatch, kernel(), budget=0.0)
    said = "tested, one: 0 s are over; launches: no time left; a whole run: no time left"
    assert "; ".join(late["skipped"]) == said
    assert [check["trials"] for check in late["checks"]] == [0, 0]
    assert "no time left" in shown(late)
    monkeypatch.setattr(DryBoard, "free", lambda self: 1000)
    large = run(monkeypatch, kernel(), only="tested")["skipped"]
    assert large == ["tested, one: needs 2400 bytes, 1000 are free"]
    gone = run(monkeypatch, kernel(needs="_nothing_device"))
    assert gone["skipped"] == [
        "tested: theorylab.kernels._nothing_device is not there: no schedule for a GPU yet"
    ]
    assert gone["checks"] == gone["cases"] == []


def test_small_arrays_rotate_and_large_ones_twice():
    board = DryBoard()
    cache = board.facts().l2
    assert sets_of(board, 10 * cache) == 2
    assert sets_of(board, cache) == 4
    assert sets_of(board, 1) == 16


def test_the_sanitizer_is_run_on_the_checks_alone(monkeypatch):
    asked = []

    def fake(command, **options):
        asked.append((command, options["env"]["PYTORCH_NO_CUDA_MEMORY_CACHING"]))
        code = 99 if "racecheck" in command else 0
        return checks.subprocess.CompletedProcess(command, code, "a\nb\nrace", "")

    monkeypatch.setattr(checks.shutil, "which", lambda name: None)
    assert checks.sanitized(5, 60)[0]["clean"] is None
    monkeypatch.setattr(checks.shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(checks.subprocess, "run", fake)
    records = checks.sanitized(5, 60)
    (race,) = [made for made in records if not made["clean"]]
    assert (race["tool"], race["why"]) == ("racecheck", "a / b / race")
    assert all(command[-5:-2] == ["--only-checks", "--seed", "5"] for command, _ in asked)
    assert not gpu.all_is_well({"sanitizer": [race], "checks": [], "failed": []})


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
    assert "need one of engine, glm_hvp, judge, push_mix, rounds, start" in capsys.readouterr().err
    monkeypatch.setitem(bench.BENCHES, "engine", lambda quick: {"bench": "engine", "quick": quick})
    monkeypatch.setattr(program, "render", lambda record: f"table {record['quick']}")
    assert program.main(["engine", "--quick"]) == 0
    assert capsys.readouterr().out == "table True\n"
