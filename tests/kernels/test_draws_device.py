"""Draws on a GPU, played by loops on the host: the bits are those of the host's draws."""

import numpy as np
import pytest

from theorylab.kernels import Stream
from theorylab.kernels._draws_device import cut
from theorylab.kernels._paths import ORDERS, Facts, emulated

SMALL = Facts("small", 90, 1, 1 << 16, 48 << 10, 64 << 10, 1 << 26, 1 << 26)
SEED, ROUND, STEP = 2**63 + 12345678901, 2**32 - 1, 77
KINDS = ("uniform", "normal", "integers")
# several pieces of a row, whole and odd ones, rows of a lane's step and of less, single draws
SHAPES = [(3, 5, 1), (2, 3, 7), (5, 3, 62), (4, 1, 9001), (3, 7, 64), (2, 900, 1), (9, 2, 1021)]
SHAPES += [(2, 3, 4098), (2, 3, 1023), (40, 1, 2), (1, 40, 3), (40, 33, 25)]


def like(library):
    if library == "numpy":
        return np.zeros(2)
    return pytest.importorskip("torch").zeros(2, dtype=pytest.importorskip("torch").float32)


def draw(source, kind, bound, *where):
    return getattr(source, kind)(*((bound,) if kind == "integers" else ()), *where)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_draws_on_a_device_have_the_host_s_bits(library, kind, order):
    stream, beside = Stream(SEED, "sample"), like(library)
    for R, n, count in SHAPES:
        where = (R, n, ROUND, STEP, count)
        want = draw(stream, kind, 2**62 + 1, *where)
        with emulated(order, SMALL) as machine:
            got = draw(stream.beside(beside), kind, 2**62 + 1, *where)
        assert type(got) is type(beside)
        assert np.asarray(got).dtype == want.dtype
        assert np.asarray(got).tobytes() == want.tobytes(), where
        assert len(machine.launched) == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_any_ids_and_bounds_on_the_host_or_on_the_device(library, kind):
    stream, beside = Stream(5, "noise"), like(library)
    runs, clients = np.array([2**32 - 1, 0, 7]), np.array([4, 5, 6, 2**31, 9])
    bound = np.array([1, 7, 2**40, 3, 2**63 - 1])
    later = np.arange(40, 45)  # consecutive, not from 0
    for here, there, count in ((runs, clients, 6), (later, clients, 3), (runs, later, 5)):
        want = draw(stream, kind, bound, here, there, 3, 0, count)
        with emulated(0, SMALL):
            placed = stream.beside(beside)
            got = draw(placed, kind, bound, here, there, 3, 0, count)
            assert np.asarray(got).tobytes() == want.tobytes()
            if library == "torch":
                torch = pytest.importorskip("torch")
                moved = [torch.from_numpy(ids) for ids in (bound, here, there)]
                got = draw(placed, kind, *moved, 3, 0, count)
                assert np.asarray(got).tobytes() == want.tobytes()


def test_normals_in_both_tails_and_in_the_far_tail_have_the_host_s_bits():
    # 2e5 draws reach |z| = 4.4, and 15 % of them go through the queue
    want = Stream(11, "init").normal(1, 2, 0, 0, 10**5)
    assert want.min() < -4
    assert want.max() > 4
    with emulated(0, SMALL):
        got = Stream(11, "init").beside(np.zeros(1)).normal(1, 2, 0, 0, 10**5)
    assert got.tobytes() == want.tobytes()


def test_beside_an_array_on_the_host_draws_are_the_host_s():
    stream = Stream(3, "init")
    for kind in KINDS:
        want = draw(stream, kind, 9, 2, 3, 0, 1, 4)
        for library in ("numpy", "torch"):
            got = draw(stream.beside(like(library)), kind, 9, 2, 3, 0, 1, 4)
            assert type(got) is type(like(library))
            assert np.array_equal(np.asarray(got), want)


