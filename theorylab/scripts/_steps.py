"""How a script plays a round: by a user's own ``step``, or by a built-in method's phases."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from theorylab.algorithms import DPSGD, Local, is_schedule
from theorylab.own import is_own
from theorylab.scripts._instance_lines import Network, Personal, Plain, network
from theorylab.scripts._phases_and_noise import is_told, phases_of
from theorylab.scripts._round import Run
from theorylab.scripts.base import Facts, UnscriptedError
from theorylab.scripts.text import bare


@dataclass(frozen=True)
class Method:
    """kind: the class whose ``step`` is played, by its text; None where ``lines`` are the round.

    They go from ``state`` to ``before, state``. start: the lines that make the first state from
    ``x0``. numbers: what they read by name.
    """

    lines: list[str]
    start: list[str]
    kind: Any = None
    numbers: dict[str, Any] = field(default_factory=dict)


def method_of(facts: Facts, local: bool, keep: Collection[str] = ()) -> Method:
    """The method of the instance; UnscriptedError, one line, where it is not written.

    local: a metric, ``metric``, looks at the local steps. keep: lists of them that lines read, by
    the names of ``Run.round``.
    """
    run = facts.setting.algorithm
    own = not (is_own(type(run)) and is_told(run))
    if keep and (own or isinstance(run, DPSGD)):
        raise UnscriptedError(f"{facts.column} reads local steps that {run.name} does not record")
    if type(run) is DPSGD and run.order == "mix-then-step":
        return _mixed_first(facts)
    if own:
        step = ["before, state = state, algorithm.step(state, net)"]
        return Method(step, ["state = algorithm.init(x0, problem)"], type(run))
    steps = played(facts)
    split, w = bool(steps.phases[0].part), steps.weighted
    if local and split:
        raise UnscriptedError(f"the local steps of {run.name}, by a metric's own text")
    x, shared = ("U", steps.size("u")) if split else ("X", 0)
    kept = {"X0", "w0", "Xs", "lifted", "plain", "used"} if local else keep
    lines = steps.round(kept)
    if local:
        point = "Xs[k] / w0" if w else "Xs[k]"
        told = f"Xs[k], {point}, lifted[k], plain[k], used[k], Xs[k + 1]"
        lines.append("for k in range(len(used)):")
        lines.append(f'    metric.see(LocalStep(t, "", k, {told}))')
    start = [f"U, V = x0[..., :{shared}], x0[..., {shared}:]"] if split else ["X = x0"]
    start += [f"w = np.ones((1, {facts.setting.problem.clients}, 1))"] if w else []
    V = ", V" if split else ""
    start.append(f"state = State(0, {x}, np.ones({x}.shape[:2]), {x}{V})")
    weights = f"w[..., 0] + 0 * {x}[..., 0]" if w else f"np.ones({x}.shape[:2])"
    z = f"{x} / w" if w else x
    lines.append(f"before, state = state, State(t + 1, {x}, {weights}, {z}{V})")
    numbers: dict[str, Any] = {}
    for phase in steps.phases:
        numbers |= {phase.eta: float(phase.size), **dict(steps.extras(phase))}
        if phase.count > 1 or facts.general > 1:
            numbers[f"K{phase.of_part}"] = phase.count
    return Method(lines, start, None, numbers)


@dataclass(frozen=True)
class Asked:
    """What lines of a script ask of ``problem``, which has a user's text or a built-in's losses;
    models are (R, n, d), and a point of all clients has n = 1. weighted: as of ``Run``."""

    facts: Facts
    weighted: bool = True

    def exact(self, part: str, U: str, V: str = "V") -> str:
        """As of ``Run``."""
        shared = self.facts.setting.problem.shared
        if not part:
            return f"problem.gradient({self._everywhere(U)})"
        own = f":{shared}" if part == "u" else f"{shared}:"
        return f"problem.gradient({self._joined(U, V)})[..., {own}]"

    def loss(self, x: str) -> str:
        """f_i(x_i), (R, n)."""
        return f"problem.loss({self._everywhere(x)})"

    def mean_loss(self, U: str, V: str) -> str:
        """The mean of f_i(u_i, v_i) over the clients, (R,)."""
        return f"problem.loss({self._joined(U, V)}).mean(-1)"

    def average_loss(self, x: str) -> str:
        """f at the average of x, (R,)."""
        return f"problem.mean_loss({x}.mean(1))"

    def average_slope(self, x: str) -> str:
        """grad f at the average of x, (R, d)."""
        return f"problem.mean_gradient({x}.mean(1))"

    def squared(self, x: str) -> str:
        """||x||^2 of all clients, (R,)."""
        return f"({x} ** 2).reshape(len(net.runs), -1).sum(-1)"

    def _everywhere(self, x: str) -> str:
        return f"{x} + np.zeros(({self.facts.setting.problem.clients}, 1))"

    def _joined(self, U: str, V: str) -> str:
        return f"np.concatenate([{U} + 0 * {V}[..., :1], {V} + 0 * {U}[..., :1]], -1)"


def played(facts: Facts) -> Run:
    """A round on models (R, n, d), with the gradients of ``net``, or of the problem's parts."""
    setting = facts.setting
    phases, pushes, fixed = phases_of(setting.algorithm)
    made = network(setting.topology, max(setting.rounds, 1))
    at = "P[0]" if made.fixed and made.at else made.at
    at = "" if type(setting.algorithm) is Local else at
    losses: Plain | Personal
    if phases[0].part:
        if setting.problem.stochastic:
            raise UnscriptedError(f"noise in the parts that {setting.algorithm.name} knows")
        ask = Asked(facts)
        losses = Personal([], lambda U, V: ask.exact("u", U, V), lambda U, V: ask.exact("v", U, V),
                          ask.mean_loss)  # fmt: skip
    else:
        step = ", k" if phases[0].count > 1 or facts.general > 1 else ""
        losses = Plain([], lambda x: f"net.gradient({bare(x)}{step})", Asked(facts).loss)
    weighted = made.weights and pushes
    mixing = Network([], at, weighted, made.fixed)
    return Run(facts, setting.rounds, phases, weighted, fixed, losses, mixing, None, False)


def _mixed_first(facts: Facts) -> Method:
    """x = P x - eta g(x), of dpsgd."""
    options = facts.setting.algorithm.options()
    if is_schedule(options["eta"]) or options["decay"] != 1 or options["alpha"] or options["rho"]:
        raise UnscriptedError("a step size that is a function of the round")
    lines = [
        "x = net.mix(state.x) - eta * net.gradient(state.x)",
        "before, state = state, net.next(state, x=x)",
    ]
    start = ["state = State(0, x0, np.ones(x0.shape[:2]), x0)"]
    eta = {"eta": float(options["eta"])}
    return Method(lines, start, None, eta)
