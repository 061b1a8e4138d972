"""Matrices given to a GPU as they are: what is kept of them, and that none is taken for another."""

import gc

import numpy as np
import pytest
from scipy.sparse import csr_array

from theorylab.kernels import _given_matrices as module
from theorylab.kernels import push_mix
from theorylab.kernels._device_libraries import Host
from theorylab.kernels._paths import emulated

N = 5


def matrix(seed=0):
    rng = np.random.default_rng(seed)
    return csr_array(np.where(rng.random((N, N)) < 0.5, rng.random((N, N)), 0) + np.eye(N))


@pytest.fixture
def uploads(monkeypatch):
    """Bytes of each upload inside ``emulated()``."""
    made, upload = [], Host.upload

    def noted(self, array, device):
        made.append(array.nbytes)
        return upload(self, array, device)

    monkeypatch.setattr(Host, "upload", noted)
    return made


def state(dtype=np.float64):
    rng = np.random.default_rng(7)
    return rng.random((N, 3)).astype(dtype), rng.random(N).astype(dtype) + 1


def check(P, x, w):
    dense = P.toarray() if not isinstance(P, list) else np.stack([one.toarray() for one in P])
    x1, w1, z1 = push_mix(P, x, w)
    assert np.allclose(x1, dense @ x, rtol=1e-12, atol=0)
    assert np.allclose(w1, (dense @ w[..., None])[..., 0], rtol=1e-12, atol=0)
    assert np.array_equal(z1, x1 / w1[..., None])


def test_a_matrix_goes_up_once(uploads):
    P, (x, w) = matrix(), state()
    with emulated():
        for _ in range(3):
            check(P, x, w)
    assert len(uploads) == 2  # offsets and edges


@pytest.mark.parametrize("part", ["data", "indices", "indptr"])
def test_a_matrix_that_was_written_into_is_another(part, uploads):
    P, (x, w) = matrix(), state()
    with emulated():
        check(P, x, w)
        array = getattr(P, part)
        if part == "data":
            array[-1] = np.nextafter(array[-1], 2)
            array[0] += 0.5
        elif part == "indices":
            array[0] = (array[0] + 1) % N
            P.has_canonical_format = False
        else:
            array[1] -= 1  # the last entry of row 0 is the first of row 1
        check(P, x, w)
    assert len(uploads) == 4


def test_arrays_that_were_replaced_count_by_their_content(uploads):
    P, (x, w) = matrix(), state()
    with emulated():
        check(P, x, w)
        P.data = P.data.copy()
        check(P, x, w)
        assert len(uploads) == 2
        P.data = P.data.astype(np.float32)
        push_mix(P, x, w)
    assert len(uploads) == 4


def test_what_is_wrong_is_refused_though_the_matrix_was_right_before(uploads):
    P, (x, w) = matrix(), state()
    with emulated() as path:
        check(P, x, w)
        seen = len(path.launched)
        for write, line in (
            (lambda: P.data.__setitem__(0, -1), r"P has the entry -1.000000; need finite and nonn"),
            (lambda: P.data.__setitem__(0, np.nan), r"P has the entry -?nan; need finite and"),
            (lambda: P.indices.__setitem__(0, N), r"P has column index 5; need 0 to 4"),
        ):
            kept = P.data.copy(), P.indices.copy()
            write()
            with pytest.raises(ValueError, match=rf"^push_mix: {line}"):
                push_mix(P, x, w)
            P.data[:], P.indices[:] = kept
        P.data = np.repeat(P.data, 2)[::2]
        with pytest.raises(TypeError, match=r"^push_mix: P.data needs dtype .*, contiguous$"):
            push_mix(P, x, w)
    assert len(path.launched) == seen


def test_lists_are_kept_by_all_their_matrices(uploads):
    (x, w), P = state(), [matrix(1), matrix(2)]
    x, w = np.stack([x, x]), np.stack([w, w])
    with emulated():
        for _ in range(2):
            check(list(P), x, w)
        assert len(uploads) == 2
        check(P[::-1], x, w)
        assert len(uploads) == 4
        P[1].data[0] += 1
        check(P, x, w)
        with pytest.raises(ValueError, match="P holds 2 matrices"):
            push_mix(P, x[:1], w[:1])


def test_one_matrix_for_all_runs_and_a_list_of_it_are_not_taken_for_each_other():
    (x, w), P = state(), matrix()
    with emulated():
        for _ in range(2):
            check([P], x[None], w[None])
            check(P, x, w)
            check(P, np.stack([x, x]), np.stack([w, w]))
            with pytest.raises(ValueError, match="P holds 1 matrices"):
                push_mix([P], np.stack([x, x]), np.stack([w, w]))


def test_each_stream_has_an_upload_of_its_own(uploads, monkeypatch):
    P, (x, w), now = matrix(), state(), [0]
    monkeypatch.setattr(Host, "stream", lambda self, device: now[0])
    with emulated():
        for now[0] in (0, 7, 0, 7):
            check(P, x, w)
    assert len(uploads) == 4


def test_what_is_kept_of_a_matrix_goes_with_it():
    kept = module.GivenMatrices()
    P = matrix()
    content = module.content_of([(P.indptr, P.indices, P.data)])
    kept.keep([P], content, "made")
    assert kept.get([P], content) == "made"
    assert kept.get([matrix()], content) is None
    del P
    gc.collect()
    assert not kept._kept
    assert kept._bytes == 0


def test_the_last_matrices_are_kept_in_bounded_memory(monkeypatch):
    kept, Ps = module.GivenMatrices(), [matrix(seed) for seed in range(20)]
    contents = [module.content_of([(P.indptr, P.indices, P.data)]) for P in Ps]
    for k, (P, content) in enumerate(zip(Ps, contents, strict=True)):
        kept.keep([P], content, k)
        kept.keep([P], content, k)
    assert [kept.get([P], c) for P, c in zip(Ps, contents, strict=True)] == [
        *[None] * 4, *range(4, 20),
    ]  # fmt: skip
    size = module._size(contents[19])
    monkeypatch.setattr(module, "MOST_BYTES", 2 * size)
    kept.keep([Ps[19]], contents[19], "again")
    assert kept._bytes <= 2 * size
    assert kept.get([Ps[19]], contents[19]) == "again"
    monkeypatch.setattr(module, "MOST_BYTES", size - 1)
    kept.keep([Ps[0]], contents[19], "too large")
    assert kept.get([Ps[0]], contents[19]) is None


def test_one_matrix_serves_states_of_both_dtypes(uploads):
    P = matrix()
    with emulated():
        for dtype in (np.float32, np.float64, np.float32):
            x, w = state(dtype)
            got, want = push_mix(P, x, w), _host(P, x, w)
            assert all(np.array_equal(a, b) for a, b in zip(got, want, strict=True))
    assert len(uploads) == 4


def _host(P, x, w):
    x1, w1 = np.zeros_like(x), np.zeros_like(w)
    for i in range(N):
        for e in range(P.indptr[i], P.indptr[i + 1]):
            x1[i] += x.dtype.type(P.data[e]) * x[P.indices[e]]
            w1[i] += x.dtype.type(P.data[e]) * w[P.indices[e]]
    return x1, w1, x1 / w1[:, None]
