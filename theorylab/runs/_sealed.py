"""The surroundings of a step of which its class does not say that it draws: who reads the seed, or
the numbers of the runs, draws all the same."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from theorylab.algorithms import Algorithm, Coin, Context
from theorylab.own import is_own
from theorylab.problems import Problem


class DrawsError(ValueError):
    """A step draws by itself where a law hands out every sample."""


class SealedContext(Context):
    """As ``Context``. Where a law hands out the samples, the seed and the numbers of the runs raise
    DrawsError when they are read; where ``Watched`` does, it notes that."""

    @property
    def seed(self) -> Any:
        self._touched()
        return self.__dict__["seed"]

    @property
    def runs(self) -> Any:
        return _Ids(self.__dict__["runs"], self)

    def _touched(self) -> None:
        samples = self.samples
        if not isinstance(samples, Watched):
            raise DrawsError(
                "step: it draws by itself, where a law hands out every sample; need net.coins, or "
                "context.sample"
            )
        samples.read = True


def sealed(context: Context, algorithm: Algorithm) -> Context:
    """The context that ``algorithm`` gets where samples are handed out."""
    if is_own(type(algorithm)) or getattr(algorithm, "draws", False):
        return context
    made = object.__new__(SealedContext)
    made.__dict__.update(context.__dict__)
    return made


class _Ids(NDArrayOperatorsMixin):
    """Numbers (R,) of runs; that there are R of them is no secret."""

    def __init__(self, ids: NDArray[np.int64], context: SealedContext) -> None:
        self._held = ids, context
        self.shape, self.size, self.ndim, self.dtype = ids.shape, ids.size, ids.ndim, ids.dtype

    def _ids(self) -> NDArray[np.int64]:
        ids, context = self._held
        context._touched()
        return ids

    @property  # type: ignore[misc]
    def __class__(self) -> Any:  # who asks whether it is an array hears yes
        return np.ndarray

    def __len__(self) -> int:
        return self.size

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ids(), name)

    def __getitem__(self, key: Any) -> Any:
        return self._ids()[key]

    def __iter__(self) -> Any:
        return iter(self._ids())

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self._ids(), dtype=dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **more: Any) -> Any:
        whole = [each._ids() if type(each) is _Ids else each for each in inputs]
        return getattr(ufunc, method)(*whole, **more)


class Watched:
    """Hands out the samples and coins of a seed, and notes whether the step ``read`` it, or the
    numbers of the runs."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.seed, self.ids = problem, 0, np.zeros(1, np.int64)
        self.read = self.tossed = False

    def sample(self, t: int, number: int, part: str) -> Any:
        return self.problem.sample(self.seed, self.ids, t, number)

    def coins(self, t: int, number: int, coin: Coin) -> Any:
        self.tossed = True
        clients = self.problem.clients
        return coin.drawn(self.seed, self.ids, clients, t, number, np.zeros(0))
