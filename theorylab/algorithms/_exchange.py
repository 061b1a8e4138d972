"""The exchanges of the built-in methods: push-sum with weights, and plain gossip."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from theorylab.algorithms._base import Array, Context, State
from theorylab.algorithms._travel import Delayed as Delayed
from theorylab.algorithms._travel import Exchange


def mix(state: State, half: Array, context: Context) -> State:
    """Lines 14 to 16 of Algorithm 1: x = P x^{t+1/2}, w = P w, z = x / w.

    Raises MassError where the network conserves and the sums are not kept; ValueError where a
    client is left without weight (it received nothing and kept nothing). On a GPU, when
    ``context.audits`` next looks.
    """
    exchange = context.exchange or Exchange(state.t, state.flight)
    first, audits, t = exchange.calls, context.audits, state.t
    link = context.link()
    x, w, z = exchange.pair(link.mixing, half, state.w, context.uploaded)
    audits.weights(t, w)
    if link.conserves:
        audits.sums(t, "weight", state.w, w, *exchange.way(first + 1))
        if audits.models_of(t):
            audits.sums(t, "x", half, x, *exchange.way(first))
    flight = state.flight if context.exchange else exchange.flight()
    return State(t + 1, x, w, z, state.v, flight, state.memory)


def gossip(state: State, half: Array, context: Context, times: int = 1) -> State:
    """x = P^times x^{t+1/2} without weights: z is x, and w stays 1.

    Reaches the average where P is doubly stochastic, and elsewhere is biased towards the clients
    that P favours: nothing is checked, the bias can be looked at.

    Raises ValueError on delayed messages: without weights the mass in flight would be missing.
    """
    mixing: Any = context.link().mixing
    if isinstance(mixing, Delayed):
        raise ValueError(
            "gossip: messages are delayed, but this method has no push-sum weights; need a "
            "push-sum method (sgp, osgp, dfedsgpsm, dfedpgp), or no delay"
        )
    exchange, x = context.exchange or Exchange(state.t, state.flight), half
    for _ in range(times):
        (x,) = exchange.each(mixing, [x], context.uploaded)
    return replace(state, t=state.t + 1, x=x, z=x)
