"""Partial personalisation: u travels, v stays, and local steps move one of them at a time.

What DFedPGP, DFedAvgM-P, DFedAlt, DFedSalt and DePRL share. A client's point is (z, v), z = u / w.

Which minibatch a local step sees, xi(round, step): the k-th step of the personal phase has step
number k, the k-th of the shared phase K + k, K the most personal steps that any client is meant to
do (not how many it gets done, so that a straggler changes nobody's draws). No two of a round's
gradients share a minibatch, but SAM's two at one step. ``batch="per-round"``: all of a round's
steps share the minibatch of step number 0.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from theorylab.algorithms._algorithm import Algorithm
from theorylab.algorithms._base import (
    Array,
    Context,
    LocalStep,
    Rule,
    State,
    checked,
    chosen,
    namespace,
    rules,
    start,
    steps_of,
)
from theorylab.algorithms._exchange import gossip, mix
from theorylab.algorithms._local import working
from theorylab.algorithms._local_method import LocalMethod
from theorylab.problems import Problem

BATCHES = ("per-round", "per-step")
Steps = int | Sequence[int]


def split_start(name: str, x0: Array, problem: Problem | None) -> State:
    """The first state from x0 (R, n, d): u = z = the first d_u coordinates, v the others, w = 1.

    Raises ValueError where the problem has no personal part.
    """
    if problem is None:
        raise ValueError(f"{name}: init came without the problem; need it, to know u from v")
    if not 0 < problem.shared < problem.dim:
        raise ValueError(
            f"{name}: {problem.name} has {problem.shared} shared coordinates of {problem.dim}; "
            "need a problem with a shared and a personal part"
        )
    whole = start(x0)
    xp = namespace(x0)
    u, v = whole.x[..., : problem.shared], whole.x[..., problem.shared :]
    return replace(
        whole, x=xp.asarray(u, copy=True), z=xp.asarray(u, copy=True), v=xp.asarray(v, copy=True)
    )


@dataclass(frozen=True)
class Phase:
    """Local steps on one part of the model, the other part fixed.

    part: "u" or "v". eta: step size of this round. steps: K, or one K a client.
    first: step number of the first minibatch. fixed: one minibatch for all steps, of number 0.
    momentum: m = momentum m + g, from 0 at the phase's start. weight_decay: adds weight_decay
    times the part, where it stands (z for u), to the gradient.
    rho: SAM radius, 0 for none. whole: SAM moves (u, v) along the full gradient, not just the part.
    """

    part: str
    eta: float
    steps: Steps
    first: int
    fixed: bool
    momentum: float = 0.0
    weight_decay: float = 0.0
    rho: float = 0.0
    whole: bool = False


def descend(phase: Phase, state: State, context: Context) -> Array:
    """The part after the phase's steps: u, biased as ``state.x`` (R, n, d_u), or v (R, n, d_v).

    Gradients are taken at (z, v), z = u / w at every step; where a client's effort is below 1 it
    does that share of the phase's steps, rounded up.
    """
    assert state.v is not None
    split, xp = context.problem.shared, namespace(state.x)
    shared = phase.part == "u"
    own = slice(0, split) if shared else slice(split, None)
    point = xp.concat([state.z, state.v], axis=-1)
    part = xp.asarray(state.x if shared else state.v, copy=True)
    most, counts = steps_of(context, phase.steps)
    momentum: Array | None = None
    read = "" if phase.rho and phase.whole else phase.part
    for k in range(most):
        if k:
            if context.record is not None:  # whoever looks may keep the point as it was
                point = xp.asarray(point, copy=True)
            point[..., own] = part / state.w[:, :, None] if shared else part
        if not k or not phase.fixed:
            number = 0 if phase.fixed else phase.first + k
            sample = context.sample(state.t, number, read)
        plain, lifted, used = _gradients(phase, context, point, own, sample)
        g = used
        if phase.weight_decay:
            g = g + phase.weight_decay * point[..., own]
        momentum = g if momentum is None or not phase.momentum else phase.momentum * momentum + g
        if context.record is None:
            part -= working(phase.eta * momentum, counts, k)
        else:
            before, part = part, part - working(phase.eta * momentum, counts, k)
            seen = LocalStep(state.t, phase.part, k, before, point, lifted, plain, used, part)
            context.record.see(seen)
    return part


def _gradients(
    phase: Phase, context: Context, point: Array, own: slice, sample: Any
) -> tuple[Array, Array, Array]:
    """The part's stochastic gradient at ``point``; SAM's point; that at it, for the same minibatch.

    Without SAM the point is its own, and both gradients are one.
    """
    problem = context.problem
    if not phase.rho:
        g = problem.partial_gradient(point, sample, phase.part)
        return g, point, g
    if phase.whole:
        whole = problem.stochastic_gradient(point, sample)
        g, tilted = whole[..., own], context.ascent(point, whole, phase.rho)
    else:
        tilted = namespace(point).asarray(point, copy=True)
        g = problem.partial_gradient(point, sample, phase.part)
        tilted[..., own] = context.ascent(point[..., own], g, phase.rho)
    return g, tilted, problem.partial_gradient(tilted, sample, phase.part)


def alternate(head: Phase, body: Phase, state: State, context: Context) -> tuple[Array, State]:
    """(u^{t+1/2}, the state with v^{t+1}): v's steps at z^t first, then u's at v^{t+1}."""
    after = replace(state, v=descend(head, state, context))
    return descend(body, after, context), after


def most_steps(steps: Steps) -> int:
    """K, or the largest of one K a client."""
    return steps if type(steps) is int else int(np.max(np.asarray(steps)))


def shared_rules(method: Any) -> list[Rule]:
    """What the options that these methods share must satisfy; those a method lacks are left out."""
    names = ("eta_u", "eta_v", "steps_u", "steps_v", "rho", "momentum", "weight_decay", "decay")
    return rules(method, *(name for name in names if name in method.__dataclass_fields__))


def two_phases(
    t: int,
    etas: tuple[float, float],
    steps: tuple[Steps, Steps],
    decay: float,
    *common: Any,
) -> tuple[Phase, Phase]:
    """Round t's local steps on v, and on u. etas, steps: of v, and of u. common: ``fixed`` and what
    follows it in ``Phase``."""
    shrink = decay**t
    head = Phase("v", etas[0] * shrink, steps[0], 0, *common)
    return head, Phase("u", etas[1] * shrink, steps[1], most_steps(steps[0]), *common)


class PartialMethod(Algorithm):
    """Local steps on v, then on u, and one exchange of u: ``phases`` are all that it must give.

    A model is (u, v): u is shared, v is personal and stays. The problem says where u ends.

    Attributes:
        push_sum: weights travel with u, and z = u / w.
        step_sizes: names of the options that are the step sizes of v, and of u.

    >>> algorithm("dfedpgp", eta_u=0.1, eta_v=0.1).push_sum, PartialMethod.step_sizes
    (True, ('eta_v', 'eta_u'))
    """

    push_sum: ClassVar[bool] = False
    step_sizes: ClassVar[tuple[str, str]] = ("eta_v", "eta_u")

    def init(self, x0: Array, problem: Problem | None = None) -> State:
        """The first state from x0 (R, n, d), split where the problem says."""
        return split_start(self.name, x0, problem)

    @abstractmethod
    def phases(self, t: int) -> tuple[Phase, Phase]:
        """Round t's local steps on v, and on u."""

    def step(self, state: State, context: Context) -> State:
        """One communication round."""
        half, after = alternate(*self.phases(state.t), state, context)
        return (mix if self.push_sum else gossip)(after, half, context)


def takes_steps_by_run(method: Algorithm) -> bool:
    """Whether the step sizes of one of theorylab's own methods may be arrays, (R, 1, 1): rounds
    are the local steps of ``LocalMethod`` or of ``PartialMethod``, which only multiply by them."""
    if isinstance(method, LocalMethod):
        return type(method).half is LocalMethod.half
    return isinstance(method, PartialMethod) and type(method).step is PartialMethod.step


@dataclass(frozen=True)
class Alternating(PartialMethod):
    """K_v steps on v at u^t, then K_u on u at v^{t+1}: the options of DFedAlt and DFedPGP."""

    eta_u: float
    eta_v: float
    steps_u: Steps = 5
    steps_v: Steps = 1
    momentum: float = 0.0
    weight_decay: float = 0.0
    decay: float = 1.0
    batch: str = "per-round"

    def __post_init__(self) -> None:
        checked(self.name, shared_rules(self))
        chosen(self.name, "batch", self.batch, BATCHES)

    def phases(self, t: int) -> tuple[Phase, Phase]:
        etas, steps = (self.eta_v, self.eta_u), (self.steps_v, self.steps_u)
        common = (self.batch == "per-round", self.momentum, self.weight_decay)
        return two_phases(t, etas, steps, self.decay, *common)
