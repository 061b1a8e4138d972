"""What every algorithm is: options, ``init`` and ``step``; and the push-sum round they share.

An algorithm is pure: ``step`` returns a new state and modifies nothing it was given. All R runs
move together. Randomness comes from the problem and the topology, which are functions of
(seed, run, client, round, step), so a batch of runs is its runs one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from theorylab.kernels import push_mix
from theorylab.problems import Problem

Array = NDArray[Any]


@dataclass(frozen=True)
class State:
    """Round ``t`` of R runs: models x (R, n, d), push-sum weights w (R, n), debiased z = x / w."""

    t: int
    x: Array
    w: Array
    z: Array


@dataclass
class LocalGradients:
    """What one round's local steps saw, recorded on request.

    ``plain[k]`` is line 7's gradient of step k+1 and ``used[k]`` the one that enters the momentum
    (line 9), each (R, n, d); ``half`` is x^{t+1/2}.
    """

    plain: list[Array]
    used: list[Array]
    half: Array | None = None


@dataclass(frozen=True)
class Context:
    """One round's surroundings. ``mixing`` is P(t): one CSR matrix, or a list with one a run."""

    problem: Problem
    mixing: Any
    seed: int
    runs: NDArray[np.int64]
    record: LocalGradients | None = None


class Algorithm(Protocol):
    """``init`` makes the first state, ``step`` one communication round."""

    @property
    def name(self) -> str: ...

    def init(self, x0: Array) -> State: ...

    def step(self, state: State, context: Context) -> State: ...

    def options(self) -> dict[str, float]: ...


def start(x0: Array) -> State:
    """x_i^0 = z_i^0 = x0 with weights 1 (Algorithm 1, input). ``x0`` (R, n, d), not NaN."""
    if x0.ndim != 3:
        raise ValueError(f"init: x0 has shape {x0.shape}; need (R, n, d)")
    if not np.all(np.isfinite(x0)):
        raise ValueError("init: x0 holds a NaN or an infinity; need finite numbers")
    x = np.ascontiguousarray(x0).copy()
    return State(0, x, np.ones(x.shape[:2], x.dtype), x.copy())


def mix(state: State, half: Array, mixing: Any) -> State:
    """Lines 14 to 16 of Algorithm 1: x = P x^{t+1/2}, w = P w, z = x / w."""
    x, w, z = push_mix(mixing, half, state.w)
    return State(state.t + 1, x, w, z)


def local_steps(
    state: State,
    context: Context,
    *,
    eta: float,
    steps: int,
    alpha: float = 0.0,
    rho: float = 0.0,
) -> Array:
    """Lines 3 to 13 of Algorithm 1 of dfedsgpsm: K local steps with momentum and SAM.

    Returns x^{t+1/2}, shape (R, n, d). Where a gradient is 0, line 8's direction is 0/0; no step
    is taken there.
    """
    problem, record = context.problem, context.record
    x = state.x.copy()
    weight = state.w[:, :, None]
    v: Array | None = None
    z = state.z
    for k in range(steps):
        if k:
            z = x / weight
        sample = problem.sample(context.seed, context.runs, state.t, k)
        g = problem.stochastic_gradient(z, sample)
        used = g
        if rho:
            norm = np.sqrt(np.sum(g * g, axis=2, keepdims=True))
            direction = np.divide(g, norm, out=np.zeros_like(g), where=norm > 0)
            used = problem.stochastic_gradient(z + z.dtype.type(rho) * direction, sample)
        if record is not None:
            record.plain.append(g)
            record.used.append(used)
        v = used if v is None or not alpha else x.dtype.type(alpha) * v + used
        x -= x.dtype.type(eta) * v
    if record is not None:
        record.half = x
    return x


def checked(name: str, rules: Sequence[tuple[str, float, Callable[[float], bool], str]]) -> None:
    """Raise one line for the first option that breaks its rule: (option, value, rule, need)."""
    for option, value, rule, need in rules:
        if not np.isfinite(value) or not rule(value):
            raise ValueError(f"{name}: {option} is {value!r}; need {need}")
