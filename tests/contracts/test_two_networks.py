"""Two networks in one method: Push-Pull, the fate of a message in both, constants by name."""

from dataclasses import asdict, dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theorylab.algorithms import SGP, Delayed, MassError, algorithm
from theorylab.constants import graph_constants, network_constants
from theorylab.known import How
from theorylab.problems import problem
from theorylab.runs import Faults, Rounds, expected_trace, simulate
from theorylab.topologies import Networks, Topology, topology

N = 6
OF = {
    "pull": {"name": "random-in", "degree": 3, "seed": 1},
    "push": {"name": "random-out", "degree": 3, "seed": 2},
}
BOTH = topology("networks", N, of=OF)
CHANCES = st.sampled_from([0.0, 0.3])


@dataclass(frozen=True)
class PushPull:
    """Pu, Shi, Xu and Nedic (2021): x = R (x - eta y), y = C y + the change of the gradient."""

    eta: float = 0.05
    name = "push-pull"

    def init(self, x0, problem=None):
        first = algorithm("sgp", eta=1.0).init(x0, problem)
        return replace(first, memory={"y": 0 * first.x, "g": 0 * first.x})

    def options(self):
        return asdict(self)

    def step(self, state, net):
        y, old = state.memory["y"], state.memory["g"]
        g = net.gradient(state.x)
        y = net.mix(y, network="push") + g - old
        x = net.mix(state.x - self.eta * y, network="pull")
        return net.next(state, x=x, memory={"y": y, "g": g})


def losses(sigma=0.0):
    return problem("quadratic", N, dim=2, mu=0.5, L=1.0, sigma=sigma, seed=4)


def test_each_array_goes_over_the_network_that_is_named():
    trace = simulate(losses(), BOTH, PushPull(), rounds=5, x0=1.0)
    x, here = np.ones((N, 2)), losses()
    y, old = np.zeros((N, 2)), np.zeros((N, 2))
    for t in range(5):
        R, C = (BOTH.networks[name].matrix(t).toarray() for name in ("pull", "push"))
        g = here.gradient(x[None])[0]
        y, old = C @ y + g - old, g
        x = R @ (x - 0.05 * y)
    # 5 rounds of sums of at most 7 numbers of size <= 4
    assert np.allclose(trace.final_x[0], x, rtol=0, atol=1e-13)


def test_push_pull_reaches_the_optimum_of_the_sum_with_and_without_faults():
    for faults in (None, Faults(delay=2, delay_probability=0.3)):
        trace = simulate(losses(), BOTH, PushPull(), rounds=1500, x0=1.0, every=500, faults=faults)
        away = np.abs(trace.final_x - losses().optimum).max()
        assert away < 1e-9 if faults is None else np.isfinite(away)


def test_a_batch_is_its_runs_where_each_has_edges_of_its_own():
    faults = Faults(loss=0.2, failing=0.1, delay=1, stragglers=0.2)
    options = {"rounds": 7, "graph_run": None, "x0": 1.0, "faults": faults, "seed": 3}
    together = simulate(losses(0.3), BOTH, PushPull(), runs=[4, 0, 7], **options)
    for row, run in enumerate([4, 0, 7]):
        alone = simulate(losses(0.3), BOTH, PushPull(), runs=[run], **options)
        assert np.array_equal(together.final_x[row], alone.final_x[0])


def fates(faults, t, seed):
    """Per network and run the (n, n) array: -1 no edge, 0 in time, s late by s, 9 lost."""
    ids = np.arange(2)
    net = Rounds(losses(), BOTH, PushPull(), ids, seed, None, faults).context(t)
    for name, network in BOTH.networks.items():
        made = []
        for r in ids:
            P = network.matrix(t, int(r)).toarray()
            mixing = net.link(name).mixing
            parts = [mixing.now, *mixing.later] if isinstance(mixing, Delayed) else [mixing]
            fate = np.where(P > 0, 9, -1)
            for s, part in enumerate(parts):
                fate[(part[r].toarray() > 0) & (P > 0)] = s
            np.fill_diagonal(fate, -1)
            made.append(fate)
        yield np.array(made)


