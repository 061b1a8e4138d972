"""What an algorithm works on: a state of R runs, one round's surroundings, its local steps.

An algorithm is pure: ``step`` returns a new state and modifies nothing it was given. All R runs
move together. Randomness comes from counter streams, functions of (seed, run, client, round, step),
so a batch of runs is its runs one by one. Arrays are NumPy or torch, whatever the problem's points
are; an algorithm speaks the array API (``array_api_compat``) and never names either.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from array_api_compat import array_namespace
from numpy.typing import NDArray
from scipy.sparse import csr_array

from theorylab.algorithms._audit import Audits
from theorylab.kernels import MOST_STEPS, Mixing
from theorylab.problems import Problem

Rule = tuple[str, Any, Callable[[Any], bool], str]  # option, value, what it satisfies, in words
Array = Any  # numpy.ndarray or torch.Tensor: one kind throughout a run


@dataclass(frozen=True)
class State:
    """Round ``t`` of R runs.

    x: what clients exchange, (R, n, d), or (R, n, d_u) where only a shared part is exchanged.
    w: push-sum weights (R, n), 1 where a method has none. z: the debiased x / w.
    v: personal parameters (R, n, d_v), never sent; None for methods without.
    flight: mass sent and not yet arrived, (x (R, s, n, d), w (R, s, n)); entry s arrives in s + 1
    rounds. None without delays.
    memory: whatever else a method carries from round to round (masks, a second model), by name.
    """

    t: int
    x: Array
    w: Array
    z: Array
    v: Array | None = None
    flight: tuple[Array, Array] | None = None
    memory: Mapping[str, Array] = field(default_factory=dict)


@dataclass(frozen=True)
class LocalStep:
    """Local step ``k`` = 0, 1, ... of all clients in round ``t``, on one ``part`` of the model.

    part: "u" or "v" of a method with personal parts; "" where the whole model moves.
    before, after: the part before and after the step, biased as it travels, (R, n, d of the part).
    point: the whole debiased model at which the step's gradient is asked for, (R, n, d).
    lifted: SAM's point, ``point`` itself without SAM.
    plain, used: the part's stochastic gradients at these two; ``used`` moves the part.

    The arrays are the algorithm's own: whoever changes one changes the run.
    """

    t: int
    part: str
    k: int
    before: Array
    point: Array
    lifted: Array
    plain: Array
    used: Array
    after: Array


class Recorder(Protocol):
    """Sees every local step of a round; what it does not keep costs nothing."""

    def see(self, step: LocalStep) -> None: ...


class Unseeded:
    """The seed where a law hands out the samples: to ask for its number is an error."""

    def __index__(self) -> int:
        raise ValueError(
            "step: it draws by itself, where a law hands out every sample; need context.sample"
        )


UNSEEDED: Any = Unseeded()


class Samples(Protocol):
    """Hands out the samples of a law in place of the counter stream."""

    def sample(self, t: int, number: int, part: str) -> Any:
        """The sample of minibatch ``number`` of round t; ``part`` of the model alone reads it."""


@dataclass(frozen=True)
class Context:
    """One round's surroundings.

    mixing: P(t), one CSR matrix, or a list with one a run, or a ``Delayed`` of them.
    effort: (R, n) in [0, 1], the share of its local steps each client gets done in this round
    (0: it is down); None: all of them.
    conserves: the network promises column-stochastic P, so that mass can be audited.
    audits: who checks weights and mass. uploaded: matrices that a GPU holds, by identity.
    record: sees every local step. samples: a law that hands out the samples; None: the problem
    draws them by counter. With a law ``seed`` is ``UNSEEDED``, so that a step that draws by itself
    is refused: its noise would be called exact.
    """

    problem: Problem
    mixing: Any
    seed: int
    runs: NDArray[np.int64]
    record: Recorder | None = None
    effort: NDArray[np.float64] | None = None
    conserves: bool = True
    audits: Audits = field(default_factory=Audits)
    uploaded: dict[int, tuple[csr_array, Mixing]] = field(default_factory=dict)
    samples: Samples | None = None

    def sample(self, t: int, number: int, part: str = "") -> Any:
        """The minibatch of step ``number`` in round t, for ``problem.stochastic_gradient``.

        part: "u" or "v" where only that part of the gradient is read.
        """
        if self.samples is not None:
            return self.samples.sample(t, number, part)
        return self.problem.sample(self.seed, self.runs, t, number)

    @property
    def fused(self) -> bool:
        """Whether a kernel may do all local steps at once and draw by itself."""
        return self.record is None and self.samples is None


def namespace(x: Array) -> Any:
    """The array API of an array's kind. NumPy's own: looking it up costs more than a small sum."""
    return np if type(x) is np.ndarray else array_namespace(x)


def start(x0: Array) -> State:
    """x_i^0 = z_i^0 = x0 with weights 1 (Algorithm 1, input). ``x0`` (R, n, d), not NaN."""
    if x0.ndim != 3:
        raise ValueError(f"init: x0 has shape {tuple(x0.shape)}; need (R, n, d)")
    xp = namespace(x0)
    if not bool(xp.all(xp.isfinite(x0))):
        raise ValueError("init: x0 holds a NaN or an infinity; need finite numbers")
    x = xp.asarray(x0, copy=True)
    return State(
        0, x, xp.ones(x.shape[:2], dtype=x.dtype, device=x.device), xp.asarray(x, copy=True)
    )


def steps_of(
    context: Context, steps: int | Sequence[int] | NDArray[np.int64]
) -> tuple[int, NDArray[np.int64] | None]:
    """(the most local steps of any client, how many each gets done (R, n), or None: all the most).

    ``steps`` is K, or one K a client. A straggler's share of K is rounded up, so that only a
    client that is down does nothing.
    """
    each = np.asarray(steps, dtype=np.int64)
    if each.ndim and each.shape != (context.problem.clients,):
        raise ValueError(
            f"local_steps: {len(each)} numbers for {context.problem.clients} clients; "
            "need one number, or one a client"
        )
    if not each.ndim and context.effort is None:
        return int(each), None
    counts = np.broadcast_to(each, (len(context.runs), context.problem.clients))
    if context.effort is not None:
        counts = np.ceil(counts * context.effort).astype(np.int64)
    return int(counts.max(initial=0)), np.ascontiguousarray(counts)


def checked(name: str, among: Sequence[Rule]) -> None:
    """Raise one line for the first option that breaks its rule."""
    for option, value, rule, need in among:
        try:
            fits = bool(np.all(np.isfinite(value))) and rule(value)
        except TypeError:
            raise TypeError(f"{name}: {option} is {value!r}; need {need}") from None
        if not fits:
            raise ValueError(f"{name}: {option} is {value!r}; need {need}")


def rules(method: Any, *names: str) -> list[Rule]:
    """What these options of ``method`` must satisfy; the options that several methods have."""
    return [(name, getattr(method, name), *_RULES[name]) for name in names]


def is_steps(value: Any) -> bool:
    """A number of local steps >= 1, or a sequence of them, one a client."""
    if isinstance(value, Sequence):
        return len(value) > 0 and all(is_steps(each) for each in value)
    return bool(1 <= value <= MOST_STEPS and value == int(value))


def numbers(a: Array) -> NDArray[Any]:
    """An array of any kind as NumPy."""
    return np.asarray(a) if type(a) is np.ndarray else np.asarray(a.detach().cpu())


def chosen(name: str, option: str, value: Any, among: Sequence[str]) -> None:
    """Raise one line unless ``value`` is one of the readings ``among``."""
    if value not in among:
        raise ValueError(f"{name}: {option} is {value!r}; need one of {', '.join(among)}")


_RULES: dict[str, tuple[Callable[[Any], bool], str]] = {
    **dict.fromkeys(("eta", "eta_u", "eta_v", "server_eta"), (lambda v: v > 0, "a step size > 0")),
    "local_steps": (is_steps, "1 <= K < 2**32"),
    **dict.fromkeys(("steps_u", "steps_v"), (is_steps, "1 <= K < 2**32, or one a client")),
    "alpha": (lambda v: 0 <= v < 1, "0 <= alpha < 1"),
    "momentum": (lambda v: 0 <= v < 1, "0 <= momentum < 1"),
    "rho": (lambda v: v >= 0, "rho >= 0"),
    "weight_decay": (lambda v: v >= 0, "weight_decay >= 0"),
    "decay": (lambda v: 0 < v <= 1, "0 < decay <= 1"),
    "fraction": (lambda v: 0 < v <= 1, "0 < fraction <= 1"),
}
