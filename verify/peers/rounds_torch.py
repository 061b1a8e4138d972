"""The rounds of ``theorylab.bench._round_peers`` in eager torch."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.bench._round_peers import DEGREE, ETA, SEED, SHARE, Loop

Array = NDArray[Any]


class TorchLoop(Loop):
    """Eager torch. P acts by ``index_add_`` of rows, or by a dense product in small networks."""

    name = "torch"

    def __init__(self, losses: Any, runs: int, way: str = "") -> None:
        import torch

        super().__init__(losses, runs, way)
        self.torch, self.me = torch, torch.arange(self.n)[:, None]
        self.tables = torch.from_numpy(np.ascontiguousarray(self.H)), torch.from_numpy(self.c)

    def made(self, generator: Any, rounds: int) -> tuple[Any, Any]:
        torch, n = self.torch, self.n
        chosen = torch.empty((rounds, n, DEGREE), dtype=torch.int64)
        for k in range(DEGREE):
            top = n - 1 - DEGREE + k
            drawn = torch.randint(top + 1, (rounds, n), generator=generator)
            seen = (chosen[:, :, :k] == drawn[:, :, None]).any(dim=2)
            chosen[:, :, k] = drawn.masked_fill_(seen, top)
        chosen += chosen >= self.me
        if not self.scale:
            return chosen, None
        shape = (rounds, n, self.d, self.runs)
        noise = torch.empty(shape, dtype=torch.float64).normal_(generator=generator)
        return chosen, noise.mul_(self.scale)

    def draws(self, rounds: int) -> tuple[Array, Array | None]:
        chosen, noise = self.made(self.torch.Generator().manual_seed(SEED), rounds)
        return chosen.numpy(), None if noise is None else noise.numpy()

    def step(self, state: Any, P: Any, noise: Any) -> Any:
        torch, (H, c) = self.torch, self.tables
        x, w = state[:, :-1].view(self.n, self.d, self.runs), state[:, -1]
        g = H @ (x / w[:, None, None] - c)
        if noise is not None:
            g += noise
        half = torch.cat([x.sub(g, alpha=ETA).view(self.n, -1), w[:, None]], dim=1)
        if self.way == "dense":
            return P.T @ half
        half *= SHARE
        return half.index_add(0, P.T.reshape(-1), half.repeat(DEGREE, 1))

    def matrices(self, chosen: Any) -> Any:
        if self.way != "dense":
            return chosen
        made = self.torch.diag(self.torch.full((self.n,), SHARE, dtype=self.torch.float64))
        return made.repeat(len(chosen), 1, 1).scatter_(2, chosen, SHARE)

    def round(self, state: Array, receivers: Array, noise: Array | None) -> Array:
        torch = self.torch
        P = self.matrices(torch.from_numpy(receivers.astype(np.int64))[None])[0]
        given = None if noise is None else torch.from_numpy(noise)
        made: Array = self.step(torch.from_numpy(state), P, given).numpy()
        return made

    def run(self, rounds: int) -> Array:
        torch = self.torch
        generator, state = torch.Generator().manual_seed(SEED), torch.from_numpy(self.start())
        for first in range(0, rounds, self.block):
            T = min(self.block, rounds - first)
            chosen, noise = self.made(generator, T)
            P = self.matrices(chosen)
            for t in range(T):
                state = self.step(state, P[t], None if noise is None else noise[t])
        made: Array = state.numpy()
        return made
