"""The public exchange: what ``net.mix`` gives, what delays keep, and that a step stays pure."""

from dataclasses import asdict, dataclass, replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from theorylab import strategies as drawn
from theorylab.algorithms import DPSGD, SGP, Context, LocalStep, State, algorithm, play
from theorylab.metrics import Metric, measured
from theorylab.problems import problem
from theorylab.runs import Faults, Row, Setting, expected_trace, simulate
from theorylab.topologies import topology

EPS = float(np.finfo(np.float64).eps)
SEEDS = st.integers(0, 2**32 - 1)


class Own:
    """What a user's method has beside its step."""

    name = "own"

    def init(self, x0, problem=None):
        return algorithm("sgp", eta=1.0).init(x0, problem)

    def options(self):
        return asdict(self)


@dataclass(frozen=True)
class OwnSGP(Own):
    """Stochastic gradient push by the public context alone."""

    eta: float = 0.1

    def step(self, state, net):
        x, w = net.mix(state.x - self.eta * net.gradient(state.z), state.w)
        return net.next(state, x=x, w=w)


@dataclass(frozen=True)
class OwnGossip(Own):
    eta: float = 0.1

    def step(self, state, net):
        return net.next(state, x=net.mix(state.x - self.eta * net.gradient(state.z)))


@dataclass(frozen=True)
class Carries(Own):
    """Exchanges three arrays in two calls and forgets what is in flight: it makes its own State."""

    quiet: int = 0  # every so many rounds nothing is exchanged

    def init(self, x0, problem=None):
        return replace(super().init(x0, problem), memory={"y": 2 * x0[:, :, :1]})

    def step(self, state, net):
        x, w, y = state.x, state.w, state.memory["y"]
        if not self.quiet or state.t % self.quiet:
            y = net.mix(y)
            x, w = net.mix(x, w)
        return State(state.t + 1, x, w, x, memory={"y": y})


def losses(n, dim=2, sigma=0.5):
    return problem("quadratic", n, dim=dim, sigma=sigma, seed=3)


@settings(max_examples=60)
@given(st.lists(drawn.column_stochastic(n=4), min_size=1, max_size=3), SEEDS, st.data())
def test_mix_is_the_matrix_times_each_array(matrices, seed, data):
    R, n = len(matrices), 4
    kind = data.draw(st.sampled_from([np.float64, np.float32]))
    shapes = st.sampled_from([(R, n), (R, n, 1), (R, n, 3), (R, n, 70)])
    draw = np.random.default_rng(seed)
    arrays = [
        draw.standard_normal(shape).astype(kind)
        for shape in data.draw(st.lists(shapes, min_size=1, max_size=4))
    ]
    one = data.draw(st.booleans())
    mixing = matrices[0] if one else matrices
    tensors = data.draw(st.booleans())
    put = torch.from_numpy if tensors else np.asarray
    net = Context(losses(n), mixing, 0, np.arange(R))
    found = net.mix(*(put(a.copy()) for a in arrays))
    found = [found] if len(arrays) == 1 else list(found)
    eps = float(np.finfo(kind).eps)
    for sent, arrived in zip(arrays, found, strict=True):
        assert isinstance(arrived, torch.Tensor if tensors else np.ndarray)
        assert np.asarray(arrived).dtype == kind
        for r in range(R):
            P = matrices[0 if one else r].toarray()
            expected, size = P @ sent[r].astype(float), P @ abs(sent[r]).astype(float)
            assert (abs(np.asarray(arrived)[r] - expected) <= 2 * n * eps * size).all()
            alone = Context(losses(n), P_of(mixing, r), 0, np.arange(1)).mix(put(sent[r : r + 1]))
            assert np.array_equal(np.asarray(alone)[0], np.asarray(arrived)[r])


def P_of(mixing, r):
    return mixing[r] if isinstance(mixing, list) else mixing


FAULTS = st.builds(
    Faults,
    loss=st.sampled_from([0.0, 0.3]),
    failing=st.sampled_from([0.0, 0.2]),
    delay=st.integers(1, 3),
    delay_probability=st.sampled_from([0.3, 1.0]),
)


@settings(max_examples=40)
@given(drawn.periodic_sequences(), FAULTS, SEEDS, st.integers(0, 3))
def test_delays_lose_nothing_of_any_array_though_the_step_forgets_what_is_in_flight(
    sequence, faults, seed, quiet
):
    n, kept = sequence.clients, []
    x0 = np.random.default_rng(seed).standard_normal((n, 2))
    simulate(
        losses(n), sequence, Carries(quiet), rounds=9, runs=2, x0=x0, seed=seed % 99,
        faults=faults, columns=(), checkpoint=lambda s: kept.append(s.state),
    )  # fmt: skip
    for state in kept:
        if state.flight is None:
            assert quiet == 1 or state.t < 2
            continue
        y, x, w = state.flight  # in the order of the calls
        for now, way, start in (
            (state.x, x, x0.sum(axis=0)),
            (state.w, w, n),
            (state.memory["y"], y, 2 * x0[:, :1].sum(axis=0)),
        ):
            total = now.sum(axis=1) + way.sum(axis=(1, 2))
            size = 2 * abs(x0).sum() + n
            assert (abs(total - start) <= 9 * 8 * n * EPS * size).all()


