"""A neural network on each client's own data, all R n copies stepped by torch.

    f_i(x) = (1/m_i) sum_{j in i} CE(net(x; a_j), y_j) + reg/2 |x|^2,    CE = cross entropy

A point of R^d is every parameter, flattened, layer after layer, the body first and the head last:
the head is the last ``head_layers`` linear layers ("weights and biases as the final fully-connected
layer", DePRL, experiments; "the linear classification layers as the personalized parts", DFedPGP,
Section 3.2). Points are torch tensors (R, n, d) on the problem's device, in its dtype.

Copies, each with its own minibatch, go in as many pieces as ``memory`` asks for, through a piece
as ``_network_passes`` says. The same call gives the same bits twice on one machine with the same
number of threads (CPU); pieces of another size, or a run without its batch, agree up to rounding,
because BLAS promises no more. So no verdict may rest on the last digits.
"""

from __future__ import annotations

import inspect
from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from theorylab.extras import need
from theorylab.kernels import Stream, on_device
from theorylab.known import Known
from theorylab.problems._base import Problem, Sample
from theorylab.problems._minibatches import Minibatches
from theorylab.problems._network_constants import network_constants
from theorylab.problems._network_data import Part, local
from theorylab.problems._options import Array, count, number, switch
from theorylab.problems._placed_noise import Rows

Tensor = Any  # torch.Tensor; torch costs seconds to import, and is imported where a network is made


