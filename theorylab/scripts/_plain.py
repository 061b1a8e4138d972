"""Runs with one model a client: dfedsgpsm with what is on of momentum, SAM and push-sum; SGP."""

from __future__ import annotations

from typing import Any

from theorylab.algorithms import OSGP, SGP, DFedSGPSM, DFedSGPSMS, is_schedule
from theorylab.problems import Pinwheel, plain
from theorylab.scripts._losses import Plain, plain_losses
from theorylab.scripts._networks import Network, network
from theorylab.scripts._parts import (
    LONGEST_LOOP,
    MOST_PICKS,
    MOST_SIGNS,
    SIGNS,
    Noise,
    check_exact,
    noise_of,
    packed,
    repeated,
)
from theorylab.scripts.base import Facts, UnscriptedError
from theorylab.scripts.text import array, bare, grouped, literal

_DEFAULTS: dict[str, Any] = {"alpha": 0.0, "rho": 0.0, "local_steps": 1, "decay": 1.0}


class Steps:
    """The lines of a run. X is (..., n, d): the models before push-sum divides them by w."""

    def __init__(self, facts: Facts, rounds: int) -> None:
        if rounds or facts.quantity.over == "average":
            check_exact(facts)
        setting, run = facts.setting, facts.setting.algorithm
        options: dict[str, Any] = {**_DEFAULTS, **run.options()}
        if type(run) not in (SGP, OSGP, DFedSGPSM, DFedSGPSMS):
            raise UnscriptedError(f"no script is written for the algorithm {run.name}")
        plainly = isinstance(options["local_steps"], int) and options["decay"] == 1
        if not plainly or is_schedule(options["eta"]):
            raise UnscriptedError("steps that change from client to client or round to round")
        if type(run) is DFedSGPSMS and rounds > 0:
            raise UnscriptedError("receivers are drawn in every round")
        self.facts, self.options, self.count = facts, options, options["local_steps"]
        self.problem = setting.problem
        base: Any = getattr(self.problem, "base", self.problem)
        self.wheel = plain(self.problem, Pinwheel)
        self.noise: Noise | None = None if self.wheel else noise_of(self.problem)
        self.losses: Plain = plain_losses(base if self.noise is not None else self.problem,
                                          facts.general > 1)  # fmt: skip
        period = setting.topology.period
        many = rounds if period is None else min(rounds, period)
        self.network: Network = network(setting.topology, max(many, 1))
        self.rounds = rounds
        if self.random and rounds > 1:
            raise UnscriptedError("the outcomes of several rounds of noise are too many")
        if rounds * self.count > LONGEST_LOOP:
            raise UnscriptedError(f"{rounds} rounds are too many for a script")

    @property
    def random(self) -> bool:
        return self.wheel or self.noise is not None

    @property
    def alpha(self) -> bool:
        return bool(self.options["alpha"]) and self.count > 1

    def head(self, name: str = "rounds") -> list[str]:
        """The numbers, the data, the start and the outcomes of the noise."""
        start = self.facts.setting.start
        used: dict[str, Any] = {}
        if self.rounds:
            used["eta"] = self.options["eta"]
            if self.alpha or self.facts.general > 1:
                used["alpha"] = self.options["alpha"]
            if self.options["rho"]:
                used["rho"] = self.options["rho"]
            if self.count > 1 or self.facts.general > 1:
                used["K"] = self.count
            if self.rounds > 1 or self.facts.general > 1:
                used[name] = self.rounds
        weights = [f"w = np.ones(({len(start)}, 1))"] if self.network.weights else []
        mixing = self.network.lines if self.rounds else []
        models = [f"X = {array(start)}", *weights]
        return [*packed(used), *self.losses.lines, *mixing, *models, *self._outcomes()]

    def _outcomes(self) -> list[str]:
        if self.wheel:
            return self._pinwheel()
        noise = self.noise
        if noise is None:
            return []
        if noise.kind not in SIGNS:
            raise UnscriptedError(f"{noise.kind} noise has no outcomes that a script lists")
        n, d = self.problem.clients, self.problem.dim
        shape = (self.count, n, d) if self.count > 1 else (n, d)
        size = self.count * n * d
        if size > MOST_SIGNS:
            raise UnscriptedError(f"2^{size} outcomes are too many for a script")
        scale, text = noise.scale(0), ", ".join(map(str, shape))
        factor = "" if scale == 1 else f"{scale!r} * "
        return [
            "# every outcome of the fair signs, equally likely, along the first axis",
            f"signs = np.array(list(itertools.product([-1.0, 1.0], repeat={size})))",
            f"xi = {factor}signs.reshape(-1, {text})",
        ]

    def _pinwheel(self) -> list[str]:
        """The 4d equally likely samples of a client's step: directions u, bumps along v."""
        found: Any = self.problem
        n, d, options = self.problem.clients, self.problem.dim, found.options
        size = self.count * n
        if (4 * d) ** size > MOST_PICKS:
            raise UnscriptedError(f"{4 * d}^{size} outcomes are too many for a script")
        shape = f"{self.count}, {n}" if self.count > 1 else f"{n}"
        center = literal(options["center"])
        eye = f"np.eye({d})"
        return [
            *packed({"eps": found.eps, "bump": found.bump, "ascent": options["ascent"]}),
            f"sign = np.tile([1.0, -1.0], {2 * d})[:, None]",
            f"u = np.repeat({eye}, 4, axis=0) * np.tile([[1], [1], [-1], [-1]], ({d}, 1))",
            f"v = np.repeat(np.roll({eye}, -1, axis=0), 4, axis=0)",
            "# every outcome of the samples, equally likely, along the first axis",
            f"pick = np.array(list(itertools.product(range({4 * d}), repeat={size})))",
            f"pick = pick.reshape(-1, {shape})",
            "def noise(x, s):  # of sample s: eps u, and the gradient of a bump around its middle",
            f"    y = x - {center} - ascent * u[s]"
            if center != "0"
            else "    y = x - ascent * u[s]",
            "    rest = np.maximum(1 - (y**2).sum(-1, keepdims=True) / (0.7 * ascent) ** 2, 0)",
            "    slope = rest**2 * v[s] - 4 * rest * (v[s] * y).sum(-1, keepdims=True)"
            " * y / (0.7 * ascent) ** 2",
            "    return eps * u[s] + bump * sign[s] * slope",
        ]

    def gradient(self, point: str) -> str:
        """The stochastic gradient of every client at its own point."""
        exact = self.losses.gradient(point)
        if self.wheel:
            return f"{exact} + noise({bare(point)}, {'pick[:, k]' if self.count > 1 else 'pick'})"
        if self.noise is None:
            return exact
        drawn = "xi[..., k, :, :]" if self.count > 1 else "xi"
        if self.noise.kind == "state":
            drawn += f" * np.cos({grouped(point)} / {self.noise.length!r})"
        return f"{exact} + {drawn}"

    def round(self, keep: frozenset[str], mix: bool = True) -> list[str]:
        """One round from X, w to X, w. keep: of "old" (X0, w0), "Xs" (before and after every
        local step), "lifted" (SAM's points) and "used" (the gradients of line 9)."""
        made = ["X0 = X"] if "old" in keep else []
        if "old" in keep and self.network.weights:
            made.append("w0 = w")
        momentum = self.alpha or self.facts.general > 1
        made += ["Y = 0.0 * X"] if momentum else []
        lists = [name for name in ("Xs", "lifted", "used", "plain") if name in keep]
        made += [f"{name} = {'[X]' if name == 'Xs' else '[]'}" for name in lists]
        once = self.count == 1 and self.facts.general < 2
        step: list[str] = []
        Z = "Z" if self.network.weights else "X"
        if self.network.weights:
            step.append("Z = X / w")
        step.append(f"G = {bare(self.gradient(Z))}")
        if "plain" in keep:
            step.append("plain.append(G)")
        if self.options["rho"]:
            step.append("length = np.linalg.norm(G, axis=-1, keepdims=True)")
            step.append(f"up = {Z} + rho * G / np.maximum(length, 1e-300)")
            step.append(f"G = {bare(self.gradient('up'))}")
        if "lifted" in keep:
            step.append(f"lifted.append({'up' if self.options['rho'] else Z})")
        if "used" in keep:
            step.append("used.append(G)")
        if momentum:
            step.append("Y = alpha * Y + G")
        step.append(f"X = X - eta * {'Y' if momentum else 'G'}")
        if "Xs" in keep:
            step.append("Xs.append(X)")
        made += step if once else repeated("K", step)
        at = self.network.at
        if at and mix:
            w = self.network.weights
            made.append(f"X, w = {at} @ X, {at} @ w" if w else f"X = {at} @ X")
        return made

    def play(self, keep: frozenset[str] = frozenset(), mix: bool = True) -> list[str]:
        """All rounds; ``mix``: the exchange after the last, too."""
        if not self.rounds:
            return []
        one = self.round(keep, mix or self.rounds > 1)
        once = self.rounds == 1 and self.facts.general < 2
        return one if once else repeated("rounds", one, "t")

    def ends(self, value: str) -> list[str]:
        """``value`` of every outcome as what is measured."""
        if not self.random:
            return [f"measured = {value}"]
        return [f"measured = np.{self.facts.reduction}({value})"]

    def mean_gradient(self, point: str) -> str:
        """grad f at one point of all clients, kept as an axis of one."""
        return f"{grouped(self.losses.gradient(point), True)}.mean(-2)"
