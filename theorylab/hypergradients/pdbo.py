"""PDBO end to end: pdbo's Algorithm 1, with the outer steps and settings of its experiments.

One outer step: T rounds of Algorithm 2 at lambda^(s), M terms of HGP or VR-HGP with the weights
counted on the way, then lambda^(s+1) by Adam (Appendix D) or by a plain step (Algorithm 1, line 7).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.hypergradients._bilevel import Bilevel, Floats
from theorylab.hypergradients.edge_law import EdgeLaw, check_connected
from theorylab.hypergradients.hgp import bearable, check_series, hgp
from theorylab.hypergradients.linear import Linear
from theorylab.hypergradients.recursion import READINGS, Reading
from theorylab.hypergradients.sgp import SGP, Trained, algorithm2
from theorylab.hypergradients.stationary import perron
from theorylab.problems._options import count, number
from theorylab.topologies import Topology

LOOK = 20
OPTIMIZERS, OMEGAS = ("adam", "sgd"), ("realised", "mean")
DESCENTS = ("flag", "refuse", "off")
Runs = NDArray[np.int64]


@dataclass(frozen=True)
class OuterState:
    """Before outer step s. lam (R, n, dlam); moments: the optimizer's, each like lam.

    z (R, n, dx), omega (R, n): y^(0) of the next training, the same every time unless ``warm``.
    """

    s: int
    lam: Floats
    z: Floats
    omega: Floats
    moments: Moments = field(default_factory=dict)


@dataclass(frozen=True)
class PDBO:
    """What Algorithm 1 leaves open, with the paper's values (Section 6.1, Appendix D, Table 2).

    Args:
        eta: the inner step size alpha_i, one number or one a client; .05 for softmax and one CNN,
            .25 for ensembles (Appendix D).
        outer_steps: S >= 0; with 0 only the training at lambda^(0) is left.
        terms: M. alpha, beta: of VR-HGP; alpha = 1 is HGP (Algorithm 1, line 3). None: HGP on a
            static network, VR-HGP with (.9, .1) on others.
        variant: "4a" or "4b" of the inner SGP.
        optimizer: "adam" or "sgd". rate: hyper-learning rate, one number, one for each of the
            dlam, or one for each of the problem's ``groups`` by name (Table 2). beta1, beta2,
            eps: Adam's.
        drops, drop: the inner step is multiplied by ``drop`` at each of these rounds of a training.
        series_eta: the step of the Jacobians in the hypergradient, as ``eta``; None: ``eta``. A
            training whose step drops ends near the consensus optimum, which no step size moves, so
            the series may be taken with a step of its own: with ``eta`` rho(A_zz) can pass 1, and
            with the last, dropped one M terms are far from the series.
        warm: train on from y^(T) of the step before; False: from y^(0), as Algorithm 1 prints.
        together: HGP draws A and B in one round (Section 6.1): half the rounds.
        omega: "realised" takes Jacobians at y^(T), as printed; "mean" at x^(T) with the Perron
            weights of the counted mean, see ``hypergradient``.
        printed: Algorithms 4 and 5 to the letter instead of Eq. (12) and Appendix B. Algorithm 5
            to the letter does not estimate the hypergradient; see ``recursion``.
        check: that rho(A_zz) < 1 at y^(T). None: computed where that is cheap (``hgp``), or where
            LOOK products by the mean A make c^y grow tenfold.
        descent: what an outer step that raises the outer cost comes to (``descent``): "flag" (a
            line, and on it goes), "refuse", or "off" (nobody looks). Where edges or minibatches
            are drawn, looking costs one more training a step; otherwise nothing.
    """

    eta: float | Sequence[float] = 0.05
    outer_steps: int = 20
    terms: int = 200
    alpha: float | None = None
    beta: float | None = None
    variant: str = "4b"
    optimizer: str = "adam"
    rate: float | Sequence[float] | Mapping[str, float] = 0.1
    beta1: float = 0.9
    beta2: float = 0.999
    eps: float = 1e-8
    drops: Sequence[int] = ()
    drop: float = 0.1
    series_eta: float | Sequence[float] | None = None
    warm: bool = False
    together: bool = False
    omega: str = "realised"
    printed: bool = False
    check: bool | None = None
    descent: str = "flag"

    def __post_init__(self) -> None:
        for name, among in (
            ("optimizer", OPTIMIZERS), ("omega", OMEGAS), ("descent", DESCENTS)
        ):  # fmt: skip
            if getattr(self, name) not in among:
                raise ValueError(
                    f"pdbo: {name} is {getattr(self, name)!r}; need one of {', '.join(among)}"
                )
        count("pdbo", "outer_steps", self.outer_steps, at_least=0)
        count("pdbo", "terms", self.terms)
        for name in ("warm", "together", "printed", "check"):
            if not isinstance(getattr(self, name), bool) and (name, self.check) != ("check", None):
                raise TypeError(f"pdbo: {name} is {getattr(self, name)!r}; need true or false")
        for name in ("alpha", "beta"):
            value = getattr(self, name)
            if value is not None and number("pdbo", name, value, at_least=0) > 1:
                raise ValueError(f"pdbo: {name} is {value!r}; need 0..1")
        if self.alpha == 1 and self.beta not in (None, 0):
            raise ValueError(f"pdbo: beta is {self.beta!r}, but alpha is 1, HGP, which has none")
        if isinstance(self.drops, str) or not isinstance(self.drops, Sequence):
            raise TypeError(f"pdbo: drops is {self.drops!r}; need a list of rounds")
        for t in self.drops:
            count("pdbo", "drops", t)
        if list(self.drops) != sorted(set(self.drops)):
            raise ValueError(f"pdbo: drops is {list(self.drops)}; need rounds that rise")
        if number("pdbo", "drop", self.drop, above=0) > 1:
            raise ValueError(f"pdbo: drop is {self.drop!r}; need 0 < drop <= 1")
        given: Any = self.rate.values() if isinstance(self.rate, Mapping) else self.rate
        for rate in [given] if isinstance(given, str | float | int) else list(given):
            number("pdbo", "rate", rate, above=0)
        SGP(self.eta, self.variant)
        self._series()
        Adam(1.0, self.beta1, self.beta2, self.eps)

    def settled(self, problem: Bilevel, topology: Topology) -> PDBO:
        """The same with alpha and beta for this network. Raises ValueError on sizes that differ."""
        if topology.clients != problem.clients:
            raise ValueError(
                f"pdbo: topology has {topology.clients} clients, problem {problem.clients}"
            )
        if not topology.column_stochastic:
            raise ValueError(f"pdbo: {topology.name} has no column-stochastic P; Eq. (3) needs it")
        for sgp in (SGP(self.eta), self._series()):
            sgp.steps(problem.clients)
        alpha = self.alpha
        if alpha is None:
            alpha = 1.0 if topology.period == 1 else 0.9
        beta = self.beta
        if beta is None:
            beta = 0.0 if alpha == 1 else 0.1
        return replace(self, alpha=alpha, beta=beta, rate=self._rates(problem))

    def _rates(self, problem: Bilevel) -> float | list[float]:
        """One number, or one for each of the dlam."""
        rate = self.rate
        if isinstance(rate, Mapping):
            if not problem.groups or {*rate} != {*problem.groups}:
                raise ValueError(
                    f"pdbo: rate names {', '.join(rate)}; {problem.name} has the parts "
                    f"{', '.join(problem.groups) or 'none'}; need each of them, or one number"
                )
            made = np.zeros(problem.hyper)
            for name, part in problem.groups.items():
                made[part] = rate[name]
            return made.tolist()
        if not isinstance(rate, Sequence):
            return float(rate)
        if len(rate) != problem.hyper:
            raise ValueError(
                f"pdbo: rate has {len(rate)} numbers for {problem.hyper} hyperparameters; need "
                "one, one each, or one for each part"
            )
        return list(rate)

    def options(self) -> dict[str, Any]:
        """Every option."""
        return asdict(self)

    def init(
        self, problem: Bilevel, seed: int, runs: Runs, lam: Floats | None = None
    ) -> OuterState:
        """y^(0) = (x^(0), 1), x^(0) the problem's own or 0; lam (R or 1, n, dlam), 0 if None."""
        shape = (len(runs), problem.clients)
        z = np.array(problem.initial(seed, runs), np.float64)
        start = np.zeros((*shape, problem.hyper)) if lam is None else lam
        start = np.broadcast_to(start, (*shape, problem.hyper)).astype(np.float64)
        moments = self._adam().init(start) if self.optimizer == "adam" else {}
        return OuterState(0, start, z, np.ones(shape), moments)

    def train(
        self, problem: Bilevel, topology: Topology, state: OuterState, rounds: int, seed: int,
        runs: Runs,
    ) -> Trained:  # fmt: skip
        """Algorithm 2 at lambda^(s), in as many pieces as there are step sizes."""
        ends = [t for t in self.drops if t < rounds]
        made = Trained(state.z, state.omega, EdgeLaw(np.zeros(()), np.zeros(()), ""))
        mean, seen = np.zeros(()), np.zeros(())
        steps = np.asarray(self.eta, np.float64)
        first = self._first(state.s, rounds)
        for piece, (a, b) in enumerate(zip([0, *ends], [*ends, rounds], strict=True)):
            sgp = SGP((steps * self.drop**piece).tolist(), self.variant)
            made = algorithm2(
                problem, topology, sgp, state.lam, b - a, z0=made.z, omega0=made.omega, seed=seed,
                runs=runs, first=first + a,
            )  # fmt: skip
            mean = mean + (b - a) / rounds * made.law.mean
            seen = seen + (b - a) / rounds * made.law.frequency
        if not ends:  # the counts as they are
            return made
        return replace(made, law=EdgeLaw(mean, seen, f"estimated from {rounds} rounds"))

    def hypergradient(
        self, problem: Bilevel, topology: Topology, state: OuterState, trained: Trained,
        rounds: int, seed: int, runs: Runs,
    ) -> Floats:  # fmt: skip
        """The estimate at y^(T), (R, n, dlam). ``self`` has to be ``settled``.

        Raises ValueError: Assumption 2 or 6, or as ``hgp``.
        """
        check_connected(trained.law, "pdbo")
        at = self.place(problem, state, trained)
        law = trained.law
        if self.check or (self.check is None and (bearable(at, law) or _grows(at, law))):
            check_series(
                at, trained.law, "pdbo", "y^(T)", knob="series_eta", averaged=self.omega == "mean"
            )
        made = hgp(
            at, topology, trained.law, self.terms, reading=self.reading, alpha=self.alpha,
            beta=self.beta, seed=seed, runs=runs, first=self._first(state.s, rounds) + rounds,
            check=False,
        )  # fmt: skip
        return problem.numbers(made.gradient)

    @property
    def reading(self) -> Reading:
        """The recursion of the estimate."""
        plain = self.alpha == 1
        name = (
            ("alg4" if plain else "alg5") if self.printed else ("eq12" if plain else "appendix-b")
        )
        found = READINGS[name]
        return replace(found, rounds="together") if self.together else found

    def place(self, problem: Bilevel, state: OuterState, trained: Trained) -> Linear:
        """Where the Jacobians are taken, every run at its own y^(T)."""
        omega = trained.omega
        if self.omega == "mean":
            omega = np.array([perron(table) for table in trained.law.mean])
        return Linear(problem, self._series(), trained.x, omega, state.lam)

    def step(self, state: OuterState, trained: Trained, gradient: Floats) -> OuterState:
        """lambda^(s+1), and where the next training starts."""
        rate: Any = self.rate
        lam, moments = state.lam - np.asarray(rate) * gradient, state.moments
        if self.optimizer == "adam":
            lam, moments = self._adam().step(state.lam, gradient, state.s + 1, moments)
        z, omega = (trained.z, trained.omega) if self.warm else (state.z, state.omega)
        return OuterState(state.s + 1, lam, z, omega, moments)

    def _first(self, s: int, rounds: int) -> int:
        """The first round of outer step s: every step has rounds of its own, T + 2 M of them."""
        return s * (rounds + 2 * self.terms)

    def _series(self) -> SGP:
        return SGP(self.eta if self.series_eta is None else self.series_eta, self.variant)

    def _adam(self) -> Adam:
        assert not isinstance(self.rate, Mapping)  # ``settled`` has spread it out
        return Adam(self.rate, self.beta1, self.beta2, self.eps)


