"""What glm_hvp, softmax_hvp and mix_jvp refuse on a GPU, in one line and before any launch."""

import numpy as np
import pytest
import torch

from theorylab.kernels import glm_hvp, mix_jvp, softmax_hvp
from theorylab.kernels._paths import Facts, emulated

R, N, M, D, K, C = 2, 3, 5, 7, 2, 4


def good(cupy, dtype=np.float32):
    shapes = {"A": (N, M, D), "h": (R, N, M), "V": (R, N, K, D)}
    return {name: cupy.ndarray(shape, dtype) for name, shape in shapes.items()}


def mixing(cupy):
    given = good(cupy)
    given["u"] = given.pop("V")
    return given | {"c": cupy.ndarray((N, N)), "s": cupy.ndarray((R, N))}


BAD = [
    ({"V": ((R, N, K, D + 1), {})}, ValueError, "V has shape (2, 3, 2, 8), but A has (3, 5, 7);"),
    ({"h": ((N, M + 1), {})}, ValueError, "h has shape (3, 6); need (3,5) or (2,3,5)"),
    ({"A": ((N, 0, D), {})}, ValueError, "A has shape (3, 0, 7); need at least one row a client"),
    ({"h": ((N, M), {"dtype": np.float64})}, TypeError, "h has dtype float64, but A has float32;"),
    ({"V": ((R, N, K, D), {"device": 1})}, ValueError, "V is on GPU 1, but A on GPU 0; need one"),
    ({"V": ((R, N, K, D), {"c_contiguous": False})}, ValueError, "V is not C-contiguous; copy it"),
    ({"h": ((N, M), {"ptr": 1 << 20 | 2})}, ValueError, "h is not aligned to its dtype; copy it"),
    ({"A": ((N, M, D), {"dtype": np.int32})}, TypeError, "A has dtype int32; need float32 or"),
]


@pytest.mark.parametrize(("change", "error", "message"), BAD)
def test_a_bad_argument_is_named_in_one_line(change, error, message, cupy, recorder):
    given = good(cupy) | {name: cupy.ndarray(at, **how) for name, (at, how) in change.items()}
    with pytest.raises(error, match=r".") as caught:
        glm_hvp(**given)
    assert str(caught.value).startswith(f"glm_hvp: {message}")
    assert "\n" not in str(caught.value)
    assert not recorder.launched


def test_arrays_of_the_host_are_not_mixed_with_a_gpus(cupy, recorder):
    given = good(cupy)
    with pytest.raises(TypeError, match=r"^glm_hvp: h is numpy.ndarray on the host, but A is cupy"):
        glm_hvp(**given | {"h": np.ones((N, M), np.float32)})
    with pytest.raises(TypeError, match=r"^glm_hvp: V is FakeArray; need a NumPy array"):
        glm_hvp(np.ones((N, M, D)), np.ones((N, M)), given["V"])
    with pytest.raises(TypeError, match=r"^mix_jvp: c is builtins.list, but u is cupy's on GPU 0;"):
        mix_jvp(**mixing(cupy) | {"c": [[1.0]]})
    assert not recorder.launched


def test_out_is_checked_and_overlaps_no_input(cupy, recorder):
    given = good(cupy)
    with pytest.raises(ValueError, match=r"^glm_hvp: out has shape \(2, 3, 2, 8\); need \(2, 3, 2"):
        glm_hvp(**given, out=cupy.ndarray((R, N, K, D + 1)))
    for name, array in given.items():
        last = array.data.ptr + 4 * (int(np.prod(array.shape)) - 1)
        with pytest.raises(ValueError, match=rf"^glm_hvp: out overlaps {name}; need separate mem"):
            glm_hvp(**given, out=cupy.ndarray((R, N, K, D), ptr=last))
    with pytest.raises(ValueError, match=r"^mix_jvp: out overlaps u; need separate memory"):
        mix_jvp(**(given := mixing(cupy)), out=given["u"])
    assert not recorder.launched


def test_the_kernels_go_on_the_callers_stream_in_order(cupy, recorder):
    given = mixing(cupy)
    out = mix_jvp(**given, variant="4a", reg=0.5)
    assert isinstance(out, cupy.ndarray)
    schedules = [str(schedule) for schedule, *_ in recorder.launched]
    assert schedules == ["mix_rows<float, 2>", "glm_hvp_rows<float, 4>"]
    assert {call[3:] for call in recorder.launched} == {(0, 99)}
    words = recorder.launched[-1][2]
    assert words.count(out.data.ptr) == 3  # what is multiplied, the sums and the result
    assert given["u"].data.ptr not in words
    assert 0.5 in words


