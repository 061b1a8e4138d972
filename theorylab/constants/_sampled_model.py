"""A torch model's constants, from points: a supremum over a sample is a LOWER bound."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.constants.hessian import STEPS, block_norms, largest_hessian_eigenvalue
from theorylab.constants.personalised import derived
from theorylab.kernels import Stream
from theorylab.known import How, Known

Floats = NDArray[np.float64]
Params = Mapping[str, Any]  # name -> torch.Tensor; torch costs seconds to import
Found = list[tuple[str, float, str]]  # constant, value, where


@dataclass(frozen=True)
class SampledModel:
    """Losses F_i(.; xi) given as a function, and the points to look at.

    Args:
        loss: (params, batch) -> scalar tensor, as ``torch.func`` wants it (no side effects).
        batches: batches[i] are client i's minibatches, equally likely; f_i is the average of
            their losses. One batch, all of the client's data, means full gradients.
        points: each a dict name -> floating tensor, or n such dicts, one for each client, with
            equal shared parts. All have the same names, shapes and one dtype.
        shared: names of the parameters that make up u; None for no split.

    Raises:
        ValueError: on no client, batch or point, an unknown name, or points that do not fit.
    """

    loss: Callable[[Params, Any], Any]
    batches: Sequence[Sequence[Any]]
    points: Sequence[Params | Sequence[Params]]
    shared: Collection[str] | None = None

    def __post_init__(self) -> None:
        where = "SampledModel"
        if not self.batches or not all(len(own) for own in self.batches) or not self.points:
            raise ValueError(f"{where}: no client, no batch or no point; need at least one of each")
        first = self._at(0)[0]
        shapes = {name: tuple(p.shape) for name, p in first.items()}
        unknown = sorted(set(self.shared or ()) - set(shapes))
        if unknown:
            raise ValueError(
                f"{where}: shared names {unknown[0]!r}; need some of {', '.join(shapes)}"
            )
        if self.shared is not None and not 0 < len(set(self.shared)) < len(shapes):
            raise ValueError(
                f"{where}: shared holds {len(set(self.shared))} of {len(shapes)} parameters; need "
                "at least one, and one left over"
            )
        kind = next(iter(first.values())).dtype
        for k in range(len(self.points)):
            for params in self._at(k):
                if {name: tuple(p.shape) for name, p in params.items()} != shapes or any(
                    p.dtype != kind for p in params.values()
                ):
                    raise ValueError(
                        f"{where}: point {k} has other names, shapes or dtypes than point 0; "
                        "need the same"
                    )

            if self.shared is not None and any(
                not bool((params[name] == self._at(k)[0][name]).all())
                for params in self._at(k)
                for name in self.shared
            ):
                raise ValueError(
                    f"{where}: point {k} has different shared parts; need one u for all clients"
                )

    def constants(self, *, steps: int = STEPS, seed: int = 0) -> dict[str, Known]:
        """LOWER bounds on the suprema, an UPPER one on mu, an estimate of chi.

        mu is of f, at the points that all clients share; the loss must be twice differentiable
        there for autograd to give a Hessian. A model whose gradient jumps (relu) has no finite L
        at all, and what is found is below it. All up to the rounding of the model's dtype.
        """
        made: dict[str, tuple[float, str]] = {}
        for k in range(len(self.points)):
            for name, value, source in self._visit(k, steps, seed):
                better = min if name == "mu" else max
                if name not in made or better(value, made[name][0]) == value:
                    made[name] = (value, f"point {k} of {len(self.points)}: {source}")
        known = {
            name: Known(value, How.UPPER if name == "mu" else How.LOWER, source)
            for name, (value, source) in made.items()
        }
        return known | derived(known) if self.shared is not None else known

    def _at(self, k: int) -> list[Params]:
        point = self.points[k]
        if isinstance(point, Mapping):
            return [point] * len(self.batches)
        if len(point) != len(self.batches):
            raise ValueError(
                f"SampledModel: point {k} has {len(point)} parts; need {len(self.batches)}"
            )
        return list(point)

    def _visit(self, k: int, steps: int, seed: int) -> Found:
        params = self._at(k)
        flat = [_flat(p) for p in params]
        mask = self._mask(params[0])
        products, means, found = [], [], Found()
        for i, own in enumerate(self.batches):
            each = self._gradients(own, params[i], flat[i])
            means.append(each.mean(axis=0))
            found += self._at_client(i, each, mask)
            hvp = _product(functools.partial(self._client, own, params[i]), flat[i])
            products.append(hvp)
            error = _error(hvp, flat[i], seed)
            top = largest_hessian_eigenvalue(hvp, len(mask), steps=steps, error=error, seed=seed)
            known = {"L": top.known}
            if self.shared is not None:
                blocks = block_norms(hvp, len(mask), mask, steps=steps, error=error, seed=seed)
                known |= blocks._asdict()
            for name, value in known.items():
                found.append((name, value.value, f"client {i}, {value.source}, {flat[i].dtype}"))
        everywhere = isinstance(self.points[k], Mapping)
        if everywhere:

            def average(v: Floats) -> Floats:
                return np.asarray(np.mean([product(v) for product in products], axis=0))

            error = _error(average, flat[0], seed)
            low = largest_hessian_eigenvalue(
                average, len(mask), steps=steps, end="smallest", error=error, seed=seed
            ).known
            found.append(("mu", low.value, f"of f, {low.source}, {flat[0].dtype}"))
        return found + self._diversity(np.array(means), mask, everywhere)

    def _gradients(self, own: Sequence[Any], params: Params, flat: Any) -> Floats:
        """One row for each minibatch."""
        import torch

        def value(at: Any, batch: Any) -> Any:
            return self.loss(_unflat(at, params), batch)

        each = torch.stack([torch.func.grad(value)(flat, batch) for batch in own])
        return np.asarray(each.double().cpu().numpy())

    def _at_client(self, i: int, each: Floats, mask: NDArray[np.bool_]) -> Found:
        mean = each.mean(axis=0)
        found = [("B", float(np.linalg.norm(mean)), f"|grad f_{i}|")]
        parts: dict[str, Any] = {"sigma_l": slice(None)}
        if self.shared is not None:
            parts |= {"sigma_u": mask, "sigma_v": ~mask}
        for name, part in parts.items():
            root = math.sqrt(float(((each - mean)[:, part] ** 2).sum(axis=1).mean()))
            found.append((name, root, f"client {i}, {len(each)} equally likely batches"))
        return found

    def _diversity(self, gradients: Floats, mask: NDArray[np.bool_], everywhere: bool) -> Found:
        gap = gradients - gradients.mean(axis=0)
        found = Found()
        if everywhere:
            whole = np.linalg.norm(gap, axis=1)
            found.append(("sigma_g", float(whole.max()), f"client {int(whole.argmax())}"))
        if self.shared is not None:
            part = np.linalg.norm(gap[:, mask], axis=1)
            found.append(("partial_sigma_g", float(part.max()), f"client {int(part.argmax())}"))
            root = math.sqrt(float((part**2).mean()))
            found.append(("partial_delta", root, f"mean over {len(gap)} clients"))
        return found

    def _mask(self, params: Params) -> NDArray[np.bool_]:
        shared = set(self.shared or ())
        return np.concatenate([np.full(p.numel(), name in shared) for name, p in params.items()])

    def _client(self, own: Sequence[Any], like: Params, flat: Any) -> Any:
        params = _unflat(flat, like)
        return sum(self.loss(params, batch) for batch in own) / len(own)


def _error(hvp: Callable[[Floats], Floats], flat: Any, seed: int) -> float:
    """8 sqrt(d) eps ||H||, the model's own rounding, as far as it can be guessed.

    What autograd loses inside a deep model is not known; ||H|| is from a few power steps.
    """
    import torch

    v = Stream(seed, "init").normal(1, 1, 0, 2, flat.numel())[0, 0]
    size = 0.0
    for _ in range(4):
        length = float(np.linalg.norm(v))
        if length == 0:
            break
        v = hvp(v / length)
        size = max(size, float(np.linalg.norm(v)))
    return 8 * math.sqrt(flat.numel()) * float(torch.finfo(flat.dtype).eps) * size


def _flat(params: Params) -> Any:
    import torch

    return torch.cat([p.detach().reshape(-1) for p in params.values()])


def _unflat(flat: Any, like: Params) -> dict[str, Any]:
    made, at = {}, 0
    for name, p in like.items():
        made[name] = flat[at : at + p.numel()].reshape(p.shape)
        at += p.numel()
    return made


def _product(value: Callable[[Any], Any], flat: Any) -> Callable[[Floats], Floats]:
    """v -> H v by reverse over reverse: (d/dp grad)^T v = H v, as H is symmetric."""
    import torch

    pull: Any = torch.func.vjp(torch.func.grad(value), flat)[1]

    def product(v: Floats) -> Floats:
        (image,) = pull(torch.from_numpy(np.ascontiguousarray(v)).to(flat))
        return np.asarray(image.double().cpu().numpy())

    return product
