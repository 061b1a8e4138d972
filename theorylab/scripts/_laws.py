"""Laws of noise as lines of a script: every outcome of one round, or exact second moments."""

from __future__ import annotations

import math

from theorylab.scripts._parts import LAWS, MOST_SIGNS, SIGNS, indented
from theorylab.scripts._personal import Run
from theorylab.scripts.base import UnscriptedError

MOST_PLAYED = 700  # numbers of a round, noise included
MOST_MOMENTS = 150  # of a state: its matrix of second moments has as many rows
MOST_ROWS = 37  # of that matrix, where the map of all its entries is one matrix, too


def deterministic(run: Run) -> bool:
    return run.noise is None or not any(sigma for *_, sigma in run.noise.sigma)


def drawn_shape(run: Run, part: str) -> tuple[int, ...]:
    """Of a round's draws of that part: (steps, n, d), or (n, d) where all steps share one."""
    n, du, dv = run.shape
    d = dv if part == "v" else du
    count = run.method.steps_v if part == "v" else run.method.steps_u
    return (n, d) if run.method.fixed or count <= 1 else (count, n, d)


def outcome_lines(run: Run) -> list[str]:
    """Every outcome of one round's noise, along a first axis of xi_u and xi_v."""
    noise = run.noise
    assert noise is not None
    if noise.kind not in SIGNS:
        raise UnscriptedError(f"{noise.kind} noise has no outcomes that a script lists")
    parts = [p for p in "uv" if noise.sigma[p == "v"][2]]
    if not run.method.steps_v:
        parts = [p for p in parts if p == "u"]
    counts = [math.prod(drawn_shape(run, part)) for part in parts]
    if sum(counts) > MOST_SIGNS:
        raise UnscriptedError(f"2^{sum(counts)} outcomes are too many for a script")
    made = [
        "# every outcome of the fair signs, equally likely, along the first axis",
        f"signs = np.array(list(itertools.product([-1.0, 1.0], repeat={sum(counts)})))",
    ]
    first = 0
    for part, count in zip(parts, counts, strict=True):
        scale = noise.scale(part == "v")
        shape = ", ".join(map(str, drawn_shape(run, part)))
        cut = "signs" if len(parts) == 1 else f"signs[:, {first}:{first + count}]"
        factor = "" if scale == 1 else f"{scale!r} * "
        made.append(f"xi_{part} = {factor}{cut}.reshape(-1, {shape})")
        first += count
    return made


def moment_lines(run: Run, look: list[str], rounds: int, first: int, average: bool) -> list[str]:
    """E ||look||^2 at round T, or its mean over ``rounds`` rounds from ``first``, where a round is
    an affine map of (U, V) and of its noise, which is read off ``play``.

    With y = (U, V, 1), E = E y y^T becomes R E R^T + Q in a round. A short script has that map as
    one matrix ``M``, which also adds up what is squared. Of many numbers that matrix is too large:
    from the map of k rounds, A E A^T + B, and the sum W over them follow those of 2 k and k + 1.

    look: vectors, as expressions after a round.
    """
    noise, (n, du, dv) = run.noise, run.shape
    if run.weighted or not run.network.fixed:
        raise UnscriptedError("rounds that differ from each other have no one matrix")
    if run.method.rho:
        raise UnscriptedError("SAM's steps are not affine")
    if noise is not None and noise.kind not in LAWS:
        raise UnscriptedError(f"{noise.kind} noise depends on the point, or is shared")
    a, b = n * du, n * (du + dv)
    cuts, at = [], b
    for part in "uv":
        if noise is None or not noise.sigma[part == "v"][2]:
            continue
        if part == "v" and not run.method.steps_v:
            continue
        shape = drawn_shape(run, part)
        size = math.prod(shape)
        text = ", ".join(map(str, shape))
        scale = noise.scale(part == "v")
        factor = "" if scale == 1 else f"{scale!r} * "
        cuts.append(f"xi_{part} = {factor}x[{at}:{at + size}].reshape({text})")
        at += size
    if at > MOST_PLAYED or b > MOST_MOMENTS:
        raise UnscriptedError(f"a matrix for {b} numbers and {at - b} of noise is too large")
    seen = ", ".join(f"{vector}.ravel()" for vector in look)
    play = [
        "def play(x):  # one round on x = (U, V, unit noise); and what is squared",
        *indented(
            _joined([f"U, V = x[:{a}].reshape({n}, {du}), x[{a}:{b}].reshape({n}, {dv})", *cuts])
        ),
        *indented(run.round(frozenset({"old"}))),
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
