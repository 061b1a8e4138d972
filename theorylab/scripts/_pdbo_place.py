"""What scripts about pdbo share: a network's rounds, a quadratic problem, its stationary point.

Messages stand as in the paper, inputs as rows: with w[i, j] what i makes of j's message, the blocks
of A are w[i, j] d_y phi_i, and d_y psi_i on the diagonal; B has the same in lambda. Where every
client has one number and one hyperparameter the lines say so: such arrays have one axis less.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from theorylab.scripts.base import WIDEST, UnscriptedError
from theorylab.scripts.text import array, literal, wrapped
from theorylab.topologies import StochasticDirected, StochasticUndirected, Topology

MOST_CLIENTS = 3  # whose patterns of edges a script lists, all n^2 bits of them
LOSSES = {
    "bG": "# f_i(x, l) = H_i x^2 / 2 - x (b_i + G_i l)",
    "vectors": "# f_i = x'H_i x/2 - x'(b_i + G_i l), F_i = |x - t_i|^2/2 + x'S_i l + reg |l|^2/2",
    "bGtS": "# f_i = H_i x^2 / 2 - x (b_i + G_i l), F_i = (x - t_i)^2 / 2 + S_i x l + reg l^2 / 2",
}
WORTH = {
    "debiased": "there * mean.T / often",
    "undivided": "there * mean.T",
    "realised": "P.T",
    "received": "P.T * there",
    "mean": "mean.T",
}


def fitted(lines: Iterable[str]) -> list[str]:
    """``lines`` broken where they are too long; a comment after one stays where there is room."""
    made: list[str] = []
    for line in lines:
        if line.lstrip().startswith("#"):
            made.append(line[:WIDEST])  # broken, its rest would be code
            continue
        code, mark, told = line.partition("  # ")
        made += wrapped(code)
        if mark and len(made[-1]) + len(mark + told) <= WIDEST:
            made[-1] += mark + told
    return made


def is_scalar(setting: Any) -> bool:
    """Whether every client has one number and one hyperparameter."""
    p = setting.problem
    return bool(p.dim == p.hyper == 1)


def network_lines(network: Topology) -> list[str]:
    """``rounds``: (chance, P, there) of every pattern of edges, and ``mean``, E P; with n.

    [i, j] is the edge j -> i. Raises UnscriptedError for networks whose patterns are not listed.
    """
    n = network.clients
    if network.period == 1:
        P = network.matrix(0).toarray()
        return [
            f"P = mean = {array(P)}  # [i, j]: from j to i, in every round",
            "rounds = [(1.0, P, np.maximum(P > 0, np.eye(n)))]",
        ]
    if not isinstance(network, StochasticDirected | StochasticUndirected):
        raise UnscriptedError(f"the rounds of {network.name} are not listed by a script")
    if n > MOST_CLIENTS:
        raise UnscriptedError(f"the patterns of edges of {n} clients are too many for a script")
    paired = isinstance(network, StochasticUndirected)
    chance = "np.where(e, often, 1 - often)" + ("[np.triu_indices(n)]" if paired else "")
    kept = "p > 0 and (e == e.T).all()" if paired else "p > 0"
    P = "e / e.sum(axis=0)"
    if network.weights == "constant":
        P = "e / n + np.diag(1 - e.sum(axis=0) / n)"
    return [
        f"often = {array(network.frequency)}  # [i, j]: chance of j -> i",
        "edges = [np.reshape(e, (n, n)) for e in itertools.product((0, 1), repeat=n * n)]",
        f"chances = [np.prod({chance}) for e in edges]",
        f"rounds = [(p, {P}, e) for p, e in zip(chances, edges) if {kept}]",
        "mean = sum(p * P for p, P, _ in rounds)  # E P",
    ]


def worth_of(kind: str, network: Topology) -> str:
    """What i makes of j's message in a round, an expression; see ``hypergradients.Reading``."""
    if kind == "debiased" and network.period == 1:
        return WORTH["undivided"]
    if kind == "debiased" and not (network.frequency > 0).all():  # type: ignore[attr-defined]
        return "there * mean.T / np.where(often > 0, often, 1)"
    return WORTH[kind]


