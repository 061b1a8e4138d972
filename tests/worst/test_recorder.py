"""A step tells its own recursion, in rationals, or is refused with the query named."""

import importlib.util
import pathlib
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest

from theorylab.algorithms import Algorithm, algorithm
from theorylab.topologies import topology
from theorylab.worst import NotLinearError, TooLargeError, record
from theorylab.worst.round_map import round_map

HERE = pathlib.Path(__file__).parent
spec = importlib.util.spec_from_file_location("plain_recursions", HERE / "plain.py")
plain = importlib.util.module_from_spec(spec)
spec.loader.exec_module(plain)


def chord():
    return topology("edge-list", 3, edges=plain.EDGES, weights="uniform")


@pytest.mark.parametrize(
    ("name", "options", "steps", "alpha"),
    [
        ("sgp", {}, 1, Fraction(0)),
        ("osgp", {"local_steps": 3}, 3, Fraction(0)),
        ("dfedsgpsm", {"local_steps": 2, "alpha": 0.9}, 2, Fraction(9, 10)),
    ],
)
def test_a_recording_is_the_recursion_that_is_written_by_hand(name, options, steps, alpha):
    made = record(algorithm(name, eta=0.1, **options), chord(), 3)
    queries, averages = plain.push_sum(plain.CHORD, Fraction(1, 10), 3, steps, alpha)
    assert list(made.queries) == queries
    assert list(made.averages) == averages
    assert [list(map(list, now)) for now in made.P] == [plain.CHORD] * 3


def test_a_step_size_written_as_a_fraction_is_that_fraction():
    made = record(algorithm("sgp", eta=1 / 3), chord(), 1)
    assert made.averages[1][0].denominator > 9  # a float of a third is a binary fraction
    written = {1 / 3: Fraction(1, 3)}
    exact = record(algorithm("sgp", eta=1 / 3), topology("complete", 1), 2, written)
    assert exact.queries[1] == (0, {0: Fraction(-1, 3)})


@dataclass(frozen=True)
class Tracking(Algorithm):
    """Gradient tracking: it carries two arrays of its own from round to round."""

    name = "tracking-of-a-test"
    eta: float

    def init(self, x0, problem=None):
        first = super().init(x0, problem)
        return replace(first, memory={"y": 0 * first.x, "g": 0 * first.x})

    def step(self, state, net):
        y, old = state.memory["y"], state.memory["g"]
        g = net.gradient(state.x)
        y = net.mix(y) + g - old
        x = net.mix(state.x) - self.eta * y
        return net.next(state, x=x, memory={"y": y, "g": g})


def test_a_users_step_with_memory_is_recorded():
    made = record(Tracking(0.5), topology("complete", 2), 2)
    assert made.queries[2] == (0, {0: Fraction(-1, 2)})  # y = g at first, x = mean x - eta y
    assert made.averages[2] == {k: Fraction(-1, 4) for k in (2, 3)} | {
        k: Fraction(-1, 4) for k in (0, 1)
    }


def stepped(rule, **more):
    """An algorithm with one gradient a round, x - rule(gradient, x)."""

    class Ruled(Algorithm):
        name = "ruled"

        def options(self):
            return {}

        def step(self, state, net):
            return net.next(state, x=state.x - rule(net.gradient(state.x), state.x))

    for key, value in more.items():
        setattr(Ruled, key, value)
    return Ruled()


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (lambda g, x: np.clip(g, -1, 1), "not linear: query 1 is no fixed combination"),
        (lambda g, x: g * g, "not linear: query 1 is no fixed combination"),
        (lambda g, x: np.where(g > 3, 2 * g, g), "not linear: query 1 is no fixed"),
        (
            lambda g, x: g / np.sqrt((g * g).sum()),
            "after query 1 the step does with the gradients what is no",
        ),
        (lambda g, x: 0.1 * x + g, "query 1 is 9/10 x.0 .*, so the method depends on where the"),
        (lambda g, x: g + 1.0, r"query 1 is 0 x\^0"),
    ],
)
def test_a_step_that_is_not_linear_is_refused_with_the_query(rule, words):
    with pytest.raises(NotLinearError, match=words):
        record(stepped(rule), topology("complete", 1), 3)


@pytest.mark.parametrize("way", ["project", "prox", "domain", "init"])
def test_a_step_that_projects_is_refused_for_a_worst_case_is_over_all_points(way):
    def step(self, state, net):
        x = state.x - 0.5 * net.gradient(state.x)
        if way == "domain" and net.problem.domain is not None:
            x = net.problem.domain.project(x)
        x = net.project(x) if way == "project" else net.prox(x, 0.5) if way == "prox" else x
        return net.next(state, x=x)

    def init(self, x0, problem=None):
        return Algorithm.init(self, x0 if problem.domain is None else 0 * x0, problem)

    method = stepped(None, step=step, **({"init": init} if way == "init" else {}))
    with pytest.raises(NotLinearError, match=r"set or term.* over all of R\^d; need"):
        record(method, topology("complete", 1), 2)
    with pytest.raises(NotLinearError, match=r"set or term.* over all of R\^d; need"):
        round_map(method, 1)


def test_an_ascent_of_sam_is_an_entry_of_its_own_along_a_gradient():
    method = algorithm("dfedsam", eta=0.1, rho=0.25, local_steps=1)
    told = record(method, topology("complete", 1), 1)
    assert told.queries == ((0, {}), (-1, {0: Fraction(1, 4)}), (0, {1: Fraction(1)}))
    assert told.averages[1] == {2: Fraction(-1, 10)}
    assert not told.fresh  # both gradients are of one sample
    assert record(algorithm("sgp", eta=0.1), topology("complete", 1), 2).fresh


def test_an_ascent_along_what_is_no_gradient_is_refused():
    tilted = stepped(lambda g, x: g)
    type(tilted).step = lambda self, state, net: net.next(
        state, x=net.ascent(state.x, 2 * net.gradient(state.x), 0.1)
    )
    with pytest.raises(NotLinearError, match="ascends along what is not one gradient"):
        record(tilted, topology("complete", 1), 2)


def test_a_method_that_draws_is_refused():
    with pytest.raises(ValueError, match="draws by itself"):
        record(stepped(lambda g, x: g, draws=True), topology("complete", 1), 3)
    tossed = stepped(lambda g, x: g)
    type(tossed).step = lambda self, state, net: net.next(
        state, x=state.x - net.coins(1, "sign") * net.gradient(state.x)
    )
    with pytest.raises(ValueError, match="tosses coins"):
        record(tossed, topology("complete", 1), 3)


def test_a_network_that_is_drawn_is_refused():
    with pytest.raises(ValueError, match="drawn anew every round"):
        record(algorithm("sgp", eta=0.1), topology("random-out", 4, degree=1), 2)


def test_queries_are_capped_with_the_number_said():
    with pytest.raises(TooLargeError, match="sgp asks 450 gradients in 150 rounds"):
        record(algorithm("sgp", eta=0.1), topology("directed-ring", 3), 150)
