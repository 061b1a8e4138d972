"""Arrays on their way to a GPU: what is refused, in one line and before any launch. No GPU here.

A fake CuPy stands for the real one: its arrays have a shape, a dtype, a device and an address, but
no memory, so that sizes past 2^31 cost nothing.
"""

import functools
import types

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

from theorylab.kernels import _local_steps_device, push_mix
from theorylab.kernels._calls import overlapping
from theorylab.kernels._device import DeviceArrays, Torch, library_of, on_device
from theorylab.kernels._paths import emulated


def one_line(error, kind, text):
    assert type(error.value) is kind
    assert str(error.value) == text


def test_arrays_on_the_host_are_no_gpus(cupy):
    assert not on_device(np.zeros(3))
    assert not on_device(torch.zeros(3))
    assert not on_device([1.0])
    assert on_device(cupy.ndarray((3,)))
    with emulated():
        assert library_of(np.zeros(3)).name == "numpy"
        assert library_of(torch.zeros(3)).name == "torch"
        assert not on_device([1.0])
    with pytest.raises(TypeError) as error:
        DeviceArrays("push_mix", "x", np.zeros(3))
    one_line(error, TypeError, "push_mix: x is on the host; need an array on a GPU")


P = csr_array(np.eye(3))


def call(x, w, out=None):
    return push_mix(P, x, w, out=out)


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (
            lambda a: a((3,), device=1),
            ValueError,
            "push_mix: w is on GPU 1, but x on GPU 0; need one device",
        ),
        (
            lambda a: np.zeros(3, np.float32),
            TypeError,
            "push_mix: w is numpy.ndarray on the host, but x is cupy's on GPU 0; need one library "
            "and one device",
        ),
        (
            lambda a: torch.zeros(3),
            TypeError,
            "push_mix: w is torch.Tensor on the host, but x is cupy's on GPU 0; need one library "
            "and one device",
        ),
        (
            lambda a: [1.0, 1.0, 1.0],
            TypeError,
            "push_mix: w is list; need an array beside x on the GPU",
        ),
        (
            lambda a: a((3,), np.float64),
            TypeError,
            "push_mix: w has dtype float64, but x has float32; need float32",
        ),
        (
            lambda a: a((3,), c_contiguous=False),
            ValueError,
            "push_mix: w is not C-contiguous; copy it first",
        ),
        (
            lambda a: a((3,), ptr=0x7000_0000_0002),
            ValueError,
            "push_mix: w is not aligned to its dtype; copy it first",
        ),
        (
            lambda a: a((4,)),
            ValueError,
            "push_mix: w has shape (4,), but x has (3, 8); need (3,)",
        ),
    ],
)
def test_a_second_array_that_does_not_fit_is_refused_before_any_launch(
    make, kind, text, cupy, recorder
):
    with pytest.raises(kind) as error:
        call(cupy.ndarray((3, 8)), make(cupy.ndarray))
    one_line(error, kind, text)
    assert not recorder.launched


def test_a_dtype_that_no_kernel_has_is_refused(cupy, recorder):
    with pytest.raises(TypeError) as error:
        call(cupy.ndarray((3, 8), np.float16), cupy.ndarray((3,), np.float16))
    one_line(error, TypeError, "push_mix: x has dtype float16; need float32 or float64")
    with emulated(), pytest.raises(TypeError, match=r"x has dtype .*; need float32 or float64$"):
        call(torch.zeros(3, 8, dtype=torch.bfloat16), torch.zeros(3))


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda x: x.requires_grad_(), "requires grad, which is not kept; detach it"),
        (lambda x: x.to_sparse(), "is a torch.sparse_coo tensor; need a dense one"),
        (lambda x: x.double().t().contiguous().t(), "is not C-contiguous; copy it first"),
        (lambda x: torch._neg_view(x), "is a conjugate or negative view; resolve it first"),
    ],
)
def test_tensors_that_a_kernel_cannot_read_are_refused(change, text):
    x = change(torch.ones(3, 8, dtype=torch.float64))
    with emulated() as path, pytest.raises(ValueError, match="push_mix") as error:
        call(x, torch.ones(3, dtype=torch.float64))
    one_line(error, ValueError, f"push_mix: x {text}")
    assert not path.launched


def test_numpy_and_torch_are_not_mixed_when_emulated():
    with emulated(), pytest.raises(TypeError, match=r"w is numpy.ndarray, but x is torch's"):
        call(torch.ones(3, 8), np.ones(3, np.float32))


@pytest.mark.parametrize("pair", [(0, 2), ("x", 0), ("x", 2), ("w", 1)])
def test_an_output_that_overlaps_is_refused(pair, cupy, recorder):
    arrays = {"x": cupy.ndarray((3, 8)), "w": cupy.ndarray((3,))}
    out = [cupy.ndarray((3, 8)), cupy.ndarray((3,)), cupy.ndarray((3, 8))]
    first, second = pair
    near = arrays[first] if first in arrays else out[first]
    out[second].data.ptr = near.data.ptr + 4 * (near.shape[0] - 1)  # the last bytes of w, or inside
    with pytest.raises(ValueError, match="overlaps") as error:
        call(arrays["x"], arrays["w"], tuple(out))
    name = first if first in arrays else f"out[{first}]"
    one_line(error, ValueError, f"push_mix: out[{second}] overlaps {name}; need separate memory")
    assert not recorder.launched


