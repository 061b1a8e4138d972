"""Steps: of a method's own, as a text of n and T, and averages; bad input about them."""

import dataclasses
import functools
import re

import numpy as np
import pytest

from theorylab.speedup import speedup as whole_speedup
from theorylab.topologies import from_function

SMALL = {"clients": [4, 8, 16], "rounds": 256}
speedup = functools.partial(whole_speedup, transient=False)


def test_a_step_that_shrinks_with_the_degree_is_seen(registries):
    """A method that never mixes, and whose step is eta over the number of its neighbours."""
    from theorylab.algorithms import Algorithm

    @dataclasses.dataclass(frozen=True)
    class Shy(Algorithm, name="shy"):
        eta: float

        def step(self, state, net):
            degree = np.diff(net.mixing.indptr).max()
            return net.next(state, x=state.x - self.eta / degree * net.gradient(state.x))

    found = speedup("shy", topology="complete", measure="clients", **SMALL)
    (own,) = [each for each in found.controls if each.name == "a step of its own"]
    assert not own.passes
    assert "the step depends on the network: apart by 93.7 % at n = 16" in own.outcome  # 1 - 1/16
    assert found.verdict.name == "INCONCLUSIVE"


@pytest.mark.slow
def test_an_error_that_falls_because_the_step_does_is_no_speedup(registries):
    """All clients follow the noise of client 0, so nothing is averaged; the step is eta/n."""
    from theorylab.algorithms import Algorithm

    @dataclasses.dataclass(frozen=True)
    class Led(Algorithm, name="led"):
        eta: float

        def step(self, state, net):
            g, true = net.gradient(state.x), net.problem.gradient(state.x)
            moved = self.eta * 4 / state.x.shape[1] * (true + (g - true)[:, :1])
            return net.next(state, x=net.mix(state.x - moved))

    found = speedup("led", problem_options={"heterogeneity": 3.0}, **{**SMALL, "rounds": 1024})
    assert found.power == -1
    assert found.verdict.name == "INCONCLUSIVE"
    assert "the step depends on n: without noise and network it falls like n^-1" in found.reason


def test_a_step_that_the_network_sets_after_the_first_round_is_seen(registries):
    """All follow the noise of client 0; after round 0 the step is over n, but not with P = I."""
    from theorylab.algorithms import Algorithm

    @dataclasses.dataclass(frozen=True)
    class Late(Algorithm, name="late"):
        eta: float

        def step(self, state, net):
            n = state.x.shape[1]
            over = n / 4 if state.t and net.mixing.nnz > n else 1
            g, true = net.gradient(state.x), net.problem.gradient(state.x)
            moved = self.eta / over * (true + (g - true)[:, :1])
            return net.next(state, x=net.mix(state.x - moved))

    late = {"topology": "complete", "problem_options": {"heterogeneity": 1.0}}
    found = speedup("late", **late, **{**SMALL, "rounds": 1024})
    assert found.power == -1
    assert found.verdict.name == "INCONCLUSIVE"
    assert "the step depends on the network: apart by 75 % at n = 16" in found.reason


def test_a_ring_that_has_not_mixed_refutes_no_method():
    slow = {"clients": [32, 48, 64], "rounds": 512, "topology": "ring", "measure": "clients"}
    found = speedup("sgp", options={"eta": 0.2}, problem_options={"heterogeneity": 0.5}, **slow)
    assert found.power == 0
    assert found.verdict.name == "INCONCLUSIVE"
    assert "where the disagreement of the models makes 88 % of the error" in found.reason


def test_a_network_that_mixes_hardly_is_none_that_never_does(registries):
    def hardly(t, clients):
        return (1 - 1e-6) * np.eye(clients) + 1e-6 * np.roll(np.eye(clients), 1, axis=0)

    from_function(hardly, period=1, clients=4, name="hardly")
    alike = {"rounds": 256, "problem_options": {"heterogeneity": 0.0}, "measure": "clients"}
    found = speedup("sgp", **{**SMALL, **alike}, topology="hardly")
    assert found.power == 0
    assert found.verdict.name == "INCONCLUSIVE"
    assert "where the disagreement of the models makes" in found.reason


def test_a_false_square_is_refuted_at_smaller_steps_too():
    found = speedup("sgp", claim=-2.0, **{**SMALL, "rounds": 1024})
    assert found.verdict.name == "VIOLATED"
    assert "at 1/4 of the step it is -0.998" in found.reason