def test_the_push_sum_pair_by_the_public_exchange_has_the_bits_of_the_built_in_one():
    graph = topology("random-out", 6, degree=3, seed=2)
    for faults in (None, Faults(loss=0.2, failing=0.2, delay=2)):
        options = {"rounds": 12, "runs": [3, 5], "graph_run": None, "faults": faults, "x0": 1.5}
        own = simulate(losses(6), graph, OwnSGP(), **options)
        built_in = simulate(losses(6), graph, SGP(0.1), **options)
        if faults is None:  # a client that is down takes no step, as the kernel says, bit for bit
            assert np.array_equal(own.final_x, built_in.final_x)
        assert np.allclose(own.final_x, built_in.final_x, rtol=1e-13, atol=1e-13)
        assert np.array_equal(own.final_w, built_in.final_w)
        row = simulate(losses(6), graph, OwnSGP(), **{**options, "runs": [5]})
        assert np.array_equal(row.final_x[0], own.final_x[1])


def test_a_context_in_a_round_gives_the_same_twice_and_changes_nothing():
    graph, faults = topology("directed-ring", 5), Faults(delay=2)
    kept = []
    simulate(losses(5), graph, Carries(), rounds=3, runs=2, x0=1.0, faults=faults,
             checkpoint=lambda s: kept.append(s.state))  # fmt: skip
    state = kept[-1]
    before = [a.copy() for a in (state.x, state.w, state.memory["y"], *state.flight)]
    mixing, _, _ = faults.apply(graph.matrix(3), 0, np.arange(2), 3, True)
    net = Context(losses(5), mixing, 0, np.arange(2))
    one, two = play(Carries(), state, net), play(Carries(), state, net)
    for a, b in zip((one.x, one.w, *one.flight), (two.x, two.w, *two.flight), strict=True):
        assert np.array_equal(a, b)
    now = (state.x, state.w, state.memory["y"], *state.flight)
    assert all(np.array_equal(a, b) for a, b in zip(now, before, strict=True))


@pytest.mark.parametrize(("own", "built_in"), [(OwnSGP(), SGP(0.1)), (OwnGossip(), DPSGD(0.1))])
def test_exact_moments_are_probed_from_a_step_by_the_public_context(own, built_in):
    graph = topology("directed-ring", 4)
    one, two = (expected_trace(losses(4), graph, m, rounds=6, x0=1.0) for m in (own, built_in))
    for name, values in one.columns.items():
        assert np.allclose(values, two.columns[name], rtol=1e-12, atol=1e-14), name


class Square(Metric):
    def rows(self, before, after):
        yield Row((after.x**2).sum(axis=2).mean(axis=1), {"t": before.t}, f"t={before.t}")


def test_a_law_hands_out_the_samples_of_net_gradient():
    base = {"name": "log-cosh", "dim": 1, "center": 0.0}
    noisy = problem("noisy", 2, base=base, field="two-point", sigma=1.0, chance=0.25)
    settings_of = [
        Setting(noisy, topology("complete", 2), m, {}, 2, np.zeros((2, 1)))
        for m in (OwnSGP(0.5), SGP(0.5))
    ]
    one, two = (measured(Square, s, {}, law="enumerated") for s in settings_of)
    assert one.exact
    for a, b in zip(one.rows, two.rows, strict=True):
        assert a.values[0] == pytest.approx(b.values[0], rel=1e-14)


def test_a_recorder_sees_the_gradients_and_no_step_that_was_not_taken():
    class Seen(list):
        def see(self, step: LocalStep):
            self.append(step)

    seen, here = Seen(), losses(4)
    state = OwnSGP().init(np.ones((1, 4, 2)))
    net = Context(here, topology("complete", 4).matrix(0), 0, np.arange(1), record=seen)
    play(OwnSGP(), state, net)
    (step,) = seen
    assert (step.t, step.k, step.part, step.before, step.after) == (0, 0, "", None, None)
    assert np.array_equal(step.used, here.stochastic_gradient(state.z, net.sample(0, 0)))
    with pytest.raises(ValueError, match="does not record Algorithm 1's local steps"):
        simulate(here, topology("complete", 4), OwnSGP(), rounds=2, columns=("update_size",))


def test_a_slow_client_does_its_share_of_the_steps_and_one_that_is_down_none():
    effort, here = np.array([[1.0, 0.5, 0.2, 0.0]]), losses(4, sigma=0.0)
    net = Context(here, topology("complete", 4).matrix(0), 0, np.arange(1), effort=effort)
    x, asked = 3 * np.ones((1, 4, 2)), []

    class Asks(Own):
        def step(self, state, net):
            asked.extend(net.gradient(x, k, steps=4) for k in range(4))
            asked.append(net.gradient(x))
            with pytest.raises(ValueError, match="k is 1 where some clients do a share"):
                net.gradient(x, 1)
            return net.next(state)

    play(Asks(), Asks().init(x), net)
    works = [(g[0] != 0).any(axis=1).tolist() for g in asked]
    one, two = [True, True, True, False], [True, True, False, False]
    assert works == [one, two, [True, False, False, False], [True, False, False, False], one]
