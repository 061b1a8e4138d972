"""A callback of ``torch.distributed`` that writes the record of a run; docs/records.md shows it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from theorylab.extras import need


class Recorder:
    """Writes the record of a run of ``torch.distributed``.

    Every process calls it at every round, before its exchange, and once after the last.

    Args:
        path: of the .npz file, which rank 0 writes.
        loss: of a flat model (d,), over all data of this process.
        run: the id of the run.
        numbers: of the whole run, such as eta.

    Raises:
        MissingExtraError: one line, where torch is not installed.

    >>> recorder = Recorder("run.npz", loss=lambda x: (x**2).sum() / 2, eta=0.1)
    >>> callable(recorder)  # recorder(z, column) in every round, then recorder.write()
    True
    """

    def __init__(self, path: str, loss: Callable[[Any], Any], run: int = 0, **numbers: float):
        need("Recorder", "torch")
        self._path, self._loss, self._run, self._numbers = path, loss, run, numbers
        self._rows: list[Any] = []
        self._size = 0.0  # the largest coordinate so far

    def __call__(self, z: Any, column: Any, weight: float = 1.0) -> None:
        """z: this process's model (d,), debiased. column: what of its mass each process receives,
        (n,); of the call after the last round any. weight: its push-sum weight."""
        import torch
        import torch.distributed as dist

        n = dist.get_world_size()
        mean = z.detach() * weight / n
        dist.all_reduce(mean)
        value = self._loss(mean.requires_grad_())
        (slope,) = torch.autograd.grad(value, mean)
        away = ((z - mean) ** 2).sum()
        sums = torch.cat([slope, torch.stack([value, away])]).detach() / n
        dist.all_reduce(sums)
        columns = [torch.empty_like(column) for _ in range(n)]
        dist.all_gather(columns, column)
        self._rows.append((sums.double().numpy(), torch.stack(columns).double().numpy()))
        self._size = max(self._size, z.abs().max().item())
        self._numbers["precision"] = torch.finfo(z.dtype).eps

    def write(self) -> None:
        """Write the file, by rank 0."""
        import torch
        import torch.distributed as dist

        size = torch.tensor(self._size, dtype=torch.float64)
        dist.all_reduce(size, dist.ReduceOp.MAX)
        self._numbers["size"] = size.item()
        sums = np.stack([row for row, _ in self._rows])
        P = np.stack([shares for _, shares in self._rows[:-1]])  # P[t, from, to]
        t, source, target = np.nonzero(P)
        edges = {"edge_round": t, "edge_from": source, "edge_to": target}
        table = {"loss": sums[:, -2], "consensus": sums[:, -1], "round": np.arange(len(sums))}
        table["squared_gradient"] = (sums[:, :-2] ** 2).sum(axis=1)
        table["run"] = np.full(len(sums), self._run)
        if dist.get_rank() == 0:
            every = {**table, **edges, "edge_weight": P[P != 0], **self._numbers}
            np.savez(Path(self._path), **every)
