"""What push_mix refuses, and that it says so in one line."""

import numpy as np
import pytest
import torch
from scipy.sparse import coo_array, csc_array, csr_array

from theorylab import _core
from theorylab.kernels import Mixing, push_mix

N, D, R = 4, 6, 2


def good():
    P = csr_array(np.full((N, N), 1 / N))
    return P, np.ones((R, N, D)), np.ones((R, N))


def raw(change):
    """P with its arrays replaced behind scipy's back, as a buggy caller would."""
    P = good()[0]
    change(P)
    return P


def put(name, index, value):
    def change(P):
        getattr(P, name)[index] = value

    return raw(change)


def read_only(array):
    array.flags.writeable = False
    return array


def torch_good():
    _, x, w = good()
    return torch.from_numpy(x), torch.from_numpy(w)


P0, X0, W0 = good()
OUT = (np.zeros((R, N, D)), np.zeros((R, N)), np.zeros((R, N, D)))
BIG = np.zeros((2, R, N, D))
TX, TW = torch_good()

REFUSED = [
    ((P0, X0.astype(int), W0), TypeError, "x has dtype int64; need float32 or float64"),
    ((P0, X0.astype(np.float16), W0), TypeError, "x has dtype float16"),
    ((P0, X0.astype(">f8"), W0), TypeError, "x has dtype >f8"),
    ((P0, X0, W0.astype(np.float32)), TypeError, "w has dtype float32, but x has float64"),
    ((P0, X0.tolist(), W0), TypeError, "x is list; need a NumPy array"),
    ((P0, np.ma.array(X0), W0), TypeError, "x is MaskedArray; need"),
    ((P0, X0, TW), TypeError, "w is Tensor; need a NumPy array"),
    ((P0, TX, W0), TypeError, "w is ndarray, but x is a tensor"),
    ((P0, TX.clone().requires_grad_(), TW), ValueError, "x requires grad"),
    ((P0, TX.to_sparse(), TW), TypeError, "need a dense one on the CPU"),
    ((P0, TX.to(torch.bfloat16).float()[:, :, ::2], TW.float()), ValueError, "x is not C-contig"),
    ((P0, X0[:, :, ::2], W0), ValueError, "x is not C-contiguous"),
    ((P0, np.asfortranarray(X0), W0), ValueError, "x is not C-contiguous"),
    ((P0, X0[0, 0], W0), ValueError, r"x has shape \(6,\); need \(n,d\) or \(R,n,d\)"),
    ((P0, X0[:, :-1].copy(), W0), ValueError, "x has n=3 on axis 1, but P fixed n=4"),
    ((P0, X0[0, :-1], W0[0]), ValueError, "x has n=3 on axis 0, but P fixed n=4"),
    ((P0, X0, W0[0]), ValueError, r"w has shape \(4,\), but x has .* need \(2, 4\)"),
    (([P0] * 3, X0, W0), ValueError, "x has R=2, but P holds 3 matrices"),
    (([P0] * 2, X0[0], W0[0]), ValueError, r"need \(R,n,d\), one matrix for each run"),
    (([P0, csr_array(np.eye(3))], X0, W0), ValueError, r"P\[1\] has shape \(3, 3\)"),
    (([P0, csc_array(P0)], X0, W0), TypeError, r"P\[1\] is csc_array; need a scipy CSR"),
    (([P0, P0.astype(np.float32)], X0, W0), TypeError, "the matrices of P differ in dtype"),
    (([], X0, W0), TypeError, "P is list; need a scipy CSR"),
    ((P0.toarray(), X0, W0), TypeError, "P is ndarray; need a scipy CSR"),
    ((coo_array(P0), X0, W0), TypeError, "P is coo_array; need a scipy CSR"),
    ((csr_array(np.ones((3, 4))), X0, W0), ValueError, r"P has shape \(3, 4\); need \(n,n\)"),
    ((P0.astype(int), X0, W0), TypeError, "P.data needs dtype float32 or float64"),
    ((put("data", 3, -0.5), X0, W0), ValueError, "P has the entry -0.5.*; need finite"),
    ((put("data", 3, np.nan), X0, W0), ValueError, "P has the entry nan; need finite"),
    ((put("data", 3, np.inf), X0, W0), ValueError, "P has the entry inf; need finite"),
    ((put("indices", 5, N), X0, W0), ValueError, "P has column index 4; need 0 to 3"),
    ((put("indices", 5, -1), X0, W0), ValueError, "P has column index -1; need 0 to 3"),
    ((put("indptr", 2, 1), X0, W0), ValueError, "P.indptr falls after row 1"),
    ((put("indptr", 0, 1), X0, W0), ValueError, "P.indptr starts with 1; need 0"),
    ((put("indptr", 4, 99), X0, W0), ValueError, "P.indptr ends with 99, but P stores 16"),
]
BAD_OUT = [
    (OUT[:2], TypeError, "out needs a tuple of three arrays"),
    ((OUT[0].astype(np.float32), *OUT[1:]), TypeError, r"out\[0\] has dtype float32, but x has"),
    ((OUT[0][0], *OUT[1:]), ValueError, r"out\[0\] has shape \(4, 6\); need \(2, 4, 6\)"),
    ((OUT[0], OUT[1].T.copy(), OUT[2]), ValueError, r"out\[1\] has shape \(4, 2\)"),
    ((np.asfortranarray(OUT[0]), *OUT[1:]), ValueError, r"out\[0\] is not C-contiguous"),
    ((read_only(OUT[0].copy()), *OUT[1:]), ValueError, r"out\[0\] is read-only"),
    ((OUT[0], OUT[1], torch.empty(R, N, D)), TypeError, r"out\[2\] is Tensor; need a NumPy"),
    ((X0, *OUT[1:]), ValueError, r"out\[0\] overlaps x"),
    ((OUT[0], W0, OUT[2]), ValueError, r"out\[1\] overlaps w"),
    ((OUT[0], OUT[1], OUT[0]), ValueError, r"out\[0\] overlaps out\[2\]"),
    ((BIG[0], OUT[1], BIG.ravel()[1 : X0.size + 1].reshape(X0.shape)), ValueError, "overlaps"),
]


