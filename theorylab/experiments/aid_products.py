"""Matrix products that two solvers of q = A q + c need (pdbo, Section 5: AID-RB and AID-CG)."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import flint
import numpy as np
from numpy.typing import NDArray

from theorylab.experiments._base import Experiment, Observation, Row, check_column
from theorylab.experiments._hgp_place import Place
from theorylab.known import How, Known

Floats = NDArray[np.float64]
Matrix = Any  # flint.arb_mat
BITS = 272  # 80 digits: conjugate gradients stay orthogonal, and no count is a matter of rounding
_ROOM = 1 + 1e-12  # LAPACK's norms of such small matrices are right to a small multiple of N u
_LEAST = 1e-30  # of a target: far above what 80 digits leave of a residual
_MOST = 2**60


class AidProducts(Experiment):
    """How many products with A and with A^T bring ||c - (I - A) q|| to ``accuracy`` times ||c||.

    Both start at q = 0. Recurrent backpropagation, q <- A q + c: q_k costs k - 1 products (q_1 = c
    is free) and leaves A^k c. Conjugate gradients for min ||(I - A) q - c||^2: q_k costs one
    product with I - A and one with its transpose in each of k iterations. A and c are rounded to
    float64 once; all else has 80 digits.

    Columns, one row for each of ``targets`` (the first three) or each a and j (the last):
        rb             products of the first
        rb_iterations  its iterations, one more
        cg             products of the second
        rb_promise     a^(2j+1), what the first is sure to reach with 2j products, ||A||_2 <= a
    Rows have ``accuracy``, ``cg_products`` and ``cg_iterations``; those of "rb_promise" have
    ``cg_residual``, of the second after j iterations (2j products) on the cycle: A = a times the
    cyclic shift of 2j clients, that is Eq. (4a) with f_i = h x^2 / 2, a = 1 - alpha h, every client
    sending to the next alone; and c = (I - A)^{-1} e_1.

    Args:
        problem, network, step, variant, lam: of ``_hgp_place.Place``; A = A-bar on z, c = c^y.
        targets: relative residuals in (0, 1). c: instead of c^y, n d_x numbers, or None.
        norms, iterations: the a in (0, 1) and j >= 1 of "rb_promise".
    """

    name = "aid-products"
    columns = ("rb", "rb_iterations", "cg", "rb_promise")

    def __init__(
        self,
        problem: Mapping[str, Any] | None = None,
        network: Mapping[str, Any] | None = None,
        step: Any = 0.3,
        variant: str = "4b",
        lam: float = 0.5,
        targets: Sequence[float] = (1e-2, 1e-4, 1e-6),
        c: Sequence[float] | None = None,
        norms: Sequence[float] = (0.5,),
        iterations: Sequence[int] = (1, 2, 4),
    ) -> None:
        where = self.name
        for name, numbers in (("targets", targets), ("norms", norms)):
            if not numbers or any(not _LEAST <= each < 1 for each in numbers):
                raise ValueError(f"{where}: {name} is {numbers!r}; need numbers in [1e-30, 1)")
        if not iterations or any(type(j) is not int or not 1 <= j <= 32 for j in iterations):
            raise ValueError(f"{where}: iterations is {iterations!r}; need integers 1..32")
        problem = {"clients": 2, "dim": 1, "hyper": 1} if problem is None else problem
        network = {"name": "directed-ring"} if network is None else network
        self.place = Place(problem, network, step, variant, lam)
        self.A = self.place.A_bar
        self.c = self.place.c_y if c is None else np.array(c, np.float64)
        if self.c.shape != self.place.c_y.shape or not np.isfinite(self.c).all() or not any(self.c):
            raise ValueError(f"{where}: c is {c!r}; need {len(self.place.c_y)} numbers, not all 0")
        self.options = {
            **{**self.place.options, "targets": list(targets), "c": None if c is None else list(c)},
            **{"norms": list(norms), "iterations": list(iterations)},
        }

    def describe(self) -> dict[str, Any]:
        return dict(self.options)

    def constants(self) -> dict[str, Known]:
        far = float(np.linalg.norm(self.A - self.A.T, 2))
        # A claim for every a >= ||A||_2: a positive one where A is 0.
        norm = max(float(np.linalg.norm(self.A, 2)) * _ROOM, 1e-12)
        return {
            "norm_A": Known(norm, How.EXACT, "||A||_2, LAPACK, and 1e-12 of it"),
            "asymmetry": Known(far, How.EXACT, "||A - A^T||_2, LAPACK"),
        }

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        if column == "rb_promise":
            o = self.options
            rows = [_promise(a, j) for a in o["norms"] for j in o["iterations"]]
            return Observation(tuple(rows), True, "cg_iterations")
        targets = tuple(self.options["targets"])
        counts = _both(self.A.tobytes(), self.c.tobytes(), targets)
        rows = [_row(column, *counts[target], target) for target in targets]
        return Observation(tuple(rows), True, "accuracy")


@functools.lru_cache(maxsize=8)  # the columns share them
def _both(A: bytes, c: bytes, targets: tuple[float, ...]) -> dict[float, tuple[int, int]]:
    """For each target the iterations of conjugate gradients and of recurrent backpropagation."""
    vector = np.frombuffer(c)
    with flint.ctx.workprec(BITS):
        one, other = _exact(np.frombuffer(A).reshape(len(vector), -1)), _exact(vector)
        needed, powers = _counts(normal_equations(one, other), targets), _Powers(one, other)
        return {target: (needed[target], powers.until(target)) for target in targets}


def _row(column: str, cg: int, rb: int, target: float) -> Row:
    value = {"rb": rb - 1, "rb_iterations": rb, "cg": 2 * cg}[column]
    at: dict[str, Known | float] = {
        **{"accuracy": float(target), "cg_products": 2.0 * cg, "cg_iterations": float(cg)}
    }
    return Row(np.array([float(value)]), at, f"accuracy={target:g}", rounding=0.0)


def _promise(a: float, j: int) -> Row:
    n = 2 * j
    with flint.ctx.workprec(BITS + int(2 * n * -np.log2(a))):
        A = _exact(np.roll(np.eye(n), 1, axis=0)) * flint.arb(a)
        # (I - a Q)^{-1} e_1 = (1, a, a^2, ..) / (1 - a^n), in the order of the cycle
        c = flint.arb_mat([[flint.arb(a) ** k] for k in range(n)])
        left = float(list(normal_equations(A, c))[j - 1])
        value = float(flint.arb(a) ** (n + 1))
    at: dict[str, Known | float] = {"cg_residual": left, "cg_iterations": float(j)}
    return Row(np.array([value]), at, f"a={a:g}, j={j}", rounding=2.0**-52 * value)


def normal_equations(A: Matrix, c: Matrix) -> Iterator[Any]:
    """||c - (I - A) q_k|| / ||c|| of conjugate gradients, k = 1, 2, ..; at most N of them.

    A (N, N), c (N, 1). Midpoints alone are kept: an ordinary run with many digits. Ends early
    where nothing is left.
    """
    N, whole = c.nrows(), _norm(c)
    M = (_exact(np.eye(N)) - A).mid()
    back = M.transpose()
    r, s = c, (back * c).mid()
    p, size = s, _square(s)
    for _ in range(N):
        w = (M * p).mid()
        length = _square(w)
        if length == 0:
            return
        r = (r - w * (size / length)).mid()
        s = (back * r).mid()
        size, before = _square(s), size
        p = (s + p * (size / before)).mid()
        yield (_norm(r) / whole).mid()


def _counts(residuals: Iterable[Any], targets: Sequence[float]) -> dict[float, int]:
    """For each target the first k with residual <= target; ValueError where I - A is singular."""
    found: dict[float, int] = {}
    for k, left in enumerate(residuals, 1):
        found |= {t: k for t in targets if t not in found and left <= t}
        if len(found) == len(set(targets)):
            return found
    raise ValueError("aid-products: I - A is singular; need 1 not to be an eigenvalue of A")


class _Powers:
    """A^1, A^2, A^4, .. of ||A||_2 <= 1, under which the norms of A^k c do not grow."""

    def __init__(self, A: Matrix, c: Matrix) -> None:
        self.ladder, self.c = [A], c

    def until(self, target: float) -> int:
        """The first k with ||A^k c|| <= target ||c||: 2^60 steps take sixty squarings.

        ValueError where they are not enough.
        """
        aim, level = _norm(self.c) * target, 0
        while not _norm(self.ladder[level] * self.c) <= aim:
            if 2**level >= _MOST:
                raise ValueError(
                    "aid-products: 2^60 products do not bring A^k c near 0; need rho(A) < 1"
                )
            level += 1
            if level == len(self.ladder):
                self.ladder.append((self.ladder[-1] * self.ladder[-1]).mid())
        done, v = 0, self.c  # the largest power that is still too large
        for step in range(level - 1, -1, -1):
            further = (self.ladder[step] * v).mid()
            if not _norm(further) <= aim:
                done, v = done + 2**step, further
        return done + 1


def _exact(a: Floats) -> Matrix:
    rows = a if a.ndim == 2 else a[:, None]
    return flint.arb_mat([[float(x) for x in row] for row in rows])


def _square(v: Matrix) -> Any:
    return (v.transpose() * v)[0, 0].mid()


def _norm(v: Matrix) -> Any:
    return _square(v).sqrt().mid()