class Network(Minibatches, Problem):
    """The problem above. Subclasses name the architecture: ``_module``.

    Args:
        data: a name that ``theorylab.data.load`` knows, or an object with the attributes of
            ``theorylab.data.Labelled``. root: the folder of the data that have a name.
        partition: as ``theorylab.data.split`` knows it, or "natural": the largest of the data's own
            clients, the default where it has any; else "dirichlet".
        alpha, classes_per_client, seed: of the partition.
        batch: samples drawn with replacement for one stochastic gradient; None: full gradients.
        reg: l2 weight >= 0. head_layers: how many of the last linear layers are personal.
        device: "cpu", "cuda" or "cuda:k". dtype: "float32" or "float64".
        memory: bytes that one piece of the copies may take, about; more copies go piece by piece.
        tf32: whether a GPU may round products and convolutions to TF32, three digits. By torch's
            own setting convolutions are, and here they are not unless this is True.
    """

    __signature__: ClassVar[inspect.Signature]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        own = [
            parameter
            for key, parameter in inspect.signature(cls.__init__).parameters.items()
            if key != "self" and parameter.kind is not inspect.Parameter.VAR_KEYWORD
        ]
        mine = inspect.signature(Network.__init__).parameters.values()
        common = [each for each in mine if each.kind is inspect.Parameter.KEYWORD_ONLY]
        cls.__signature__ = inspect.Signature([*own, *common])

    def __init__(
        self,
        clients: int,
        own: dict[str, Any],
        *,
        data: Any = "digits",
        root: str | None = None,
        partition: str | None = None,
        alpha: float | None = None,
        classes_per_client: int | None = None,
        seed: int = 0,
        batch: int | None = 32,
        reg: float = 0.0,
        head_layers: int = 1,
        device: str = "cpu",
        dtype: str = "float32",
        memory: int = 2**30,
        tf32: bool = False,
    ) -> None:
        """``own``: the architecture's options, JSON-able, for ``describe``."""
        where = self.name
        self.batch = None if batch is None else count(where, "batch", batch)
        self.reg = number(where, "reg", reg, at_least=0)
        self.memory = count(where, "memory", memory)
        head_layers = count(where, "head_layers", head_layers)
        if dtype not in ("float32", "float64"):
            raise ValueError(f"{where}: dtype is {dtype!r}; need float32 or float64")
        need(where, "torch")
        given = local(
            where, count(where, "clients", clients), data=data, root=root, partition=partition,
            alpha=alpha, classes_per_client=classes_per_client, seed=seed,
        )  # fmt: skip
        if given.source.classes < 2:
            raise ValueError(f"{where}: {given.source.name} has 1 class; need 2 or more")
        import torch

        from theorylab.problems._device import device_named, tensor_of
        from theorylab.problems._network_copies import Copies
        from theorylab.problems._network_modules import layout

        self._tensor_of = tensor_of
        self._dtype, self._device = getattr(torch, dtype), device_named(where, device)
        train, test, scale = self._prepared(given.train, given.test, given.source)
        self._train, self.classes = train, given.source.classes
        self.labels, self.starts, self.sizes = train.labels, train.starts, train.sizes
        self._tested = test.sizes > 0
        module = self._built(given.source, train)
        self._layout = layout(module, head_layers)
        most = min(self._layout.heads, len(self._layout.blocks) - 1)
        if head_layers > most:
            raise ValueError(f"{where}: head_layers is {head_layers}; need 1..{most}")
        super().__init__(clients, self._layout.blocks[-1], self.batch is not None)
        self.shared, self.blocks = self._layout.shared, self._layout.blocks
        self._copies = Copies(
            module, self._layout, {"train": train, "test": test}, scale, self._dtype, self._device,
            self.memory, switch(where, "tf32", tf32), where,
        )  # fmt: skip
        self._rows = Rows(self, self._put) if self.batch else None
        self._like = torch.zeros(1, dtype=torch.float64, device=self._device)
        self._described = given.described and {
            "name": where, "clients": clients, **own, **given.described, "batch": batch,
            "reg": self.reg, "head_layers": head_layers, "device": device, "dtype": dtype,
            "memory": memory, **({"tf32": True} if tf32 else {}),
        }  # fmt: skip

    @abstractmethod
    def _built(self, source: Any, train: Part) -> Any:
        """The module (on the device "meta") for these inputs; ValueError where there is none."""

    def _prepared(self, train: Part, test: Part, source: Any) -> tuple[Part, Part, float | None]:
        """The parts as the network reads them, and what multiplies them (None: they are tokens)."""
        if source.vocabulary:
            raise ValueError(
                f"{self.name}: {source.name} holds sequences of tokens; need images (or use lstm)"
            )
        return train, test, float(source.scale)

    def initial(self, seed: int, runs: Array) -> Array:
        """PyTorch's default law (see ``layout``), the same model for all clients of a run."""
        laid, one = self._layout, np.zeros(1, np.int64)
        u = Stream(seed, "init").uniform(runs, one, 0, 0, self.dim)[:, 0]
        x = laid.offset + (2 * u - 1) * laid.bound
        normal = np.flatnonzero(laid.spread)
        if normal.size:
            z = Stream(seed, "init").normal(runs, one, 0, 1, normal.size)[:, 0]
            x[:, normal] += laid.spread[normal] * z
        x = x.astype(np.float64 if "64" in str(self._dtype) else np.float32)
        return np.repeat(x[:, None], self.clients, axis=1)

    def sample(self, seed: int, runs: Array, round: int, step: int) -> Sample | None:
        """As of ``Minibatches``, to the bit; drawn on the GPU where the points live on one."""
        if not self._rows or not on_device(self._like):
            return super().sample(seed, runs, round, step)
        drawn: Sample = self._rows.draw(self._like, seed, runs, round, step)
        return drawn

    def points(self, x: Array) -> Tensor:
        """A tensor of the problem's dtype on its device, holding a copy of ``x``."""
        made: Tensor = self._tensor_of(x, self._device, self._dtype)
        return made

    def loss(self, x: Tensor) -> Tensor:
        """``f_i(x[r, i])`` over all of client i's data: (R, n)."""
        self._checked("loss", x, self._shape)
        return self._regularised(self._copies.own("loss", x), x)

    def gradient(self, x: Tensor) -> Tensor:
        """The gradient of ``f_i`` at ``x[r, i]``, over all of client i's data: (R, n, d)."""
        self._checked("gradient", x, self._shape)
        return self._decayed(self._copies.own("both", x), x)

    def accuracy(self, x: Tensor) -> Tensor:
        """Share of its own test samples each client's model gets right, (R, n).

        Raises ValueError where a client has none (fewer test samples than clients).
        """
        self._checked("accuracy", x, self._shape)
        if not self._tested.all():
            raise ValueError(
                f"{self.name}.accuracy: client {int(self._tested.argmin())} of {self.clients} has "
                "no test sample; need fewer clients, or another partition"
            )
        return self._copies.own("right", x, "test")

    def stochastic_gradient(self, x: Tensor, sample: Sample | None) -> Tensor:
        """The gradient on the minibatch ``sample[r, i]``: (R, n, d)."""
        return self._decayed(self._sampled("both", x, sample), x)

    def local_steps(
        self,
        x: Tensor,
        w: Tensor,
        seed: int,
        runs: Array,
        round: int,
        *,
        steps: int,
        counts: Array | None,
        eta: float,
        alpha: float,
        rho: float,
    ) -> Tensor | None:
        """The same operations, on the same pieces of the copies, in memory that is used again."""
        if self.batch is None or not steps:
            return None
        self._checked("local_steps", x, self._shape)
        own = getattr(self.sample, "__func__", None) is Network.sample  # and no object's own
        rows = self._rows if own else None
        if rows and on_device(self._like):
            drawn: Any = rows.of_steps(self._like, seed, runs, round, steps)
        else:
            drawn = [self.sample(seed, runs, round, k) for k in range(steps)]
        return self.walked(x, w, drawn, counts=counts, eta=eta, alpha=alpha, rho=rho)

    def walked(
        self, x: Tensor, w: Tensor, samples: Any, *, counts: Array | None, **step: float
    ) -> Tensor:
        """``local_steps`` on samples drawn before, one a step, or (K, R, n, b) on the device."""
        flat, points = None if counts is None else counts.ravel(), x.reshape(-1, self.dim)
        made = self._copies.walk(points, w.reshape(-1), samples, counts=flat, reg=self.reg, **step)
        return made.reshape(x.shape)

    def partial_gradient(self, x: Tensor, sample: Sample | None, part: str) -> Tensor:
        """Differentiates the body ("u") or the head ("v") alone: no backward pass below the head.

        Raises ValueError on another part.
        """
        if part not in ("u", "v"):
            raise ValueError(f"{self.name}.partial_gradient: part is {part!r}; need 'u' or 'v'")
        own = x[..., : self.shared] if part == "u" else x[..., self.shared :]
        return self._decayed(self._sampled(part, x, sample), own)

    def mean_loss(self, xbar: Tensor) -> Tensor:
        """``f(xbar[r])``, one pass over the pooled data: (R,)."""
        self._checked("mean_loss", xbar, (self.dim,))
        return self._regularised(self._copies.pooled("loss", xbar), xbar)

    def mean_gradient(self, xbar: Tensor) -> Tensor:
        """The gradient of ``f`` at ``xbar[r]``, one pass over the pooled data: (R, d)."""
        self._checked("mean_gradient", xbar, (self.dim,))
        return self._decayed(self._copies.pooled("both", xbar), xbar)

    def measured_heterogeneity(self, xbar: Tensor) -> Tensor:
        """``|grad f_i - grad f|`` at ``xbar[r]``: (R, n)."""
        self._checked("measured_heterogeneity", xbar, (self.dim,))
        spread = xbar[:, None].expand(len(xbar), *self._shape)
        gap = self._copies.own("both", spread) - self._copies.pooled("both", xbar)[:, None]
        return gap.square_().sum(-1).sqrt_()

    def measured_noise(self, xbar: Tensor) -> Tensor:
        """Exact: the variance over the client's own samples, divided by the batch: (R, n)."""
        self._checked("measured_noise", xbar, (self.dim,))
        if self.batch is None:
            return xbar.new_zeros(len(xbar), self.clients)
        return (self._copies.variance(xbar) / self.batch).sqrt_()

    def constants(self) -> dict[str, Known]:
        """What is proven of any network: see ``_network_constants``."""
        return network_constants(self._train, self.classes, self.batch)

    def describe(self) -> dict[str, Any]:
        """Raises ValueError for data that came as an object: its name would not rebuild it."""
        if self._described is None:
            raise ValueError(f"{self.name}.describe: data came as an object; need a name")
        return dict(self._described)

    def _sampled(self, what: str, x: Tensor, sample: Sample | None) -> Tensor:
        self._checked("stochastic_gradient", x, self._shape)
        if sample is None and self.batch is None:
            return self._copies.own(what, x)
        shape = (len(x), self.clients, self.batch)
        known = sample is not None and (isinstance(sample, np.ndarray) or on_device(sample))
        if self.batch is None or sample is None or not known or tuple(sample.shape) != shape:
            need = "None (batch is None)" if self.batch is None else f"row numbers of shape {shape}"
            raise self._bad_sample(sample, need)
        if isinstance(sample, np.ndarray) and (  # on a GPU a look at a number waits for all others
            sample.dtype.kind not in "iu"
            or (sample < 0).any()
            or (sample.max(2) >= self.sizes).any()
        ):
            raise ValueError(
                f"{self.name}.stochastic_gradient: sample holds {sample.dtype} "
                f"{sample.min()}..{sample.max()}; need integers in 0..m_i - 1 for client i"
            )
        return self._copies.sampled(what, x.reshape(-1, self.dim), sample).reshape(*x.shape[:2], -1)

    def _put(self, array: Array, *, whole: bool = False) -> Tensor:
        return self._tensor_of(array, self._device)

    def _regularised(self, data: Tensor, x: Tensor) -> Tensor:
        return data + 0.5 * self.reg * (x * x).sum(-1) if self.reg > 0 else data

    def _decayed(self, data: Tensor, x: Tensor) -> Tensor:
        return data.add_(x, alpha=self.reg) if self.reg > 0 else data

    def _checked(self, what: str, x: Tensor, tail: tuple[int, ...]) -> None:
        kind = f"{getattr(x, 'dtype', type(x).__name__)} on {getattr(x, 'device', 'no device')}"
        want = f"{self._dtype} on {self._device}"
        if not hasattr(x, "new_zeros") or kind != want:
            raise TypeError(
                f"{self.name}.{what}: x is {type(x).__name__}, {kind}; need a torch tensor, "
                f"{want}, as points() makes"
            )
        if tuple(x.shape[1:]) != tail:
            raise ValueError(
                f"{self.name}.{what}: x has shape {tuple(x.shape)}; "
                f"need (R,{','.join(map(str, tail))})"
            )