@pytest.mark.parametrize(("arguments", "error", "message"), REFUSED)
def test_bad_input_is_named_in_one_line(arguments, error, message):
    with pytest.raises(error, match=message) as caught:
        push_mix(*arguments)
    assert str(caught.value).startswith("push_mix: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("out", "error", "message"), BAD_OUT)
def test_a_bad_buffer_is_named_in_one_line(out, error, message):
    before = X0.copy(), W0.copy()
    with pytest.raises(error, match=message) as caught:
        push_mix(P0, X0, W0, out=out)
    assert str(caught.value).startswith("push_mix: ")
    assert np.array_equal(before[0], X0)
    assert np.array_equal(before[1], W0)


def test_a_buffer_over_the_matrix_is_refused():
    P = csr_array(np.full((N, N), 1 / N))
    x, w = np.ones((N, N)), np.ones(N)
    out = (P.data.reshape(N, N), np.empty(N), np.empty((N, N)))
    with pytest.raises(ValueError, match=r"push_mix: out\[0\] overlaps P"):
        push_mix(P, x, w, out=out)


def test_values_of_x_are_nobodys_business():
    P, x, w = good()
    x[0, 0, 0] = np.nan
    x1, _, _ = push_mix(P, x, w)
    assert np.all(np.isnan(x1[0, :, 0]))
    assert not np.isnan(x1[0, :, 1:]).any()
    assert not np.isnan(x1[1]).any()


@pytest.mark.parametrize("matrix", [put("indices", 0, 9), put("data", 0, -1.0)])
def test_a_mixing_checks_what_push_mix_checks(matrix):
    with pytest.raises(ValueError, match="push_mix: P has"):
        Mixing(matrix)
    with pytest.raises(TypeError, match="Mixing: dtype int64 came; need float32 or float64"):
        Mixing(good()[0], int)


def test_core_never_converts_silently():
    P, x, w = good()
    matrices = _core.Matrices(N, [(P.indptr, P.indices, P.data)], False)
    x1, w1, z1 = (np.empty_like(a) for a in (x, w, x))
    _core.push_mix(matrices, R, x, w, x1, w1, z1)
    wrong = [
        (x.astype(np.float32), w, x1, w1, z1),
        (x, w, x1.astype(np.float32), w1, z1),
        (x, w, np.empty((R, N, 2 * D))[:, :, ::2], w1, z1),
        (x.tolist(), w, x1, w1, z1),
    ]
    for arrays in wrong:
        with pytest.raises(TypeError):
            _core.push_mix(matrices, R, *arrays)
    with pytest.raises(ValueError, match="w has 4 entries; need 8"):
        _core.push_mix(matrices, R, x, w[0], x1, w1, z1)
