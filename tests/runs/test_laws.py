"""A law is exact: against sums over outcomes written by hand, and against what would fake one."""

import dataclasses
import itertools
from fractions import Fraction

import numpy as np
import pytest

from theorylab.algorithms import DFedSGPSM, LocalStep, algorithm
from theorylab.kernels import Stream
from theorylab.metrics import Metric, measured
from theorylab.problems import problem
from theorylab.runs import Row, Setting, laws
from theorylab.runs.laws import Enumeration
from theorylab.topologies import topology

FLAT = {"name": "log-cosh", "dim": 1, "center": 0.0}


class Square(Metric):
    """mean_i |x_i^{t+1}|^2."""

    def rows(self, before, after):
        yield Row((after.x**2).sum(axis=2).mean(axis=1), {"t": before.t}, f"t={before.t}")


def setting(field, n=1, dim=1, rounds=1, steps=1, method="dfedsgpsm", **noise):
    p = problem("noisy", n, base={**FLAT, "dim": dim}, field=field, sigma=1.0, **noise)
    run = algorithm(method, eta=0.5, local_steps=steps)
    return Setting(p, topology("complete", n), run, {}, rounds, np.zeros((n, dim)))


def mean(given, law="enumerated", **options):
    return [row.values[0] for row in measured(Square, given, {}, law=law, **options).rows]


def walk(noises, eta=0.5):
    x = 0.0
    for e in noises:
        x -= eta * (np.tanh(x) + e)
    return x


def test_unequal_chances_are_weighed():
    p, length = Fraction(1, 4), 2.0  # +-2 with chance 1/8 each, 0 with 3/4
    (found,) = mean(setting("two-point", steps=2, chance=0.25))
    outcomes = {0.0: 1 - p, length: p / 2, -length: p / 2}
    pairs = itertools.product(outcomes.items(), repeat=2)
    expected = sum(float(a * b) * walk((e, f)) ** 2 for (e, a), (f, b) in pairs)
    assert found == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("field", ["rademacher", "state", "coordinate", "aligned"])
def test_every_listed_field_has_the_variance_of_its_samples(field):
    # A third way to the same number: the mean over many drawn runs, within 6 of its own errors.
    given = setting(field, n=2, dim=2, steps=1)
    (exact,) = mean(given)
    runs = 40_000
    (row,) = measured(Square, given, {}, law="sampled", runs=range(runs)).rows
    error = row.values.std() / np.sqrt(runs)
    assert abs(exact - row.values.mean()) <= 6 * error + 1e-15


def test_chunks_are_the_whole_law_in_order(monkeypatch):
    whole = mean(setting("rademacher", n=2, rounds=2, steps=2))
    monkeypatch.setattr(laws, "CHUNK", 32)
    assert mean(setting("rademacher", n=2, rounds=2, steps=2)) == pytest.approx(whole, rel=1e-15)
    given = setting("two-point", n=2, steps=2, chance=0.25)
    listed = Enumeration(given.problem, lambda s: [s.sample(0, k, "") for k in range(2)])
    numbers = np.concatenate([chunk.numbers for chunk in listed.chunks()])
    weights = np.concatenate([chunk.weights for chunk in listed.chunks()])
    assert np.array_equal(numbers, np.arange(3**4))
    assert weights.sum() == pytest.approx(1, abs=1e-15)


def test_only_the_part_that_a_step_reads_is_listed():
    p = problem("coupled-quadratic", 2, dim_u=1, dim_v=2, sigma_u=1.0, sigma_v=1.0,
                noise="rademacher")  # fmt: skip
    for part, coordinates in (("u", 1), ("v", 2), ("", 3)):
        listed = Enumeration(p, lambda samples, part=part: samples.sample(0, 0, part))
        assert listed.total == 2 ** (2 * coordinates)
    both = Enumeration(p, lambda samples: [samples.sample(0, 0, part) for part in "vu"])
    assert both.total == 2**6  # one minibatch that two phases read is one draw


def test_a_minibatch_that_is_not_always_asked_for_has_no_law():
    p = problem("noisy", 1, base=FLAT, field="rademacher", sigma=1.0)
    listed = Enumeration(p, lambda samples: samples.sample(0, 0, ""))
    (chunk,) = listed.chunks()
    with pytest.raises(ValueError, match="one outcome and not in another"):
        chunk.sample(0, 1, "")


