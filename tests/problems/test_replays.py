"""Launches that are recorded once and played from then on have the numbers of the calls.

A GPU's recording is played by its double: every operation of torch, written down at the second
call with the numbers that Python held then, works again on the same memory.
"""

import copy
import pickle
import warnings

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

from theorylab.algorithms import algorithm
from theorylab.kernels._paths import emulated
from theorylab.problems._minibatches import Minibatches
from theorylab.problems._replays import _KEPT, Replays
from theorylab.runs import simulate
from theorylab.topologies import topology

pytestmark = pytest.mark.usefixtures("one_thread")
IDS = np.array([1, 5])
dear = [pytest.param(name, marks=pytest.mark.slow) for name in ("cnn", "lstm", "resnet18")]
each = pytest.mark.parametrize("name", ["mlp", *dear])  # the double takes seconds for a deep one


def beside(tree):
    """The tensors of a tree on the same memory: an operation may change a tensor's shape."""
    return tree_map(lambda each: each.detach() if isinstance(each, torch.Tensor) else each, tree)


class Operations(TorchDispatchMode):
    """Every operation that torch comes to, with its arguments and where its results lie."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        given = beside((args, kwargs or {}))
        made = operation(*args, **(kwargs or {}))
        self.seen.append((operation, given, tree_leaves(beside(made))))
        return made

    def play(self):
        for operation, given, places in self.seen:
            args, kwargs = beside(given)
            for place, made in zip(places, tree_leaves(operation(*args, **kwargs)), strict=True):
                if isinstance(place, torch.Tensor):
                    place.copy_(made)


class Written:
    """Records as a GPU does: all results lie where they lay, and every play writes them anew."""

    def __init__(self):
        self.recorded = 0

    def __call__(self, function, inputs, room):
        self.recorded += 1
        operations = Operations()
        with operations:
            result = function(*inputs)
        return operations.play, result


def record_later(function, inputs, room):
    """As ``Written``; by its name, as a process finds it."""
    return Written()(function, inputs, room)


def pair(tiny, name, **options):
    """(the network, the network with recordings, what recorded)."""
    plain, there, written = tiny(name, **options), tiny(name, **options), Written()
    there._copies._replays = Replays(name, written)
    return plain, there, written


def rounds(p, **step):
    """What four rounds of local steps make, with other numbers in each that may change."""
    made, x = [], p.points(p.initial(0, IDS))
    for t in range(4):
        w = p.points(0.5 + np.random.default_rng(t).random((2, 3)))
        counts = None if step["counts"] is None else (step["counts"] + t) % 3
        x = p.local_steps(x, w, 7, IDS, t, **{**step, "counts": counts, "eta": 0.3 / (1 + t)})
        made.append(x)
    return made


@each
@pytest.mark.parametrize(("alpha", "rho", "counted"), [(0.0, 0.0, False), (0.9, 0.05, True)])
def test_rounds_that_are_played_have_the_bits_of_the_calls(name, alpha, rho, counted, tiny):
    counts = np.array([[2, 0, 1], [1, 2, 2]]) if counted else None
    plain, there, written = pair(tiny, name, reg=0.1)
    step = {"steps": 2, "counts": counts, "alpha": alpha, "rho": rho}
    for made, want in zip(rounds(there, **step), rounds(plain, **step), strict=True):
        assert torch.equal(made, want)  # also: no later round has written into an earlier one's
    assert written.recorded == 1


@each
def test_gradients_that_are_played_have_the_bits_of_the_calls(name, tiny):
    plain, there, written = pair(tiny, name, reg=0.1)
    x, kept = plain.points(plain.initial(0, IDS)), []
    for t in range(4):
        sample = plain.sample(3, IDS, t, 0)
        for p in (plain, there):
            parts = [p.partial_gradient(x, sample, part) for part in ("u", "v")]
            kept.append([p.stochastic_gradient(x, sample), *parts])
        x = x - 0.1 * kept[-2][0]
    for want, made in zip(kept[::2], kept[1::2], strict=True):
        assert all(torch.equal(a, b) for a, b in zip(want, made, strict=True))
    assert written.recorded == 3


@each
def test_what_is_measured_has_the_bits_of_the_calls(name, tiny):
    plain, there, written = pair(tiny, name, reg=0.1)
    x, recorded = plain.points(plain.initial(0, IDS)), []
    for t in range(4):
        x = x + 0.1 * t
        for measure in ("loss", "gradient", "accuracy", "measured_noise", "mean_loss"):
            point = x if measure in ("loss", "gradient", "accuracy") else x.mean(1)
            want, made = (getattr(p, measure)(point) for p in (plain, there))
            assert torch.equal(made, want)
        recorded.append(written.recorded)
    assert recorded[1] == recorded[3] > 0


def test_numbers_that_were_recorded_are_not_those_of_another_call(tiny):
    plain, there, written = pair(tiny, "mlp")
    step = {"steps": 2, "counts": None}
    for alpha, rho in ((0.5, 0.1), (0.5, 0.2), (0.6, 0.2)):
        made, want = (rounds(p, **step, alpha=alpha, rho=rho)[-1] for p in (there, plain))
        assert torch.equal(made, want)
    assert written.recorded == 3


def test_a_run_has_the_columns_of_the_calls(tiny):
    plain, there, written = pair(tiny, "mlp", dtype="float32")
    method = algorithm("dfedsgpsm", eta=0.1, decay=0.9, alpha=0.5, rho=0.01, local_steps=2)
    graph, asked = topology("random-out", 3, degree=1), {"rounds": 6, "runs": 2, "every": 2}
    one, other = (simulate(p, graph, method, **asked) for p in (plain, there))
    for column, values in one.columns.items():
        assert np.array_equal(values, other.columns[column])
    assert torch.equal(one.final_x, other.final_x)
    assert written.recorded == 3  # rounds, and what is recorded of them: losses and gradients


@pytest.mark.parametrize("runs", [[1, 5], [0, 1]])
def test_rows_that_are_drawn_there_for_all_steps_are_those_of_the_steps(runs, tiny):
    plain, there, written = pair(tiny, "mlp", dtype="float32")
    ids, step = np.array(runs), {"steps": 3, "counts": None, "eta": 0.1, "alpha": 0.5, "rho": 0.1}
    rest = {name: step[name] for name in ("eta", "alpha", "rho")}
    x, w = plain.points(plain.initial(0, ids)), torch.ones(2, 3)
    with emulated() as path:
        for seed, t in ((7, 0), (7, 3), (8, 3), (7, 4)):
            made = there.local_steps(x, w, seed, ids, t, **step)
            samples = [Minibatches.sample(plain, seed, ids, t, k) for k in range(3)]
            assert torch.equal(made, plain.walked(x, w, samples, counts=None, **rest))
    assert written.recorded == 1
    assert [schedule.name for schedule, _ in path.launched] == ["draws_words"] * 12


def test_rows_that_an_object_was_given_are_those_of_its_steps_on_a_gpu(tiny):
    p, ids = tiny("mlp"), np.array([0, 1])
    p.sample = lambda seed, runs, round, step: np.zeros((2, 3, 4), np.int64)
    step = {"steps": 2, "counts": None, "eta": 0.1, "alpha": 0.0, "rho": 0.0}
    asked = p.points(p.initial(0, ids)), torch.ones(2, 3, dtype=torch.float64), 7, ids, 0
    want = p.local_steps(*asked, **step)
    with emulated():
        assert torch.equal(p.local_steps(*asked, **step), want)


def test_a_problem_that_has_recorded_may_be_copied_and_sent_to_another_process(tiny):
    there = tiny("mlp")
    there._copies._replays = Replays("mlp", record_later)
    step = {"steps": 2, "counts": None, "alpha": 0.5, "rho": 0.1}
    with emulated():
        want = rounds(there, **step)[-1]
        assert any(there._copies._replays._kept.values())
        for again in (pickle.loads(pickle.dumps(there)), copy.deepcopy(there)):
            assert not again._copies._replays._kept
            assert torch.equal(rounds(again, **step)[-1], want)


def test_a_gpu_takes_all_copies_together_and_the_host_what_its_cache_holds(tiny):
    copies = tiny("mlp")._copies
    copies._per_model, copies._memory = 1 << 22, 1 << 30
    assert [here.stop for here in copies._pieces(20, 4)] == [8, 16, 24]
    assert copies._blocks == (64, 512)
    copies._host = False
    assert [here.stop for here in copies._pieces(20, 4)] == [20]
    copies._memory = 12 << 22
    assert [here.stop for here in copies._pieces(20, 4)] == [11, 22]  # samples take some, too


def test_pieces_of_other_sizes_are_recorded_apart(tiny):
    plain, there, written = pair(tiny, "mlp")
    for p in (plain, there):
        p._copies._memory = 4 * (p._copies._per_model + 4 * p._copies._per_sample)
    step = {"steps": 2, "counts": None, "alpha": 0.5, "rho": 0.0}
    assert torch.equal(rounds(there, **step)[-1], rounds(plain, **step)[-1])
    assert written.recorded == 2  # of four copies, and of the last two


def test_where_torch_refuses_one_line_says_so_and_the_calls_go_on(tiny):
    plain, there, _ = pair(tiny, "mlp")
    tried = []

    def refuse(*given):
        tried.append(given)
        raise RuntimeError("operation not permitted\nwhen stream is capturing")

    there._copies._replays = Replays("mlp", refuse)
    step = {"steps": 2, "counts": None, "alpha": 0.5, "rho": 0.0}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        made = rounds(there, **step)
    (line,) = [str(each.message) for each in told]
    assert line.startswith("mlp: torch cannot record its launches (RuntimeError: operation not ")
    assert "\n" not in line
    assert len(tried) == 1
    assert torch.equal(made[-1], rounds(plain, **step)[-1])


@pytest.mark.parametrize("cast", [True, False])
def test_what_was_recorded_under_another_setting_of_torch_is_not_played(cast, monkeypatch):
    written, x = Written(), torch.full((4, 4), 1 / 3)
    replays, product = Replays("here", written), lambda a: a @ a
    with torch.autocast("cpu", enabled=cast), monkeypatch.context() as user:
        user.setattr(torch.backends.cudnn, "deterministic", not cast)
        want = [replays("product", product, x) for _ in range(2)]
    made = [replays("product", product, x) for _ in range(2)]
    assert all(torch.equal(each, product(x)) for each in made)
    assert all(each.dtype == want[0].dtype for each in want)
    assert written.recorded == 2


def test_recordings_of_calls_that_do_not_come_again_are_let_go():
    written = Written()
    replays, x = Replays("here", written), torch.ones(3)
    for k in range(3 * _KEPT):
        assert torch.equal(replays(k, lambda a, b: a * b, x, float(k)), x * k)
    assert len(replays._kept) <= _KEPT
    assert not written.recorded