def test_softmax_takes_two_kernels_up_to_ten_classes_else_three_and_one_more_for_chunks(
    cupy, recorder
):
    three = ["softmax_logits<double>", "softmax_curve<double>", "hvp_outer<double>"]
    one, finish = ["softmax_rows<double, 1>", "hvp_finish<double>"], "hvp_finish<double>"
    for classes, kernels in ((10, one), (11, three)):
        for m in (M, 300):
            A = cupy.ndarray((N, m, 9), np.float64)
            p, w = cupy.ndarray((N, m, classes), np.float64), cupy.ndarray((N, m), np.float64)
            softmax_hvp(A, p, w, cupy.ndarray((N, K, 9, classes), np.float64))
            names = [str(schedule) for schedule, *_ in recorder.launched]
            assert names == kernels + [finish] * (classes == 11 and m == 300)
            recorder.launched.clear()


@pytest.mark.parametrize("kernel", ["glm_hvp", "mix_jvp"])
def test_a_failed_launch_names_the_kernel(kernel, cupy, recorder):
    recorder.refuse = RuntimeError("too many resources")
    with pytest.raises(RuntimeError, match=rf"^{kernel}: the launch failed: too many resources$"):
        glm_hvp(**good(cupy)) if kernel == "glm_hvp" else mix_jvp(**mixing(cupy))


def small(free):
    return Facts("small", 90, 40, 1 << 14, 20_000, 42_048, free, 1 << 20)


def test_too_little_memory_is_one_line_and_work_space_is_counted():
    A, h, V = (np.ones(shape, np.float32) for shape in ((1, 300, 5), (1, 300), (1, 1, 5)))
    p, W = np.ones((1, 300, 2), np.float32), np.ones((1, 1, 5, 2), np.float32)
    with emulated(facts=small(19)) as path, pytest.raises(MemoryError) as error:
        glm_hvp(A, h, V)
    assert str(error.value).startswith("glm_hvp: the results need 20 bytes, but GPU 0 has 19 left;")
    assert not path.launched
    with emulated(facts=small(39)) as path:  # no room for the sums of two chunks: one block
        whole = glm_hvp(A, h, V)
    assert [str(schedule) for schedule, _ in path.launched] == ["glm_hvp_rows<float, 1>"]
    with emulated(facts=small(40)) as path:
        assert np.array_equal(glm_hvp(A, h, V), whole)
    assert len(path.launched) == 2
    c, s = np.ones((1, 1), np.float32), np.ones(1, np.float32)
    with emulated(facts=small(80)) as path:
        mix_jvp(c, W, s, A, h, prob=p)
    assert len(path.launched) == 3
    # No room for the sums of two chunks: three passes, whose logits are more here.
    with emulated(facts=small(79)) as path, pytest.raises(MemoryError) as error:
        mix_jvp(c, W, s, A, h, prob=p)
    assert str(error.value).startswith("mix_jvp: the work space needs 2400 bytes, but GPU 0 has")
    assert not path.launched


@pytest.mark.parametrize("runs", [1, 2**31 + 5])
def test_sizes_past_2_to_31_reach_the_kernels_uncut(runs, cupy, recorder):
    d = 2**31 + 7 if runs == 1 else 1
    V = cupy.ndarray((runs, 1, 1, d))
    glm_hvp(cupy.ndarray((1, 3, d)), cupy.ndarray((1, 3)), V, out=cupy.ndarray((runs, 1, 1, d)))
    for schedule, grid, words, *_ in recorder.launched:
        assert 1 <= grid.blocks < 2**31
        first = [runs, 1, 1, d] if schedule.name == "hvp_finish" else [runs, 1, 3, d, 1]
        assert words[: len(first)] == first
    assert recorder.launched


def test_2_to_32_vectors_of_a_client_are_refused(cupy, recorder):
    V = cupy.ndarray((2**31, 1, 2, 1))
    with pytest.raises(
        ValueError, match=r"^glm_hvp: R k = 4294967296 came; need fewer than 2\^32$"
    ):
        glm_hvp(cupy.ndarray((1, 3, 1)), cupy.ndarray((1, 3)), V, out=V)
    assert not recorder.launched


def test_tensors_that_require_grad_or_are_of_two_kinds_are_refused():
    A, h, V = torch.ones(N, M, D), torch.ones(N, M), torch.ones(N, K, D)
    with emulated():
        with pytest.raises(ValueError, match=r"^glm_hvp: V requires grad, which is not kept"):
            glm_hvp(A, h, V.clone().requires_grad_())
        with pytest.raises(TypeError, match=r"^glm_hvp: V is numpy.ndarray, but A is torch's"):
            glm_hvp(A, h, V.numpy())
