"""Rounds of built-in methods as lines of a script: phases of local steps, then one exchange.

Models are (..., n, d), one row a client: X, or a shared U and personal V. An axis of the outcomes
of noise may stand in front. w are push-sum's weights, (n, 1).
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from theorylab.algorithms import Local
from theorylab.problems import Pinwheel, plain
from theorylab.scripts._instance_lines import (
    Network,
    Personal,
    Plain,
    network,
    personal_losses,
    plain_losses,
)
from theorylab.scripts._phases_and_noise import (
    LONGEST_LOOP,
    MOST_PICKS,
    MOST_SIGNS,
    SIGNS,
    Noise,
    Phase,
    check_exact,
    is_split,
    noise_of,
    phases_of,
)
from theorylab.scripts.base import Facts, UnscriptedError
from theorylab.scripts.text import array, bare, grouped, indented, literal, packed, repeated


def _at_rest(facts: Facts, noise: Noise | None) -> bool:
    """Whether the shared part stays at 0, where push-sum's weights divide nothing else."""
    problem: Any = facts.setting.problem
    if problem.square_form is None:
        return False
    (H, c), d_u = problem.square_form, problem.shared
    parts = H[:, :d_u, d_u:], c[:, :d_u], facts.setting.start[:, :d_u]
    still = not any(part.any() for part in parts)
    return still and (noise is None or not noise.sigma[0][2])


