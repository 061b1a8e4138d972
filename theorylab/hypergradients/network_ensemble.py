"""K networks whose predictions are averaged: pdbo's personalised problems with CNNs or MLPs.

The losses are those of ``softmax_ensemble`` with logits z_k = net(W_k; a) in place of W_k^T a; a
point is (W_1, .., W_K), each the parameters of one network, flattened in the module's order.
Derivatives come from torch.func, forward over reverse, vmapped over the k vectors, the K networks
and the copies (run, client). Copies go through in pieces that fit ``memory``, those with equally
many samples together; a client's samples in blocks where one copy alone would not fit.

Not convex, and with ReLU and max-pooling not smooth: the products are those of the smooth piece
that the point lies in. Assumption 1 fails; rho(A_zz) < 1 at the point is what there is to check.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.extras import need
from theorylab.hypergradients._bilevel import Array, Bilevel, Floats, Sample
from theorylab.hypergradients._personal_data import PersonalData, PersonalOptions, held
from theorylab.hypergradients.torch_model import TorchBilevel
from theorylab.kernels import Stream
from theorylab.problems._network_options import image_shape, widths
from theorylab.problems._options import count, switch

_SMALL = 16  # pixels: below, convolutions are 3x3 and keep the size; from here on 5x5 and shrink it


class NetworkEnsemble(TorchBilevel):
    """The problem above. Points are tensors of ``dtype`` on ``device``.

    Args:
        data: each client's samples. model: "mlp" or "cnn".
        options: components, what lambda holds, the l2 weights, the minibatch, the data of F_i.
        channels: of the convolutions, each followed by ReLU and a 2x2 max-pool; (4, 8).
        kernel: their side; 3 on images below 16x16, else 5.
        hidden: units of the linear layers before the last; none for a CNN, (16,) for an MLP.
        dtype: "float64" or "float32". device: "cpu", "cuda" or "cuda:k".
        memory: bytes that one piece may take, about. tf32: as of ``TorchBilevel``.

    The paper's CNN for EMNIST is that of Marfoq et al. 2021: two 5x5 convolutions and a hidden
    layer, far wider than the defaults, which are chosen to be quick (666 numbers on the digits).
    """

    name = "network-ensemble"

    def __init__(
        self,
        data: PersonalData,
        model: str,
        options: PersonalOptions,
        *,
        channels: Sequence[int] | None = None,
        kernel: int | None = None,
        hidden: Sequence[int] | None = None,
        dtype: str = "float64",
        device: str = "cpu",
        memory: int = 2**28,
        tf32: bool = False,
    ) -> None:
        where = options.where
        if dtype not in ("float32", "float64"):
            raise ValueError(f"{where}: dtype is {dtype!r}; need float32 or float64")
        self.options, self.memory = options, count(where, "memory", memory)
        need(where, "torch")
        import torch

        from theorylab.problems._device import device_named
        from theorylab.problems._network_modules import kept_numbers, layout

        self.unit = float(torch.finfo(getattr(torch, dtype)).eps) / 2
        kind, place = getattr(torch, dtype), device_named(where, device)
        self._module = _module(where, data, model, channels, kernel, hidden)
        self._scale, self._classes = float(data.source.scale), data.source.classes
        self._layout = layout(self._module, 1)
        self._single = self._layout.blocks[-1]
        self.groups = options.groups(self._classes)
        self.part_sizes = {part: each.sizes for part, each in data.parts.items()}
        self._tensors = {
            part: tuple(
                torch.as_tensor(each, device=place).to(kind if each.dtype.kind == "f" else None)
                for each in (padded.features, np.maximum(padded.labels, 0), padded.shares())
            )
            for part, padded in (
                (part, held(one.inputs, one.labels, one.sizes)) for part, one in data.parts.items()
            )
        }
        super().__init__(
            self._inner,
            self._mean,
            self._tensors["train"],
            options.components * self._single,
            max(each.stop for each in self.groups.values()),
            outer_data=self._tensors[options.outer],
            batch=options.batch,
            tf32=switch(where, "tf32", tf32),
        )
        self._losses["right"] = self._count
        self.rows = self.part_sizes["train"]
        self._rates = self.points(options.rates(self.groups))
        shape = data.parts["train"].inputs.shape[1:]
        each = kept_numbers(self._module, shape, False) * options.components
        self._per_sample = 4 * kind.itemsize * each  # numbers, their gradients, room for two more

    def _chances(self, x: Array, lam: Array, inputs: Array) -> Array:
        """log pi_k + log p_k, (K, m, C), for one client."""
        import torch

        K = self.options.components
        laid = self._layout.shapes  # split, not slices: its derivative is one concatenation
        parts = x.reshape(K, self._single).split([high - low for low, high, _ in laid.values()], 1)
        named = {
            name: part.reshape(K, *shape)
            for part, (name, (_, _, shape)) in zip(parts, laid.items(), strict=True)
        }
        scaled = inputs.to(x.dtype) * self._scale

        def logits(one: dict[str, Array]) -> Array:
            return torch.func.functional_call(self._module, one, (scaled,))

        each = torch.func.vmap(logits)(named).log_softmax(-1)
        if "components" not in self.groups:
            return each
        return each + lam[self.groups["components"]].log_softmax(0)[:, None, None]

    def _mean(self, x: Array, lam: Array, inputs: Array, labels: Array, share: Array) -> Array:
        """sum_j share_j loss_j: F_i without the l2 weight of lambda."""
        import torch

        every = self._chances(x, lam, inputs)
        index = labels[None, :, None].expand(len(every), -1, 1)
        return -(torch.logsumexp(every.gather(-1, index)[..., 0], 0) * share).sum()

    def _inner(self, x: Array, lam: Array, inputs: Array, labels: Array, share: Array) -> Array:
        """f_i without its l2 weight: sums over blocks of samples stay sums."""
        if "labels" in self.groups:
            share = share * self._classes * lam[self.groups["labels"]].softmax(0)[labels]
        return self._mean(x, lam, inputs, labels, share)

    def _count(self, x: Array, lam: Array, inputs: Array, labels: Array, share: Array) -> Array:
        import torch

        best = torch.logsumexp(self._chances(x, lam, inputs), 0).argmax(-1)
        return ((best == labels) & (share > 0)).sum()

    def _mapped(self, what: str, data: tuple[Any, ...], drawn: bool, *points: Array) -> Any:
        import torch
        from torch.func import vmap

        runs, n = max(part.shape[0] for part in points), self.clients
        flat = [part.expand(runs, *part.shape[1:]).flatten(0, 1) for part in points]
        lengths = (data[-1] > 0).sum(-1)
        lengths = (lengths if drawn else lengths.expand(runs, n)).flatten()
        order = torch.argsort(lengths, stable=True)  # little padding within a piece
        each, vectors = self._losses[what], len(points) > 2
        if vectors:
            each = vmap(each, in_dims=(None, None, 0, None, None, None))
        mapped = vmap(each)
        per_sample = self._per_sample * (1 + 2 * points[2].shape[2] if vectors else 1)
        fit = max(1, self.memory // per_sample)  # samples of all copies of a piece
        longest = int(lengths.max())
        made = []
        for here in _pieces(order, lengths[order], fit):
            at = [part[here] for part in flat]
            rows = here if drawn else here % n
            source = [part.flatten(0, 1) for part in data] if drawn else data
            total: Any = 0
            for low in range(0, int(lengths[here].max()), fit):
                batch = (part[rows, low : low + fit][:, : longest - low] for part in source)
                found = mapped(*at, *batch)
                found = found if isinstance(found, tuple) else (found,)
                total = [a + b for a, b in zip(total, found, strict=True)] if total else found
            made.append(total)
        back = torch.argsort(order)
        whole = [torch.cat(parts)[back] for parts in zip(*made, strict=True)]
        whole = [part.reshape(runs, n, *part.shape[1:]) for part in whole]
        return tuple(whole) if len(whole) > 1 else whole[0]

    def _batch(self, sample: Sample) -> tuple[tuple[Any, ...], bool]:
        (inputs, labels, share), drawn = super()._batch(sample)
        if sample is not None:
            share = share.new_full(share.shape, 1 / sample.shape[-1])
        return (inputs, labels, share), drawn

    def inner_gradient(self, x: Array, lam: Array, sample: Sample = None) -> Array:
        return super().inner_gradient(x, lam, sample) + self.options.reg * x

    def inner_hvp(self, x: Array, lam: Array, u: Array, sample: Sample = None) -> Array:
        return super().inner_hvp(x, lam, u, sample) + self.options.reg * u

    def outer(self, x: Array, lam: Array) -> Array:
        return super().outer(x, lam) + (self._rates * lam * lam).sum(-1) / 2

    def outer_gradients(self, x: Array, lam: Array) -> tuple[Array, Array]:
        g_x, g_lam = super().outer_gradients(x, lam)
        return g_x, g_lam + self._rates * lam

    def initial(self, seed: int, runs: NDArray[np.int64]) -> Floats:
        """PyTorch's law of every layer (``theorylab.problems``), each network its own draw."""
        K, laid = self.options.components, self._layout
        u = Stream(seed, "init").uniform(runs, 1, 0, 0, self.dim)
        x = np.tile(laid.offset, K) + (2 * u - 1) * np.tile(laid.bound, K)
        return np.repeat(x, self.clients, axis=1)

    def _right(self, x: Array, lam: Array, part: str) -> Floats:
        """Of argmax sum_k pi_k p_k."""
        right = self.numbers(self._call("right", self._tensors[part], False, x, lam))
        return np.asarray(right / self.part_sizes[part])

    def describe(self) -> dict[str, Any]:
        return Bilevel.describe(self)


