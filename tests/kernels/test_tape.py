"""Launches that are put together once: what moves from round to round, and what is kept."""

import types
import weakref

import numpy as np
import pytest
from scipy.sparse import csr_array

from theorylab.kernels import ClientLosses, DeviceRounds, DrawnNetwork, Mixing, _paths, push_mix
from theorylab.kernels._device import DeviceArrays
from theorylab.kernels._paths import Ahead, Facts, Grid, Schedule, emulated
from theorylab.kernels._schedule import packed
from theorylab.kernels._tape import Launch, Moving, PlainTape, played_by, recorded
from theorylab.topologies import topology

SCHEDULE, GRID = Schedule("push_weights", ("double",)), Grid(3, 64, 128)


def rounds(network, x, losses=None, **options):
    losses = losses or ClientLosses.separable(np.zeros(x.shape[1:]), scale=1.0, noise=0.3)
    given = {
        "seed": 7, "runs": np.arange(len(x)), "graphs": np.array([0]), "steps": 2, "counts": None,
        "alpha": 0.5, "rho": 0.0, "push_sum": True, "longest": 8, **options,
    }  # fmt: skip
    return DeviceRounds(losses, network, x, **given)


def test_what_is_recorded_is_not_launched_and_keeps_its_arrays():
    with emulated() as path:
        w, fixed = np.ones((1, 4)), np.ones(3)
        with recorded([(w, Moving.W)]) as tape:
            call = DeviceArrays("test", "w", w)
            room = np.zeros(2)
            address = call.keep(room)
            taken = call.take("fixed", fixed)
            call.launch(SCHEDULE, GRID, 5, call.take("w", w), Moving.ETA, address, 0.5, taken)
        assert path.launched == []
    (launch,) = tape.launches
    assert launch.moving == ((1, Moving.W.value), (2, Moving.ETA.value))
    assert launch.words == (5, 0, 0, room.ctypes.data, 0.5, fixed.ctypes.data)
    seen = weakref.ref(room)
    del room, call
    assert seen() is not None  # as long as the tape is
    del tape
    assert seen() is None


def test_ahead_of_time_a_tape_is_played_by_one_call(monkeypatch):
    class Tape:
        def __init__(self):
            self.added, self.played = [], []
            tapes.append(self)

        def add(self, *launch):
            self.added.append(launch)

        def play(self, *call):
            self.played.append(call)

    tapes = []
    names = ("multiprocessors", "l2", "shared", "shared_of_all", "free", "total")
    cuda = types.SimpleNamespace(
        Tape=Tape,
        schedules=lambda: [str(SCHEDULE)],
        facts=lambda device: {"name": "", "capability": 90, **dict.fromkeys(names, 1 << 17)},
        Prepared=lambda *cut: cut[:4],
    )
    monkeypatch.setattr(_paths.importlib, "import_module", lambda name: cuda)
    phases = [
        [Launch(SCHEDULE, GRID, (1, 0, 0.5), ((1, 2),))],
        [Launch(SCHEDULE, GRID, (2, 0, 0.25), ())],
    ]
    play = Ahead().player(phases, 0)
    moments = np.arange(12, dtype=np.uint64).reshape(3, 4)
    play(1, moments.tobytes(), 4, 99)
    (tape,) = tapes
    kernel = (str(SCHEDULE), 3, 64, 128)
    assert tape.added == [
        (0, kernel, packed((1, 0, 0.5)), ((1, 2),)), (1, kernel, packed((2, 0, 0.25)), ()),
    ]  # fmt: skip
    assert tape.played == [(1, moments.tobytes(), 4, 99)]


def test_a_tape_that_records_gets_the_launches_of_a_call_that_was_kept():
    M, x, w = Mixing(csr_array(np.eye(4))), np.ones((4, 3)), np.ones(4)
    with emulated() as path:
        push_mix(M, x, w)
        with recorded() as tape:
            push_mix(M, x, w)
    assert len(path.launched) == len(tape.launches) == 1


def test_at_run_time_words_are_put_into_each_launch():
    launched = []
    one = Launch(SCHEDULE, GRID, (1, 0, 0.5), ((1, 2),))
    other = Launch(SCHEDULE, GRID, (2, 0, 0.25), ((0, 1), (2, 3)))

    def prepared(*cut):
        return types.SimpleNamespace(launch=lambda *call: launched.append((*cut, *call)))

    play = played_by(PlainTape(), prepared, [[one], [other, one]])
    play(3, np.arange(12, dtype=np.uint64).tobytes(), 4, 99)
    words = [[1, 0, 3], [1, 2, 0.5], [1, 6, 0.5], [9, 0, 11], [1, 10, 0.5]]
    assert launched == [(SCHEDULE, GRID, packed(each), 99) for each in words]


