"""What an algorithm works on: a state of R runs, one round's surroundings, its local steps.

An algorithm is pure: ``step`` returns a new state and modifies nothing it was given. All R runs
move together. Randomness comes from counter streams, functions of (seed, run, client, round, step),
so a batch of runs is its runs one by one. Arrays are NumPy or torch, whatever the problem's points
are; an algorithm speaks the array API (``array_api_compat``) and never names either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from theorylab import kernels
from theorylab.algorithms._audit import Audits
from theorylab.algorithms._coins import Coin as Coin
from theorylab.algorithms._coins import beside
from theorylab.algorithms._effort import step_counts as step_counts
from theorylab.algorithms._effort import steps_of as steps_of
from theorylab.algorithms._effort import working as working
from theorylab.algorithms._options import Rule as Rule
from theorylab.algorithms._options import checked as checked
from theorylab.algorithms._options import chosen as chosen
from theorylab.algorithms._options import is_schedule as is_schedule
from theorylab.algorithms._options import is_steps as is_steps
from theorylab.algorithms._options import rules as rules
from theorylab.algorithms._options import step_size as step_size
from theorylab.algorithms._record import UNSEEDED as UNSEEDED
from theorylab.algorithms._record import LocalStep as LocalStep
from theorylab.algorithms._record import Recorder as Recorder
from theorylab.algorithms._record import Samples as Samples
from theorylab.algorithms._travel import Array as Array
from theorylab.algorithms._travel import Delayed, Exchange, Link, check_exchanged, mixed
from theorylab.algorithms._travel import namespace as namespace
from theorylab.kernels import Mixing
from theorylab.problems import Problem

if TYPE_CHECKING:  # slow to import
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class State:
    """Round ``t`` of R runs.

    Args:
        t: the round.
        x: what clients exchange, (R, n, d), or (R, n, d_u) where only a shared part is exchanged.
        w: push-sum weights (R, n), 1 where a method has none.
        z: the debiased x / w.
        v: personal parameters (R, n, d_v), never sent; None for methods without.
        flight: what was sent and has not yet arrived, one array for each that is exchanged, in the
            order of the calls: (R, s, n, d) or (R, s, n), entry s arrives in s + 1 rounds. The
            push-sum pair is (x, w). None without delays. Whoever plays the round fills it in.
        memory: whatever else a method carries from round to round (masks, a second model), by name.

    >>> x = np.zeros((2, 4, 3))  # 2 runs, 4 clients, 3 coordinates
    >>> State(t=0, x=x, w=np.ones((2, 4)), z=x).memory
    {}
    """

    t: int
    x: Array
    w: Array
    z: Array
    v: Array | None = None
    flight: tuple[Array, ...] | None = None
    memory: Mapping[str, Array] = field(default_factory=dict)


@dataclass(frozen=True)
class Context:
    """One round's surroundings, called ``net`` in a step: its network, its draws, its problem.

    Args:
        problem: the n losses.
        mixing: P(t), one CSR matrix, or a list with one a run, or a ``Delayed`` of them.
        seed: what the draws derive from; with a law of samples it is ``UNSEEDED``, so that a step
            that draws by itself is refused: its noise would be called exact.
        runs: the ids of the runs, (R,).
        record: sees every local step.
        effort: (R, n) in [0, 1], the share of its local steps each client gets done in this round
            (0: it is down); None: all of them.
        conserves: the network promises column-stochastic P, so that mass can be audited.
        audits: who checks weights and mass.
        uploaded: matrices as a kernel or a GPU holds them, by identity.
        samples: a law that hands out the samples; None: the problem draws them by counter.
        averages: the network promises rows that sum to 1, so that nothing can leave the range of
            what is sent.
        networks: what each of several networks of a run does, by name; ``mixing`` is None then.
        exchange: what the round at hand has sent so far; ``play`` makes it.
        tosses: the rounds in which the step tossed a coin.

    >>> from theorylab.problems import problem
    >>> from theorylab.runs import simulate
    >>> from theorylab.topologies import topology
    >>> class Gossip(Algorithm):
    ...     def step(self, state, net: Context):
    ...         return net.next(state, x=net.mix(state.x))
    >>> losses, network = problem("quadratic", 2, dim=1), topology("complete", 2)
    >>> simulate(losses, network, Gossip(), rounds=1, x0=[[1.0], [3.0]]).final_x.tolist()
    [[[2.0], [2.0]]]
    """

    problem: Problem
    mixing: Any
    seed: int
    runs: NDArray[np.int64]
    record: Recorder | None = None
    effort: NDArray[np.float64] | None = None
    conserves: bool = True
    audits: Audits = field(default_factory=Audits)
    uploaded: dict[int, tuple[csr_array, Mixing | None]] = field(default_factory=dict)
    samples: Samples | None = None
    averages: bool = False
    networks: Mapping[str, Link] = field(default_factory=dict)
    exchange: Exchange | None = None
    tosses: list[int] = field(default_factory=list)

    def during(self, exchange: Exchange) -> Context:
        """This context in the round that ``exchange`` is of: ``replace``, but in a tenth of the
        time, which is a good part of a small round."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__, exchange=exchange)
        return made

    def mix(self, *arrays: Array, network: str | None = None) -> Any:
        """P(t) times each array, (R, n, d) or (R, n), float32 or float64: x_i becomes
        sum_j P_ij x_j.

        All that goes wrong in a network acts on it. Of a delayed message the sum is split: what is
        late is kept with the state and added to what the same call gives in the round of its
        arrival. A step therefore exchanges the same arrays in the same order in every round in
        which it exchanges any. Sums over the clients, or ranges, are audited as the network
        promises. ``network``: its name, where the run has several.

        Returns one array, or a tuple for several. Raises TypeError or ValueError, one line, on an
        array of another shape or kind; MassError where the network breaks its promise.
        """
        check_exchanged(arrays, len(self.runs), self.problem.clients)
        link, exchange = self.link(network), self.exchange
        if exchange is None:
            if isinstance(link.mixing, Delayed):
                self._round("mix")
            exchange = Exchange(0, None)
        made = mixed(arrays, link, exchange, self.audits, self.uploaded)
        return made[0] if len(made) == 1 else tuple(made)

    def link(self, network: str | None = None) -> Link:
        """What the network does in this round; ValueError, one line, where it has no such name."""
        if network is None and not self.networks:
            return Link(self.mixing, self.conserves, self.averages)
        if network not in self.networks:
            need = f"one of {', '.join(self.networks)}" if self.networks else "None: it has one"
            raise ValueError(f"net.mix: the run has no network {network!r}; need {need}")
        return self.networks[str(network)]

    def gradient(self, x: Array, k: int = 0, *, steps: int | None = None) -> Array:
        """The stochastic gradients at x (R, n, d) for the minibatch of local step ``k``, (R, n, d).

        The same k is the same minibatch. 0 at a client that is down, or that has done its share of
        ``steps`` local steps; ``steps`` may be left out where no client is slow, or k is 0.

        Raises ValueError, one line, where ``play`` does not play the round, or ``steps`` is needed.
        """
        t = self._round("gradient").t
        sample = self.sample(t, k)
        g = self.problem.stochastic_gradient(x, sample)
        if self.effort is not None:
            if steps is None and k and bool(((self.effort > 0) & (self.effort < 1)).any()):
                raise ValueError(
                    f"net.gradient: k is {k} where some clients do a share of their steps; need "
                    "steps=K, the number of local steps"
                )
            g = working(g, steps_of(self, k + 1 if steps is None else steps)[1], k)
        if self.record is not None:
            self.record.see(LocalStep(t, "", k, None, x, x, g, g, None))
        return g

    def ascent(self, z: Array, g: Array, rho: float) -> Array:
        """SAM's point z + rho g / |g| (R, n, d), norms over the last axis; z itself where g is 0.

        SAM's gradient is ``net.gradient(net.ascent(x, net.gradient(x), rho))``.
        """
        if isinstance(g, np.ndarray):  # the bits of the fused kernel
            return kernels.ascent(np.asarray(z), g, rho)
        xp = namespace(g)
        norm = xp.sqrt(xp.sum(g * g, axis=-1, keepdims=True))
        one = xp.ones_like(norm)
        return z + rho * xp.where(norm > 0, g / xp.where(norm > 0, norm, one), xp.zeros_like(g))

    def project(self, x: Array) -> Array:
        """The points of the problem's set that are nearest to x (R, n, d); x where it has none."""
        domain = self.problem.domain
        return x if domain is None else domain.project(x)

    def prox(self, x: Array, step: float) -> Array:
        """argmin_y g(y) + |y - x|^2 / (2 step) for x (R, n, d), with g the problem's term and the
        indicator of its set; x where it has neither."""
        domain = self.problem.domain
        return x if domain is None else domain.prox(x, step)

    def coins(
        self,
        shape: int | Sequence[int],
        law: str,
        *,
        shared: bool = False,
        p: float | None = None,
        m: int | None = None,
        k: int | None = None,
        values: Sequence[float] | None = None,
        chances: Sequence[float] | None = None,
    ) -> Array:
        """What the step draws for itself: one draw of a named law for every run and client.

        A function of (seed, run, client, round, number of the call in the round). As the law is
        named, every outcome can be listed, and expectations are exact where these are few.

        Args:
            shape: of one client's draw: () for a number, 1 or d to stand beside a model.
            law: "bernoulli": 1 with chance ``p``, else 0. "sign": -1 or 1. "index": an integer of
                0 .. ``m`` - 1, all alike. "subset": a mask with ``k`` ones on the last axis of
                ``shape``, all such sets alike. "finite": one of ``values`` with its ``chances``.
            shared: one draw a run, the same for all clients.

        Returns (R, n, *shape), or (R, 1, *shape) if ``shared``, of the models' library, device and
        dtype; an index is int64. Raises ValueError or TypeError, one line, on an unknown law, a
        number that it does not take, or a context of no round.

        A random coordinate of every client, and a round that is skipped by all with chance 1/2::

            mask = net.coins(state.x.shape[2], "subset", k=1)
            works = net.coins(1, "bernoulli", p=0.5, shared=True)
            x = state.x - eta * works * mask * net.gradient(state.x)
        """
        exchange = self._round("coins")
        given = {"p": p, "m": m, "k": k, "values": values, "chances": chances}
        coin = Coin.of(shape, law, shared, given)
        number, like = exchange.tossed, exchange.like
        exchange.tossed += 1
        if self.samples is None:
            clients = self.problem.clients
            return coin.drawn(self.seed, self.runs, clients, exchange.t, number, like)
        handed = self.samples.coins(exchange.t, number, coin)
        assert like is not None
        return beside(handed, like, namespace(like).int64 if law == "index" else like.dtype)

    def next(
        self,
        state: State,
        *,
        x: Array | None = None,
        z: Array | None = None,
        w: Array | None = None,
        v: Array | None = None,
        memory: Mapping[str, Array] | None = None,
    ) -> State:
        """The state of the next round: what is given, and what ``state`` has for all else.

        z, if left out, is x / w. ``memory`` adds to the state's, or replaces, by name.
        """
        if w is not None:
            self.audits.weights(state.t, w)
        x, w = state.x if x is None else x, state.w if w is None else w
        z = x / w[:, :, None] if z is None else z
        kept = {**state.memory, **(memory or {})}
        v = state.v if v is None else v
        after = object.__new__(type(state))  # as in ``during``
        after.__dict__.update(state.__dict__, t=state.t + 1, x=x, w=w, z=z, v=v, memory=kept)
        return after

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

    def _round(self, what: str) -> Exchange:
        if self.exchange is None:
            raise ValueError(
                f"net.{what}: this context is of no round; need play(algorithm, state, context)"
            )
        return self.exchange


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


def numbers(a: Array) -> NDArray[Any]:
    """An array of any kind as NumPy."""
    return np.asarray(a) if type(a) is np.ndarray else np.asarray(a.detach().cpu())


def largest_entry(*arrays: Array | None) -> float:
    """The largest |entry| of arrays of any kind, found where they are; None counts for nothing."""
    most = [abs(a).max() for a in arrays if a is not None and 0 not in a.shape]
    return max(map(float, most), default=0.0)
