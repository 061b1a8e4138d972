"""What ``net`` refuses, in one line: broken promises of a network, and wrong steps."""

from dataclasses import asdict, dataclass

import numpy as np
import pytest

from theorylab import strategies as drawn
from theorylab.algorithms import Context, MassError, algorithm
from theorylab.problems import problem
from theorylab.runs import Faults, simulate
from theorylab.topologies import Topology, topology


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


def losses(n, dim=2, sigma=0.5):
    return problem("quadratic", n, dim=dim, sigma=sigma, seed=3)


class Leaks(Topology):
    """The complete graph but for round 4, where what client 2 sends sums to .9."""

    def _build(self, t, run):
        P = np.full((4, 4), 0.25)
        if t == 4:
            P[:, 2] *= 0.9
        return drawn.to_csr(P.tolist())


class Doubles(Leaks):
    """Promises averages, and doubles them in round 4."""

    column_stochastic = False

    def _build(self, t, run):
        return drawn.to_csr(np.full((4, 4), 0.5 if t == 4 else 0.25).tolist())


@pytest.mark.parametrize("method", [OwnSGP(), OwnGossip()])
def test_a_matrix_that_loses_mass_is_caught_in_its_round(method):
    with pytest.raises(MassError, match=r"round 4: the sum of array 0 .* columns that sum to 1"):
        simulate(losses(4), Leaks(4, period=None, options={}), method, rounds=6, x0=1.0)


def test_rows_that_do_not_sum_to_one_leave_the_range():
    with pytest.raises(MassError, match=r"round 4: array 0 leaves the range .* rows that sum to 1"):
        simulate(losses(4), Doubles(4, period=None, options={}), OwnGossip(), rounds=6, x0=1.0)
    pulls = topology("random-in", 4, degree=2)
    for faults in (None, Faults(loss=0.3), Faults(loss=0.3, on_loss="drop")):
        trace = simulate(losses(4), pulls, OwnGossip(), rounds=6, x0=1.0, faults=faults)
        assert np.isfinite(trace.final_x).all()


class Wrong(Own):
    def __init__(self, step):
        self.step = step

    def options(self):
        return {}


@pytest.mark.parametrize(
    ("step", "error", "message"),
    [
        (lambda s, net: net.mix(), ValueError, "no array came; need at least one"),
        (lambda s, net: net.mix(s.x[0]), ValueError, r"array 0 has shape \(4, 2\); need"),
        (lambda s, net: net.mix(s.x, s.x[:, :2]), ValueError, r"array 1 has shape \(1, 2, 2\)"),
        (lambda s, net: net.mix(s.x > 0), TypeError, "array 0 is bool; need float32 or float64"),
        (lambda s, net: net.mix(1.0), TypeError, "array 0 is float; need"),
        (
            lambda s, net: net.mix(s.x, network="pull"),
            ValueError,
            "no network 'pull'; need None",
        ),
        (lambda s, net: s.x, TypeError, "own: step gave ndarray; need a State"),
        (lambda s, net: s, ValueError, r"own: step gave a state of round 0 after round 0; need t"),
        (lambda s, net: net.next(s, w=0 * s.w), ValueError, "no weight after round 0"),
    ],
)
def test_a_wrong_step_is_told_in_one_line(step, error, message):
    with pytest.raises(error, match=message) as caught:
        simulate(losses(4), topology("complete", 4), Wrong(step), rounds=2, x0=1.0)
    assert "\n" not in str(caught.value)


def test_other_arrays_than_those_on_the_way_are_refused():
    def fewer(s, net):
        return net.next(s, x=net.mix(s.x, s.w)[0] if s.t == 0 else net.mix(s.x))

    def swapped(s, net):
        pair = (s.x, s.w) if s.t == 0 else (s.w, s.x)
        net.mix(*pair)
        return net.next(s)

    for step, message in ((fewer, "1 arrays are exchanged in round 1"), (swapped, "on the way is")):
        with pytest.raises(ValueError, match=message):
            simulate(losses(4), topology("complete", 4), Wrong(step), rounds=3, x0=1.0,
                     faults=Faults(delay=1))  # fmt: skip


def test_outside_a_round_what_is_late_has_no_place():
    mixing, _, _ = Faults(delay=1).apply(
        topology("complete", 4).matrix(0), 0, np.arange(1), 0, True
    )
    net = Context(losses(4), mixing, 0, np.arange(1))
    for ask in (net.mix, net.gradient):
        with pytest.raises(ValueError, match="this context is of no round; need play"):
            ask(np.ones((1, 4, 2)))
