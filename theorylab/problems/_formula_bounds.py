"""Constants of a formula: its Hessians, gradients and losses enclosed over all of R^d, or a box."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.formulas import Box, Formula, FormulaError, gap_of, is_endless
from theorylab.known import EPS, How, Known

_EVERYWHERE = "interval arithmetic over R^d"
Floats = NDArray[np.float64]


def everywhere(dim: int) -> Box:
    return Box(np.full(dim, -np.inf), np.full(dim, np.inf))


def curvature(formula: Formula, x: Box, where: str, d_u: int) -> dict[str, Known]:
    """L, mu and, for a cut behind d_u coordinates, L_u, L_v, L_uv and L_vu, over a box of x.

    Those that are not finite are left out. FormulaError where the Hessian is not to be had.
    """
    H = formula.curvature(x)
    low, high = H.ends
    found = {"L": max(-low, high), "mu": H.mean.ends[0]}
    u, v = slice(0, d_u), slice(d_u, formula.dim)
    if d_u < formula.dim:
        found |= {f"L_{name}": max(-low, high) for name, (low, high) in
                  (("u", H.block(u).ends), ("v", H.block(v).ends))}  # fmt: skip
        found["L_uv"] = found["L_vu"] = float(_spread(H.size[:, u, v]).max())
    return {
        name: Known(value, How.LOWER if name == "mu" else How.UPPER, where)
        for name, value in found.items()
        if math.isfinite(value)
    }


def _spread(size: Floats) -> Floats:
    """A bound of the norms of matrices with entries at most ``size``: |M|^2 <= |M|_1 |M|_inf."""
    with np.errstate(all="ignore"):
        both = np.sqrt(size.sum(-1).max(-1) * size.sum(-2).max(-1))
    return np.where(np.isfinite(size).all((-1, -2)), both * (1 + 4 * sum(size.shape) * EPS), np.inf)


def constants(formula: Formula, d_u: int) -> dict[str, Known]:
    """All that holds on R^d: L, mu, B, sigma_g and the blocks; what is not known is left out."""
    whole, dim = everywhere(formula.dim), formula.dim
    try:
        made = curvature(formula, whole, _EVERYWHERE, d_u)
        if "L" not in made:
            made |= _unbounded(formula)
    except FormulaError:
        made = {}
    (slopes,) = formula.over(whole, formula.gradient)
    steep = float(np.sqrt((slopes.size[0] ** 2).sum(-1)).max() * (1 + (dim + 4) * EPS))
    if math.isfinite(steep):
        made["B"] = Known(steep, How.UPPER, f"the gradient by {_EVERYWHERE}")
    elif is_endless(formula):
        made["B"] = Known(
            math.inf, How.EXACT, "unbounded: a gradient is linear in x but for what has bounds"
        )
    if (gap := _diversity(formula, steep)) is not None:
        made["sigma_g"] = gap
    return made


def convexity(formula: Formula) -> float | None:
    """mu >= 0 where every f_i is mu-strongly convex, by its curvature over R^d; else None."""
    try:
        low = formula.curvature(everywhere(formula.dim)).ends[0]
    except FormulaError:
        return None
    return low if low >= 0 else None


def _diversity(formula: Formula, steep: float) -> Known | None:
    """sup |grad f_i - grad f|: of what is left where what clients have in common cancels, or of
    bounded gradients 2 B (1 - 1/n)."""
    arrays = [np.asarray(formula.data[name]) for name in formula.each]
    if all((a == a[0]).all() for a in arrays):
        return Known(0.0, How.EXACT, "the clients have the same data: every f_i is f")
    clients = formula.clients
    gap = gap_of(formula, formula.dim, clients)
    if gap.endless:
        return Known(math.inf, How.EXACT, "grad f_i - grad f grows without limit")
    worst, both = float(gap.size.max()), 2 * steep * (1 - 1 / clients) * (1 + 4 * EPS)
    if both < worst:
        source = "grad f_i - grad f = (1 - 1/n) (grad f_i - the mean of the others), B each"
        return Known(both, How.UPPER, source)
    return Known(worst, How.UPPER, _cancelled("f", gap.fixed)) if math.isfinite(worst) else None


def _cancelled(what: str, fixed: bool) -> str:
    left = "is one vector at every point" if fixed else f"by {_EVERYWHERE}, less what all share"
    return f"grad {what}_i - grad {what} {left}"


def diversity_of_part(formula: Formula, d_u: int, clients: int) -> dict[str, Known]:
    """partial_sigma_g and partial_delta, of u cut behind d_u coordinates, whatever the v are; {}
    where no bound is known."""
    gap = gap_of(formula, d_u, clients)
    if gap.endless:
        none = Known(math.inf, How.EXACT, "grad_u f_i - grad_u f grows without limit in u or v_i")
        return {"partial_sigma_g": none, "partial_delta": none}
    worst, mean = float(gap.size.max()), float(np.sqrt((gap.size**2).mean()))
    if not math.isfinite(worst):
        return {}
    source = _cancelled("u f", gap.fixed).replace("grad u", "grad_u")
    mean *= 1 + (clients + 4) * EPS
    return {
        "partial_sigma_g": Known(worst, How.UPPER, f"max_i, {source}"),
        "partial_delta": Known(mean, How.UPPER, f"root of the mean over i, {source}"),
    }


_POLYNOMIAL = (
    *("input", "const", "add", "subtract", "multiply", "negative", "power", "sum", "index"),
    *("concatenate", "matmul", "full", "transpose"),
)


def _nodes(formula: Formula) -> Any:
    from theorylab.formulas.slope import ordered

    return ordered(formula.gradient)


def _unbounded(formula: Formula) -> dict[str, Known]:
    """L infinite, where an entry of a Hessian on a ray from 0 is a polynomial that grows."""
    import sympy

    drifts = any(isinstance(value, Box) for value in formula.data.values())
    if drifts or any(node.op not in _POLYNOMIAL for node in _nodes(formula)):
        return {}
    t = sympy.Symbol("t", real=True)
    for i in range(formula.clients):
        for k in range(formula.dim):
            ray = np.array([t if j == k else sympy.Integer(0) for j in range(formula.dim)], object)
            for row in formula.hessian_of(i, ray):
                for entry in row:
                    entry = sympy.expand(entry)
                    if entry.has(t):
                        degree = sympy.degree(entry, t)
                        source = f"unbounded: on the ray x = t e_{k + 1} it grows as t^{degree}"
                        return {"L": Known(math.inf, How.EXACT, source)}
    return {}


def on_a_ray(formula: Formula) -> str:
    """Where a Hessian is seen to grow along a ray of one coordinate; "" where it is not."""
    for k in range(formula.dim):
        for sign in (1.0, -1.0):
            least = []
            for t in (1.0, 10.0, 100.0):
                x = np.where(np.arange(formula.dim) == k, sign * t, 0.0)
                low, high = formula.curvature(Box(x, x)).ends
                least.append(max(low, -high))
            if 0 < least[0] < least[1] / 4 < least[2] / 16:
                ray = f"x = {'-' if sign < 0 else ''}t e_{k + 1}"
                return f"on the ray {ray} it is at least {least[2]:.3g} at t = 100"
    return ""
