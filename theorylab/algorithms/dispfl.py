"""Dis-PFL: sparse personal models, averaged where their masks meet (Dai et al., ICML 2022)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array

from theorylab.algorithms._algorithm import Algorithm
from theorylab.algorithms._base import (
    Array,
    Context,
    State,
    checked,
    chosen,
    namespace,
    rules,
    start,
    steps_of,
)
from theorylab.algorithms._exchange import Delayed, gossip
from theorylab.algorithms._local import working
from theorylab.algorithms._options import StepSize, step_size
from theorylab.algorithms._partial import most_steps
from theorylab.kernels import Stream
from theorylab.problems import Problem

READINGS = {
    "sent": ("trained", "pruned"),
    "masks": ("personal", "common"),
    "average": ("count", "mixing"),
}
_MASKS = 2  # of the purpose "selection"; the other draws of algorithms have 0 and 1


@dataclass(frozen=True)
class DisPFL(Algorithm, name="dis-pfl"):
    """A mask for each client; in every round: average, train, search a new mask.

    dfedpgp (Appendix C.1), dfedalt_dfedsalt (Appendix B) and deprl take it as a rival and print no
    steps. Dai et al. 2022, "DisPFL: Towards Communication-Efficient Personalized Federated Learning
    via Decentralized Sparse Training", restated from what its official implementation, the one that
    dfedpgp follows, was seen to do; the paper's own listing was not at hand.

    1. Round 0: a mask m_i is drawn at random, layer by layer, ``density`` of each; x_i = m_i x_i^0
       and h_i = m_i, h_i being the mask that x_i was trained with.
    2. x_i = m_i (sum_j x_j / sum_j h_j), coordinate by coordinate over those j that i hears of
       (itself included): the average over those who hold it; 0 where nobody does.
    3. K local steps x_i <- x_i - eta m_i g_i, each on a minibatch of its own (0..K-1); h_i = m_i.
    4. Layer by layer, r_t = (prune / 2)(1 + cos(pi t / rounds)): the ceil(r_t |m_i|) smallest of
       |x_i| leave m_i, and as many coordinates with the largest dense |g_i| (one minibatch, step
       number K, at the trained model) enter it, of all that are then outside, those just removed
       among them.

    ``State.x`` is the trained model, sent in the next round and deployed; ``State.memory`` has
    "held" (h) and "mask" (m), each (R, n, d), all True before round 0.

    ``sent``: "trained" (default) sends x_i as trained, under h_i, so a coordinate that enters m_i
    takes what its neighbours have; "pruned" sets x_i = m_i x_i and h_i = m_i after step 4, so it
    enters with 0 and weighs as that in step 2. ``masks``: "personal", a first mask for each client
    (default: dfedpgp's "personalized sparse masks"), or "common", one for all (the implementation's
    default). ``average``: "count" is step 2; "mixing" weighs j with P_ij in both sums, the same
    where a row's entries are equal. The implementation also clips gradients to norm 10: not here.

    A client that is down neither averages nor trains nor searches.

    Args:
        eta, decay: step size eta decay^t > 0.
        rounds: T >= 1, when pruning ends; none happens after it.
        density: share of weights kept, in (0, 1], rounded to whole weights, or one for each of
            ``problem.blocks``. dfedpgp: "the sparsity of the local model is set to 0.5". The
            implementation's default is uneven, by layer shape, which a problem does not tell:
            ``erk_densities``.
        prune: r_0, in [0, 1]; the implementation's is .5. 0: masks stay as drawn.
        local_steps: K >= 1, or one a client.
        alpha: momentum of the masked gradients, from 0 in every round; experiments .9.
        weight_decay: adds weight_decay x to g_i.
        sent: "trained" or "pruned"; masks: "personal" or "common"; average: "count" or "mixing".
            All three see above.

    Raises:
        ValueError: one line naming the option that is out of range.
    """

    eta: StepSize
    rounds: int
    density: float | Sequence[float] = 0.5
    prune: float = 0.5
    local_steps: int | Sequence[int] = 5
    alpha: float = 0.0
    weight_decay: float = 0.0
    decay: float = 1.0
    sent: str = "trained"
    masks: str = "personal"
    average: str = "count"
    draws: ClassVar[bool] = True
    reads_mixing: ClassVar[bool] = True

    def __post_init__(self) -> None:
        checked(
            self.name,
            [
                ("rounds", self.rounds, lambda v: v >= 1 and v == int(v), "an integer >= 1"),
                ("density", self.density, _shares, "0 < density <= 1, or one a layer"),
                *rules(self, "eta", "local_steps", "alpha", "weight_decay", "decay"),
                ("prune", self.prune, lambda v: 0 <= v <= 1, "0 <= prune <= 1"),
            ],
        )
        for option, among in READINGS.items():
            chosen(self.name, option, getattr(self, option), among)

    def init(self, x0: Array, problem: Problem | None = None) -> State:
        """The first state from x0 (R, n, d), dense; ValueError if density does not fit the layers.

        The masks are drawn at the start of round 0, which knows the seed.
        """
        first = start(x0)
        if problem is not None:
            self._layers(problem)
        xp = namespace(x0)
        mask = xp.ones(first.x.shape, dtype=xp.bool, device=first.x.device)
        return replace(first, memory={"mask": mask, "held": mask})

    def step(self, state: State, context: Context) -> State:
        """One communication round. Raises ValueError where messages are delayed."""
        layers = self._layers(context.problem)
        x, mask, held = state.x, state.memory["mask"], state.memory["held"]
        if state.t == 0:
            mask = held = _drawn(layers, context, x, self.masks == "common")
            x = _held(x, mask)
        before = (x, mask, held)
        x = self._averaged(x, mask, held, state, context)
        x = self._trained(x, mask, state, context)
        new = self._searched(x, mask, layers, state, context)
        after = (x, new, mask) if self.sent == "trained" else (_held(x, new), new, new)
        x, mask, held = _where_up(context, after, before)
        memory = {**state.memory, "mask": mask, "held": held}
        return replace(state, t=state.t + 1, x=x, z=x, memory=memory)

    def _layers(self, problem: Problem) -> list[tuple[int, int, int]]:
        """(begin, end, weights kept) of every layer."""
        ends = problem.blocks
        shares = self.density
        if not isinstance(shares, Sequence):
            shares = [shares] * len(ends)
        if len(shares) != len(ends):
            raise ValueError(
                f"{self.name}: density has {len(shares)} numbers, but {problem.name} has "
                f"{len(ends)} layers; need one number, or one a layer"
            )
        return [
            (begin, end, max(1, round(share * (end - begin))))
            for (begin, end), share in zip(pairwise((0, *ends)), shares, strict=True)
        ]

    def _averaged(
        self, x: Array, mask: Array, held: Array, state: State, context: Context
    ) -> Array:
        """Step 2: the mean over the clients that hold a coordinate."""
        xp = namespace(x)
        if self.average == "count":
            context = replace(context, mixing=_pattern(context.link().mixing))
        total = gossip(state, x, context).x
        weight = gossip(state, xp.astype(held, x.dtype), context).x
        nobody = weight == 0  # the sum is 0 there too
        return _held(total / xp.where(nobody, xp.ones_like(weight), weight), mask)

    def _trained(self, x: Array, mask: Array, state: State, context: Context) -> Array:
        """Step 3: K masked local steps."""
        problem, eta = context.problem, step_size(self, state.t)
        most, counts = steps_of(context, self.local_steps)
        momentum: Array | None = None
        for k in range(most):
            sample = context.sample(state.t, k)
            g = problem.stochastic_gradient(x, sample)
            if self.weight_decay:
                g = g + self.weight_decay * x
            g = _held(g, mask)
            momentum = g if momentum is None or not self.alpha else self.alpha * momentum + g
            x = x - working(eta * momentum, counts, k)
        return x

    def _searched(
        self,
        x: Array,
        mask: Array,
        layers: list[tuple[int, int, int]],
        state: State,
        context: Context,
    ) -> Array:
        """Step 4: the smallest weights leave, the largest gradients enter."""
        phase = min(state.t, self.rounds) / self.rounds
        rate = self.prune / 2 * (1 + math.cos(math.pi * phase))
        if rate == 0:
            return mask
        xp, problem = namespace(x), context.problem
        number = most_steps(self.local_steps)
        sample = context.sample(state.t, number)
        g = problem.stochastic_gradient(x, sample)
        new = xp.asarray(mask, copy=True)
        never = xp.full_like(x, math.inf)
        for begin, end, kept in layers:
            here, many = slice(begin, end), math.ceil(rate * kept)
            size = xp.where(mask[..., here], xp.abs(x[..., here]), never[..., here])
            stays = mask[..., here] & ~_lowest(size, many)
            pull = xp.where(stays, never[..., here], -xp.abs(g[..., here]))
            new[..., here] = stays | _lowest(pull, many)
        return new


def erk_densities(shapes: Sequence[Sequence[int]], density: float) -> tuple[float, ...]:
    """Density of every layer by the Erdos-Renyi-kernel rule (Evci et al. 2020, RigL).

    A layer of shape (a, b, ...) gets scale (a + b + ...) / (a b ...), at most 1, with the scale at
    which ``density`` of all weights are kept. Raises ValueError unless 0 < density <= 1.
    """
    if not 0 < density <= 1:
        raise ValueError(f"erk_densities: density is {density!r}; need 0 < density <= 1")
    sizes = [math.prod(shape) for shape in shapes]
    share = [sum(shape) / size for shape, size in zip(shapes, sizes, strict=True)]
    full: set[int] = set()
    while len(full) < len(sizes):
        sparse = [i for i in range(len(sizes)) if i not in full]
        left = density * sum(sizes) - sum(sizes[i] for i in full)
        scale = left / sum(share[i] * sizes[i] for i in sparse)
        over = {i for i in sparse if scale * share[i] > 1}
        if not over:
            return tuple(1.0 if i in full else scale * share[i] for i in range(len(sizes)))
        full |= over
    return (1.0,) * len(sizes)


def _shares(value: Any) -> bool:
    if isinstance(value, Sequence):
        return len(value) > 0 and all(0 < each <= 1 for each in value)
    return bool(0 < value <= 1)


def _held(x: Array, mask: Array) -> Array:
    """x where the mask is, 0 elsewhere."""
    xp = namespace(x)
    return xp.where(mask, x, xp.zeros_like(x))


def _lowest(score: Array, many: int) -> Array:
    """True at the ``many`` lowest scores of the last axis; of equal ones, at the first."""
    xp = namespace(score)
    order = xp.argsort(score, axis=-1, stable=True)
    return xp.argsort(order, axis=-1, stable=True) < many


def _drawn(layers: list[tuple[int, int, int]], context: Context, x: Array, common: bool) -> Array:
    """The first masks (R, n, d): of each layer a set of the right size, all sets alike."""
    _, n, d = x.shape
    keys: Any = Stream(context.seed, "selection").uniform(context.runs, n, 0, _MASKS, d)
    if common:
        keys = np.repeat(keys[:, :1], n, axis=1)
    mask = np.concatenate([_lowest(keys[..., b:e], many) for b, e, many in layers], axis=-1)
    return mask if type(x) is np.ndarray else namespace(x).asarray(mask, device=x.device)


def _where_up(
    context: Context, after: tuple[Array, ...], before: tuple[Array, ...]
) -> tuple[Array, ...]:
    """``after`` for clients with some effort, ``before`` for those that are down."""
    if context.effort is None:
        return after
    up: Any = context.effort[:, :, None] > 0
    xp = namespace(after[0])
    if type(after[0]) is not np.ndarray:
        up = xp.asarray(up, device=after[0].device)
    return tuple(xp.where(up, new, old) for new, old in zip(after, before, strict=True))


def _pattern(mixing: Any) -> Any:
    """Who hears of whom: 1 where P(t) is not 0."""
    if isinstance(mixing, Delayed):
        return mixing  # ``gossip`` has the line for it
    if isinstance(mixing, list):
        return [_pattern(P) for P in mixing]
    return csr_array(
        ((mixing.data != 0).astype(float), mixing.indices, mixing.indptr), mixing.shape
    )
