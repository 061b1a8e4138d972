"""DePRL's Equation (8): the gradient by all heads, by central differences of f."""

from __future__ import annotations

from theorylab.experiments import DeprlHeads
from theorylab.problems import CoupledQuadratic, SinSin, plain
from theorylab.scripts._pdbo_place import fitted
from theorylab.scripts.base import Facts, UnscriptedError, emitter
from theorylab.scripts.text import array

SEED = 0  # of a check; results do not keep another one


@emitter("deprl-heads")
def heads(facts: Facts) -> list[str]:
    """||df/d(theta_1, ..., theta_N)||^2 at a drawn point."""
    found = facts.experiment
    assert isinstance(found, DeprlHeads)
    if facts.column != "heads":
        raise UnscriptedError(f"no script is written for the column {facts.column}")
    p, shared = found.problem, found.shared
    point = found.points(SEED)[0][facts.at("probe")]
    if plain(p, SinSin):
        assert isinstance(p, SinSin)
        loss = _sin_sin(p, shared)
    elif plain(p, CoupledQuadratic):
        assert isinstance(p, CoupledQuadratic)
        loss = _quadratic(p, shared)
    else:
        raise UnscriptedError(f"no script is written for {p.name} losses")
    return fitted(
        [
            f"phi, theta = {array(point[0, :shared])}, {array(point[:, shared:])}",
            *loss,
            "measured, step = 0.0, 1e-4",
            "for i, k in np.ndindex(theta.shape):  # by every number of every head",
            "    e = np.zeros_like(theta)",
            "    e[i, k] = step",
            "    measured += ((f(theta + e) - f(theta - e)) / (2 * step)) ** 2",
        ]
    )


def _quadratic(p: CoupledQuadratic, shared: int) -> list[str]:
    return [
        f"H = {array(p.hessians)}",
        f"centers = {array(p.centers)}",
        "def f(theta):  # (1/N) sum_i F_i(phi, theta_i), F_i = y'H_i y / 2, y = point - center",
        "    y = np.hstack([np.tile(phi, (len(theta), 1)), theta]) - centers",
        "    return np.einsum('ia,iab,ib->', y, H, y) / (2 * len(theta))",
    ]


def _sin_sin(p: SinSin, shared: int) -> list[str]:
    m = min(shared, p.dim - shared)
    return [
        f"A = {array(p.A)}",
        f"B = {array(p.B)}",
        f"a = {array(p.centers[:, :shared])}",
        f"b = {array(p.centers[:, shared:])}",
        f"c = {array(p.c)}",
        f"phases = {array(p.phases)}",
        "def f(theta):  # (1/N) sum_i F_i(phi, theta_i)",
        "    u, v = phi - a, theta - b",
        "    square = np.einsum('ia,ab,ib->i', u, A, u) + np.einsum('ia,ab,ib->i', v, B, v)",
        f"    waves = (np.sin(phi[:{m}]) * np.sin(theta[:, :{m}] + phases)).sum(axis=1)",
        "    return np.mean(square / 2 + c * waves)",
    ]
