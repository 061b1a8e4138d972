"""Runs with a shared u and personal v_i: dfedpgp, dfedalt, dfedsalt and deprl.

Every local step of v, then of u, then the exchange of u; U, V are (..., n, d), one row a client.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theorylab.algorithms import DePRL, DFedAlt, DFedPGP, DFedSalt
from theorylab.problems import CoupledQuadratic, plain
from theorylab.scripts._losses import Personal, personal_losses
from theorylab.scripts._networks import Network, network
from theorylab.scripts._parts import (
    LONGEST_LOOP,
    Noise,
    check_exact,
    noise_of,
    packed,
    repeated,
    start_of,
)
from theorylab.scripts.base import Facts, UnscriptedError
from theorylab.scripts.text import bare, grouped

_PLAIN = {"momentum": 0.0, "weight_decay": 0.0, "decay": 1.0, "sam": "body", "steps_phi": 1}
PUSH = "w"  # the weights of push-sum


@dataclass(frozen=True)
class Method:
    """What one round does. names: what the step sizes of v and of u are called in the paper."""

    eta_v: float
    eta_u: float
    steps_v: int
    steps_u: int
    rho: float
    fixed: bool
    pushes: bool
    names: tuple[str, str] = ("eta_v", "eta_u")


def method_of(facts: Facts) -> Method:
    """UnscriptedError on another method, or options of it that are not in its listing."""
    run: Any = facts.setting.algorithm
    options = run.options()
    if type(run) not in (DePRL, DFedAlt, DFedPGP, DFedSalt):
        raise UnscriptedError(f"no script is written for the algorithm {run.name}")
    for name, value in _PLAIN.items():
        if options.get(name, value) != value:
            raise UnscriptedError(f"{run.name} with {name} {options[name]!r}")
    counts = [options.get(name, 1) for name in ("steps_u", "steps_v", "tau")]
    if not all(isinstance(count, int) for count in counts):
        raise UnscriptedError("numbers of local steps that differ from client to client")
    if type(run) is DePRL:
        kept = run.tau - (run.head == "printed")  # type: ignore[operator]
        names = ("alpha", "beta")
        return Method(run.alpha, run.beta, kept, 1, 0.0, False, False, names)
    fixed = run.batch == "per-round"
    rho, pushes = options.get("rho", 0.0), type(run) is DFedPGP
    return Method(run.eta_v, run.eta_u, run.steps_v, run.steps_u, rho, fixed, pushes)


@dataclass(frozen=True)
class Run:
    """All that the lines of a run are made of."""

    facts: Facts
    method: Method
    losses: Personal
    network: Network
    noise: Noise | None

    @staticmethod
    def of(facts: Facts, rounds: int) -> Run:
        check_exact(facts)
        setting, method = facts.setting, method_of(facts)
        losses = personal_losses(setting.problem, facts.general > 1)
        noise = noise_of(setting.problem)
        repeats = setting.topology.period
        rounds = rounds if repeats is None else min(rounds, repeats)
        return Run(facts, method, losses, network(setting.topology, rounds), noise)

    @property
    def shared(self) -> int:
        return self.facts.setting.problem.shared

    @property
    def shape(self) -> tuple[int, int, int]:
        """(n, d_u, d_v)."""
        problem = self.facts.setting.problem
        return problem.clients, problem.shared, problem.dim - problem.shared

    @property
    def weighted(self) -> bool:
        """Whether push-sum's weights are other than 1."""
        return self.method.pushes and self.network.weights

    def numbers(self, rounds: int | None = None, name: str = "T") -> list[str]:
        """The step sizes, and how many rounds."""
        method = self.method
        used: dict[str, Any] = {}
        if method.steps_v or method.names[0] == "alpha":  # M(k) of deprl has it, too
            used[method.names[0]] = method.eta_v
        used[method.names[1]] = method.eta_u
        if method.rho:
            used["rho"] = method.rho
        general = self.facts.general > 1
        if method.steps_v > 1 or general:
            used["K_v"] = method.steps_v
        if method.steps_u > 1 or general:
            used["K_u"] = method.steps_u
        if rounds is not None:
            used[name] = rounds
        return packed(used)

    def data(self) -> list[str]:
        """The losses and the network."""
        return [*self.losses.lines, *self.network.lines]

    def start(self) -> list[str]:
        """U, V and the weights."""
        models, shared = self.facts.setting.start, self.shared
        both = [*start_of("U", models[:, :shared]), *start_of("V", models[:, shared:])]
        if len(", ".join(both)) < 80:
            texts = [line.partition(" = ")[2] for line in both]
            both = [f"U, V = {texts[0]}, {texts[1]}"]
        return [*both, *([f"{PUSH} = np.ones(({len(models)}, 1))"] if self.weighted else [])]

    def round(self, keep: frozenset[str] = frozenset()) -> list[str]:
        """One round, from U, V to U, V. keep: of "old" (U0, V0 before), "Us" and "Vs" (the local
        iterates, from before to after), "half" (U before the exchange) and "moved"."""
        method, over = self.method, f" / {PUSH}" if self.weighted else ""
        made = ["U0, V0 = U, V"] if "old" in keep else []
        if self.weighted and keep & {"Z", "away"}:
            made.append(f"Z = U{over}")
        made += self._phase("v", "V", f"U{over}", "V", method.steps_v, "Vs" in keep)
        made += self._phase("u", "U", f"U{over}", "V", method.steps_u, "Us" in keep)
        if "half" in keep:
            made.append("half = U")
        at = self.network.at
        if at and self.weighted:
            made.append(f"U, {PUSH} = {at} @ U, {at} @ {PUSH}")
        elif at:
            made.append(f"U = {at} @ U")
        return made

    def _phase(self, part: str, name: str, U: str, V: str, count: int, kept: bool) -> list[str]:
        """The local steps of one part."""
        method, head = self.method, part == "v"
        gradient = (self.losses.heads if head else self.losses.body)(self._point(U), V)
        eta = method.names[0 if head else 1]
        made = [f"{name}s = [{name}]"] if kept else []
        noise = self._noise(part, U, V, count)
        step: list[str] = []
        if not head and method.rho and gradient:
            there = self.losses.body("lifted", V)
            step += [f"G = {bare(gradient + noise)}"]
            step += ["length = np.linalg.norm(G, axis=-1, keepdims=True)"]
            step += ["lifted = U + rho * G / np.maximum(length, 1e-300)"]
            step += [f"U = U - {eta} * {grouped(there + noise)}"]
        elif gradient or noise:
            whole = f"{gradient}{noise}" if gradient else noise.removeprefix(" + ")
            step += [f"{name} = {name} - {eta} * {grouped(whole)}"]
        if kept:
            step.append(f"{name}s.append({name})")
        if not count or not step:
            return made
        return [
            *made,
            *(step if count == 1 and not self.facts.general else repeated(f"K_{part}", step)),
        ]

    def _point(self, U: str) -> str:
        return grouped(U)

    def _noise(self, part: str, U: str, V: str, count: int) -> str:
        """+ the noise of a step, or nothing."""
        if self.noise is None or not self.noise.sigma[part == "v"][2]:
            return ""
        each = count > 1 and not self.method.fixed
        drawn = f"xi_{part}[..., k, :, :]" if each else f"xi_{part}"
        wave = ""
        if self.noise.kind == "state":
            point = U if part == "u" else V
            wave = f" * np.cos({self._point(point)} / {self.noise.length!r})"
        return f" + {drawn}{wave}"


def long(run: Run, rounds: int) -> bool:
    """Whether rounds are better not played one after the other."""
    affine = plain(run.facts.setting.problem, CoupledQuadratic) and not run.method.rho
    if run.facts.general and affine:  # the same for every value of a sweep
        return True
    return rounds * (run.method.steps_u + run.method.steps_v) > LONGEST_LOOP
