"""The mixture of softmax regressions in torch operations, all clients and components at once."""

from __future__ import annotations

from typing import Any

import numpy as np

Tensor = Any  # torch.Tensor; torch costs seconds to import


class MixtureForm:
    """The clients' rows padded to the longest, with weight 0; S is that number of rows."""

    def __init__(self, problem: Any, put: Any) -> None:
        import torch

        self._torch = torch
        (features,) = problem._tables[np.dtype(np.float64)]
        inside = np.arange(problem.sizes.max()) < problem.sizes[:, None]
        rows = problem.starts[:, None] + np.where(inside, np.arange(inside.shape[1]), 0)
        self._features, self._labels = put(features), put(problem.labels, whole=True)
        self._rows, self._starts = put(rows, whole=True), put(problem.starts, whole=True)
        self._share, self._inside = put(inside / problem.sizes[:, None]), put(inside, whole=True)
        self._one = put(np.eye(problem.classes))
        self._cut = (problem.components, problem.inputs, problem.classes)
        self._shared, self._reg = problem.shared, problem.reg
        self._personal = problem.weights == "personal"

    def loss(self, x: Tensor) -> Tensor:
        _, _, joint = self._at(x, self._rows)
        made = -(joint.logsumexp(-1) * self._share).sum(-1)
        W = x[..., : self._shared]
        return made + self._reg / 2 * (W * W).sum(-1)

    def gradient(self, x: Tensor, rows: Tensor | None = None) -> Tensor:
        at = self._rows if rows is None else self._starts[:, None] + rows
        share = self._share if rows is None else 1 / rows.shape[-1]
        p, own, joint = self._at(x, at)
        r = joint.softmax(-1)
        made = self._torch.empty_like(x)
        made[..., : self._shared] = (
            self._slopes(p, r, at, share) + self._reg * x[..., : self._shared]
        )
        if self._personal:
            held = (r * share[..., None]).sum(-2) if rows is None else r.mean(-2)
            made[..., self._shared :] = own.softmax(-1) - held
        return made

    def mean_loss(self, xbar: Tensor) -> Tensor:
        return self.loss(xbar[:, None].expand(-1, len(self._rows), -1)).mean(-1)

    def mean_gradient(self, xbar: Tensor) -> Tensor:
        return self.gradient(xbar[:, None].expand(-1, len(self._rows), -1)).mean(1)

    def posteriors(self, x: Tensor) -> Tensor:
        """As of ``Mixture``: (R, n, S, K)."""
        return self._at(x, self._rows)[2].softmax(-1) * self._inside[..., None]

    def component_gradient(self, x: Tensor, held: Tensor, sample: Any) -> Tensor:
        """As of ``Mixture``: (R, n, K p C)."""
        if sample is None:
            at, share, r = self._rows, self._share, held
        else:
            here = self._torch.as_tensor(sample, device=x.device)
            at, share = self._starts[:, None] + here, 1 / here.shape[-1]
            r = held.gather(2, here[..., None].expand(-1, -1, -1, held.shape[-1]))
        p, _, _ = self._at(x, at)
        return self._slopes(p, r, at, share) + self._reg * x[..., : self._shared]

    def _at(self, x: Tensor, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """p (R, n, K, m, C), l (R, n, K), log pi_k q_k (R, n, m, K) of rows (n, m) or (R, n, m)."""
        W = x[..., : self._shared].reshape(*x.shape[:2], *self._cut)
        logs = (self._features[rows][..., None, :, :] @ W).log_softmax(-1)
        right = self._labels[rows][..., None, :, None].expand(*logs.shape[:-1], 1)
        q = logs.gather(-1, right)[..., 0].transpose(-1, -2)
        own = x[..., self._shared :] if self._personal else x.new_zeros(*x.shape[:2], self._cut[0])
        return logs.exp(), own, q + own.log_softmax(-1)[..., None, :]

    def _slopes(self, p: Tensor, r: Tensor, rows: Tensor, share: Any) -> Tensor:
        """The mean over the rows of r_k a (p_k - e_y)^T, (R, n, K p C)."""
        weight = (r * (share if isinstance(share, float) else share[..., None])).transpose(-1, -2)
        gap = (p - self._one[self._labels[rows]][..., None, :, :]) * weight[..., None]
        turned = self._features[rows].transpose(-1, -2)[..., None, :, :]
        return (turned @ gap).reshape(*p.shape[:2], -1)
