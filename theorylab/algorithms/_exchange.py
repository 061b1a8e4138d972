"""How models travel: push-sum with weights, plain gossip, delayed messages, and the mass audit.

With column-stochastic P nothing is lost: sum_i x_i and sum_i w_i, counted with what is still in
flight, are the same before and after. ``mix`` has it checked in every round (``_audit``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from theorylab.algorithms._base import Array, Context, State, namespace
from theorylab.kernels import Mixing, on_device, push_mix

_UPLOADED = 64  # matrices


@dataclass(frozen=True)
class Delayed:
    """P(t) split by arrival: what arrives at once, and what arrives in s = 1, 2, ... rounds.

    now: one CSR matrix or one a run. later[s - 1]: likewise, all (n, n). Their sum is P(t).
    """

    now: csr_array | list[csr_array]
    later: tuple[csr_array | list[csr_array], ...]


def mix(state: State, half: Array, context: Context) -> State:
    """Lines 14 to 16 of Algorithm 1: x = P x^{t+1/2}, w = P w, z = x / w.

    Raises MassError where ``context.conserves`` and the sums are not kept; ValueError where a
    client is left without weight (it received nothing and kept nothing). On a GPU, when
    ``context.audits`` next looks.
    """
    mixing = context.mixing
    if state.flight is not None and not isinstance(mixing, Delayed):
        mixing = Delayed(mixing, ())  # what is on the way still arrives
    if isinstance(mixing, Delayed):
        after = _delayed(state, half, mixing)
    else:
        x, w, z = _push(context, half, state.w)
        after = State(state.t + 1, x, w, z, state.v, None, state.memory)
    context.audits.weights(state.t, after.w)
    if context.conserves:
        context.audits.mass(state, half, after)
    return after


def gossip(state: State, half: Array, context: Context, times: int = 1) -> State:
    """x = P^times x^{t+1/2} without weights: z is x, and w stays 1.

    Reaches the average where P is doubly stochastic, and elsewhere is biased towards the clients
    that P favours: nothing is checked, the bias can be looked at.

    Raises ValueError on delayed messages: without weights the mass in flight would be missing.
    """
    if isinstance(context.mixing, Delayed):
        raise ValueError(
            "gossip: messages are delayed, but this method has no push-sum weights; need a "
            "push-sum method (sgp, osgp, dfedsgpsm, dfedpgp), or no delay"
        )
    x = half
    for _ in range(times):
        x, _, _ = _push(context, x, state.w)
    return replace(state, t=state.t + 1, x=x, z=x)


def _push(context: Context, x: Array, w: Array) -> tuple[Array, Array, Array]:
    mixing: Any = context.mixing
    mixed: tuple[Array, Array, Array]
    if type(x) is np.ndarray:
        mixed = push_mix(mixing, np.ascontiguousarray(x), w)
        return mixed
    if on_device(x) and not isinstance(mixing, list):
        mixing = _uploaded(mixing, context.uploaded)
    mixed = push_mix(mixing, x.contiguous(), w)
    return mixed


def _uploaded(P: csr_array, kept: dict[int, tuple[csr_array, Mixing]]) -> Mixing:
    """The matrix as a GPU keeps it: a periodic network gives the same object again and again."""
    if id(P) not in kept:
        if len(kept) >= _UPLOADED:
            kept.clear()
        kept[id(P)] = P, Mixing(P)
    return kept[id(P)][1]


def _delayed(state: State, half: Array, mixing: Delayed) -> State:
    """The mass on the way is kept as (R, s, n, d): the virtual clients of Assran et al. (2019)."""
    xp = namespace(half)
    R, n, d = half.shape
    waiting = 0 if state.flight is None else state.flight[0].shape[1]
    far = max(len(mixing.later), waiting, 1)
    x_way = xp.zeros((R, far + 1, n, d), dtype=half.dtype, device=half.device)
    w_way = xp.zeros((R, far + 1, n), dtype=half.dtype, device=half.device)
    if state.flight is not None:
        x_way[:, :waiting], w_way[:, :waiting] = state.flight
    for s, part in enumerate((mixing.now, *mixing.later)):  # slot 0 arrives in this round
        x_way[:, s] += _times(part, half)
        w_way[:, s] += _times(part, state.w[:, :, None])[:, :, 0]
    x, w = xp.asarray(x_way[:, 0], copy=True), xp.asarray(w_way[:, 0], copy=True)
    flight = xp.asarray(x_way[:, 1:], copy=True), xp.asarray(w_way[:, 1:], copy=True)
    return replace(state, t=state.t + 1, x=x, w=w, z=x / w[:, :, None], flight=flight)


def _times(P: Any, x: Array) -> Array:
    """P_r x_r for every run, in CSR order (R, n, d)."""
    parts = list(P) if isinstance(P, list | tuple) else [P] * x.shape[0]
    if type(x) is np.ndarray:
        return np.stack([p.astype(x.dtype, copy=False) @ x[r] for r, p in enumerate(parts)])
    import torch

    if x.device.type == "cpu":
        made = [
            torch.from_numpy(p.astype(x.numpy().dtype) @ x[r].numpy()) for r, p in enumerate(parts)
        ]
        return torch.stack(made)
    return torch.stack(
        [
            torch.as_tensor(p.toarray(), dtype=x.dtype, device=x.device) @ x[r]
            for r, p in enumerate(parts)
        ]
    )
