"""The least rate that a Lyapunov program proves, in floats, and the least floor beside a rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from theorylab.worst.barrier import BarrierError, Block, minimise, scalars, strictly_inside
from theorylab.worst.lyapunov import Program

Floats = NDArray[np.float64]
CLOSE = 1e-4  # how near to the least provable rate the search comes
_ENOUGH = 1e-7  # how definite all matrices have to be, where every P has a trace of some units
_GAP, _LOOSE = 1e-4, 0.1  # relative, of a floor or factor; of a V whose size nobody is told


@dataclass(frozen=True)
class LeastRate:
    """attained: by some quadratics, so that no rate below is true. rate: proved, in floats."""

    attained: float
    rate: float


def least_rate(program: Program, attained: float) -> LeastRate | None:
    """None where no rate below 1 was found; attained: what some quadratics attain."""
    close = min(CLOSE, (1 - attained) / 20)
    low, high, rho = attained, 1.0, attained + close
    while attained < 1 and high - low > close and 1 - low > close / 8:
        if inside(program, rho) is None:
            low = rho
        else:
            high = rho
        rho = (low + high) / 2
    return LeastRate(attained, high) if high < 1 else None


def inside(program: Program, rho: float) -> Floats | None:
    """Unknowns that make all matrices of ``program`` definite at ``rho``, or None."""
    total, first = sum(program.sizes), program.sizes[0]
    *definite, signs = program.blocks(rho)
    homogeneous = [Block(np.zeros_like(block.F0), block.F, block.on) for block in definite]
    unit = _unit(program)
    bounds = np.zeros((total, 2))
    bounds[:first, 0], bounds[first:, 1] = -unit, -1.0
    most = np.array([4.0 * first, 1e3 * (total - first + 1)])
    y = np.concatenate([unit, np.ones(total - first)])
    return strictly_inside(homogeneous, [signs, scalars(most, bounds)], y, _ENOUGH)


def best_inside(program: Program, rho: float, starts: Floats) -> Floats:
    """Definite matrices with the least floor, or the least V of the first of ``starts`` (m, s).

    Raises BarrierError where nothing is definite at ``rho``.
    """
    y = inside(program, rho)
    if y is None:
        raise BarrierError("nothing is definite at this rate")
    first, objective = np.cumsum(program.sizes), np.zeros(len(y))
    if program.spread or program.noise:
        objective[first[3] :] = 1.0
    else:
        a, b = np.triu_indices(program.side)
        start = np.append(starts[:, 0], np.zeros(program.side - program.state))
        rest = 1.0 if program.bregman else 1e-3  # what keeps all else from growing without end
        form = np.outer(start, start) + rest * np.eye(program.side)
        objective[: first[0]] = np.tile(np.where(a == b, 1, 2) * form[a, b], len(program.forms))
        objective[first[0] :] = rest
    blocks = program.blocks(rho)
    scale = 1.0  # V over the metric's square
    while any(np.linalg.eigvalsh(block.at(scale * y)).min() <= 0 for block in blocks[:-1]):
        scale *= 2
        if scale > 2.0**60:
            raise BarrierError("V is not above the metric at any size")
    return minimise(objective, blocks, 2 * scale * y, gap=_LOOSE if program.bregman else _GAP)


def _unit(program: Program) -> Floats:
    """Every P the unit matrix."""
    a, b = np.triu_indices(program.side)
    return np.tile((a == b).astype(float), len(program.forms))
