"""Calls on a GPU that come again: launched without new checks, and never mistaken for another."""

import contextlib
import types

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

from theorylab.kernels import Mixing, _calls, _device, glm_hvp, mix_jvp, push_mix, softmax_hvp
from theorylab.kernels._device_libraries import Host
from theorylab.kernels._paths import emulated

N, D = 6, 10
P = csr_array(np.where(np.eye(N) + np.eye(N, k=1) > 0, 0.3, 0.1) * (np.arange(N) != 3))


def draw(seed, *shapes, dtype=np.float32):
    rng = np.random.default_rng(seed)
    return [rng.random(shape).astype(dtype) for shape in shapes]


def mixed(x, w):
    """In the order of the rows, each product rounded."""
    x1, w1 = np.zeros_like(x), np.zeros_like(w)
    for i in range(N):
        for e in range(P.indptr[i], P.indptr[i + 1]):
            share, j = x.dtype.type(P.data[e]), P.indices[e]
            x1[..., i, :] += share * x[..., j, :]
            w1[..., i] += share * w[..., j]
    return x1, w1, x1 / w1[..., None]


def same(got, want):
    for a, b in zip(got, want, strict=True):
        assert np.array_equal(np.asarray(a), b)


class Fast:
    """Inside, a call that is not made as an earlier one fails."""

    def __init__(self, monkeypatch):
        self.patch = monkeypatch

    def __enter__(self):
        self.context = self.patch.context()
        inner = self.context.__enter__()
        inner.setattr(_device.DeviceArrays, "__init__", lambda *_, **__: pytest.fail("checked"))

    def __exit__(self, *given):
        return self.context.__exit__(*given)


@pytest.fixture
def fast(monkeypatch):
    return Fast(monkeypatch)


KINDS = {"numpy": lambda a: a, "torch": torch.from_numpy}
CALLS = {
    "glm_hvp": (lambda reg, A, h, V: glm_hvp(A, h, V, reg), [(3, 300, 5), (3, 300), (3, 2, 5)]),
    "softmax_hvp": (
        lambda reg, A, p, w, V: softmax_hvp(A, p, w, V, reg),
        [(2, 300, 5), (2, 300, 3), (2, 300), (2, 1, 5, 3)],
    ),
    "mix_jvp": (
        lambda reg, c, u, s, A, h: mix_jvp(c, u, s, A, h, reg, variant="4a"),
        [(3, 3), (3, 2, 5), (3,), (3, 300, 5), (3, 300)],
    ),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("own", [False, True])
def test_a_mixing_that_is_used_again_launches_without_new_checks(kind, own, fast):
    M, of = Mixing(P), KINDS[kind]
    with emulated() as path:
        for seed in range(3):
            x, w = draw(seed, (2, N, D), (2, N))
            room = tuple(of(np.full_like(a, np.nan)) for a in (x, w, x)) if own else None
            with fast if seed else contextlib.nullcontext():
                got = push_mix(M, of(x), of(w), out=room)
            same(got, mixed(x, w))
            if room:
                assert all(a is b for a, b in zip(got, room, strict=True))
    assert [str(schedule) for schedule, _ in path.launched] == ["push_mix_tiles<float, 1, 1>"] * 3


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CALLS)
def test_a_product_that_comes_again_has_the_bits_of_the_first(name, kind, fast):
    call, shapes = CALLS[name]
    of = KINDS[kind]
    want = [call(0.5, *draw(seed, *shapes)) for seed in range(3)]
    with emulated() as path:
        call(0.5, *map(of, draw(0, *shapes)))
        assert len(first := list(path.launched)) > 1  # there is work space, fresh in each call
        with fast:
            got = [call(0.5, *map(of, draw(seed, *shapes))) for seed in range(3)]
    same(got, want)
    assert path.launched == first * 4


