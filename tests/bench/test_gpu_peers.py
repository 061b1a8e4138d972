"""What the GPU bench times beside ours computes the same thing; floors are counted by hand."""

import itertools

import numpy as np
import pytest
import torch

from theorylab.bench import _gpu_draws as draws
from theorylab.bench import _gpu_local as local
from theorylab.bench import _gpu_push_mix as push_mix
from theorylab.bench._checkout import beside
from theorylab.bench._gpu_board import DryBoard
from theorylab.bench._gpu_push_mix import DENSE, DRAWN, PUSH_MIX
from theorylab.bench.push_mix import random_out


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_mixing_peer_computes_the_debiased_point(dtype):
    board, P = DryBoard(), random_out(20, 6).astype(dtype)
    arrays = []
    for seed in (1, 2):
        x, w = board.random((20, 33), dtype, seed), board.random((20,), dtype, seed) + 0.5
        arrays.append((x, w, tuple(board.full(a.shape, np.nan, dtype) for a in (x, w, x))))
    peers, lacking = beside("gpu_push_mix").mixing_peers(board, P, arrays)
    assert set(peers) == {"torch csr out=", "torch dense out=", "scipy csr"}
    assert lacking == {"cupy": "LookupError: needs a GPU"}
    for name, variants in peers.items():
        for call, (x, w, (_, _, z1)) in zip(variants, arrays, strict=True):
            z1[...] = np.nan
            call()
            want = (P.astype(float) @ x.astype(float)) / (P.astype(float) @ w.astype(float))[
                :, None
            ]
            # sums of at most 20 positive products each and a quotient: 3 * 20 roundings at most
            assert np.all(abs(z1 - want) <= 60 * np.finfo(dtype).eps * want), name


@pytest.mark.parametrize("classes", [2, 4])
def test_torchs_local_steps_are_ours_where_there_is_one_sample_to_draw(classes):
    n, d, columns = 3, 5, classes if classes > 2 else 1
    features, labels = local._data(n, d, 1, "float64", 3, classes)
    targets = labels.astype(float) if classes == 2 else np.eye(classes)[labels]
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((2, n, d * columns)), rng.random((2, n)) + 0.5
    tensors = (features.reshape(n, 1, d), targets.reshape(n, 1, *targets.shape[1:]), x, w)
    made = local._torch_steps(*map(torch.from_numpy, tensors)).numpy()
    ours = local._stepped(local._losses(n, d, 1, "float64", 3, classes), 0, x, w)
    # five steps of two gradients of some ten terms each, all of order 1
    assert np.all(abs(made - ours) <= 4096 * np.finfo(float).eps)
    assert np.abs(made - x).max() > 0.01


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_local_steps_are_tried_on_every_family_with_sam_and_without(dtype):
    trials = [*local._local_trials(np.random.default_rng(1), dtype, False)]
    labels = [trial.label for trial in trials]
    for family in local.FAMILIES:
        for rho in ("0.05", "0"):
            assert any(a.startswith(f"{family} ") and a.endswith(f"rho={rho}") for a in labels)
    assert sum(f"d={local.LONG}" in label for label in labels) == 4
    small = [*local._local_trials(np.random.default_rng(1), dtype, True)]
    assert len(small) == 2 * len(local.FAMILIES) + 2
    for trial in small:
        (made,) = trial.call(np.array, None)
        assert made.dtype == dtype
        assert np.isfinite(made).all()


def test_floors_are_counted_by_hand():
    # x read, x1 and z1 written: 3 arrays of 2 * 3 * 5 doubles
    assert PUSH_MIX.set_bytes({"R": 2, "n": 3, "d": 5}, 8) == 3 * 30 * 8
    assert draws.DRAWN_NUMBERS.set_bytes({"R": 2, "n": 3, "count": 7, "kind": 0}, 4) == 42 * 8
    # one row a client, which every run draws: it once, and x and the result
    assert local.LOCAL_STEPS.set_bytes(
        {"R": 2, "n": 3, "d": 5, "rows": 2, "classes": 2}, 4
    ) == pytest.approx(4 * (2 * 30 + 3 * 2 * 5 * (1 - 0.5**320)), abs=4)


def test_a_drawn_network_has_as_many_edges_as_a_given_one():
    for case in DRAWN:
        assert case.sizes["degree"] + 1 == PUSH_MIX.cases[0].sizes["column"]
    assert {case.dtype for case in DENSE} == {"float32", "float64"}


class Counted:
    """A generator that counts its draws."""

    def __init__(self, seed):
        self.generator, self.draws = np.random.default_rng(seed), 0

    def __getattr__(self, name):
        self.draws += 1
        return getattr(self.generator, name)


@pytest.mark.parametrize("n", [1, 7, 3000])
def test_a_matrix_to_check_is_drawn_at_once_with_no_sender_twice_in_a_row(n):
    rng = Counted(3)
    P = push_mix._matrix(rng, n, 6)
    assert rng.draws == 4  # of all rows together
    rows = [P.indices[a:b] for a, b in itertools.pairwise(P.indptr)]
    assert all(len(set(row.tolist())) == len(row) for row in rows)
    assert max(map(len, rows)) <= 12
    assert P.indices.min(initial=0) >= 0
    assert P.indices.max(initial=0) < n
    if n == 3000:
        assert {len(row) for row in rows} == {*range(13)}
        falls = [np.any(np.diff(row) < 0) for row in rows if len(row) > 1]
        assert 0.5 < np.mean(falls) < 1  # in any order
        first = np.bincount(P.indices, minlength=n)
        assert 0 < first.max() < 40  # of six on average
