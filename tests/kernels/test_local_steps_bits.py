"""The bits of local_steps: how it is run, the loop over gradients, the header's own definition."""

import ctypes
import pathlib
import subprocess

import numpy as np
import pytest

from theorylab import _core
from theorylab.algorithms import Context
from theorylab.algorithms._base import start
from theorylab.algorithms._local import local_steps
from theorylab.kernels import ClientLosses, aligned_rows, ascent, set_threads
from theorylab.problems import problem

CSRC = pathlib.Path(__file__).resolve().parents[2] / "csrc"
RUNS = np.array([5, 0, 9])
FAMILIES = ("logistic", "softmax", "dense", "diagonal", "log-cosh", "clipped")
ISAS = _core.usable_isas().split(", ")


def tables(family, size, dtype=np.float64, batch=6):
    """Client losses of 4 clients, one of them with one sample; ``size`` features or coordinates."""
    rng = np.random.default_rng(size)
    c = rng.standard_normal((4, size)).astype(dtype)
    if family in ("logistic", "softmax"):
        C = 1 if family == "logistic" else 3
        return ClientLosses.regression(
            rng.standard_normal((40, size)).astype(dtype),
            rng.integers(0, max(C, 2), 40),
            np.array([13, 1, 17, 9]),
            columns=C,
            batch=batch,
            reg=0.125,
        )
    if family == "dense":
        half = rng.standard_normal((4, size, size)).astype(dtype)
        return ClientLosses.quadratic(half + half.transpose(0, 2, 1), c, 0.5)
    if family == "diagonal":
        return ClientLosses.quadratic(c * c, c, 0.5)
    return ClientLosses.separable(
        c, scale=1.5, noise=0.5, clip=0.5 if family == "clipped" else None
    )


def state(table, runs=3):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((runs, 4, table.dim)).astype(table.dtype)
    w = (rng.random((runs, 4)) + 0.5).astype(table.dtype)
    w[0, 1] = 1  # where x / w is skipped
    return x, w


def go(table, x, w, runs=RUNS, counts=None, **options):
    options = {"steps": 3, "eta": 0.01, "alpha": 0.9, "rho": 0.1, **options}
    return table.local_steps(x, w, seed=2, runs=runs, round=4, counts=counts, **options)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [1, 7, 16, 33, 130])
@pytest.mark.parametrize("family", FAMILIES)
def test_bits_agree_for_threads_instruction_sets_and_batches(family, size, dtype):
    table = tables(family, size, dtype)
    x, w = state(table)
    regression = family in ("logistic", "softmax")

    def everything(x, w, runs):
        made = [go(table, x, w, runs), table.gradients(x), ascent(x, table.gradients(x), 0.5)]
        if regression:
            made += [table.values(x), *table.means(np.ascontiguousarray(x[:, 0]))]
        return made

    want = everything(x, w, RUNS)
    for isa in ISAS:
        _core.use_isa(isa)
        for threads in (1, 2, 3, 8):
            set_threads(threads)
            got = everything(x, w, RUNS)
            assert all(a.tobytes() == b.tobytes() for a, b in zip(got, want, strict=True)), isa
    for r in range(3):
        one = everything(x[r : r + 1], w[r : r + 1], RUNS[r : r + 1])
        assert all(a.tobytes() == b[r : r + 1].tobytes() for a, b in zip(one, want, strict=True))


@pytest.mark.parametrize("family", FAMILIES)
def test_many_tasks_on_several_threads_give_the_bits_of_one(family):
    # above the size from which threads are used, for every part
    table = tables(family, 300, batch=8)
    x, w = state(table, 40)
    runs = np.arange(40)
    set_threads(1)
    want = go(table, x, w, runs).tobytes(), table.gradients(x).tobytes()
    for threads in range(2, 9):
        set_threads(threads)
        assert (go(table, x, w, runs).tobytes(), table.gradients(x).tobytes()) == want