@dataclass(frozen=True)
class Run:
    """All that the lines of ``rounds`` rounds are made of. fixed: as ``phases_of`` says."""

    facts: Facts
    rounds: int
    phases: list[Phase]
    weighted: bool
    fixed: bool
    losses: Plain | Personal
    network: Network
    noise: Noise | None
    wheel: bool

    @staticmethod
    def of(facts: Facts, rounds: int) -> Run:
        """UnscriptedError, one line, where they are not written."""
        setting: Any = facts.setting
        problem, topology = setting.problem, setting.topology
        phases: list[Phase] = []
        pushes = fixed = False
        if rounds:
            check_exact(facts)
            phases, pushes, fixed = phases_of(setting.algorithm)
        wheel = plain(problem, Pinwheel)
        noise = None if wheel or not rounds else noise_of(problem)
        if noise is not None and not any(sigma for *_, sigma in noise.sigma):
            noise = None
        general = facts.general > 1
        losses: Plain | Personal
        if is_split(facts):
            losses = personal_losses(problem, general)
        else:
            losses = plain_losses(problem, general)
        many = rounds if topology.period is None else min(rounds, topology.period)
        mixing = network(topology, max(many, 1))
        if not rounds or type(setting.algorithm) is Local:
            mixing = Network([], "", False, True)
        weighted = pushes and mixing.weights and not _at_rest(facts, noise)
        return Run(facts, rounds, phases, weighted, fixed, losses, mixing, noise, wheel)

    @property
    def random(self) -> bool:
        return bool(self.rounds) and (self.wheel or self.noise is not None)

    @property
    def long(self) -> bool:
        """Whether the rounds are too many to be played one after the other."""
        return self.rounds * sum(each.count for each in self.phases) > LONGEST_LOOP

    def size(self, part: str) -> int:
        """The coordinates of a part."""
        problem = self.facts.setting.problem
        return {"": problem.dim, "u": problem.shared, "v": problem.dim - problem.shared}[part]

    def momentum(self, phase: Phase) -> bool:
        named = self.facts.general > 1 and not phase.part
        return (bool(phase.alpha) and phase.count > 1) or named

    def extras(self, phase: Phase) -> list[tuple[str, float]]:
        """Momentum and SAM's radius, where they act."""
        momentum = [("alpha", phase.alpha)] if self.momentum(phase) else []
        return [*momentum, *([("rho", phase.rho)] if phase.rho else [])]

    def numbers(self, rounds: int | None, name: str) -> list[str]:
        """The step sizes, and how many rounds, where there is more than one."""
        general = self.facts.general > 1
        used: dict[str, Any] = {each.eta: each.size for each in self.phases}
        used |= {name: value for each in self.phases for name, value in self.extras(each)}
        counted = [each for each in self.phases if each.count > 1 or general]
        used |= {f"K{each.of_part}": each.count for each in counted}
        if rounds is not None and (rounds > 1 or general or name == "T"):
            used[name] = rounds
        return packed(used)

    def start(self) -> list[str]:
        """X, or U and V, and the weights."""
        models = self.facts.setting.start
        weights = [f"w = np.ones(({len(models)}, 1))"] if self.weighted else []
        if not is_split(self.facts):
            return [f"X = {array(models)}", *weights]
        shared = self.size("u")
        U, V = array(models[:, :shared]), array(models[:, shared:])
        lines = [f"U, V = {U}, {V}"] if len(U + V) < 70 else [f"U = {U}", f"V = {V}"]
        return [*lines, *weights]

    def drawn(self, phase: Phase) -> tuple[int, ...]:
        """The shape of a round's draws: (steps, n, d), or (n, d) where all steps share one."""
        shape = self.facts.setting.problem.clients, self.size(phase.part)
        return shape if self.fixed or phase.count <= 1 else (phase.count, *shape)

    def noisy(self) -> list[Phase]:
        """The phases whose gradients have noise."""
        if self.noise is None:
            return []
        sigma = self.noise.sigma
        return [each for each in self.phases if each.count and sigma[each.part == "v"][2]]

    def outcomes(self) -> list[str]:
        """Every outcome of one round's noise, along a first axis of the draws."""
        if self.rounds > 1:
            raise UnscriptedError("the outcomes of several rounds of noise are too many")
        if self.wheel:
            return self._pinwheel()
        noise, parts = self.noise, self.noisy()
        assert noise is not None
        if noise.kind not in SIGNS:
            raise UnscriptedError(f"{noise.kind} noise has no outcomes that a script lists")
        counts = [math.prod(self.drawn(each)) for each in parts]
        if sum(counts) > MOST_SIGNS:
            raise UnscriptedError(f"2^{sum(counts)} outcomes are too many for a script")
        made = [
            "# every outcome of the fair signs, equally likely, along the first axis",
            f"signs = np.array(list(itertools.product([-1.0, 1.0], repeat={sum(counts)})))",
        ]
        first = 0
        for phase, count in zip(parts, counts, strict=True):
            cut = "signs" if len(parts) == 1 else f"signs[:, {first}:{first + count}]"
            made.append(self.scaled(phase, cut, "-1, "))
            first += count
        return made

    def scaled(self, phase: Phase, cut: str, runs: str = "") -> str:
        """The line that makes a phase's draws of unit noise."""
        assert self.noise is not None
        scale, shape = self.noise.scale(phase.part == "v"), ", ".join(map(str, self.drawn(phase)))
        factor = "" if scale == 1 else f"{scale!r} * "
        return f"xi{phase.of_part} = {factor}{cut}.reshape({runs}{shape})"

    def _pinwheel(self) -> list[str]:
        """The 4d equally likely samples of a client's step: directions u, bumps along v."""
        problem: Any = self.facts.setting.problem
        n, d, options, count = problem.clients, problem.dim, problem.options, self.phases[0].count
        if (4 * d) ** (count * n) > MOST_PICKS:
            raise UnscriptedError(f"{4 * d}^{count * n} outcomes are too many for a script")
        shape = f"{count}, {n}" if count > 1 else f"{n}"
        eye, center = f"np.eye({d})", literal(options["center"])
        away = "x" if center == "0" else f"x - {center}"
        return [
            *packed({"eps": problem.eps, "bump": problem.bump, "ascent": options["ascent"]}),
            f"sign = np.tile([1.0, -1.0], {2 * d})[:, None]",
            f"u = np.repeat({eye}, 4, axis=0) * np.tile([[1], [1], [-1], [-1]], ({d}, 1))",
            f"v = np.repeat(np.roll({eye}, -1, axis=0), 4, axis=0)",
            "# every outcome of the samples, equally likely, along the first axis",
            f"pick = np.array(list(itertools.product(range({4 * d}), repeat={count * n})))",
            f"pick = pick.reshape(-1, {shape})",
            "def noise(x, s):  # of sample s: eps u, and the gradient of a bump around its middle",
            f"    y = {away} - ascent * u[s]",
            "    rest = np.maximum(1 - (y**2).sum(-1, keepdims=True) / (0.7 * ascent) ** 2, 0)",
            "    slope = rest**2 * v[s] - 4 * rest * (v[s] * y).sum(-1, keepdims=True)"
            " * y / (0.7 * ascent) ** 2",
            "    return eps * u[s] + bump * sign[s] * slope",
        ]

    def exact(self, part: str, U: str, V: str = "V") -> str:
        """grad f_i of all clients, in X or in the part; "" where it is 0."""
        if isinstance(self.losses, Plain):
            return self.losses.gradient(U)
        return (self.losses.heads if part == "v" else self.losses.body)(U, V)

    def loss(self, x: str) -> str:
        """f_i(x_i), (..., n)."""
        losses: Any = self.losses
        return str(losses.value(x))

    def mean_loss(self, U: str, V: str) -> str:
        """The mean of f_i(u_i, v_i) over the clients."""
        losses: Any = self.losses
        return str(losses.value(U, V))

    def average_loss(self, x: str) -> str:
        """f at the average of x."""
        return f"({self.loss(f'{x}.mean(-2, keepdims=True)')}).mean(-1)"

    def average_slope(self, x: str) -> str:
        """grad f at the average of x."""
        return f"{grouped(self.exact('', f'{x}.mean(-2, keepdims=True)'), True)}.mean(-2)"

    def squared(self, x: str) -> str:
        """||x||^2 of all clients."""
        return f"np.sum({grouped(x)} ** 2)"

    def gradient(self, phase: Phase, point: str) -> str:
        """The stochastic gradient of a step. point: of X or of U, after push-sum's division."""
        step = "k" if phase.count > 1 and not self.fixed else ""
        exact = self.exact(phase.part, point)
        if self.wheel:
            drawn = f"noise({bare(point)}, {'pick[:, k]' if step else 'pick'})"
        elif phase in self.noisy():
            drawn = f"xi{phase.of_part}" + ("[..., k, :, :]" if step else "")
            if self.noise is not None and self.noise.kind == "state":
                at = "V" if phase.part == "v" else grouped(point)
                drawn += f" * np.cos({at} / {self.noise.length!r})"
        else:
            return exact
        return f"{exact} + {drawn}" if exact else drawn

    def round(self, keep: Collection[str] = (), mix: bool = True) -> list[str]:
        """One round. keep: of X0, U0, V0, w0 (before it), Xs, Us, Vs (the local iterates, from
        before to after), lifted (SAM's points), plain and used (the gradients of lines 7 and 9;
        used_u, used_v), and half (before the exchange)."""
        old = [name for name in ("X", "U", "V", "w") if f"{name}0" in keep]
        old = [name for name in old if name != "w" or self.weighted]
        made = [f"{', '.join(f'{name}0' for name in old)} = {', '.join(old)}"] if old else []
        for phase in self.phases:
            made += self._phase(phase, keep)
        x, at = self.phases[-1].model, self.network.at
        made += [f"half = {x}"] if "half" in keep else []
        if at and mix:
            made.append(f"{x}, w = {at} @ {x}, {at} @ w" if self.weighted else f"{x} = {at} @ {x}")
        return made

    def _phase(self, phase: Phase, keep: Collection[str]) -> list[str]:
        x, eta = phase.model, phase.eta
        names = {"Xs": f"{x}s", "used": f"used{phase.of_part}"}
        lists = {key: names.get(key, key) for key in ("Xs", "lifted", "plain", "used")}
        lists = {key: name for key, name in lists.items() if name in keep}
        made = [f"Y = 0.0 * {x}"] if self.momentum(phase) else []
        made += [f"{name} = {f'[{x}]' if key == 'Xs' else '[]'}" for key, name in lists.items()]
        point = "U" if phase.part else "X"
        point = f"({point} / w)" if self.weighted else point
        G, step = self.gradient(phase, point), list[str]()
        if G and (phase.rho or "plain" in lists):
            step.append(f"G = {bare(G)}")
            step += ["plain.append(G)"] if "plain" in lists else []
            G = "G"
        if G and phase.rho:
            step.append("length = np.linalg.norm(G, axis=-1, keepdims=True)")
            step.append(f"up = {bare(point)} + rho * G / np.maximum(length, 1e-300)")
            G, point = self.gradient(phase, "up"), "up"
        step += [f"lifted.append({bare(point)})"] if "lifted" in lists else []
        if "used" in lists:
            step += [*([f"G = {bare(G)}"] if G != "G" else []), f"{lists['used']}.append(G)"]
            G = "G"
        if G and self.momentum(phase):
            step.append(f"Y = alpha * Y + {grouped(G)}")
            G = "Y"
        step += [f"{x} = {x} - {eta} * {grouped(G)}"] if G else []
        step += [f"{lists['Xs']}.append({x})"] if "Xs" in lists else []
        if not phase.count or not step:
            return made
        once = phase.count == 1 and self.facts.general < 2
        return [*made, *(step if once else repeated(f"K{phase.of_part}", step))]

    def play(self, keep: Collection[str], each: list[str], mix: bool, name: str) -> list[str]:
        """All rounds, ``each`` after every one. mix: the exchange after the last, too."""
        if not self.rounds:
            return []
        if self.long:
            raise UnscriptedError(f"{self.rounds} rounds are too many for a script")
        one = [*self.round(keep, mix or self.rounds > 1), *each]
        once = self.rounds == 1 and self.facts.general < 2 and name != "T"
        return one if once else [f"for t in range({name}):", *indented(one)]
