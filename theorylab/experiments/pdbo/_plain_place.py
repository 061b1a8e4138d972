"""What the lines about pdbo share: a network's rounds, a quadratic problem, its stationary point.

Messages stand as in the paper, inputs as rows: with w[i, j] what i makes of j's message, the blocks
of A are w[i, j] d_y phi_i, and d_y psi_i on the diagonal; B has the same in lambda.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from theorylab.experiments._plain import Plain, UnwrittenError
from theorylab.experiments.pdbo._place import Setting
from theorylab.topologies import StochasticDirected, StochasticUndirected, Topology

MOST_CLIENTS = 3  # whose patterns of edges a script lists, all n^2 bits of them
LOSSES = "f_i = x'H_i x/2 - x'(b_i + G_i l), F_i = |x - t_i|^2/2 + x'S_i l + reg |l|^2/2"
_WORTH = {
    "debiased": "there * mean.T / often",
    "undivided": "there * mean.T",
    "realised": "P.T",
    "received": "P.T * there",
    "mean": "mean.T",
}
_OMEGA = "omega = np.linalg.solve(np.eye(n) - mean + 1 / n, np.ones(n))  # E P omega = omega"
_SEEDS = (
    "c = ((x - t + S.sum(-1) * lam) / (n * omega[:, None])).ravel()  # of Fbar in z",
    "c_lam = (np.einsum('iak,ia->ik', S, x) + reg * lam).ravel() / n  # and in lambda",
)
_HATS = """def hats(w, s=1):  # A, B, if i makes w[i, j] of j's message and f_i comes s[i]-fold
    sent = {moved} * (step * s * np.ones(n))[:, None]
    A = np.einsum('ij,iab->iajb', sent / omega[:, None], H).reshape(n * d, n * d)
    return np.kron(w, np.eye(d)) - A, np.einsum('ij,iak->ikja', sent, G).reshape(n * h, n * d)"""


def of_network(network: Topology) -> Plain:
    """``rounds``: (chance, P, there) of every pattern of edges, and ``mean``, E P; with n.

    [i, j] is the edge j -> i. Raises UnwrittenError for networks whose patterns are not listed.
    """
    n = network.clients
    if network.period == 1:
        name, told = "P = mean", "[i, j]: from j to i, in every round"
        rounds = "rounds = [(1.0, P, np.maximum(P > 0, np.eye(n)))]"
        numbers = {"n": n, name: network.matrix(0).toarray()}
        return Plain("", numbers, (rounds,), told={name: told})
    if not isinstance(network, StochasticDirected | StochasticUndirected):
        raise UnwrittenError(f"the rounds of {network.name} are not listed by a script")
    if n > MOST_CLIENTS:
        raise UnwrittenError(f"the patterns of edges of {n} clients are too many for a script")
    paired = isinstance(network, StochasticUndirected)
    chance = "np.where(e, often, 1 - often)" + ("[np.triu_indices(n)]" if paired else "")
    kept = "p > 0 and (e == e.T).all()" if paired else "p > 0"
    constant = network.weights == "constant"
    P = "e / n + np.diag(1 - e.sum(axis=0) / n)" if constant else "e / e.sum(axis=0)"
    pieces = (
        "edges = [np.reshape(e, (n, n)) for e in itertools.product((0, 1), repeat=n * n)]",
        f"chances = [np.prod({chance}) for e in edges]",
        f"rounds = [(p, {P}, e) for p, e in zip(chances, edges) if {kept}]",
        "mean = sum(p * P for p, P, _ in rounds)  # E P",
    )
    chances = {"often": "[i, j]: chance of j -> i"}
    return Plain("", {"n": n, "often": network.frequency}, pieces, told=chances)


def worth_of(kind: str, network: Topology) -> str:
    """What i makes of j's message in a round, an expression; see ``hypergradients.Reading``."""
    if kind == "debiased" and network.period == 1:
        return _WORTH["undivided"]
    if kind == "debiased" and not (network.frequency > 0).all():  # type: ignore[attr-defined]
        return "there * mean.T / np.where(often > 0, often, 1)"
    return _WORTH[kind]


def point_of(plain: Plain) -> list[str]:
    """The lines of ``of_place`` that compute x from omega."""
    pieces = (piece for piece in plain.pieces if piece.startswith(("K = ", "push = ", "x = ")))
    return "\n".join(pieces).splitlines()


def of_place(setting: Setting) -> Plain:
    """A problem, its network and Eq. (6)'s stationary point: ``omega``, with sum n, ``x``, the
    seeds ``c`` and ``c_lam``, and ``hats(w, s)``, A and B where i makes w[i, j] of j's message and
    f_i comes s[i]-fold.

    In (4b) the step is psi_i's and stays with i; in (4a) it is phi_i's and moves with i's message.
    """
    p, sgp, variant = setting.problem, setting.sgp, setting.sgp.variant
    steps = np.asarray(sgp.steps(p.clients))
    if np.ptp(steps) or np.ptp(setting.lam):
        raise UnwrittenError("clients have steps or hyperparameters of their own")
    numbers: dict[str, Any] = {
        **{"n": p.clients, "d": p.dim, "h": p.hyper, "step": float(steps.flat[0]), "reg": p.reg},
        **{name: getattr(p, name) for name in ("H", "b", "G", "t", "S")},
        "lam": float(setting.lam.flat[0]),
    }
    moved, told = ("np.eye(n)", "mean")[variant == "4a"], f"# Eq. (6) with ({variant})"
    pieces = (
        _OMEGA,
        f"K = np.einsum('ij,jab->iajb', {moved} * step, H).reshape(n * d, n * d)  {told}:",
        "K = K + np.kron((np.eye(n) - mean) * omega, np.eye(d))  # z = omega x is stationary",
        f"push = ({moved} @ (b + G.sum(-1) * lam) * step).ravel()",
        "x = np.linalg.solve(K, push).reshape(n, d)",
        *_SEEDS,
        _HATS.format(moved="w" if variant == "4a" else "np.eye(n)"),
    )
    whole = Plain("", numbers, about={"H": LOSSES})
    return whole | of_network(setting.network) | Plain("", {}, pieces)