def test_an_error_of_second_order_in_the_step_refutes_no_claim(monkeypatch):
    from types import SimpleNamespace

    from theorylab.speedup import controls
    from theorylab.verdicts.arms import Side, judged

    values = {n: np.array([1.0]) for n in (4, 8, 16)}
    flat = Side(values, dict.fromkeys(values, 0.0), True)
    found = judged(-1.0, flat, flat, None)
    monkeypatch.setattr(controls, "disagreement", lambda protocol, n: (1.0, 0.0))
    for power, verdict in ((1.0, "VIOLATED"), (2.0, "INCONCLUSIVE")):
        study = SimpleNamespace(
            clients=[4, 8, 16],
            protocol=SimpleNamespace(measure="mean"),
            step_power=lambda power=power: dict.fromkeys((4, 8, 16), (power, power)),
            finer=SimpleNamespace(side=lambda arm: flat, apart=lambda: 0.5),
        )
        assert controls.confirmed(study, -1.0, found).verdict.name == verdict


@pytest.mark.parametrize("name", ["sgp", "osgp", "dfedsgpsm", "dfedsalt", "deprl"])
def test_no_method_of_the_papers_has_a_step_of_the_network(name):
    from theorylab.speedup.pattern import Pattern
    from theorylab.speedup.protocol import Protocol, chosen_options, is_personal
    from theorylab.speedup.steps import shrinking, step_apart

    pattern = Pattern("quadratic", {}, 4)
    if is_personal(name, chosen_options(name, pattern.name, {}, 8)):
        pattern = Pattern("quadratic", {}, 4, personal=True)
    options = chosen_options(name, pattern.name, {}, 8)
    for network in ("directed-exponential", "random-out", "ring"):
        assert step_apart(Protocol(name, options, pattern, network), 8) < 1e-12
    assert abs(shrinking(Protocol(name, options, pattern, "ring"), [4, 8, 16])) < 1e-9


def test_a_step_that_is_a_text_of_n_and_t_is_the_step():
    from theorylab.speedup.pattern import Pattern
    from theorylab.speedup.protocol import MAIN, Protocol

    pattern = Pattern("quadratic", {}, 4)
    made = Protocol("sgp", {"eta": 0.1}, pattern, "ring", rounds=8, step="sqrt(n/T)", horizon=64)
    assert made.algorithm(16, MAIN).eta == 0.5
    assert made.algorithm(4, MAIN).eta == 0.25


def test_an_average_over_rounds_is_the_mean_of_what_every_round_gives():
    single = {"clients": [4, 8, 16], "rounds": 8, "topology": "ring"}
    each = [speedup("sgp", **{**single, "rounds": k}).rows[0].error[1] for k in range(1, 8)]
    mean = speedup("sgp", average=True, **single).rows[0].error[1]
    # the mean counts rounds 0 to 7, and round 0 is the start, which the curve of no run has
    first = 8 * mean - sum(each)
    again = 4 * speedup("sgp", average=True, **{**single, "rounds": 4}).rows[0].error[1]
    assert first == pytest.approx(again - sum(each[:3]), rel=1e-9)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"options": {"eta": "nan"}}, "eta is nan; need a finite number"),
        ({"step": "sqrt(m)"}, "step is 'sqrt(m)'"),
        ({"step": "n-n"}, "step is 'n-n', 0 at n = 4; need > 0"),
        ({"problem": "softmax", "average": True}, "has to be sampled"),
        ({"ceiling": 1.0}, "ceiling came, and of sgp on quadratic nothing is sampled; need none"),
        ({"ceiling": 0.0}, "ceiling is 0; need an error > 0"),
        ({"full": True}, "full came with quadratic; need a problem of a paper"),
        ({"problem": "mlp", "problem_options": {"samples": 0}}, "samples is 0; need 1 to 1442"),
        ({"problem": "mlp", "clients": [2, 4], "problem_options": {"batches": 1}}, "has no option"),
    ],
)
def test_other_bad_input_is_one_line(options, line):
    if options.get("problem") == "mlp":
        pytest.importorskip("torch")
    with pytest.raises(ValueError, match=re.escape(line)) as error:
        speedup("sgp", **options)
    assert "\n" not in str(error.value)
