"""Many copies of one network, each on samples of its own, in one vectorised pass.

Imports torch, so it is itself imported only where a network is built.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from theorylab.problems._network_data import Part
from theorylab.problems._network_modules import Layout, kept_numbers
from theorylab.problems._network_passes import ARGUMENTS, Passes
from theorylab.problems._network_stacks import Named
from theorylab.problems._options import Array
from theorylab.problems._replays import Replays
from theorylab.problems._tf32 import float32_products

Batch = tuple[Tensor, Tensor, Tensor]  # inputs, labels and weights of samples (P, b)
_BLOCKS = 64, 512  # samples of one copy in one product, at most: of a client's, of all clients'
_BLOCKS_THERE = 512, 8192  # on a GPU, which works on few for as short a time as Python queues them
_CACHE = 2**24  # bytes; beyond it, fresh memory costs more than the arithmetic


class Copies:
    """What copies of ``module`` make of ``parts`` ("train", "test") of the data.

    Every method reads ``what``: "loss" (weighted sum of cross entropies), "right" (weighted count
    of right answers), or a gradient of the loss, with respect to the body "u", the head "v" or
    "both"; and writes to nothing it was given. scale: inputs are multiplied by it; None: tokens.
    tf32: whether products on a GPU may be rounded to TF32. On a GPU all that is made at points,
    and rounds of local steps, is recorded once and played from then on.
    """

    def __init__(
        self,
        module: nn.Module,
        layout: Layout,
        parts: Mapping[str, Part],
        scale: float | None,
        dtype: torch.dtype,
        device: torch.device,
        memory: int,
        tf32: bool,
        where: str,
    ) -> None:
        self._tf32, self._host = tf32, device.type == "cpu"
        self._replays = None if self._host else Replays(where)
        self._blocks = _BLOCKS if self._host else _BLOCKS_THERE
        self._layout, self._parts, self._scale = layout, parts, scale
        self._dtype, self._device, self._memory = dtype, device, memory
        self._inputs = {k: torch.as_tensor(p.inputs, device=device) for k, p in parts.items()}
        self._labels = {k: torch.as_tensor(p.labels, device=device) for k, p in parts.items()}
        self._starts = torch.as_tensor(parts["train"].starts, device=device)
        self._counts: tuple[Array, Tensor] | None = None
        self._dim = layout.blocks[-1]
        shape = parts["train"].inputs.shape[1:]
        # Kept numbers and their gradients; a model, its gradient twice, and room for one more.
        kept = kept_numbers(module, shape, scale is None)
        self._passes = Passes(module, self._host, kept)
        self._per_sample = 2 * dtype.itemsize * kept
        self._per_model = 4 * dtype.itemsize * self._dim

    def sampled(self, what: str, x: Tensor, sample: Array) -> Tensor:
        """The mean over rows ``sample`` (R, n, b) of each client's own training data, at x (P, d).

        Returns (P, d), or (P, d_u) or (P, d_v) for a part. P = R n.
        """
        rows = self._rows([sample], len(x))[0]
        with torch.no_grad():
            made = [
                self._played(("gradient", what), self._drawn, x[here], rows[here], what=what)
                for here in self._pieces(*rows.shape)
            ]
        return made[0] if len(made) == 1 else torch.cat(made)

    def own(self, what: str, x: Tensor, part: str = "train") -> Tensor:
        """The mean over all of each client's own data, at x (R, n, d): (R, n) or (R, n, size)."""
        runs, n = x.shape[:2]
        flat, total = x.reshape(-1, self._dim), self._zeros(what, runs, n)
        width = min(self._blocks[0], max(1, self._memory // self._per_sample))
        for clients, rows, share in self._parts[part].blocks(width):
            models = (np.arange(runs)[:, None] * n + clients).ravel()
            made = self._mapped(
                what, part, flat, models, np.tile(rows, (runs, 1)), np.tile(share, (runs, 1))
            )
            total[:, torch.as_tensor(clients, device=x.device)] += made.reshape(
                runs, -1, *made.shape[1:]
            )
        return total

    def pooled(self, what: str, x: Tensor) -> Tensor:
        """The mean over clients of the mean over their training data, at x (R, d)."""
        total, weights = self._zeros(what, len(x)), self._parts["train"].weights()
        width = min(self._blocks[1], max(1, self._memory // self._per_sample))
        for low in range(0, len(weights), width):
            share = weights[low : low + width]
            shape = (len(x), len(share))
            rows = np.broadcast_to(np.arange(low, low + len(share)), shape)
            total += self._mapped(what, "train", x, None, rows, np.broadcast_to(share, shape))
        return total

    def variance(self, x: Tensor) -> Tensor:
        """The mean over each client's training samples of |grad - mean grad|^2, at x (R, d)."""
        train = self._parts["train"]
        runs, n = len(x), len(train.sizes)
        mean = self.own("both", x[:, None].expand(runs, n, self._dim))
        owners = torch.as_tensor(train.owners(), device=x.device)
        share = torch.as_tensor(1 / train.sizes, dtype=x.dtype, device=x.device)[owners]
        total = torch.zeros(runs, n, dtype=x.dtype, device=x.device)
        width = max(1, self._memory // (runs * (self._per_model + self._per_sample)))
        for low in range(0, len(owners), width):
            here = owners[low : low + width]
            rows = np.arange(low, low + len(here))
            each = self._mapped(
                "both", "train", x, np.repeat(np.arange(runs), len(rows)),
                np.tile(rows, runs)[:, None], np.ones((runs * len(rows), 1)),
            ).reshape(runs, len(rows), self._dim)  # fmt: skip
            # The mean is subtracted first: a difference of squares would cancel.
            square = (each - mean[:, here]).square_().sum(-1)
            total.index_add_(1, here, square * share[low : low + width])
        return total

    def walk(
        self,
        x: Tensor,
        w: Tensor,
        samples: list[Array] | Tensor,
        *,
        counts: Array | None,
        eta: float,
        alpha: float,
        rho: float,
        reg: float,
    ) -> Tensor:
        """``Problem.local_steps`` at x (P, d), w (P,), counts (P,), with samples[k] (R, n, b).

        Piece by piece, all steps of a piece before the next: its arrays stay in the cache. Every
        operation is that of the loop over stochastic gradients, on the same pieces.
        """
        rows = self._rows(samples, len(x))
        limits = x.new_empty(0) if counts is None else self._beside(counts)
        out, numbers = torch.empty_like(x), {"alpha": alpha, "rho": rho, "reg": reg}
        with torch.no_grad():
            for here in self._pieces(len(x), rows.shape[2]):
                most = limits if counts is None else limits[here]
                out[here] = self._played(
                    ("walk", *numbers.values()), self._walked,
                    x[here], w[here], rows[:, here], most, eta, **numbers,
                )  # fmt: skip
        return out

    def _walked(
        self, x: Tensor, w: Tensor, rows: Tensor, limits: Tensor, eta: Any, **number: float
    ) -> Tensor:
        """``walk`` of one piece: rows (K, P, b), limits (P,), or (0,) where all do every step."""
        alpha, rho, reg = number["alpha"], number["rho"], number["reg"]
        y, weight = x.clone(), w[:, None]
        z, g, ahead, move = (torch.empty_like(x) for _ in range(4))
        v: Tensor | None = None
        for k, row in enumerate(rows):
            batch = self._batch("train", row, x.new_full(row.shape, 1 / row.shape[1]))
            torch.div(y, weight, out=z)
            self._decayed(z, batch, reg, g)
            if rho:
                norm = torch.mul(g, g, out=move).sum(-1, keepdim=True).sqrt_()
                torch.div(g, norm.masked_fill_(norm == 0, 1), out=ahead).mul_(rho).add_(z)
                self._decayed(ahead, batch, reg, g)
            v = g if not alpha else g.clone() if v is None else v.mul_(alpha).add_(g)
            torch.mul(v, eta, out=move)
            if len(limits):
                move.masked_fill_(limits[:, None] <= k, 0)
            y -= move
        return y

    def _played(
        self, key: tuple[Any, ...], function: Callable[..., Tensor], *inputs: Any, **numbers: Any
    ) -> Tensor:
        """``function(*inputs, **numbers)``; on a GPU as a recording. key: it and the numbers."""
        if self._replays is None:
            return function(*inputs, **numbers)
        return self._replays(key, functools.partial(function, **numbers), *inputs)

    def _rows(self, samples: list[Array] | Tensor, copies: int) -> Tensor:
        """Row numbers of clients as rows of the part, (K, copies, b)."""
        if not isinstance(samples, Tensor):
            samples = torch.stack([self._index(sample) for sample in samples])
        return (samples + self._starts[:, None]).reshape(len(samples), copies, -1)

    def _beside(self, counts: Array) -> Tensor:
        """Numbers of steps on the device; they go up once as long as they are equal."""
        kept = self._counts
        if kept is None or not np.array_equal(kept[0], counts):
            self._counts = kept = counts.copy(), self._index(counts)
        return kept[1]

    def _decayed(self, z: Tensor, batch: Batch, reg: float, out: Tensor) -> None:
        self._on_batch(z, batch, "both", out)
        if reg > 0:
            out.add_(z, alpha=reg)

    def _drawn(self, x: Tensor, rows: Tensor, what: str) -> Tensor:
        """Copy k is x[k], on ``rows[k]`` of the training data, with equal weights."""
        return self._made(x, rows, x.new_full(rows.shape, 1 / rows.shape[1]), what, "train")

    def _pieces(self, copies: int, samples: int) -> Iterator[slice]:
        """Copies that are stepped together, within the memory; on the host what the cache holds, 8
        or more, or one. A GPU queues as many launches for a piece as for all of them."""
        each = self._per_model + samples * self._per_sample
        near = max(8, _CACHE // each) if self._host else copies
        if self._passes.alone(samples):
            near = 1
        piece = max(1, min(near, self._memory // each))
        for start in range(0, copies, piece):
            yield slice(start, start + piece)

    def _mapped(
        self, what: str, part: str, x: Tensor, models: Array | None, rows: Array, weights: Array
    ) -> Tensor:
        """Copy k is x[models[k]], or x[k], on ``rows[k]`` of the part, with ``weights[k]``."""
        low, high = self._span(what)
        copies, samples = rows.shape
        shape = (copies, high - low) if what in ARGUMENTS else (copies,)
        out = torch.empty(shape, dtype=x.dtype, device=x.device)
        with torch.no_grad():
            for here in self._pieces(copies, samples):
                points = x[here] if models is None else x[self._index(models[here])]
                weight = torch.as_tensor(weights[here].astype(np.float64)).to(x)
                out[here] = self._played(
                    (what, part), self._made, points, self._index(rows[here]), weight,
                    what=what, part=part,
                )  # fmt: skip
        return out

    def _made(self, x: Tensor, rows: Tensor, weights: Tensor, what: str, part: str) -> Tensor:
        """Copy k is x[k], on ``rows[k]`` of the part, with ``weights[k]``: (P,) or (P, size)."""
        return self._on_batch(x, self._batch(part, rows, weights), what)

    def _batch(self, part: str, rows: Tensor, weights: Tensor) -> Batch:
        inputs = self._inputs[part][rows]
        if self._scale is not None:
            inputs = inputs.to(self._dtype) * self._scale
        return inputs, self._labels[part][rows], weights

    def _on_batch(self, x: Tensor, batch: Batch, what: str, out: Tensor | None = None) -> Tensor:
        """Copy k is x[k], on samples (P, b). out: takes the gradient, instead of fresh memory."""
        if self._host and x.storage_offset():  # a product's last bits depend on where numbers lie
            x = x.clone()
        if what == "both" and self._passes.perceptron:
            out = torch.empty_like(x) if out is None else out
            point, slopes = (body | head for body, head in map(self._views, (x, out)))
            self._passes.perceptron.slopes(point, batch, slopes)
            return out
        with float32_products(self._tf32):
            found = self._passes(what, *self._views(x), *batch)
        if what not in ARGUMENTS:
            return found  # type: ignore[no-any-return]  # of vmap
        each = {name: g for named in found for name, g in named.items()}
        low, high = self._span(what)
        laid = [
            n for n, (begin, end, _) in self._layout.shapes.items() if low <= begin < end <= high
        ]
        return torch.cat([each[name].flatten(1) for name in laid], 1, out=out)

    def _views(self, points: Tensor) -> tuple[Named, Named]:
        """Points (P, d) as parameters (P, ...) of the body and of the head, without a copy."""
        parts: tuple[Named, Named] = ({}, {})
        for name, (low, high, shape) in self._layout.shapes.items():
            parts[low >= self._layout.shared][name] = points[:, low:high].view(-1, *shape)
        return parts

    def _span(self, what: str) -> tuple[int, int]:
        shared = self._layout.shared
        return {"u": (0, shared), "v": (shared, self._dim)}.get(what, (0, self._dim))

    def _zeros(self, what: str, *shape: int) -> Tensor:
        low, high = self._span(what)
        full = (*shape, high - low) if what in ARGUMENTS else shape
        return torch.zeros(full, dtype=self._dtype, device=self._device)

    def _index(self, numbers: Array) -> Tensor:
        if isinstance(numbers, torch.Tensor):
            return numbers
        return torch.from_numpy(np.array(numbers, np.int64)).to(self._device)
