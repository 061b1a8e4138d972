"""How a script plays a round: by a user's own ``step``, or by a built-in method's phases."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from theorylab.algorithms import DPSGD, Local, is_schedule
from theorylab.own import is_own
from theorylab.scripts._losses import Plain
from theorylab.scripts._networks import Network, network
from theorylab.scripts._phases import phases_of
from theorylab.scripts._round import Run
from theorylab.scripts.base import Facts, UnscriptedError
from theorylab.scripts.text import bare


@dataclass(frozen=True)
class Method:
    """kind: a user's class, whose ``step`` is played; None where ``lines`` are the round.

    They go from ``state`` to ``before, state``. start: the lines that make the first state from
    ``x0``. numbers: what they read by name.
    """

    lines: list[str]
    start: list[str]
    kind: Any = None
    numbers: dict[str, Any] = field(default_factory=dict)


def method_of(facts: Facts, local: bool) -> Method:
    """The method of the instance; UnscriptedError, one line, where it is not written.

    local: a metric, ``metric``, looks at the local steps.
    """
    run = facts.setting.algorithm
    if type(run) is DPSGD and run.order == "mix-then-step":
        return _mixed_first(facts)
    if not is_own(type(run)):
        step = ["before, state = state, algorithm.step(state, net)"]
        return Method(step, ["state = algorithm.init(x0, problem)"], type(run))
    steps = _played(facts)
    (phase,), w = steps.phases, steps.weighted
    lines = steps.round({"X0", "w0", "Xs", "lifted", "plain", "used"} if local else ())
    if local:
        point = "Xs[k] / w0" if w else "Xs[k]"
        told = f"Xs[k], {point}, lifted[k], plain[k], used[k], Xs[k + 1]"
        lines.append("for k in range(len(used)):")
        lines.append(f'    metric.see(LocalStep(t, "", k, {told}))')
    n = facts.setting.problem.clients
    start = [f"X, w = x0, np.ones((1, {n}, 1))"] if w else ["X = x0"]
    start.append("state = State(0, X, np.ones(X.shape[:2]), X)")
    weights = "w[..., 0] + 0 * X[..., 0]" if w else "np.ones(X.shape[:2])"
    lines.append(f"before, state = state, State(t + 1, X, {weights}, X{' / w' if w else ''})")
    numbers: dict[str, Any] = {"eta": float(phase.size), **dict(steps.extras(phase))}
    numbers |= {"K": phase.count} if phase.count > 1 or facts.general > 1 else {}
    return Method(lines, start, None, numbers)


def _played(facts: Facts) -> Run:
    """A round on models (R, n, d), with the gradients of ``net``."""
    setting = facts.setting
    phases, pushes, fixed = phases_of(setting.algorithm)
    if phases[0].part:
        raise UnscriptedError(f"no script is written for the algorithm {setting.algorithm.name}")
    made = network(setting.topology, setting.rounds)
    at = "P[0]" if made.fixed and made.at else made.at
    at = "" if type(setting.algorithm) is Local else at
    step = ", k" if phases[0].count > 1 or facts.general > 1 else ""
    losses = Plain([], lambda x: f"net.gradient({bare(x)}{step})", lambda x: f"problem.loss({x})")
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
