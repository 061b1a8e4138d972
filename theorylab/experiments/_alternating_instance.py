"""What DFedAlt's and DFedSalt's statements run: a problem in (u, v_i), one W, Algorithm 1."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from theorylab.constants import definition1, loss_constants
from theorylab.experiments._personal_parts import exactly, personal_parts, point
from theorylab.experiments._signs import signs
from theorylab.known import How, Known
from theorylab.problems import CoupledQuadratic, Rippled
from theorylab.runs import initial_models
from theorylab.runs.rounding import farthest, walk_off

Floats = Any
EPS = 2.0**-53
MOST = 14  # signs of an exact law: 2^14 outcomes
OPTIONS = ("eta_u", "eta_v", "steps_u", "steps_v", "rho", "batch")


@dataclass(frozen=True)
class AltRound:
    """One round of R outcomes: ``us[k]`` = u^{t,k}, ``vs[k]`` = v^{t,k}, (R, n, .), and u^{t+1}."""

    t: int
    us: list[Floats]
    vs: list[Floats]
    after: Floats


class AlternatingInstance:
    """The objects of an instance, and the constants that the theorems speak of.

    Args:
        where: what messages start with.
        problem, topology: options with a name each; the problem has a shared and a personal part,
            the topology is static. clients: m of the paper. x0: as for a run.
        steps: eta_u, eta_v, steps_u, steps_v, rho (DFedSalt's; 0 is DFedAlt), batch "per-step"
            (default) or "per-round", line 4's one minibatch.

    Raises:
        ValueError: one line, on any of these.
    """

    def __init__(
        self,
        where: str,
        problem_options: Mapping[str, Any],
        topology_options: Mapping[str, Any],
        clients: int,
        steps: Mapping[str, Any],
        x0: Any = 0.0,
    ) -> None:
        self.where = where
        self.problem, self.topology = personal_parts(
            where, problem_options, topology_options, clients, "W"
        )
        self.steps = _checked(where, steps)
        self.W = self.topology.matrix(0).toarray()
        self.start = initial_models(self.problem, 1, x0)
        self.shared = self.problem.shared

    @functools.cached_property
    def known(self) -> dict[str, Known]:
        """The constants, by the names of ``statements.dfedalt._symbols``."""
        return {**self._losses(), **self._network(), **self._run()}

    def _losses(self) -> dict[str, Known]:
        made = self.problem
        if isinstance(made, Rippled):
            found = made.personal_constants
        else:
            found = loss_constants(made, shared=self.shared)
        names = ("L_u", "L_v", "L_uv", "L_vu", "sigma_u", "sigma_v", "F_star")
        named = {f"dfedalt_{name}": found[name] for name in names if name in found}
        named["dfedalt_delta_one"] = found["partial_delta"]
        # u_i of its own for each summand: the same number where the difference is one for all u,
        # elsewhere at most the largest summand's, which one client at a time attains
        same = isinstance(made, Rippled | CoupledQuadratic)
        largest = found["partial_sigma_g"]
        if not same and largest.how is How.EXACT:
            largest = Known(largest.value, How.UPPER, f"at most that of one i: {largest.source}")
        named["dfedalt_delta"] = found["partial_delta"] if same else largest
        return named | {"dfedalt_L_sample": self._sample_smoothness(found["L_u"])}

    def _sample_smoothness(self, L_u: Known) -> Known:
        field = getattr(self.problem, "field", None)
        if field is None or field.sigma == 0 or field.additive:
            return Known(L_u.value, L_u.how, "the noise shifts grad_u by a constant")
        if field.kind != "state":
            return Known(np.inf, How.UPPER, f"noise {field.kind} jumps")
        bend = float((field.scale[: self.shared] / field.length).max())
        return Known(L_u.value + bend, How.UPPER, "L_u + sigma / (l sqrt(d)) of the noise")

    def _network(self) -> dict[str, Known]:
        n = self.problem.clients
        items = {item.item: item.holds for item in definition1(self.topology.matrix(0))}
        values = np.linalg.eigvalsh((self.W + self.W.T) / 2 - 1 / n)
        # LAPACK is off by a few n eps; a spectrum far from that decides nothing more finely.
        top = float(np.abs(values).max()) + 8 * n * EPS
        return {
            "dfedalt_definition": exactly(all(items.values()), "items (i) to (iv) of Definition 1"),
            "dfedalt_lambda": Known(top, How.UPPER, "||W - P|| by LAPACK, and 8 n eps"),
            "n": exactly(n, "clients"),
        }

    def _run(self) -> dict[str, Known]:
        steps, start = self.steps, self.start
        field = getattr(self.problem, "field", None)
        u = start[..., : self.shared]
        at = self.joined(u.mean(axis=1, keepdims=True), start[..., self.shared :])
        spread = 0.0 if (u == u[:, :1]).all() else self.spread(u)[0]
        quiet = not self.problem.stochastic
        apart = quiet or field is None or field.independent_clients
        fresh = quiet or steps["batch"] == "per-step"
        return {
            "dfedalt_eta_u": exactly(steps["eta_u"], "option eta_u"),
            "dfedalt_eta_v": exactly(steps["eta_v"], "option eta_v"),
            "dfedalt_K_u": exactly(steps["steps_u"], "option steps_u"),
            "dfedalt_K_v": exactly(steps["steps_v"], "option steps_v"),
            "rho": exactly(steps["rho"], "option rho"),
            "dfedalt_fresh": exactly(fresh, "a minibatch a step, or no noise"),
            "dfedalt_independent": exactly(apart, "by the law of the noise"),
            "dfedalt_F_start": exactly(float(self.F(at)[0]), "F at the average start"),
            "dfedalt_start_spread": exactly(float(spread), "of the first shared models"),
        }

    def joined(self, u: Floats, v: Floats) -> Floats:
        """(u, v_i) as one point (R, n, d); u (R, 1, d_u) or (R, n, d_u)."""
        return point(u, v)

    def F(self, point: Floats) -> Floats:
        """(1/m) sum_i F_i(u, v_i), shape (R,)."""
        return self.problem.loss(point).mean(axis=1)

    def spread(self, u: Floats) -> Floats:
        """(1/m) sum_i ||u_i - ubar||^2, shape (R,)."""
        return ((u - u.mean(axis=1, keepdims=True)) ** 2).sum(axis=2).mean(axis=1)

    def shared_gradients(self, u: Floats, v: Floats) -> Floats:
        """(1/m) sum_i ||grad_u F(u_i, V)||^2, each client's u at all clients' losses: (R,)."""
        total = np.zeros(len(u))
        for i in range(u.shape[1]):
            g = self.problem.gradient(self.joined(u[:, i : i + 1], v))[..., : self.shared]
            total += (g.mean(axis=1) ** 2).sum(axis=1)
        return total / u.shape[1]

    def at_average(self, u: Floats, v: Floats) -> Floats:
        """Delta_u = ||grad_u F(ubar, V)||^2, (R,)."""
        g = self.problem.gradient(self.joined(u.mean(axis=1, keepdims=True), v))
        return (g[..., : self.shared].mean(axis=1) ** 2).sum(axis=1)

    def heads(self, u: Floats, v: Floats) -> Floats:
        """||grad_v F_i(u_i, v_i)||^2, (R, n)."""
        return (self.problem.gradient(self.joined(u, v))[..., self.shared :] ** 2).sum(axis=2)

    def rounding(self, part: str, steps: int, *models: Floats, gradient: float) -> float:
        """How far rounding can put a client's ``part``, in norm, after ``steps`` local steps: by
        ``walk_off``, and by a few units of the largest model for each mixing.

        gradient: ``gradient_off`` on the way. ValueError where that leaves float64.
        """
        eta, L = self.steps[f"eta_{part}"], self.known[f"dfedalt_L_{part}"].value
        size = max(float(np.linalg.norm(farthest([model]).max(axis=(0, 1)))) for model in models)
        growth = steps * np.log1p(eta * L)
        if not growth < 600:
            raise ValueError(f"{self.where}: rounding may grow by e^{growth:g}; need smaller steps")
        mixed = 8 * (steps + 1) * (self.problem.clients + 4) * EPS * size * float(np.exp(growth))
        return walk_off(steps, eta, L, size, gradient) + mixed

    def play(self, rounds: int) -> Iterator[AltRound]:
        """Rounds of Algorithm 1 for all equally likely outcomes of the noise (one if none)."""
        draws = _Signs(self, rounds)
        u = np.repeat(self.start[..., : self.shared], draws.outcomes, axis=0)
        v = np.repeat(self.start[..., self.shared :], draws.outcomes, axis=0)
        s = self.steps
        for t in range(rounds):
            held = draws.whole() if s["batch"] == "per-round" else None
            vs, us = [v], [u]
            for _ in range(s["steps_v"]):
                sample = draws.part("v") if held is None else held
                g = self.problem.partial_gradient(self.joined(u, vs[-1]), sample, "v")
                vs.append(vs[-1] - s["eta_v"] * g)
            for _ in range(s["steps_u"]):
                sample = draws.part("u") if held is None else held
                g = self.problem.partial_gradient(self.joined(us[-1], vs[-1]), sample, "u")
                if s["rho"]:
                    size = np.linalg.norm(g, axis=2, keepdims=True)
                    up = us[-1] + s["rho"] * g / np.where(size > 0, size, 1)
                    g = self.problem.partial_gradient(self.joined(up, vs[-1]), sample, "u")
                us.append(us[-1] - s["eta_u"] * g)
            after = np.einsum("ij,rjd->rid", self.W, us[-1])
            yield AltRound(t, us, vs, after)
            u, v = after, vs[-1]


class _Signs:
    """Every outcome of fair signs, handed out part by part."""

    def __init__(self, at: AlternatingInstance, rounds: int) -> None:
        self.at, self.used = at, 0
        made, s = at.problem, at.steps
        n, du, dv = made.clients, made.shared, made.dim - made.shared
        if not made.stochastic:
            self.outcomes = 1
            return
        field = getattr(made, "field", None)
        if field is None or field.kind not in ("rademacher", "state"):
            raise ValueError(f"{at.where}: need no noise, or noise 'rademacher' or 'state'")
        self.scale = field.scale
        parts = {"u": (slice(0, du), du), "v": (slice(du, None), dv)}
        self.parts = {k: p for k, p in parts.items() if self.scale[p[0]].any()}
        each = {"u": s["steps_u"], "v": s["steps_v"]}
        per_round = s["batch"] == "per-round"
        total = (
            rounds * n * sum(p[1] * (1 if per_round else each[k]) for k, p in self.parts.items())
        )
        if total > MOST:
            raise ValueError(
                f"{at.where}: {total} signs decide the run; need at most {MOST}: fewer rounds, "
                "steps, clients or coordinates"
            )
        self.outcomes = 2**total

    def part(self, *names: str) -> Floats | None:
        if not self.at.problem.stochastic:
            return None
        n = self.at.problem.clients
        made = np.zeros((self.outcomes, n, self.at.problem.dim))
        for name in names:
            if name in self.parts:
                where, width = self.parts[name]
                drawn = signs(self.outcomes, self.used, n, width)
                made[..., where] = drawn * self.scale[where]
                self.used += n * width
        return made

    def whole(self) -> Floats | None:
        return self.part("u", "v")


def _checked(where: str, steps: Mapping[str, Any]) -> dict[str, Any]:
    for name in steps:
        if name not in OPTIONS:
            raise ValueError(f"{where}: option {name!r}; need one of {', '.join(OPTIONS)}")
    made: dict[str, Any] = {"eta_u": 1.0, "eta_v": 1.0, "steps_u": 1, "steps_v": 1, "rho": 0.0}
    made |= {"batch": "per-step", **steps}
    for name in ("eta_u", "eta_v"):
        if not made[name] > 0:
            raise ValueError(f"{where}: {name} is {made[name]!r}; need > 0")
    for name in ("steps_u", "steps_v"):
        if type(made[name]) is not int or made[name] < 1:
            raise ValueError(f"{where}: {name} is {made[name]!r}; need one integer >= 1")
    if not made["rho"] >= 0:
        raise ValueError(f"{where}: rho is {made['rho']!r}; need >= 0")
    if made["batch"] not in ("per-step", "per-round"):
        raise ValueError(f"{where}: batch is {made['batch']!r}; need per-step or per-round")
    return made


@contextlib.contextmanager
def in_float64(where: str, below: bool = True) -> Iterator[None]:
    """Numbers that leave float64, above or (with ``below``) below, are one line: an inf on the
    measured side or a 0 on the bound's is no measurement.

    Raises:
        ValueError: on an overflow, an underflow or an invalid operation inside.
    """
    under: Any = "raise" if below else "ignore"
    try:
        with np.errstate(over="raise", under=under, invalid="raise", divide="raise"):
            yield
    except FloatingPointError as error:
        raise ValueError(
            f"{where}: numbers leave float64 ({error}); need other steps, fewer of them, or "
            "models and curvatures nearer to 1"
        ) from None
