"""Exact second moments of a run as lines of a script."""

from __future__ import annotations

import ast
import math

from theorylab.scripts._phases_and_noise import LAWS
from theorylab.scripts._round import Run
from theorylab.scripts.base import UnscriptedError
from theorylab.scripts.text import indented

MOST_PLAYED = 700  # numbers of a round, noise included
MOST_MOMENTS = 150  # of a state: its matrix of second moments has as many rows
MOST_ROWS = 37  # of that matrix, where the map of all its entries is one matrix, too


def moment_lines(run: Run, look: list[str], rounds: int, first: int, average: bool) -> list[str]:
    """E ||look||^2 at round T, or its mean over ``rounds`` rounds from ``first``, where a round is
    an affine map of (U, V) and of its noise, which is read off ``play``.

    With y = (U, V, 1), E = E y y^T becomes R E R^T + Q in a round. A short script has that map as
    one matrix ``M``, which also adds up what is squared. Of many numbers that matrix is too large:
    from the map of k rounds, A E A^T + B, and the sum W over them follow those of 2 k and k + 1.

    look: vectors, as expressions after a round.
    """
    noise, n = run.noise, run.facts.setting.problem.clients
    if not run.phases[0].part:
        raise UnscriptedError("runs with noise that are sampled or too many to list")
    du, dv = run.size("u"), run.size("v")
    if run.weighted or not run.network.fixed:
        raise UnscriptedError("rounds that differ from each other have no one matrix")
    if any(each.rho for each in run.phases):
        raise UnscriptedError("SAM's steps are not affine")
    if noise is not None and noise.kind not in LAWS:
        raise UnscriptedError(f"{noise.kind} noise depends on the point, or is shared")
    a, b = n * du, n * (du + dv)
    cuts, at = [], b
    for phase in sorted(run.noisy(), key=lambda each: each.part):
        size = math.prod(run.drawn(phase))
        cuts.append(run.scaled(phase, f"x[{at}:{at + size}]"))
        at += size
    if at > MOST_PLAYED or b > MOST_MOMENTS:
        raise UnscriptedError(f"a matrix for {b} numbers and {at - b} of noise is too large")
    keep = {n.id for n in ast.walk(ast.parse("\n".join(look))) if isinstance(n, ast.Name)}
    seen = ", ".join(f"{vector}.ravel()" for vector in look)
    play = [
        "def play(x):  # one round on x = (U, V, unit noise); and what is squared",
        *indented(
            _joined([f"U, V = x[:{a}].reshape({n}, {du}), x[{a}:{b}].reshape({n}, {dv})", *cuts])
        ),
        *indented(run.round(keep)),
        f"    return np.concatenate([U.ravel(), V.ravel(), {seen}])",
    ]
    squared = [
        f"origin = play(np.zeros({at}))",
        f"F = np.array([play(e) - origin for e in np.eye({at})] + [origin]).T",
    ]
    if at > b:
        cut = f"F[:{b}, {b}:{at}], F[{b}:, {b}:{at}], np.delete(F, range({b}, {at}), 1)"
        squared.append(f"S, H, F = {cut}")
    squared.append(f"R, G = np.vstack([F[:{b}], np.eye({b + 1})[-1]]), F[{b}:]")
    rest = _doubled if b > MOST_ROWS else _power
    return [*play, *squared, *rest(b, at > b, bool(first), average)]


_Y = "np.concatenate([U.ravel(), V.ravel(), [1.0]])"


def _power(b: int, noise: bool, late: bool, average: bool) -> list[str]:
    size = (b + 1) ** 2
    lines = [
        f"M, y = np.eye({size + 1}), {_Y}",
        f"M[:{size}, :{size}], M[{size}, :{size}] = np.kron(R, R), (G.T @ G).ravel()",
    ]
    if noise:
        lines.append(f"M[:, {size - 1}] += np.append(np.pad(S @ S.T, (0, 1)), np.sum(H**2))")
    lines += [
        f"E = np.append((M @ np.append(np.outer(y, y), 0.0))[:{size}], 0.0)"
        if late
        else "E = np.append(np.outer(y, y), 0.0)",
    ]
    if average:
        return [*lines, f"measured = (np.linalg.matrix_power(M, T) @ E)[{size}] / T"]
    return [
        *lines,
        "E = np.linalg.matrix_power(M, T) @ E",
        f"measured = M[{size}, :{size}] @ E[:{size}]",
    ]


def _doubled(b: int, noise: bool, late: bool, average: bool) -> list[str]:
    Q, more = ("np.pad(S @ S.T, (0, 1))", " + np.sum(H**2) * unit") if noise else ("0 * R", "")
    lines = [
        f"unit, Q, y = np.pad([[1.0]], ({b}, 0)), {Q}, {_Y}",
        f"N, A, B, W, E = G.T @ G{more}, np.eye({b + 1}), 0 * R, 0 * R, np.outer(y, y)",
        'for bit in f"{T:b}":  # from k rounds to 2 k, and on to 2 k + 1',
        "    W, A, B = W + A.T @ W @ A + np.sum(W * B) * unit, A @ A, A @ B @ A.T + B",
        '    if bit == "1":',
        "        W, A, B = N + R.T @ W @ R + np.sum(W * Q) * unit, R @ A, R @ B @ R.T + Q",
        *(["E = R @ E @ R.T + Q"] if late else []),
    ]
    return [*lines, f"measured = np.sum({'W * E) / T' if average else 'N * (A @ E @ A.T + B))'}"]


def _joined(lines: list[str]) -> list[str]:
    """Assignments as one, where it is short enough."""
    sides = [line.partition(" = ") for line in lines]
    whole = f"{', '.join(s[0] for s in sides)} = {', '.join(s[2] for s in sides)}"
    return [whole] if len(whole) <= 88 else lines