@pytest.mark.parametrize("family", FAMILIES)
def test_every_output_is_written_and_no_input(family):
    table = tables(family, 33)
    x, w = state(table)
    x.flags.writeable = w.flags.writeable = False
    want, nothing = go(table, x, w), np.empty(0, np.int64)
    poisoned = np.full_like(x, np.nan)
    table._core.steps(x, w, 2, 4, RUNS, 3, nothing, 0.01, 0.9, 0.1, poisoned)
    assert poisoned.tobytes() == want.tobytes()
    counts = np.zeros((3, 4), np.int64)
    assert go(table, x, w, counts=counts).tobytes() == x.tobytes()


PROBLEMS = {
    "logistic": {"clients": 4, "partition": "iid", "batch": 9, "reg": 0.1},
    "logistic full": {"name": "logistic", "clients": 4, "batch": None},
    "softmax": {"clients": 4, "batch": 5},
    "quadratic": {"clients": 4, "dim": 20, "sigma": 0.3},
    "quadratic diagonal": {"name": "quadratic", "clients": 4, "dim": 3, "mu": 1.0, "sigma": 0.3},
    "log-cosh": {"clients": 4, "dim": 9, "spread": 1.0, "sigma": 0.3},
    "clipped-linear": {"clients": 4, "dim": 1, "sigma": 0.3},
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("case", PROBLEMS)
@pytest.mark.parametrize(("alpha", "rho"), [(0.0, 0.0), (0.9, 0.0), (0.0, 0.1), (0.9, 0.1)])
def test_the_fused_steps_have_the_bits_of_the_loop_over_gradients(
    case, dtype, alpha, rho, monkeypatch
):
    losses = problem(**{"name": case, **PROBLEMS[case]})
    x = np.random.default_rng(0).standard_normal((3, 4, losses.dim)).astype(dtype)
    first = start(x)
    w = (np.random.default_rng(1).random((3, 4)) + 0.5).astype(dtype)
    w[1] = 1
    state = type(first)(6, x, w, x / w[:, :, None])
    effort = np.array([[1.0, 0.5, 0, 1], [1, 1, 1, 1], [0.3, 0.6, 1, 1]])
    for share in (None, effort):
        context = Context(losses, None, 3, RUNS, None, share)
        options = {"eta": 0.05, "steps": 4, "alpha": alpha, "rho": rho}
        fused = local_steps(state, context, **options)
        with monkeypatch.context() as patch:
            patch.setattr(type(losses), "local_steps", lambda *a, **k: None)
            looped = local_steps(state, context, **options)
        assert fused.dtype == dtype
        assert fused.tobytes() == looped.tobytes()


DEFINITION = """
#include "kernels/local_steps.cuh"
using namespace tl;
template <Family F> void all(LossTable<double> t, i64 R, const i64* runs, i64 steps,
                             const double* x, const double* w, double* out) {
  double work[4000], noise[500];
  i64 rows[64];
  for (i64 task = 0; task < R * t.n; ++task) {
    for (double& a : work) a = 0;
    PlainLoss<double, F> loss{t, task % t.n, Source{2, 4, u32(task % t.n), u32(runs[task / t.n])},
                              rows, noise, work + 3000};
    local_steps_task(loss, t.d, steps, w[task], StepSizes<double>{.01, .9, .1}, x + task * t.d,
                     out + task * t.d, work, work + 1000, work + 2000);
  }
}
extern "C" void go(int family, i64 n, i64 d, i64 columns, i64 features, i64 stride,
                   const double* rows, const double* centers, const i64* labels, const i64* starts,
                   const i64* sizes, i64 batch, double reg, double scale, double clip, double noise,
                   i64 R, const i64* runs, i64 steps, const double* x, const double* w,
                   double* out) {
  const LossTable<double> t{n, d, columns, features, stride, rows, nullptr, centers, labels,
                            starts, sizes, batch, reg, scale, clip, noise};
  void (*const each[])(LossTable<double>, i64, const i64*, i64, const double*, const double*,
                       double*) = {all<Family::kLogistic>, all<Family::kSoftmax>,
                                   all<Family::kDense>, all<Family::kDiagonal>,
                                   all<Family::kLogCosh>, all<Family::kClipped>};
  each[family](t, R, runs, steps, x, w, out);
}
"""


@pytest.fixture(scope="module")
def definition(tmp_path_factory):
    folder = tmp_path_factory.mktemp("definition")
    (folder / "plain.cpp").write_text(DEFINITION)
    command = ["g++", "-O1", "-ffp-contract=off", "-std=c++17", "-shared", "-fPIC", f"-I{CSRC}"]
    command += [str(folder / "plain.cpp"), "-o", str(folder / "plain.so")]
    subprocess.run(command, check=True, timeout=300)
    return ctypes.CDLL(str(folder / "plain.so")).go


@pytest.mark.parametrize("size", [1, 20, 130])
@pytest.mark.parametrize("family", FAMILIES)
def test_the_schedule_has_the_bits_of_the_header_alone(family, size, definition, monkeypatch):
    given = {}
    for maker in ("regression", "quadratic", "separable"):
        original = getattr(_core.Losses64, maker)

        def noted(*arguments, original=original):
            given["arguments"] = arguments
            return original(*arguments)

        monkeypatch.setattr(_core.Losses64, maker, noted)
    table = tables(family, size)
    x, w = state(table)
    a = given["arguments"]
    columns = 1 if family != "softmax" else 3
    keep = {"rows": None, "centers": None, "labels": None, "starts": None, "sizes": None}
    batch, reg, scale, clip, noise, stride = 0, 0.0, 0.0, 0.0, 0.0, 0
    if family in ("logistic", "softmax"):
        keep |= dict(zip(("rows", "labels", "starts", "sizes"), (a[3], *a[5:8]), strict=True))
        batch, reg, stride = a[8], a[9], a[3].shape[1]
    elif family in ("dense", "diagonal"):
        keep |= {"rows": aligned_rows(a[0]) if family == "dense" else a[0], "centers": a[1]}
        noise = a[3]
    else:
        keep |= {"centers": a[0]}
        scale, clip, noise = a[1:]
    where = {k: ctypes.c_void_p(None if v is None else v.ctypes.data) for k, v in keep.items()}
    number, real, out = ctypes.c_int64, ctypes.c_double, np.empty_like(x)
    definition(
        FAMILIES.index(family), number(4), number(table.dim), number(columns), number(size),
        number(stride), *where.values(), number(batch), real(reg), real(scale), real(clip),
        real(noise), number(3), ctypes.c_void_p(RUNS.ctypes.data), number(3),
        ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(w.ctypes.data),
        ctypes.c_void_p(out.ctypes.data),
    )  # fmt: skip
    assert out.tobytes() == go(table, x, w).tobytes()


@pytest.mark.parametrize("isa", ISAS)
def test_data_read_in_single_precision_where_that_is_exact_give_the_same_bits(isa):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(90, 45)).astype(np.float32).astype(np.float64)
    odd = X.copy()
    odd[-1, 0] = 0.1  # no float32 number, at the last client: all data are read in double
    labels, sizes = rng.integers(0, 2, 90), np.array([40, 33, 17])
    x, w = rng.normal(size=(2, 3, 45)), 0.5 + rng.random((2, 3))
    before = _core.isa()
    _core.use_isa(isa)
    try:
        made = []
        for features in (X, odd):
            table = ClientLosses.regression(features, labels, sizes, columns=1, batch=13, reg=0.01)
            after = table.local_steps(
                x, w, seed=1, runs=np.arange(2), round=0, steps=4, counts=None,
                eta=0.1, alpha=0.5, rho=0.1,
            )  # fmt: skip
            made.append((after, table.gradients(x), table.values(x)))
    finally:
        _core.use_isa(before)
    for exact, double in zip(*made, strict=True):
        assert np.array_equal(exact[:, :2], double[:, :2])
        assert not np.array_equal(exact[:, 2], double[:, 2])