def _pieces(order: Array, lengths: Array, fit: int) -> Iterator[Array]:
    """Runs of ``order`` (copies by ascending length) that, padded, hold ``fit`` samples or fewer.

    At least one copy each.
    """
    start = 0
    while start < len(order):
        counts = np.arange(1, len(order) - start + 1)
        fits = counts * np.asarray(lengths[start:].cpu()) <= fit
        end = start + max(1, int(np.count_nonzero(fits)))  # ascending: a prefix of them fits
        yield order[start:end]
        start = end


def _module(
    where: str, data: PersonalData, model: str, channels: Any, kernel: Any, hidden: Any
) -> Any:
    from theorylab.problems._network_modules import cnn, mlp

    inner = [16] if hidden is None and model == "mlp" else hidden
    inner = widths(where, "hidden", inner) if inner else []
    part = data.parts["train"]
    if model == "mlp":
        return mlp(int(np.prod(part.inputs.shape[1:])), inner, data.source.classes)
    shape = image_shape(where, data.source, part)
    small = min(shape[1:]) < _SMALL
    wide = (4, 8) if channels is None else widths(where, "channels", channels)
    side = (3 if small else 5) if kernel is None else count(where, "kernel", kernel)
    padding = side // 2 if small else 0
    left = min(shape[1:])
    for _ in wide:
        left = (left + 2 * padding - side + 1) // 2
    if left < 1:
        raise ValueError(
            f"{where}: {len(wide)} convolutions of {side}x{side} leave nothing of images of "
            f"{shape[1]}x{shape[2]}; need fewer channels or a smaller kernel"
        )
    return cnn(shape, wide, side, padding, inner, data.source.classes)