def test_arguments_that_are_no_arrays_are_told_apart():
    A, h, V, c, s = draw(1, (3, 4, 5), (3, 4), (3, 2, 5), (3, 3), (3,))
    want = [glm_hvp(A, h, V, reg) for reg in (0.5, 0.25, 0.0, -0.0, 1)]
    jvps = [mix_jvp(c, V, s, A, h, 0.5, variant=variant) for variant in ("4a", "4b")]
    with emulated():
        for _ in range(2):
            same([glm_hvp(A, h, V, reg) for reg in (0.5, 0.25, 0.0, -0.0, 1)], want)
            same([mix_jvp(c, V, s, A, h, 0.5, variant=v) for v in ("4a", "4b")], jvps)
            same([glm_hvp(A, h, V, reg) for reg in (np.float64(0.5), np.array(0.25))], want[:2])
        for reg in (np.nan, np.inf):
            with pytest.raises(ValueError, match=r"^glm_hvp: reg is .*; need a finite number$"):
                glm_hvp(A, h, V, reg)
        with pytest.raises(ValueError, match=r"^mix_jvp: variant is '4c'; need one of 4a, 4b$"):
            mix_jvp(c, V, s, A, h, 0.5, variant="4c")


def test_an_array_given_twice_is_two_arguments_of_the_next_call():
    (A, h), (V,) = draw(1, (3, 4, 5), (3, 4)), draw(2, (3, 4, 5))
    want = glm_hvp(A, h, A), glm_hvp(A, h, V), glm_hvp(V, h, A)
    with emulated():
        same((glm_hvp(A, h, A), glm_hvp(A, h, V), glm_hvp(V, h, A)), want)


@pytest.mark.parametrize("shift", range(4))
def test_every_alignment_has_launches_of_its_own(shift):
    M, (x, w) = Mixing(P), draw(1, (N, 8), (N,))
    moved = np.empty(x.size + 4, x.dtype)[shift:][: x.size].reshape(x.shape)
    moved[:] = x
    with emulated():
        for _ in range(2):
            for given in (x, moved):
                same(push_mix(M, given, w), mixed(x, w))


def test_fresh_memory_that_is_aligned_worse_is_not_written_in_packets(monkeypatch):
    M, (x, w) = Mixing(P), draw(1, (N, 8), (N,))

    def odd(self, shape, dtype, device):
        room = np.empty(int(np.prod(shape)) + 4, dtype)
        return room[1 if room.ctypes.data % 16 == 0 else 0 :][: int(np.prod(shape))].reshape(shape)

    with emulated():
        push_mix(M, x, w)
        monkeypatch.setattr(Host, "empty", odd)
        same(push_mix(M, x, w), mixed(x, w))


CHANGES = {
    r"w has dtype torch.float64": lambda x, w: (x, w.double()),
    "x has dtype int32": lambda x, w: (x.int(), w.int()),
    "x is not C-contiguous": lambda x, w: (x.t().contiguous().t(), w),
    "x requires grad": lambda x, w: (x.clone().requires_grad_(), w),
    "w is a conjugate or negative view": lambda x, w: (x, torch._neg_view(w)),
    "x is a torch.sparse_coo tensor": lambda x, w: (x.to_sparse(), w),
    "x has n=5": lambda x, w: (x[:5], w),
    "w has shape": lambda x, w: (x, w[:5]),
    "w is numpy.ndarray": lambda x, w: (x, w.numpy()),
    "w is list": lambda x, w: (x, w.tolist()),
    "out needs a tuple of": lambda x, w: (x, w, ()),
    "out needs a tuple": lambda x, w: (x, w, (torch.empty_like(x),)),
    r"out\[1\] has shape": lambda x, w: (x, w, (x.clone(), x.clone(), x.clone())),
    r"out\[2\] overlaps x": lambda x, w: (x, w, (x.clone(), w.clone(), x)),
    r"out\[2\] overlaps out\[0\]": lambda x, w: (x, w, (out := x.clone(), w.clone(), out)),
    r"out\[1\] requires grad": lambda x, w: (x, w, (x.clone(), w.clone().requires_grad_(), x + 1)),
}


