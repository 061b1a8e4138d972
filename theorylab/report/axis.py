"""The axis of a curve in words: what a sweep or a run moves."""

from __future__ import annotations

from theorylab.report.names import paper_of

_ROUNDS = "communication rounds T"
_GAP = "1/(1 − λ), where λ is the network's second singular value"
_ALONG = {
    "T": _ROUNDS,
    "rounds": _ROUNDS,
    "t": "round t",
    "clients": "clients n",
    "outer": "outer steps",
    "local_steps": "local steps K",
    "steps_u": "local steps K_u of the shared part",
    "steps_v": "local steps K_v of the personal part",
    "eta": "step size η",
    "rho": "radius ρ of the perturbation",
    "L_u": "smoothness L_u of the shared part",
    "L_v": "smoothness L_v of the personal part",
    "terms": "terms of the series",
    "cg_iterations": "conjugate gradient iterations",
    "chance": "chance of an edge",
    "deprl_lag": "lag between two iterations",
    "dfedsgpsm.inverse": "1/(1 − α), where α is the momentum",
    "dfedpgp.inverse": "1/δ, where δ is the network's smallest row sum",
    "dfedsgpsm.K": "local steps K",
    "dfedsgpsm.alpha": "momentum α",
    "dfedsgpsm.gap": "distance between the clients' minima",
    "dfedsgpsm.scale": "scale of the losses",
    "dfedalt.gap": _GAP,
    "dfedsalt.gap": _GAP,
    "deprl.tau": "steps of the head a round, τ",
    "pdbo.eta_A": "η_A of Assumption 8",
    "pdbo.rest": "1 − η_A",
    "pdbo.step": "step size",
}


def along(statement: str, axis: str) -> str:
    """What the curve of a statement runs along; a parameter of one's own goes by its name."""
    name = f"{paper_of(statement)}.{axis}"
    return _ALONG.get(name) or _ALONG.get(axis) or axis.replace("_", " ")