@pytest.mark.parametrize("field", ["gaussian", "common"])
def test_noise_without_a_list_of_outcomes_is_one_line(field):
    with pytest.raises(ValueError, match="no outcomes that could be listed") as told:
        mean(setting(field))
    assert "\n" not in str(told.value)


def test_auto_lists_what_can_be_listed_and_samples_the_rest():
    assert measured(Square, setting("rademacher"), {}, runs=range(3)).exact
    assert not measured(Square, setting("gaussian"), {}, runs=range(3)).exact
    assert not measured(Square, setting("rademacher", n=3, steps=5), {}, runs=range(3)).exact


@dataclasses.dataclass(frozen=True)
class Fused(DFedSGPSM):
    """The planted fault: a step that has a kernel do the local steps, noise included."""

    def half(self, state, context):
        return context.problem.local_steps(
            state.x, state.w, context.seed, context.runs, state.t,
            steps=1, counts=None, eta=self.eta, alpha=0.0, rho=0.0,
        )  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Drawing(DFedSGPSM):
    """The same by a generator of its own."""

    def half(self, state, context):
        noise = Stream(context.seed, "noise").normal(context.runs, 1, state.t, 0, 1)
        return state.x - self.eta * noise


@dataclasses.dataclass(frozen=True)
class Sampling(DFedSGPSM):
    """The same by the problem's samples."""

    def half(self, state, context):
        sample = context.problem.sample(context.seed, context.runs, state.t, 0)
        return state.x - self.eta * context.problem.stochastic_gradient(state.z, sample)


@pytest.mark.parametrize("kind", [Fused, Drawing, Sampling])
def test_a_step_that_draws_by_itself_is_not_called_exact(kind):
    given = dataclasses.replace(setting("rademacher"), algorithm=kind(eta=0.5))
    if kind is Fused:  # log-cosh has such a kernel
        p = problem("log-cosh", 1, sigma=1.0)
        p.finite_noise = setting("rademacher").problem.finite_noise
        given = dataclasses.replace(given, problem=p)
    with pytest.raises((ValueError, TypeError)):
        mean(given)


def test_an_algorithm_that_draws_edges_is_refused():
    with pytest.raises(ValueError, match="draws by itself; need law 'sampled'"):
        mean(setting("rademacher", n=3, method="dfedsgpsm-s"))


def test_a_recorded_run_has_the_bits_of_the_fused_kernel():
    class Last(Metric):
        """Each model's first coordinate at the end; ``local`` asks for the recorded loop."""

        steps = 0

        def see(self, step: LocalStep):
            Last.steps += 1

        def rows(self, before, after):
            for i in range(after.x.shape[1]):
                yield Row(after.x[:, i, 0], {}, f"t={before.t}, i={i}")

    p = problem("log-cosh", 3, dim=2, sigma=0.5, spread=1.0)
    run = algorithm("dfedsgpsm", eta=0.1, alpha=0.5, rho=0.05, local_steps=4)
    given = Setting(p, topology("directed-ring", 3), run, {}, 3, np.ones((3, 2)))
    models = []
    for Last.local in (False, True):
        found = measured(Last, given, {}, law="sampled", runs=range(4), seed=7).rows
        models.append(np.array([row.values for row in found]))
    assert Last.steps == 3 * 4
    assert np.array_equal(*models)


def test_alone_every_client_has_its_own_law_and_all_draw_the_same():
    losses = problem("sin-sin", 5, sigma_u=0.5, sigma_v=0.25, noise="rademacher")
    listed = Enumeration(losses, lambda samples: samples.sample(0, 0, ""), alone=True)
    (chunk,) = listed.chunks()
    drawn = chunk.sample(0, 0, "")
    assert drawn.shape == (2**losses.dim, 5, losses.dim)
    assert (drawn == drawn[:, :1]).all()
    assert len(np.unique(drawn[:, 3], axis=0)) == listed.total == 2**losses.dim
    np.testing.assert_array_equal(chunk.weights, 1 / listed.total)