def _grows(at: Linear, law: EdgeLaw) -> bool:
    """Whether LOOK products by the mean A make any run's c^y ten times as long."""
    problem = at.problem
    c = problem.points(np.ascontiguousarray(np.swapaxes(law.mean, -1, -2)))
    first = at.seeds()[0][:, :, None, :]
    u = first
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(LOOK):
            u = at.A(c, u)
        before, after = (
            np.linalg.norm(problem.numbers(v)[:, :, 0], axis=(1, 2)) for v in (first, u)
        )
        return not bool((after <= 10 * before).all())


Moments = Mapping[str, Floats]


@dataclass(frozen=True)
class Adam:
    """m <- b1 m + (1 - b1) g, v <- b2 v + (1 - b2) g^2, x <- x - rate mhat / (sqrt(vhat) + eps).

    mhat = m / (1 - b1^t), vhat = v / (1 - b2^t), t = 1, 2, ...

    Args:
        rate: > 0, one number, or one for every number of the last axis.
        beta1, beta2: in [0, 1). eps: > 0.
    """

    rate: float | Sequence[float] = 0.1
    beta1: float = 0.9
    beta2: float = 0.999
    eps: float = 1e-8

    def __post_init__(self) -> None:
        for name, value in (("beta1", self.beta1), ("beta2", self.beta2)):
            if number("adam", name, value, at_least=0) >= 1:
                raise ValueError(f"adam: {name} is {value!r}; need 0 <= {name} < 1")
        number("adam", "eps", self.eps, above=0)

    def init(self, like: Floats) -> Moments:
        """The moments before the first step."""
        return {"m": np.zeros_like(like), "v": np.zeros_like(like)}

    def step(self, x: Floats, gradient: Floats, t: int, kept: Moments) -> tuple[Floats, Moments]:
        """x and its moments after step t = 1, 2, ..."""
        m = self.beta1 * kept["m"] + (1 - self.beta1) * gradient
        v = self.beta2 * kept["v"] + (1 - self.beta2) * gradient**2
        root = np.sqrt(v / (1 - self.beta2**t)) + self.eps
        return x - np.asarray(self.rate) * (m / (1 - self.beta1**t)) / root, {"m": m, "v": v}