def test_a_fault_names_the_schedule_and_what_does_not_fit_is_refused(loops):
    tape = loops.Tape()
    kernel = loops.Prepared(str(SCHEDULE), 1, 32, 0, 0)
    for line, call in (
        ("no launch", lambda: tape.play(0, b"", 4, 0)),
        ("word that moves", lambda: tape.add(0, kernel, bytes(8), [(1, 0)])),
        ("no such phase", lambda: tape.add(-1, kernel, bytes(8), [])),
        ("no schedule is named x", lambda: loops.Prepared("x", 1, 32, 0, 0)),
        ("need blocks >= 1", lambda: loops.Prepared(str(SCHEDULE), 0, 32, 0, 0)),
    ):
        with pytest.raises(ValueError, match=line):
            call()
    tape.add(0, kernel, bytes(8), [(0, 2)])
    for columns, size in ((2, 16), (3, 16)):
        with pytest.raises(ValueError, match=rf"{columns} columns; need 3 in whole rows"):
            tape.play(0, bytes(size), columns, 0)
    with pytest.raises(ValueError, match="push_weights<double> got 1 arguments; need 7"):
        tape.play(0, bytes(24), 3, 0)


TINY = Facts("tiny", 90, 1, 1 << 12, 100, 1_200, 1 << 40, 1 << 40)  # SAM goes in passes


@pytest.mark.parametrize(("rho", "device"), [(0.0, None), (0.1, None), (0.1, TINY)])
def test_a_period_begins_anywhere(rho, device):
    graph = topology("one-peer-exponential", 8)
    x = np.random.default_rng(0).normal(size=(2, 8, 3))
    w = np.ones((2, 8))
    losses = ClientLosses.separable(np.zeros((8, 3)), scale=1.0, noise=0.3)
    network = [Mixing(graph.matrix(t)) for t in range(graph.period)]
    with emulated(0, device) as path:
        there = rounds(network, x, losses, rho=rho)
        assert path.launched == []
        there.start(x, w)
        there.play(5, np.full(2, 0.1), 0)
        there.play(7, np.full(4, 0.2), 2)
        for t in range(5, 11):
            eta = 0.1 if t < 7 else 0.2
            half = losses.local_steps(
                x, w, seed=7, runs=np.arange(2), round=t, steps=2, eta=eta, alpha=0.5, rho=rho
            )
            x, w, z = push_mix(network[t % graph.period], half, w)
            assert np.array_equal(there.weights[t - 4], w)
    assert np.array_equal(there.x, x)
    assert np.array_equal(there.z, z)
    assert np.array_equal(there.half, half)


def test_ids_that_go_up_later_do_not_move_those_of_a_tape():
    x, losses = np.ones((2, 4, 3)), ClientLosses.separable(np.zeros((4, 3)), scale=1.0, noise=0.3)
    w, network = np.ones((2, 4)), DrawnNetwork(4, 2, True, 3)
    with emulated():
        made = []
        for others in (False, True):
            there = rounds(network, x, losses, runs=np.array([5, 9]), graphs=np.array([8, 2]))
            if others:  # the losses keep the last ids only
                losses.local_steps(x, w, seed=7, runs=np.array([1, 0]), round=0, steps=1, eta=0.1)
            there.start(x, w)
            there.play(0, np.full(3, 0.1), 0)
            made.append(there.x.copy())
    assert np.array_equal(*made)


@pytest.mark.parametrize("eta", [np.nan, np.inf])
def test_bad_numbers_are_refused(eta):
    x = np.ones((1, 4, 3))
    with emulated():
        there = rounds(DrawnNetwork(4, 2, True, 3), x)
        with pytest.raises(ValueError, match=r"eta is .*; need a finite number"):
            there.play(0, np.array([0.1, eta]), 0)
        with pytest.raises(ValueError, match="seed"):
            rounds(DrawnNetwork(4, 2, True, 3), x, seed=-1)
        with pytest.raises(NotImplementedError):
            rounds(DrawnNetwork(4, 2, True, 3), np.ones((0, 4, 3)), runs=np.arange(0))
