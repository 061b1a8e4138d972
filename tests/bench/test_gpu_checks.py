"""What the GPU bench says of kernels that are wrong, late or absent."""

import io
from functools import partial

import numpy as np
import pytest
from rich.console import Console

from theorylab.bench import __main__ as program
from theorylab.bench import _gpu_checks as checks
from theorylab.bench import gpu
from theorylab.bench._gpu_board import DryBoard
from theorylab.bench._gpu_case import Case, Kernel, Trial, Work
from theorylab.kernels._paths import emulating


def shown(record):
    console = Console(width=250, record=True, file=io.StringIO())
    console.print(gpu.render(record))
    return console.export_text()


ONE = (Case("one", {}, {}),)
KINDS = ("0.05 sigma=0.1", "0 sigma=0.1", "0 sigma=0")


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
    assert "FAILED: five" in shown(made)
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


def test_what_is_not_written_shows_though_memory_still_held_what_was_right():
    freed = [np.arange(5) * 2.0]

    class Pooled(DryBoard):
        def full(self, *given):
            freed.append(super().full(*given))
            return freed[-1]

    def call(place, into):
        if not emulating():
            return [np.arange(5) * 2.0]
        return [freed.pop().view(np.float64)]  # fresh memory, into which nothing is written

    why = checks.tried(Pooled(), Trial("five", call), "emulated", "float64")
    assert why == "five: result 0 into buffers: 5 of 5 differ"


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
    assert late["skipped"] == [
        *(f"rounds, n=4 d=6 rho={kind}: no time left" for kind in KINDS),
        "tested, one: 0 s are over",
        *(f"{part}: no time left" for part in ("calls", "launches", "a whole run")),
    ]
    monkeypatch.setattr(DryBoard, "free", lambda self: 1000)
    large = run(monkeypatch, kernel(), only="tested")["skipped"]
    assert large == ["tested, one: needs 2400 bytes, 1000 are free"]
    gone = run(monkeypatch, kernel(needs="_nothing_device"), only="tested")
    assert gone["skipped"] == [
        "tested: theorylab.kernels._nothing_device is not there: no schedule for a GPU yet"
    ]
    assert gone["checks"] == gone["cases"] == []
    assert not gpu.all_is_well(gone)


def test_a_check_that_is_not_done_is_not_passed(monkeypatch):
    late = run(monkeypatch, kernel(), budget=0.0)
    assert [check["trials"] for check in late["checks"]] == [0, 0]
    assert not gpu.all_is_well(late)
    assert "FAILED: 0 of 1 trials done in time" in shown(late)
    assert any("WRONG tested float64 emulated: 0 of 1 trials" in line for line in gpu.short(late))
    calls = iter([False, True, True, True])
    (first, _) = checks.checked(DryBoard(), "tested", two_trials(), None, lambda: next(calls))
    assert (first["trials"], first["why"]) == (1, "1 of 2 trials done in time")
    silent = {"trials": 0, "why": ""}
    assert not gpu.all_is_well({"sanitizer": [], "failed": [], "checks": [silent]})


def test_a_kernel_without_a_trial_is_not_passed(monkeypatch):
    one = kernel()
    empty = Kernel(one.needs, one.cases, one.set_bytes, one.work, lambda *given: [])
    made = run(monkeypatch, empty, only_checks=True)
    assert made["failed"] == ["tested: it has no trial"]
    assert not gpu.all_is_well(made)


def two_trials():
    one = kernel()
    twice = lambda *given: [*one.trials(*given), *one.trials(*given)]  # noqa: E731
    return Kernel(one.needs, one.cases, one.set_bytes, one.work, twice)


def test_tiny_checks_are_small_and_the_same_every_time(monkeypatch, capsys):
    seen = []

    def trials(rng, dtype, small):
        seen.append((float(rng.random()), small))
        yield from kernel().trials(rng, dtype, small)

    tested = Kernel("_push_mix_device", ONE, lambda *_: 800, None, trials)
    monkeypatch.setattr(gpu, "KERNELS", {"tested": tested})
    monkeypatch.setattr(DryBoard, "emulated", False)
    for _ in range(2):
        (record,) = [gpu.run(dry=True, tiny=True)]
        assert record["cases"] == record["rounds"] == record["sanitizer"] == []
    assert all(small for _, small in seen)
    assert seen[:2] == seen[2:]
    monkeypatch.setattr(program.gpu, "render", lambda record: record["seed"])
    assert program.main(["--gpu", "--dry-run", "--tiny"]) == 0
    assert capsys.readouterr().out.startswith("0\n")


def test_every_line_is_told_once_as_soon_as_it_is_known(monkeypatch):
    lines = []
    made = run(monkeypatch, kernel(), tell=lines.append)
    told = [line.split("] ", 1)[1] for line in lines]
    assert len(told) == len({*told})
    assert {*gpu.short(made)} <= {*told}
    first, last = (told.index(line) for line in (gpu.short(made)[0], gpu.short(made)[-1]))
    assert (first, last) == (0, len(told) - 1)
    assert 0 < next(k for k, line in enumerate(told) if line.startswith("round n=4 d=6")) < last