@pytest.mark.parametrize("line", CHANGES)
def test_what_is_refused_at_first_is_refused_after_calls_that_were_kept(line):
    M, (x, w) = Mixing(P), map(torch.from_numpy, draw(1, (N, D), (N,)))
    with emulated() as path:
        for _ in range(2):
            push_mix(M, x, w)
            push_mix(M, x, w, out=(torch.empty_like(x), torch.empty_like(w), torch.empty_like(x)))
        seen = len(path.launched)
        given = CHANGES[line](x, w)
        with pytest.raises((TypeError, ValueError), match=f"^push_mix: {line}") as error:
            push_mix(M, *given[:2], out=given[2] if len(given) > 2 else None)
    assert "\n" not in str(error.value)
    assert len(path.launched) == seen


def test_two_cards_in_one_call_are_refused_after_calls_on_each(cupy, recorder):
    M = Mixing(P)
    for device in (0, 1, 0, 1):
        push_mix(M, cupy.ndarray((N, D), device=device), cupy.ndarray((N,), device=device))
    assert [call[3] for call in recorder.launched] == [0, 1, 0, 1]
    with pytest.raises(ValueError, match=r"^push_mix: w is on GPU 1, but x on GPU 0; need one dev"):
        push_mix(M, cupy.ndarray((N, D)), cupy.ndarray((N,), device=1))
    assert len(recorder.launched) == 4


def test_the_stream_is_the_one_that_is_current_in_each_call(cupy, recorder, fast):
    M, x, w = Mixing(P), cupy.ndarray((N, D)), cupy.ndarray((N,))
    push_mix(M, x, w)
    cupy.cuda.get_current_stream = lambda device: types.SimpleNamespace(ptr=7)
    with fast:
        made = push_mix(M, x, w)
    assert [call[4] for call in recorder.launched] == [99, 7]
    words = recorder.launched[1][2]
    assert words[-5:] == [a.data.ptr for a in (x, w, *made)]
    assert words[:-5] == recorder.launched[0][2][:-5]
    recorder.refuse = RuntimeError("too many resources")
    with fast, pytest.raises(RuntimeError, match=r"^push_mix: the launch failed: too many resou"):
        push_mix(M, x, w)


def test_a_call_that_uploads_for_itself_alone_is_not_kept():
    w, w1 = draw(1, (N,), (N,))
    calls = _calls.Calls()
    schedule, grid = _device.Schedule("push_weights", ("float",)), _device.Grid(1, 32)
    with emulated():
        call = _device.DeviceArrays("test", "w", w, listed=True)
        given, result = call.take("w", w), call.take("w1", w1)
        edges = np.dtype([("from", np.int32), ("share", np.float32)])
        indptr = call.upload(np.arange(N + 1))
        places = indptr, call.upload(np.array([(k, 0.5) for k in range(N)], edges))
        call.launch(schedule, grid, 1, N, 0, *places, given, result)
        call.run(calls, None, [given], [result], False)
    assert np.array_equal(w1, w / 2)
    assert not calls._kept


def test_another_path_takes_no_call_of_the_first(monkeypatch, cupy, recorder):
    M, x, w = Mixing(P), cupy.ndarray((N, D)), cupy.ndarray((N,))
    push_mix(M, x, w)
    other = type(recorder)()
    for module in (_device, _calls):
        monkeypatch.setattr(module, "chosen_path", lambda: other)
    for _ in range(2):
        push_mix(M, x, w)
    assert (len(recorder.launched), len(other.launched)) == (1, 2)


def test_only_the_last_calls_are_kept():
    M = Mixing(P)
    with emulated():
        for d in (*range(1, 21), 1):
            x, w = draw(d, (N, d), (N,))
            same(push_mix(M, x, w), mixed(x, w))
        assert len(calls := M._calls._kept[False]) == 16
        assert calls[0].seen[0][0] == (N, 1)
        rooms = [tuple(np.empty_like(a) for a in (x, w, x)) for _ in range(20)]
        for room in rooms:
            same(push_mix(M, x, w, out=room), mixed(x, w))
    assert len(M._calls._kept[False][0].words) <= 16
