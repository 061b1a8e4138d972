"""The rounds of ``theorylab.bench._round_peers`` in JAX.

One jitted scan goes over all of them, and is compiled beforehand.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.bench._round_peers import DEGREE, ETA, SEED, SHARE, Loop

Array = NDArray[Any]
_WORD = 32  # bits of a draw: a receiver's chance is off by n 2^-32 of itself
_TINY = 4000  # products of a client and round: below it XLA's own loop beats a call of its product


class JaxLoop(Loop):
    """Float64. Draws are XLA's own generator ("rbg"), which is faster here than threefry.

    P acts by one scatter. On quadratics the product is a dot, or a sum that XLA fuses.
    """

    name = "jax"

    def __init__(self, losses: Any, runs: int, way: str = "", threads: int = 2) -> None:
        super().__init__(losses, runs, way)
        free = cores(threads)
        try:  # the first use counts the cores
            jax: Any = importlib.import_module("jax")
            jax.devices("cpu")
        finally:
            free()
        self.jax = jax
        with self.precise():
            self.tables = jax.numpy.asarray(self.H), jax.numpy.asarray(self.c)
        self.compiled: dict[int, Any] = {}

    @classmethod
    def variants(cls, losses: Any, runs: int) -> tuple[str, ...]:
        return ("dot", "sum") if losses.dim**2 * runs <= _TINY else ("dot",)

    def precise(self) -> Any:
        """float64 inside, whatever the caller uses JAX for."""
        jax = self.jax
        if hasattr(jax, "enable_x64"):
            return jax.enable_x64(True)
        return importlib.import_module("jax.experimental").enable_x64()  # before 0.8

    def made(self, key: Any, rounds: int) -> tuple[Any, Any]:
        jnp, random, n = self.jax.numpy, self.jax.random, self.n
        one, other = random.split(key)
        bits = random.bits(one, (DEGREE, rounds, n), jnp.uint32).astype(jnp.uint64)
        chosen: list[Any] = []
        for k in range(DEGREE):
            top = n - 1 - DEGREE + k
            drawn = ((bits[k] * (top + 1)) >> _WORD).astype(jnp.int32)
            seen = jnp.zeros(drawn.shape, bool)
            for each in chosen:
                seen |= each == drawn
            chosen.append(jnp.where(seen, top, drawn))
        receivers = jnp.stack([each + (each >= jnp.arange(n)) for each in chosen], axis=2)
        if not self.scale:
            return receivers, None
        noise = random.normal(other, (rounds, n, self.d, self.runs), jnp.float64)
        return receivers, noise * self.scale

    def step(self, state: Any, draws: tuple[Any, Any], tables: tuple[Any, Any]) -> Any:
        jnp, (receivers, noise), (H, c) = self.jax.numpy, draws, tables
        x, w = state[:, :-1].reshape(self.n, self.d, self.runs), state[:, -1]
        y = x / w[:, None, None] - c
        g = H @ y if self.way == "dot" else (H[:, :, :, None] * y[:, None]).sum(axis=2)
        if noise is not None:
            g = g + noise
        half = jnp.concatenate([(x - ETA * g).reshape(self.n, -1), w[:, None]], axis=1) * SHARE
        return half.at[receivers.T.ravel()].add(jnp.tile(half, (DEGREE, 1)))

    def draws(self, rounds: int) -> tuple[Array, Array | None]:
        with self.precise():
            made = self.made(self.jax.random.key(SEED, impl="rbg"), rounds)
        return np.asarray(made[0]), None if made[1] is None else np.asarray(made[1])

    def round(self, state: Array, receivers: Array, noise: Array | None) -> Array:
        with self.precise():
            made = self.step(self.jax.numpy.asarray(state), (receivers, noise), self.tables)
        return np.asarray(made)

    def run(self, rounds: int) -> Array:
        """All in one call; the first of a number of rounds compiles it."""
        with self.precise():
            if rounds not in self.compiled:
                self.compiled[rounds] = self.jax.jit(self.whole(rounds))
            made = self.compiled[rounds](self.jax.numpy.asarray(self.start()), self.tables)
            return np.asarray(made)

    def whole(self, rounds: int) -> Any:
        jax, block = self.jax, self.block

        def blocks(state: Any, tables: Any) -> Any:
            key = jax.random.key(SEED, impl="rbg")

            def several(state: Any, first: Any, T: int) -> Any:
                def one(state: Any, draws: Any) -> tuple[Any, None]:
                    return self.step(state, draws, tables), None

                return jax.lax.scan(one, state, self.made(jax.random.fold_in(key, first), T))[0]

            def whole(state: Any, number: Any) -> tuple[Any, None]:
                return several(state, number, block), None

            full, left = divmod(rounds, block)
            state, _ = jax.lax.scan(whole, state, jax.numpy.arange(full))
            return several(state, full, left) if left else state

        return blocks


def cores(threads: int) -> Callable[[], None]:
    """Keep this process on ``threads`` cores, as a library that counts them wants; undo by a call.

    A thread keeps the cores that it was born with.
    """
    if not hasattr(os, "sched_setaffinity"):
        return lambda: None
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, set(sorted(before)[:threads]))
    return lambda: os.sched_setaffinity(0, before)