def problem_lines(setting: Any, names: str = "bGtS", **numbers: float) -> list[str]:
    """n, the step, the problem's numbers and its arrays.

    Args:
        setting: experiments.pdbo's. names: of the arrays besides H. numbers: others, by name.
    """
    p, sgp = setting.problem, setting.sgp
    steps = np.asarray(sgp.steps(p.clients))
    if np.ptp(steps) or np.ptp(setting.lam):
        raise UnscriptedError("clients have steps or hyperparameters of their own")
    lam = literal(float(setting.lam.flat[0]))
    given = {"n": p.clients, "step": float(steps.flat[0])}
    if not is_scalar(setting):
        given |= {"d": p.dim, "h": p.hyper}
    elif "G" in names:
        given["lam"] = float(setting.lam.flat[0])
    if "S" in names:
        given["reg"] = p.reg
    given |= numbers
    made = [f"{', '.join(given)} = {', '.join(map(literal, given.values()))}"]
    if is_scalar(setting):
        rows = [np.ravel(getattr(p, name)) for name in ("H", *names)]
        text = f"H, {', '.join(names)} = {array(rows)}"
        return [LOSSES.get(names, LOSSES["bGtS"]), *made, text]
    if "G" in names:
        made.append(f"lam = np.full(h, {lam})  # of every client")
    for name in ("H", *names):
        made.append(f"{name} = {array(getattr(p, name))}")
    return made


def point_lines(setting: Any) -> list[str]:
    """omega and x of Eq. (6)'s stationary point, with sum omega = n.

    In (4b) the step is psi_i's and stays with i; in (4a) it is phi_i's and moves with i's message.
    """
    after = setting.sgp.variant == "4b"
    told = f"# Eq. (6) with ({setting.sgp.variant}): z = omega x is stationary"
    omega = "omega = np.linalg.solve(np.eye(n) - mean + 1 / n, np.ones(n))  # E P omega = omega"
    if is_scalar(setting):
        moved, push = ("np.diag", "") if after else ("mean * ", "mean @ ")
        return [
            omega,
            f"K = (np.eye(n) - mean) * omega + {moved}(step * H)",
            f"x = np.linalg.solve(K, {push}(step * (b + G * lam)))  {told}",
        ]
    moved = "np.eye(n)" if after else "mean"
    return [
        omega,
        f"K = np.einsum('ij,jab->iajb', {moved} * step, H)  {told}",
        "K = K + np.einsum('ij,ab->iajb', (np.eye(n) - mean) * omega, np.eye(d))",
        f"push = {moved} @ (b + G @ lam) * step",
        "x = np.linalg.solve(K.reshape(n * d, n * d), push.ravel()).reshape(n, d)",
    ]


def jacobian_lines(setting: Any) -> list[str]:
    """``hats(w, s)``: A and B, where i makes w[i, j] of j's message and f_i comes s[i]-fold."""
    made = ["def hats(w, s=1):  # A, B, if i makes w[i, j] of j's message and f_i comes s[i]-fold"]
    after = setting.sgp.variant == "4b"
    if not is_scalar(setting):
        moved = "np.einsum('ij,iab->iajb', w, np.eye(d) - pull)"
        own = "np.einsum('ij,ab->iajb', w, np.eye(d)) - np.einsum('ij,iab->iajb', np.eye(n), pull)"
        return [
            *made,
            "    pull = (step * s / omega)[:, None, None] * H",
            f"    A = {own if after else moved}",
            "    push = (step * s * np.ones(n))[:, None, None] * G",
            f"    B = np.einsum('ij,iak->ikja', {'np.eye(n)' if after else 'w'}, push)",
            "    return A.reshape(n * d, n * d), B.reshape(n * h, n * d)",
        ]
    if after:
        return [*made, "    return w - np.diag(step * s * H / omega), np.diag(step * s * G)"]
    return [
        *made,
        "    return w * (1 - step * s * H / omega)[:, None], w * (step * s * G)[:, None]",
    ]
