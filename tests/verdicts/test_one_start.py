"""A check starts where a run starts: where the problem says, if the instance says nothing."""

import numpy as np
import pytest

from theorylab.algorithms import SGP
from theorylab.problems import Quadratic, problem
from theorylab.runs import expected_trace, initial_models, simulate
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import f0, x0_spread, x0_sq
from theorylab.topologies import topology
from theorylab.verdicts import judge_check

START = [[1.0, -2.0], [3.0, 0.5]]


class Elsewhere(Quadratic, name="test-elsewhere"):
    """f_i(x) = |x|^2/2, started at START; or, with a seed of its own, somewhere new in each run."""

    def __init__(self, clients, *, drawn=False, alike=False, **options):
        H = np.broadcast_to(np.eye(2), (clients, 2, 2))
        super().__init__(clients, H=H, c=np.zeros((clients, 2)), **options)
        self.drawn, self.alike = drawn, alike

    def initial(self, seed, runs):
        models = np.repeat(np.array(START)[None], len(runs), axis=0)
        if self.alike:
            models[:] = START[0]
        return models + (np.asarray(runs)[:, None, None] + seed if self.drawn else 0.0)


def judged(version=None, quantity="squared_gradient", **changes):
    instance = {
        "problem": {"name": "test-elsewhere"},
        "topology": {"name": "complete"},
        **{"clients": 2, "rounds": 3},
        "algorithm": {"eta": 0.5},
    }
    statement = Statement(
        id="test.start",
        source=Source("test", "none", "a start"),
        algorithm="sgp",
        quantity=Quantity(quantity, "every", (0, 3), "c"),
        versions={"claim": version or Version({"all": f0 + x0_sq + x0_spread})},
    )
    return judge_check(statement, "claim", Check("one", instance | changes))


def test_constants_and_runs_begin_where_the_problem_says():
    found = judged()
    mean, spread = np.mean(START, axis=0), np.array(START) - np.mean(START, axis=0)
    constants = {name: found.constants[name]["value"] for name in ("f0", "x0_sq", "x0_spread")}
    assert constants == {
        "f0": pytest.approx(mean @ mean / 2, rel=1e-15),
        "x0_sq": pytest.approx(np.sum(np.square(START)) / 2, rel=1e-15),
        "x0_spread": pytest.approx(np.sum(spread**2) / 2, rel=1e-15),
    }
    # gradient descent of step 1/2 halves the mean model, which is the mean gradient, every round
    halves = [float(mean @ mean) / 4**t for t in found.curve.rounds]
    assert found.curve.measured == pytest.approx(halves, rel=1e-12)


def test_what_verify_measures_is_what_simulate_records():
    losses, complete = problem("test-elsewhere", 2), topology("complete", 2)
    trace = simulate(losses, complete, SGP(eta=0.5), rounds=3, columns=("squared_gradient", "loss"))
    curve = judged().curve
    gradients = [*trace.columns["squared_gradient"][0], trace.last["squared_gradient"][0]]
    assert curve.measured == [gradients[t] for t in curve.rounds]
    exact = expected_trace(losses, complete, SGP(eta=0.5), rounds=3)
    assert exact.columns["loss"][0] == pytest.approx(trace.columns["loss"][0], rel=1e-12)


def test_a_result_says_the_start_and_judging_that_is_the_same():
    found = judged()
    assert found.instance["x0"] == START
    again = judged(x0=found.instance["x0"])
    assert again.model_dump(exclude={"seconds"}) == found.model_dump(exclude={"seconds"})
    alike = {"problem": {"name": "test-elsewhere", "alike": True}}
    assert judged(**alike).instance["x0"] == START[0]


def test_a_start_that_is_given_stays():
    found = judged(x0=0.0)
    assert found.instance["x0"] == 0.0
    assert [found.constants[name]["value"] for name in ("f0", "x0_sq")] == [0.0, 0.0]


@pytest.mark.parametrize("name", ["test-elsewhere", "mixture"])
def test_a_start_that_is_drawn_is_refused_in_one_line(name):
    options = {"drawn": True} if name == "test-elsewhere" else {"components": 2}
    line = rf"^test\.start \[claim\] one: x0: {name} draws a start for every run; need x0"
    with pytest.raises(ValueError, match=line):
        judged(problem={"name": name, **options})
    with pytest.raises(ValueError, match="draws a start"):
        initial_models(problem(name, 2, **options), 1)


def test_a_start_of_another_shape_is_named(monkeypatch):
    monkeypatch.setattr(Elsewhere, "initial", lambda self, seed, runs: np.zeros((2, 2)))
    with pytest.raises(ValueError, match=r"initial gave models of shape \(2, 2\) for 4096 runs"):
        judged()


@pytest.mark.parametrize("way", ["text", "run"])
def test_a_start_that_few_runs_draw_is_refused_too(monkeypatch, way):
    def initial(self, seed, runs):
        own = len(f"{seed}") if way == "text" else 1
        rngs = [np.random.default_rng([own, int(run)]) for run in runs]
        far = np.array([1e3 if rng.random() < 1e-3 else 1.0 for rng in rngs])
        return np.repeat(far, 4).reshape(-1, 2, 2)

    assert (initial(None, 0, range(2)) == 1.0).all()  # the runs that a start is judged by
    monkeypatch.setattr(Elsewhere, "initial", initial)
    with pytest.raises(ValueError, match="draws a start for every run; need x0"):
        judged()


def test_a_start_that_reads_its_seed_is_refused_however_rare_another_one_is(monkeypatch):
    def initial(self, seed, runs):
        far = [1e9 if (int(seed) + int(run)) % 10**9 == 999_999_999 else 1.0 for run in runs]
        return np.repeat(far, 4).reshape(-1, 2, 2)

    monkeypatch.setattr(Elsewhere, "initial", initial)
    with pytest.raises(ValueError, match="draws a start for every run; need x0"):
        judged()
    assert judged(x0=1.0).verdict in ("HOLDS", "VIOLATED")