@settings(max_examples=40)
@given(
    st.sampled_from([0.0, 0.3]), st.sampled_from([0.0, 0.3]), st.integers(0, 3), st.integers(0, 9)
)
def test_a_message_between_two_clients_has_one_fate_in_both_networks(loss, failing, delay, seed):
    if not (loss or failing or delay):
        return
    faults, seen = Faults(loss=loss, failing=failing, delay=delay), set()
    for t in range(4):
        pull, push = fates(faults, t, seed)
        both = (pull >= 0) & (push >= 0)
        assert np.array_equal(pull[both], push[both])
        seen |= set(pull[both].tolist())
    assert len(seen) > 1 or not (loss and delay)


class Leaks(Topology):
    """A ring that loses a tenth in round 3."""

    def _build(self, t, run):
        return topology("directed-ring", N).matrix(0) * (0.9 if t == 3 else 1.0)


def test_each_network_is_audited_for_what_it_promises():
    leaks = Leaks(N, period=None, options={})
    both = Networks(N, of={"pull": OF["pull"], "push": leaks})
    with pytest.raises(MassError, match=r"round 3: the sum of array 0 .* columns that sum to 1"):
        simulate(losses(), both, PushPull(), rounds=5, x0=1.0)
    simulate(losses(), BOTH, PushPull(), rounds=5, x0=1.0)  # pull conserves nothing, and may


def test_one_network_is_not_chosen_for_a_method_that_names_none():
    for method in (SGP(0.1), algorithm("dpsgd", eta=0.1), algorithm("dfedsgpsm-s", eta=0.1)):
        with pytest.raises(ValueError, match="has no network None; need one of pull, push"):
            simulate(losses(), BOTH, method, rounds=2)
    with pytest.raises(ValueError, match="has no network 'push'; need None: it has one"):
        simulate(losses(), topology("ring", N), PushPull(), rounds=2)


def test_what_carries_gradients_is_no_affine_round_of_models_alone():
    with pytest.raises(ValueError, match="carries more than models"):
        expected_trace(losses(), BOTH, PushPull(), rounds=3)


def test_a_constant_of_a_network_has_its_name_behind_its_own():
    ring, turned = topology("directed-ring", N), topology("random-in", N, degree=2, seed=1)
    both = Networks(N, of={"push": ring, "pull": turned})
    wanted = ["lambda2_push", "C_row_push", "lambda2_pull", "window_pull"]
    found = network_constants(both, 5, wanted)
    alone = graph_constants(ring, 5)
    pushed = found["lambda2_push"]
    assert pushed.how is How.CERTIFIED
    assert pushed.value == pytest.approx(alone["lambda2"].value, rel=1e-12)
    assert "of the transpose: " in found["lambda2_pull"].source
    assert "uniform_out_degree_pull" not in found
    mean = sum(turned.matrix(t).toarray() for t in range(5)) / 5
    second = np.sort(np.abs(np.linalg.eigvals(mean)))[-2]
    # an eigenvalue of a matrix of size 6 with a condition that is no larger than some tens
    assert found["lambda2_pull"].value == pytest.approx(second, abs=1e-13)
    assert "lambda2_pull" not in network_constants(both, 5, ["lambda2_push"])


def test_the_product_of_a_pulled_period_is_that_of_its_matrices_in_order():
    class Three(Topology):
        column_stochastic = False

        def _build(self, t, run):
            return topology("random-in", 4, degree=1, seed=t).matrix(0)

    three = Three(4, period=3, options={})
    P = [three.matrix(t).toarray() for t in range(3)]
    found = network_constants(Networks(4, of={"pull": three}), 1, ["lambda2_pull"])
    for product, is_it in ((P[2] @ P[1] @ P[0], True), (P[0] @ P[1] @ P[2], False)):
        second = np.sort(np.abs(np.linalg.eigvals(product)))[-2]
        assert (abs(found["lambda2_pull"].value - second) < 1e-10) == is_it
