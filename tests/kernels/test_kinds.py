"""What a kernel does not take it names: nothing is truncated, rounded, or taken for 0."""

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

from theorylab.kernels import ClientLosses, Mixing, ascent, push_mix

X, SIZES = np.arange(8.0).reshape(4, 2), np.array([3, 1])
LABELS = np.array([0, 1, 1, 0])
CENTERS = np.zeros((2, 2))
NAN, INF = float("nan"), float("inf")


def regression(labels=LABELS, sizes=SIZES, **options):
    return ClientLosses.regression(
        X, labels, sizes, **{"columns": 1, "batch": 2, "reg": 0.1, **options}
    )


def steps(**options):
    given = {"runs": np.array([0]), "steps": 2, "eta": 0.1, "seed": 1, "round": 0, **options}
    return regression().local_steps(np.ones((1, 2, 2)), np.ones((1, 2)), **given)


def separable(**options):
    return ClientLosses.separable(CENTERS, **{"scale": 1.0, "noise": 0.0, **options})


VALUES = {
    "reg": [(lambda v: regression(reg=v), (-1.0, NAN, INF))],
    "noise": [
        (lambda v: separable(noise=v), (-1.0, NAN, INF)),
        (lambda v: ClientLosses.quadratic(CENTERS, CENTERS, v), (-1.0, NAN, INF)),
    ],
    "scale": [(lambda v: separable(scale=v), (NAN, INF))],
    "clip": [(lambda v: separable(clip=v), (0.0, -1.0, NAN))],
    "rho": [
        (lambda v: ascent(np.ones((1, 2)), np.ones((1, 2)), v), (NAN, INF)),
        (lambda v: steps(rho=v), (NAN,)),
    ],
    "eta": [(lambda v: steps(eta=v), (NAN, INF))],
    "alpha": [(lambda v: steps(alpha=v), (NAN,))],
}
KINDS = {
    "labels": [
        (lambda v: regression(labels=v), (LABELS + 0.7, LABELS > 0, LABELS.astype(str))),
    ],
    "sizes": [(lambda v: regression(sizes=v), (SIZES * 1.0,))],
    "runs": [(lambda v: steps(runs=v), ([0.5], np.array([0.0])))],
    "counts": [(lambda v: steps(counts=v), (1.5, np.ones((1, 2))))],
    "rows": [
        (lambda v: regression().gradients(np.ones((1, 2, 2)), rows=v), (np.zeros((1, 2, 2)),))
    ],
    "noise": [
        (lambda v: separable().gradients(np.ones((1, 2, 2)), noise=v), (np.ones((1, 2, 2), "f4"),)),
        (lambda v: separable(noise=v), ("0.1", True, 1j)),
    ],
    "batch": [(lambda v: regression(batch=v), (2.0, True))],
    "steps": [(lambda v: steps(steps=v), (1.5, True))],
    "seed": [(lambda v: steps(seed=v), (1.0,))],
}


@pytest.mark.parametrize("name", VALUES)
def test_a_number_out_of_range_is_no_other_number(name):
    for act, values in VALUES[name]:
        for value in values:
            with pytest.raises(ValueError, match=f"local_steps: {name} is .*need ") as caught:
                act(value)
            assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", KINDS)
def test_an_argument_of_another_kind_is_not_converted(name):
    for act, values in KINDS[name]:
        for value in values:
            with pytest.raises(TypeError, match=f"local_steps: {name} (is|has).*need ") as caught:
                act(value)
            assert "\n" not in str(caught.value)


def test_integers_of_any_width_are_taken():
    want = steps(counts=np.array([[2, 1]])).tobytes()
    for dtype in (np.int8, np.uint16, np.int32, np.uint64):
        runs, counts = np.array([0], dtype), np.array([[2, 1]], dtype)
        table = regression(LABELS.astype(dtype), SIZES.astype(dtype))
        x1 = table.local_steps(
            np.ones((1, 2, 2)), np.ones((1, 2)), seed=1, runs=runs, round=0, steps=2, eta=0.1,
            counts=counts,
        )  # fmt: skip
        assert x1.tobytes() == want
    with pytest.raises(ValueError, match="runs has 18446744073709551615; need less than"):
        steps(runs=np.array([2**64 - 1], np.uint64))


@pytest.mark.parametrize("dtype", [np.int64, np.float16, np.complex128, np.longdouble, object])
def test_a_mixing_takes_floats_alone(dtype):
    P = csr_array(np.eye(3))
    P.data = P.data.astype(dtype)
    with pytest.raises(
        TypeError, match=f"Mixing: P.data has dtype {np.dtype(dtype)}; need float32"
    ):
        Mixing(P)
    with pytest.raises(TypeError, match=r"push_mix: P\.data needs dtype float32 or"):
        push_mix(P, np.ones((3, 1)), np.ones(3))


def test_a_mixing_keeps_its_own_entries():
    P, x, w = csr_array(np.full((3, 3), 1 / 3)), np.arange(6.0).reshape(3, 2), np.ones(3)
    for dtype in (np.float64, np.float32):
        mixing = Mixing(P, dtype)
        before = push_mix(mixing, x, w)
        data, indices = P.data.copy(), P.indices.copy()
        P.data[:], P.indices[:] = 7, 0
        assert all(map(np.array_equal, push_mix(mixing, x, w), before))
        P.data[:], P.indices[:] = data, indices


def test_none_is_no_buffer():
    P = csr_array(np.eye(3))
    for position in range(3):
        x, w = np.ones((3, 1)), np.ones(3)
        out = [np.empty((3, 1)), np.empty(3), np.empty((3, 1))]
        out[position] = None
        with pytest.raises(TypeError, match=rf"push_mix: out\[{position}\] is None; need an array"):
            push_mix(P, x, w, out=tuple(out))
    tensors = torch.ones(3, 1), torch.ones(3)
    with pytest.raises(TypeError, match="is None"):
        push_mix(P, *tensors, out=(None,) * 3)
