"""How a script plays a round: by a user's own ``step``, or by a built-in method's phases."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from theorylab.algorithms import DPSGD, Local, Phases, declared_phases, is_schedule
from theorylab.own import is_own
from theorylab.scripts._networks import Network, network
from theorylab.scripts._plain import Steps
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
    phases = declared_phases(run)
    if type(run) is DPSGD and run.order == "mix-then-step":
        return _mixed_first(facts)
    if type(run) is Local:
        phases = Phases(lambda t: 0.0, run.local_steps, run.alpha, 0.0, False)
    if phases is None and is_own(type(run)):
        raise UnscriptedError(f"no script is written for the algorithm {run.name}")
    if phases is None:
        step = ["before, state = state, algorithm.step(state, net)"]
        return Method(step, ["state = algorithm.init(x0, problem)"], type(run))
    options: dict[str, Any] = run.options()
    if not isinstance(phases.steps, int) or options.get("decay", 1.0) != 1:
        raise UnscriptedError("steps that change from client to client or round to round")
    if is_schedule(options["eta"]):
        raise UnscriptedError("a step size that is a function of the round")
    steps = _Played(facts, phases)
    weights = "w[..., 0] + 0 * X[..., 0]" if steps.network.weights else "np.ones(X.shape[:2])"
    after = "X / w" if steps.network.weights else "X"
    keep = {"old", "Xs", "lifted", "plain", "used"} if local else set[str]()
    lines = steps.round(frozenset(keep))
    if local:
        point = "Xs[k] / w0" if steps.network.weights else "Xs[k]"
        told = f"Xs[k], {point}, lifted[k], plain[k], used[k], Xs[k + 1]"
        lines.append("for k in range(len(used)):")
        lines.append(f'    metric.see(LocalStep(t, "", k, {told}))')
    n = facts.setting.problem.clients
    start = [f"X, w = x0, np.ones((1, {n}, 1))"] if steps.network.weights else ["X = x0"]
    start.append("state = State(0, X, np.ones(X.shape[:2]), X)")
    lines.append(f"before, state = state, State(t + 1, X, {weights}, {after})")
    numbers = {"eta": float(options["eta"])}
    if steps.alpha or facts.general > 1:
        numbers["alpha"] = phases.alpha
    if phases.rho:
        numbers["rho"] = phases.rho
    if steps.count > 1 or facts.general > 1:
        numbers["K"] = steps.count
    return Method(lines, start, None, numbers)


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


class _Played(Steps):
    """The lines of a round on models (R, n, d), with the gradients of ``net``."""

    def __init__(self, facts: Facts, phases: Any) -> None:
        made = network(facts.setting.topology, facts.setting.rounds)
        at = "P[0]" if made.fixed and made.at else made.at
        at = "" if type(facts.setting.algorithm) is Local else at
        self.network = Network([], at, made.weights and phases.push_sum, made.fixed)
        self.facts, self.count, self.rounds = facts, phases.steps, facts.setting.rounds
        self.options = {"eta": 0.0, "alpha": phases.alpha, "rho": phases.rho}
        if getattr(facts.setting.algorithm, "gossip_steps", 1) != 1:
            raise UnscriptedError("several exchanges a round")

    def gradient(self, point: str) -> str:
        once = self.count == 1 and self.facts.general < 2
        return f"net.gradient({bare(point)}{'' if once else ', k'})"
