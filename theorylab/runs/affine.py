"""What one round of any algorithm does to models and noise, probed from its own ``step``.

Where a round is affine with additive noise, y = (all models, 1) -> A y + F xi, ``step`` on 0, on
unit vectors and on unit noises, all in one batch, gives A, F and what a metric sums squares of.
That gradients are affine is the problem's word; of the algorithm nothing is taken on trust: the
same map has to tell what ``step`` does at random models and noises, small, ordinary and far out,
where a step that clips or thresholds is another map.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import UNSEEDED, State
from theorylab.kept import kept
from theorylab.known import UNIT
from theorylab.own import is_own
from theorylab.problems import exact_batches
from theorylab.runs._noises import Noises
from theorylab.runs._noises import NotAffineError as NotAffineError
from theorylab.runs._period import period
from theorylab.runs._sealed import DrawsError
from theorylab.runs.blocks import Block
from theorylab.runs.price import Price, charge
from theorylab.runs.rounding import reach
from theorylab.runs.rounds import Rounds
from theorylab.runs.setting import Setting
from theorylab.runs.simulate import algorithm_draws

Floats = NDArray[Any]
Look = Callable[[State, State], Sequence[Floats]]  # (before, after) -> vectors (R, m), by form

LARGEST = 1024  # coordinates of y, and runs of a batch of noises
_NOISES = 1 << 16  # unit noises of a round
_KEPT, _HELD = 256, 1 << 22  # rounds that are remembered, and entries of their matrices
_SCALES = (2.0**-20, 1.0, 1.0, 2.0**20, 2.0**40)  # of random models, beside the start's
# of a stranger's class: each with both signs, for a step may clip on one side, or in a window
_MANY = (*_SCALES, 2.0**-10, 2.0**-4, 2.0**2, 2.0**4, 2.0**7, 2.0**10, 2.0**30)
_NEAR = (0.25, 0.5, 1.0, 2.0)  # and the start, times these


@dataclass(frozen=True)
class AffineRound:
    """One round from weights ``w``: y -> A y + noise of covariance N, then weights ``w_after``.

    forms: of every vector that was looked at, (G, c): it is G y + noise, and the noise adds c to
    the expectation of its square. steps: how many local steps the round has. flow: what each unit
    of noise moves, (units, D), where coins were set.
    """

    A: Floats
    N: Floats
    forms: tuple[tuple[Floats, float], ...]
    w_after: Floats
    steps: int
    flow: Floats | None = None

    def moved(self, y: Floats, S: Floats) -> tuple[Floats, Floats]:
        """Mean and covariance of y after the round, from those before it."""
        return self.A @ y, self.A @ S @ self.A.T + self.N

    def block(self, form: int) -> Block:
        """The round with E ||G y + noise||^2 of that form."""
        G, c = self.forms[form]
        return Block.of(self.A, self.N, G.T @ G, c)


class Probe:
    """Rounds of a setting whose noise is additive; ``look`` gives the vectors of a metric.

    repeats: ``look`` asks for no more of a round than its states; else every one is probed.

    Raises:
        NotAffineError: where the noise is not additive, the algorithm draws by itself, or there are
            more than ``LARGEST`` coordinates.
    """

    def __init__(self, setting: Setting, look: Look, repeats: bool = True) -> None:
        problem, method = setting.problem, setting.algorithm
        self.setting, self.look, self._own = setting, look, is_own(type(method))
        if not problem.affine_gradient:
            raise NotAffineError(f"gradients of {problem.name} are not affine")
        variances = problem.noise_variances() if problem.stochastic else np.zeros(problem.dim)
        if variances is None:
            raise NotAffineError(f"the noise of {problem.name} is not additive")
        if algorithm_draws(method):
            raise NotAffineError(f"{method.name} draws by itself")
        self.variances = np.asarray(variances)
        self.first = method.init(problem.points(setting.start[None]), problem)
        if self.first.memory or self.first.flight is not None:
            raise NotAffineError(f"{method.name} carries more than models from round to round")
        self.y0 = np.append(self._flat(self.first)[0], 1.0)
        self.period = period(setting) if repeats else 0
        self._before: tuple[dict[tuple[int, str], None], float] | None = None
        self._foresees = repeats and self._own and exact_batches(problem)
        self._kept: dict[tuple[int, bytes], AffineRound] = {}
        if len(self.y0) > LARGEST:
            raise NotAffineError(f"{len(self.y0)} coordinates; need at most {LARGEST}")

    def _flat(self, state: State) -> Floats:
        parts = [state.x] if state.v is None else [state.x, state.v]
        return np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1)

    def _state(self, t: int, y: Floats, w: Floats) -> State:
        """Models y (R, D) with weights w (n,)."""
        first, runs = self.first, len(y)
        size = first.x[0].size
        x = y[:, :size].reshape(runs, *first.x.shape[1:])
        v = None if first.v is None else y[:, size:].reshape(runs, *first.v.shape[1:])
        weights = np.repeat(w[None], runs, axis=0)
        return replace(first, t=t, x=x, w=weights, z=x / weights[:, :, None], v=v)

    def stepped(
        self, t: int, y: Floats, w: Floats, noises: Noises
    ) -> tuple[Floats, list[Floats], State]:
        charge(Price.of(self.setting.problem, self.setting.algorithm, len(y), 1))
        noises.runs, noises.t = len(y), t
        before, setting = self._state(t, y, w), self.setting
        played = Rounds(
            setting.problem,
            setting.topology,
            setting.algorithm,
            np.arange(len(y)),
            UNSEEDED,
            samples=noises,
        )
        try:
            after = played.play(before, noises)
        except DrawsError as error:
            raise NotAffineError(str(error)) from None
        if after.memory or after.flight is not None:
            raise NotAffineError(f"{setting.algorithm.name} carries more than models")
        seen = [np.asarray(part).reshape(len(y), -1) for part in self.look(before, after)]
        return self._flat(after), seen, after

    def round(self, t: int, w: Floats) -> AffineRound:
        """Round t from weights w (n,); the last few are remembered.

        Raises NotAffineError where ``step`` is not what the probed map tells.
        """
        key = (t % self.period if self.period else t, w.tobytes())
        most = max(2, min(_KEPT, _HELD // len(self.y0) ** 2))
        return kept(self._kept, key, lambda: self.probed(t, w), most)

    def probed(self, t: int, w: Floats, noises: Noises | None = None) -> AffineRound:
        """Round t from weights w, where the coins show the faces of ``noises``."""
        size, zero = len(self.y0) - 1, np.zeros((1, len(self.y0) - 1))
        foreseen = self._before if noises is None else None
        noises = Noises(self.setting) if noises is None else noises
        if foreseen is None:
            origin, seen, after = self.stepped(t, zero, w, noises)
            asked, far, steps = dict(noises.asked), _far(origin, seen), noises.steps
        else:  # as the round before: 0 is played beside what is played far out
            asked, far = foreseen
        units, maps = self.units(asked), list[Floats]()
        A, noise = np.zeros((size + 1, size + 1)), list[float]()
        N = np.zeros_like(A)
        flows: list[tuple[Floats, list[Floats]]] = []  # what the noises move, in models and vectors
        y, drawn = self.random(t, asked)
        real: tuple[Floats, list[Floats]] | None = None
        for first in range(0, max(len(units), 1), LARGEST):
            some = units[first : first + LARGEST]
            batches = [(np.zeros((len(some), size)), self._drawn(some, far))]
            if not first:  # unit vectors, unit noises, and what the map has to tell, in one batch
                batches = [(far * np.eye(size), {}), *batches, (y, drawn)]
                batches += [(zero, {})] * (foreseen is not None)
            noises.drawn = self._joined(batches)
            points = np.concatenate([points for points, _ in batches])
            ends, ends_seen, then = self.stepped(t, points, w, noises)
            if not first and foreseen is not None:
                origin, seen, after = ends[-1:], [m[-1:] for m in ends_seen], then
                ends, ends_seen, steps = ends[:-1], [m[:-1] for m in ends_seen], noises.steps
                if list(noises.asked) != list(asked) or _far(origin, seen) != far:
                    self._before = None
                    return self.probed(t, w)
            if noises.asked != asked:
                raise NotAffineError("the step reads other minibatches from other models")
            if not (then.w == after.w[0]).all():
                raise NotAffineError("the weights depend on the models")
            if not first:
                A[:-1, :-1], A[:-1, -1] = ((ends[:size] - origin) / far).T, origin[0]
                maps = [((m[:size] - s) / far).T for m, s in zip(ends_seen, seen, strict=True)]
                last = size + len(some)
                real = ends[last:], [m[last:] for m in ends_seen]
                ends, ends_seen = ends[size:last], [m[size:last] for m in ends_seen]
            scale = np.sqrt([self.variances[j] for _, _, j in some])[:, None] / far
            F = (ends - origin) * scale
            N[:-1, :-1] += F.T @ F
            H = [(e - s) * scale for e, s in zip(ends_seen, seen, strict=True)]
            noise = noise or [0.0] * len(seen)
            noise = [c + float((h * h).sum()) for c, h in zip(noise, H, strict=True)]
            flows.append((F, H))
        A[-1, -1] = 1.0
        forms = tuple(
            (np.concatenate([G, s.T], axis=1), c) for G, s, c in zip(maps, seen, noise, strict=True)
        )
        found = AffineRound(A, N, forms, np.asarray(after.w[0]), max(steps, len(asked)))
        assert real is not None
        self.check(found, units, flows, (y, drawn), real)
        if noises.faces is None:
            self._before = (asked, far) if self._foresees else None
            return found
        return replace(found, flow=np.concatenate([F for F, _ in flows]))

    def units(self, asked: dict[tuple[int, str], None]) -> list[tuple[int, int, int]]:
        """(minibatch, client, coordinate) of every noise that the step reads."""
        problem = self.setting.problem
        ends = {"u": (0, problem.shared), "v": (problem.shared, problem.dim)}
        units: dict[tuple[int, int, int], None] = {}
        for number, part in asked:
            for j in range(*ends.get(part, (0, problem.dim))):
                if self.variances[j] > 0:
                    units.update({(number, i, j): None for i in range(problem.clients)})
        if len(units) > _NOISES:
            raise NotAffineError(f"{len(units)} noises a round; need at most {_NOISES}")
        return list(units)

    def _drawn(self, units: Sequence[tuple[int, int, int]], size: float) -> dict[int, Floats]:
        problem = self.setting.problem
        shape = (len(units), problem.clients, problem.dim)
        drawn: dict[int, Floats] = {}
        for run, (number, i, j) in enumerate(units):
            drawn.setdefault(number, np.zeros(shape))[run, i, j] = size
        return drawn

    def _joined(self, batches: Sequence[tuple[Floats, dict[int, Floats]]]) -> dict[int, Floats]:
        """The noises of several batches of runs, one after the other; 0 where a batch has none."""
        problem = self.setting.problem
        numbers = dict.fromkeys(number for _, drawn in batches for number in drawn)
        shape = (problem.clients, problem.dim)
        return {
            number: np.concatenate(
                [drawn.get(number, np.zeros((len(y), *shape))) for y, drawn in batches]
            )
            for number in numbers
        }

    def random(self, t: int, asked: Iterable[tuple[int, str]]) -> tuple[Floats, dict[int, Floats]]:
        """Random models (R, D) and noises of every minibatch, with their deviations."""
        problem, size, own = self.setting.problem, len(self.y0) - 1, self._own
        draw = np.random.Generator(np.random.Philox(t))
        scales = np.array(_SCALES if own else _MANY)[:, None]
        y = draw.standard_normal((len(scales), size)) * (1 + np.abs(self.y0[:-1]).max()) * scales
        if not own:
            y = np.concatenate([y, -y, *(self.y0[None, :-1] * share for share in _NEAR)])
            scales = np.concatenate([scales, scales, np.ones((len(_NEAR), 1))])
        # all coordinates, for a step may read more of a minibatch than the part that it names
        shape = (len(scales), problem.clients, problem.dim)
        deviations = np.sqrt(self.variances)
        return y, {
            number: draw.standard_normal(shape) * scales[:, None] * deviations
            for number, _ in asked
        }

    def check(
        self,
        found: AffineRound,
        units: Sequence[tuple[int, int, int]],
        flows: Sequence[tuple[Floats, list[Floats]]],
        given: tuple[Floats, dict[int, Floats]],
        stepped_there: tuple[Floats, list[Floats]],
    ) -> None:
        """At random models and noises ``step`` does what ``found`` tells."""
        problem, size = self.setting.problem, len(self.y0) - 1
        (y, drawn), (real, real_seen) = given, stepped_there
        xi = np.zeros((len(y), len(units)))
        for k, (number, i, j) in enumerate(units):
            xi[:, k] = drawn[number][:, i, j] / math.sqrt(self.variances[j])
        F = np.concatenate([f for f, _ in flows])
        parts = [(real, found.A[:-1, :-1], found.A[:-1, -1], F)]
        for k, seen in enumerate(real_seen):
            G = found.forms[k][0]
            H = [h[k] for _, h in flows]
            none = np.zeros((0, seen.shape[1]))
            parts.append((seen, G[:, :-1], G[:, -1], np.concatenate([none, *H])))
        models = np.maximum(np.abs(y).max(axis=1), np.abs(real).max(axis=1))[:, None]
        models = models + 1 + float(reach(problem, self.setting.start[None]).max())
        for stepped, G, b, noise in parts:
            told = y @ G.T + b + xi @ noise
            sizes = np.abs(y) @ np.abs(G).T + np.abs(b) + np.abs(xi) @ np.abs(noise)
            # A vector is made of models and centers that are rounded: where they cancel in it, that
            # is what is left. Each number is a sum of such products, of fewer than 1e4 steps.
            slope = np.abs(G).sum(axis=1).max(initial=0)
            largest = sizes.max(axis=1, keepdims=True) + slope * models
            room = 1e4 * UNIT * (size + len(units) + 1) * (sizes + largest)
            if not (np.abs(stepped - told) <= room).all():
                raise NotAffineError(f"a round of {self.setting.algorithm.name} is not affine")


def _far(origin: Floats, seen: Sequence[Floats]) -> float:
    """How far out unit vectors are taken: what is added to one is small beside it there, and its
    digits are not lost."""
    largest = max([1.0, *(float(np.abs(part).max(initial=0)) for part in (origin, *seen))])
    return float(2.0 ** math.ceil(math.log2(largest)))