@pytest.mark.parametrize("kind", KINDS)
def test_no_draws_are_an_empty_array_and_no_launch(kind):
    for R, n, count in ((0, 3, 2), (2, 0, 2), (2, 3, 0)):
        with emulated(0, SMALL) as machine:
            got = draw(Stream(3, "init").beside(np.zeros(1)), kind, 5, R, n, 0, 0, count)
        assert got.shape == (R, n, count)
        assert not machine.launched


def test_bad_arguments_are_refused_before_any_launch():
    torch = pytest.importorskip("torch")
    beside = torch.zeros(1)
    with emulated(0, SMALL) as machine:
        placed = Stream(3, "init").beside(beside)
        with pytest.raises(ValueError, match=r"^Stream: bound has shape \(2,\); need an int or"):
            placed.integers(torch.tensor([1, 2]), 1, 3, 0)
        with pytest.raises(ValueError, match=r"^Stream: runs has shape"):
            placed.normal(torch.zeros((1, 1), dtype=torch.int64), 3, 0)
        with pytest.raises(TypeError, match=r"^Stream: clients has dtype torch.float32"):
            placed.normal(2, torch.zeros(3), 0)
        with pytest.raises(ValueError, match=r"^Stream: round is"):
            placed.normal(2, 3, 2**32)
        with pytest.raises(ValueError, match=r"^Stream: runs has id"):
            placed.normal(np.array([-1]), 3, 0)
        with pytest.raises(MemoryError, match=r"^Stream: .* 67108872 bytes"):
            placed.normal(1, 1, 0, 0, 2**23 + 1)
        with pytest.raises(TypeError, match=r"^Stream: like has dtype int64"):
            Stream(3, "init").beside(torch.zeros(1, dtype=torch.int64)).normal(2, 3, 0)
        assert not machine.launched


@pytest.mark.parametrize("kind", KINDS)
def test_a_cut_fills_the_warps_it_can(kind):
    h200 = Facts("", 90, 132, 50 << 20, 227 << 10, 228 << 10, 1 << 37, 1 << 37)
    for rows, count in ((1, 1), (7, 2), (100, 10), (10**8, 1), (9, 1001), (9, 1023), (3, 10**7)):
        grid, piece, walk = cut(kind, rows, count, h200)
        pairs = -(-count // 2)
        assert piece % 128 == 0
        assert piece <= 2048
        assert walk == ("tl::LongWalk" if pairs >= 512 else "tl::ShortWalk")
        pieces = rows * -(-pairs // piece) if pairs >= 512 else -(-rows * pairs // piece)
        assert grid.blocks == min((12 if kind == "normal" else 16) * 132, -(-pieces // 8))
        assert grid.shared == (8 * 2560 if kind == "normal" else 0)


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("runs", [np.array([4, 5, 6]), np.array([2**32 - 1, 0, 7])])
def test_the_steps_of_a_round_are_drawn_together_round_after_round(library, runs):
    stream, beside = Stream(SEED, "sample"), like(library)
    bound = np.array([1, 7, 2**40, 3, 2**63 - 1])
    there = bound if library == "numpy" else pytest.importorskip("torch").from_numpy(bound)
    with emulated(0, SMALL) as machine:
        drawn = stream.beside(beside).integers_of_steps(there, runs, 3, 4)
        assert machine.launched == []
        for t in (0, 7, ROUND):
            got = np.asarray(drawn(t))
            assert got.dtype == np.int64
            for k in range(3):
                assert np.array_equal(got[k], stream.integers(bound, runs, 5, t, k, 4))
        assert len(machine.launched) == 9
        odd = stream.beside(beside).integers_of_steps(there, runs, 2, 3)  # 45 a step: 8 bytes off
        assert np.array_equal(np.asarray(odd(2))[1], stream.integers(bound, runs, 5, 2, 1, 3))
    with pytest.raises(ValueError, match="round is -1; need 0 <= round"):
        drawn(-1)
    with pytest.raises(TypeError, match="need an int"):
        stream.beside(beside).integers_of_steps(there, runs, 1.5, 4)
