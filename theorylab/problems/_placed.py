"""A problem whose points live on a device: torch tensors in, torch tensors out.

Local steps run in own kernels where the device is a GPU (and then have the host's bits in float64);
losses and mean gradients, which are recorded, in torch operations. Constants are the host's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from theorylab.extras import need
from theorylab.kernels import ClientLosses, on_device
from theorylab.known import Known
from theorylab.problems._altered import draws_itself
from theorylab.problems._asked import OF_LOSSES, OF_NOISE, answers_of_base
from theorylab.problems._base import Problem, Sample
from theorylab.problems._kernel import KernelProblem, own_table
from theorylab.problems._options import Array
from theorylab.problems._placed_noise import noise_of

_OF_A_POINT = ("posteriors", "component_gradient")  # of some problems: asked of the form
Tensor = Any  # torch.Tensor; torch costs seconds to import


class Placed(Problem):
    """``base`` on a torch device.

    Everything that is not a function of a point (constants, samples, data) is the base's.

    Raises:
        TypeError: for a base that has no form on a device. ValueError: a device that is not there.
    """

    def __init__(self, base: Problem, device: str) -> None:
        need(f"{base.name} on {device}", "torch")
        import torch

        from theorylab.problems._device import device_named

        form = None if draws_itself(base) else base.torch_form
        if form is None:
            raise TypeError(
                f"{base.name}: device {device!r} came, but this problem runs on the host only; "
                "need a built-in problem, or one with the option device"
            )
        self._torch, self._device = torch, device_named(base.name, device)
        self._base = base
        self._tables_of: Any = base
        self._form = form
        self.name = base.name  # type: ignore[misc]  # of the instance: it stands for its base
        self._forms: dict[Any, Any] = {}
        self._noise = noise_of(base, self._put_whole)
        self._like = torch.zeros(1, dtype=torch.float64, device=self._device)
        super().__init__(base.clients, base.dim, base.stochastic)
        self.shared, self.blocks = base.shared, base.blocks

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        own = getattr(self._base, name)
        if name not in _OF_A_POINT:
            return own
        return lambda x, *rest: getattr(self._at(name, x, self._shape), name)(x, *rest)

    def points(self, x: Array) -> Tensor:
        """A tensor on the device, of the dtype of ``x``, holding a copy."""
        from theorylab.problems._device import tensor_of

        return tensor_of(x, self._device)

    def sample(self, seed: int, runs: Array, round: int, step: int) -> Sample | None:
        """The base's, drawn where the points live: on a GPU nothing goes up."""
        if self._noise is None or not on_device(self._like):
            return self._base.sample(seed, runs, round, step)
        drawn: Sample = self._noise.draw(self._like, seed, runs, round, step)
        return drawn

    def initial(self, seed: int, runs: Array) -> Array:
        return self._base.initial(seed, runs)

    def first_models(self, seed: int, runs: Array) -> Array:
        own = "initial" in vars(self)
        return self.initial(seed, runs) if own else self._base.first_models(seed, runs)

    def constants(self) -> dict[str, Known]:
        return self._base.constants()

    def describe(self) -> dict[str, Any]:
        return {**self._base.describe(), "device": str(self._device)}

    def loss(self, x: Tensor) -> Tensor:
        return self._at("loss", x, self._shape).loss(x)

    def gradient(self, x: Tensor) -> Tensor:
        return self._at("gradient", x, self._shape).gradient(x)

    def mean_loss(self, xbar: Tensor) -> Tensor:
        return self._at("mean_loss", xbar, (self.dim,)).mean_loss(xbar)

    def mean_gradient(self, xbar: Tensor) -> Tensor:
        return self._at("mean_gradient", xbar, (self.dim,)).mean_gradient(xbar)

    def measured_heterogeneity(self, xbar: Tensor) -> Tensor:
        form = self._at("measured_heterogeneity", xbar, (self.dim,))
        own = form.gradient(xbar[:, None].expand(len(xbar), *self._shape))
        return (own - form.mean_gradient(xbar)[:, None]).square().sum(-1).sqrt()

    def measured_noise(self, xbar: Tensor) -> Tensor:
        """Exact; computed on the host."""
        self._at("measured_noise", xbar, (self.dim,))
        return self._put(self._base.measured_noise(xbar.cpu().numpy()), xbar.dtype)

    def stochastic_gradient(self, x: Tensor, sample: Sample | None) -> Tensor:
        form = self._at("stochastic_gradient", x, self._shape)
        if sample is None and not self.stochastic:
            return form.gradient(x)
        noise = self._noise
        shape = (len(x), self.clients, *(noise.tail if noise else ()))
        if sample is None or noise is None or tuple(sample.shape) != shape:
            need = f"{noise.what} of shape {shape}" if noise else "None"
            raise self._bad_sample(sample, need)
        return noise.gradient(form, x, self._torch.as_tensor(sample, device=self._device))

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
        """In the GPU's kernel, samples and noise drawn there; None for tensors on the host."""
        self._at("local_steps", x, self._shape)
        if not on_device(x) or not isinstance(self._tables_of, KernelProblem):
            return None
        table = self._tables_of._table(np.dtype(str(x.dtype).removeprefix("torch.")))
        made: Tensor = table.local_steps(
            x.contiguous(), w.contiguous(), seed=seed, runs=runs, round=round, steps=steps,
            counts=counts, eta=eta, alpha=alpha, rho=rho,
        )  # fmt: skip
        return made

    def _at(self, what: str, x: Tensor, tail: tuple[int, ...]) -> Any:
        """The form in the dtype of ``x``, once ``x`` is seen to be a point on the device."""
        torch = self._torch
        kind = f"{getattr(x, 'dtype', type(x).__name__)} on {getattr(x, 'device', 'the host')}"
        floats = (torch.float64, torch.float32)
        if not isinstance(x, torch.Tensor) or x.device != self._device or x.dtype not in floats:
            raise TypeError(
                f"{self.name}.{what}: x is {kind}; need a torch tensor, float32 or float64, on "
                f"{self._device}, as points() makes"
            )
        if tuple(x.shape[1:]) != tail:
            need = ",".join(map(str, tail))
            raise ValueError(f"{self.name}.{what}: x has shape {tuple(x.shape)}; need (R,{need})")
        if x.dtype not in self._forms:
            self._forms[x.dtype] = self._form(
                lambda a, whole=False: self._put(a, None if whole else x.dtype)
            )
        return self._forms[x.dtype]

    def _put_whole(self, array: Array, *, whole: bool = False, dtype: Any = None) -> Tensor:
        return self._put(array, dtype)

    def _put(self, array: Array, dtype: Any) -> Tensor:
        return self._torch.as_tensor(np.ascontiguousarray(array), dtype=dtype, device=self._device)


def placed_losses(problem: Problem, dtype: np.dtype[Any]) -> ClientLosses | None:
    """The table whose ``local_steps`` on a GPU are the problem's own; None where they are not."""
    return own_table(problem._tables_of, dtype) if type(problem) is Placed else None


def placed(problem: Problem, device: str) -> Problem:
    """The problem with its points on ``device``; itself where its points live there already.

    Args:
        device: "cpu" (as it is), "cuda" or "cuda:k".

    Raises:
        TypeError: a problem that runs on the host only. ValueError: no such device.
    """
    return problem if device == "cpu" else Placed(problem, device)


answers_of_base(Placed, {*OF_LOSSES, *OF_NOISE} - {"formula"}, "_base")