def test_neighbours_and_empty_arrays_do_not_overlap(cupy, recorder):
    x, w = cupy.ndarray((3, 8)), cupy.ndarray((3,))
    x1, z1 = cupy.ndarray((3, 8), ptr=x.data.ptr + 96), cupy.ndarray((3, 8), ptr=x.data.ptr - 96)
    call(x, w, (x1, cupy.ndarray((3,), ptr=w.data.ptr + 12), z1))
    assert len(recorder.launched) == 1
    taken = DeviceArrays("k", "x", x)
    inside = taken.take("empty", cupy.ndarray((0,), ptr=x.data.ptr + 8))
    taken.apart({"x": taken.take("x", x)}, {"out": inside})


def test_an_overlap_counts_the_bytes_of_each_ones_own_dtype(cupy, recorder):
    x = cupy.ndarray((8,))
    taken = DeviceArrays("k", "x", x)
    ids = taken.take("ids", cupy.ndarray((8,), np.int64, ptr=x.data.ptr + 32), np.int64)
    after = taken.take("out", cupy.ndarray((8,), ptr=x.data.ptr + 32 + 56))  # the last of ids
    with pytest.raises(ValueError, match=r"^k: out overlaps ids; need separate memory$"):
        taken.apart({"ids": ids}, {"out": after})


def test_a_wrong_out_is_refused(cupy, recorder):
    x, w = cupy.ndarray((3, 8)), cupy.ndarray((3,))
    with pytest.raises(ValueError, match=r"^push_mix: out\[2\] has shape \(3, 9\); need \(3, 8\)$"):
        call(x, w, (cupy.ndarray((3, 8)), cupy.ndarray((3,)), cupy.ndarray((3, 9))))
    with pytest.raises(TypeError, match=r"out needs a tuple of three arrays"):
        call(x, w, (x, w))
    assert not recorder.launched


TOLD = {"get_device": 0, "is_contiguous": True, "is_neg": False, "data_ptr": 4096}  # by methods
KNOWN = {
    "shape": (3,), "dtype": torch.float32, "is_cuda": True, "requires_grad": False,
    "layout": torch.strided,
}  # fmt: skip


class Tensor:
    """A torch tensor on GPU 0."""

    def __init__(self, **other):
        for name, value in (TOLD | KNOWN | other).items():
            setattr(self, name, functools.partial(int, value) if name in TOLD else value)


OTHERS = {
    "get_device": 1, "is_contiguous": False, "is_neg": True, "data_ptr": 4104, "shape": (4,),
    "dtype": torch.float64, "is_cuda": False, "requires_grad": True,
}  # fmt: skip


def test_what_is_seen_of_a_tensor_tells_apart_all_that_is_checked():
    library = Torch()
    library._torch = types.SimpleNamespace(Tensor=Tensor, strided=torch.strided)
    seen, addresses = library.seen((Tensor(), Tensor(data_ptr=8192)))
    assert addresses == [4096, 8192]
    assert seen[0] == seen[1]
    for name, value in OTHERS.items():
        assert library.seen((Tensor(**{name: value}),))[0] != seen[:1], name
    assert library.seen((Tensor(), Tensor(layout=torch.sparse_coo))) is None
    assert library.seen((Tensor(), torch.ones(3))) is None


def first_overlap(begins, sizes, inputs):
    bytes_of = [set(range(b, b + s)) for b, s in zip(begins, sizes, strict=True)]
    for k in range(len(begins)):
        for other in range(max(k + 1, inputs), len(begins)):
            if bytes_of[k] & bytes_of[other]:
                return k, other
    return None


def test_overlaps_are_those_of_the_bytes():
    rng = np.random.default_rng(5)
    found = 0
    for _ in range(2000):
        begins, sizes = rng.integers(0, 24, 5).tolist(), rng.integers(0, 6, 5).tolist()
        want = first_overlap(begins, sizes, 2)
        assert overlapping(begins, sizes, 2) == want
        found += want is not None
    assert 500 < found < 1900


class Meanwhile(dict):
    """What is kept, into which another thread puts its own as soon as this one has."""

    def __setitem__(self, key, value):
        super().__setitem__(key, (b"another's", np.zeros(2, np.uint8)))


def test_ids_of_another_thread_do_not_take_the_place_of_ones_own():
    ids = np.array([3, 5])
    with emulated():
        call = DeviceArrays("local_steps", "x", np.zeros(3))
        _local_steps_device._numbers(call, Meanwhile(), "runs", ids, (2,))
        (there,) = call._kept
        assert there.tobytes() == ids.tobytes()
