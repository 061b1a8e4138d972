"""Problems whose gradients come from own kernels: the bits do not rest on BLAS or libm."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from theorylab.kernels import ClientLosses
from theorylab.problems._base import Problem
from theorylab.problems._options import Array


class KernelProblem(Problem):
    """A problem that is a table of client losses; ``gradient`` and ``local_steps`` read it.

    A batch has the bits of its runs, on every machine (theorylab.kernels.local_steps).
    """

    @abstractmethod
    def _make_table(self, dtype: np.dtype[Any]) -> ClientLosses:
        """The table in one dtype, noise included."""

    def _table(self, dtype: np.dtype[Any]) -> ClientLosses:
        """The table, made at its first use: most runs need one dtype only."""
        return self._kept(dtype, lambda: self._make_table(dtype))

    def _kept(self, key: Any, make: Callable[[], ClientLosses]) -> ClientLosses:
        """A table that is made once."""
        made: dict[Any, ClientLosses] = self.__dict__.setdefault("_kernel_tables", {})
        if key not in made:
            made[key] = make()
        return made[key]

    def __getstate__(self) -> dict[str, Any]:
        """Without the kernel's tables: they hold pointers, and are made again where needed."""
        return {name: part for name, part in vars(self).items() if name != "_kernel_tables"}

    def gradient(self, x: Array) -> Array:
        self._tables_for("gradient", x, self._shape)
        made: Array = self._table(x.dtype).gradients(x)
        return made

    def local_steps(
        self,
        x: Array,
        w: Array,
        seed: int,
        runs: Array,
        round: int,
        *,
        steps: int,
        counts: Array | None,
        eta: float,
        alpha: float,
        rho: float,
    ) -> Array | None:
        self._tables_for("local_steps", x, self._shape)
        made: Array = self._table(x.dtype).local_steps(
            x, w, seed=seed, runs=runs, round=round, steps=steps, counts=counts,
            eta=eta, alpha=alpha, rho=rho,
        )  # fmt: skip
        return made


def kernel_losses(problem: Problem, dtype: np.dtype[Any]) -> ClientLosses | None:
    """The table whose ``local_steps`` are the problem's own; None where they are not."""
    table = own_table(problem, dtype)
    return table if table is not None and table.on_host else None


def steps_by_kernel(problem: Problem) -> bool:
    """Whether all local steps are an own kernel's, on the host and on a GPU alike."""
    return own_table(getattr(problem, "_tables_of", problem), np.dtype(np.float64)) is not None


def own_table(problem: Problem, dtype: np.dtype[Any]) -> ClientLosses | None:
    """The table that a problem's own ``local_steps`` read, wherever it is; None without one."""
    own = type(problem).local_steps is KernelProblem.local_steps
    return problem._table(dtype) if own and isinstance(problem, KernelProblem) else None
