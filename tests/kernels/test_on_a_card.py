"""On a GPU alone: the host's bits of every kernel, and bad input in one line before any launch."""

import numpy as np
import pytest

from theorylab.bench import gpu
from theorylab.bench._gpu_checks import DTYPES, tried
from theorylab.bench._gpu_push_mix import random_out
from theorylab.kernels import Mixing, mix_jvp, push_mix

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no GPU")
N, D = 20, 33


@pytest.fixture(scope="module")
def board():
    return gpu.board(False)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", gpu.KERNELS)
def test_every_way_gives_the_hosts_bits(name, dtype, board):
    trials = [*gpu.KERNELS[name].trials(np.random.default_rng(8), dtype, True)]
    wrong = [tried(board, trial, path, dtype) for trial in trials for path in board.paths]
    assert not any(wrong)


def given(**changes):
    """x and w on the device, float32."""
    x, w = torch.rand(N, D, device="cuda"), torch.rand(N, device="cuda") + 0.5
    return {"x": x, "w": w} | changes


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        (lambda: {"w": torch.ones(N)}, (TypeError, ValueError)),
        (lambda: {"w": np.ones(N, np.float32)}, (TypeError, ValueError)),
        (lambda: {"x": torch.rand(N, 2 * D, device="cuda")[:, ::2]}, ValueError),
        (lambda: {"x": torch.rand(D, N, device="cuda").T}, ValueError),
        (lambda: {"x": torch.rand(N, D, device="cuda").half()}, TypeError),
        (lambda: {"w": torch.ones(N, device="cuda", dtype=torch.float64)}, TypeError),
        (lambda: {"w": torch.ones(N + 1, device="cuda")}, ValueError),
        (lambda: {"x": torch.rand(N + 1, D, device="cuda")}, ValueError),
    ],
)
def test_arrays_that_a_kernel_cannot_take_are_told_in_one_line(changes, error):
    mixing = Mixing(random_out(N, 5))
    push_mix(mixing, *given().values())  # a call that is kept
    with pytest.raises(error) as refused:
        push_mix(mixing, *given(**changes()).values())
    assert len(str(refused.value).splitlines()) == 1
    push_mix(mixing, *given().values())  # and the device is as it was
    torch.cuda.synchronize()


def hosts(tensors):
    return [tensor.cpu().numpy() for tensor in tensors]


def test_a_call_that_comes_again_has_the_hosts_bits_on_any_stream():
    mixing, streams = Mixing(random_out(N, 5)), [torch.cuda.current_stream(), torch.cuda.Stream()]
    for k in range(6):
        x, w = given().values()
        out = (torch.empty_like(x), torch.empty_like(w), torch.empty_like(x)) if k > 2 else None
        torch.cuda.synchronize()
        with torch.cuda.stream(streams[k % 2]):
            made = push_mix(mixing, x, w, out=out)
        torch.cuda.synchronize()
        want = push_mix(mixing, *hosts((x, w)))
        assert all(np.array_equal(a, b) for a, b in zip(hosts(made), want, strict=True))


@pytest.mark.parametrize("variant", ["4a", "4b"])
def test_products_that_come_again_have_the_hosts_bits(variant):
    shapes = (3, 3), (3, 2, 5), (3,), (3, 300, 5), (3, 300)
    for _ in range(3):
        arrays = [torch.rand(shape, device="cuda", dtype=torch.float64) for shape in shapes]
        made, want = (mix_jvp(*each, 0.5, variant=variant) for each in (arrays, hosts(arrays)))
        assert np.array_equal(made.cpu().numpy(), want)


def test_a_matrix_that_was_written_into_goes_up_again():
    P = random_out(N, 5)
    for _ in range(3):
        P.data[3] += 0.25
        x, w = given().values()
        made, want = push_mix(P, x, w), push_mix(P, *hosts((x, w)))
        assert all(np.array_equal(a, b) for a, b in zip(hosts(made), want, strict=True))


def test_negative_shares_are_refused_before_the_device_sees_them():
    P = random_out(N, 5)
    P.data[3] = -P.data[3]
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        push_mix(P, *given().values())


def test_results_larger_than_the_memory_are_refused_with_the_numbers():
    free, _ = torch.cuda.mem_get_info()
    x = torch.empty((N, free // (8 * N)), device="cuda")  # half of it, and two results as large
    with pytest.raises(MemoryError, match=r"^push_mix: [^\n]*\d+ bytes[^\n]*$"):
        push_mix(Mixing(random_out(N, 5)), x, torch.ones(N, device="cuda"))
    del x
    torch.cuda.empty_cache()
    push_mix(Mixing(random_out(N, 5)), *given().values())


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")
def test_arrays_on_two_devices_are_refused():
    with pytest.raises((TypeError, ValueError), match=r"^[^\n]+$"):
        push_mix(Mixing(random_out(N, 5)), *given(w=torch.ones(N, device="cuda:1")).values())
