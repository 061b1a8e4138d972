"""pdbo's iterative differentiation, of the worst of the drawn paths, its edges written out."""

from __future__ import annotations

from typing import Any

import numpy as np

from theorylab.experiments import Itd
from theorylab.hypergradients import algorithm2
from theorylab.scripts._pdbo_place import LOSSES, fitted
from theorylab.scripts._pdbo_rounds import worst_run
from theorylab.scripts.base import Facts, UnscriptedError, emitter
from theorylab.scripts.text import array, literal


@emitter("itd")
def differentiated(facts: Facts) -> list[str]:
    """Eq. (41), or the printed backward pass, beside the derivative of Fbar along one path."""
    found, column = facts.experiment, facts.column
    assert isinstance(found, Itd)
    p = found.losses
    if column not in ("eq41", "backward_printed"):
        raise UnscriptedError(f"no script is written for the column {column}")
    if p.stochastic or found.steps.variant != "4b":
        raise UnscriptedError("a path of (4a), or with noise, has no script")
    ids, T, lam = np.array([worst_run(facts)]), found.rounds, np.ones((1, p.clients, p.hyper))
    options = {"seed": facts.seed, "runs": ids, "keep": True}
    path = algorithm2(p, found.topology, found.steps, lam, T, **options).path  # type: ignore[arg-type]
    assert path is not None
    if column == "eq41":
        estimate = [
            "estimate = c_lam",
            "for t in range(T):  # Eq. (41): later factors to the left, as line 31 has them",
            "    u = c",
            "    for s in range(t + 1, T):",
            "        u = A[s] @ u",
            "    estimate = estimate + B @ u",
        ]
    else:
        estimate = [
            "estimate, u = c_lam, c",
            "for t in range(T, 0, -1):  # lines 1259 and 1267 read round t + 1 for t",
            "    estimate, u = estimate + B @ u, A[t] @ u",
        ]
    step = literal(float(found.steps.steps(1)[0]))
    if p.dim * p.hyper > 1:
        return _of_vectors(p, path, step, T, estimate)
    rows = [np.ravel(part) for part in (p.H, p.b, p.G, p.t, p.S)]
    return fitted(
        [
            LOSSES["bGtS"],
            f"n, T, step, reg = {p.clients}, {T}, {step}, {literal(p.reg)}",
            f"H, b, G, t_, S = {array(rows)}",
            f"edges = {array(path.P[:, 0] > 0)}  # [t, i, j]: j -> i in round t",
            "P = edges / edges.sum(axis=1, keepdims=True)",
            "def path(lam):  # Eq. (2) with (4b): x and omega after every round",
            "    z, omega, made = np.zeros(n), np.ones(n), []",
            "    for t in range(T + 1):",
            "        made.append((z / omega, omega))",
            "        z = P[t] @ z - step * (H * z / omega - b - G * lam)",
            "        omega = P[t] @ omega",
            "    return made",
            "def outer(lam):  # Fbar(x^(T)), a quadratic function of lambda",
            "    x = path(lam)[T][0]",
            "    return np.mean((x - t_) ** 2 / 2 + S * x * lam + reg * lam**2 / 2)",
            "one, made = np.ones(n), path(np.ones(n))",
            "truth = np.array([outer(one + e) - outer(one - e) for e in np.eye(n)]) / 2",
            "A = [P[t].T - np.diag(step * H / made[t][1]) for t in range(T + 1)]",
            "B, (x, omega) = np.diag(step * G), made[T]",
            "c, c_lam = (x - t_ + S) / (n * omega), (S * x + reg) / n",
            *estimate,
            "measured = np.abs(estimate - truth).max()",
        ]
    )


def _of_vectors(p: Any, path: Any, step: str, T: int, estimate: list[str]) -> list[str]:
    """The same of several numbers a client: more lines than a page has."""
    return fitted(
        [
            LOSSES["vectors"],
            f"n, T, step, reg = {p.clients}, {T}, {step}, {literal(p.reg)}",
            *(f"{name} = {array(value)}" for name, value in (("H", p.H), ("b", p.b), ("G", p.G))),
            f"t_, S = {array(p.t)}, {array(p.S)}",
            f"edges = {array(path.P[:, 0] > 0)}  # [t, i, j]: j -> i in round t",
            "P, (d, h) = edges / edges.sum(axis=1, keepdims=True), G.shape[1:]",
            "def path(lam):  # Eq. (2) with (4b): x and omega after every round",
            "    z, omega, made = np.zeros((n, d)), np.ones((n, 1)), []",
            "    for t in range(T + 1):",
            "        x = z / omega",
            "        made.append((x, omega))",
            "        slope = np.einsum('iab,ib->ia', H, x) - b - np.einsum('iak,ik->ia', G, lam)",
            "        z, omega = P[t] @ z - step * slope, P[t] @ omega",
            "    return made",
            "def outer(lam):  # Fbar(x^(T)), a quadratic function of lambda",
            "    x = path(lam)[T][0]",
            "    return np.sum((x - t_) ** 2 / 2 + x * np.einsum('iak,ik->ia', S, lam)) / n + "
            "reg * np.sum(lam**2) / (2 * n)",
            "one, units = np.ones((n, h)), np.eye(n * h).reshape(n * h, n, h)",
            "truth = np.array([outer(one + e) - outer(one - e) for e in units]) / 2",
            "def jacobian(M, own):  # of sums of M_ij x_j, and of own_i x_i",
            "    sent = np.einsum('ij,ab->iajb', M, np.eye(d)) if M is not None else 0.0",
            "    both = sent + np.einsum('ij,iab->iajb', np.eye(n), own)",
            "    return both.reshape(n * own.shape[1], n * d)",
            "made = path(one)",
            "A = [jacobian(P[t].T, -step * H / made[t][1][:, :, None]) for t in range(T + 1)]",
            "B, (x, omega) = jacobian(None, step * np.swapaxes(G, 1, 2)), made[T]",
            "c = ((x - t_ + S.sum(-1)) / (n * omega)).ravel()",
            "c_lam = ((np.einsum('iak,ia->ik', S, x) + reg) / n).ravel()",
            *estimate,
            "measured = np.abs(estimate - truth).max()",
        ]
    )
