"""Matrix products that two solvers of q = A q + c need (pdbo, Section 5: AID-RB and AID-CG)."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import flint
import numpy as np

from theorylab.experiments._base import Observation, Row, check_column
from theorylab.experiments._plain import Plain, Spot, UnwrittenError
from theorylab.experiments.pdbo._base import Floats, PdboExperiment, exacts, norm
from theorylab.experiments.pdbo._place import Place
from theorylab.known import Known

Matrix = Any  # flint.arb_mat
BITS = 272  # 80 digits: conjugate gradients stay orthogonal, and no count is a matter of rounding
_ROOM = 1 + 1e-12  # LAPACK's norms of such small matrices are right to a small multiple of N u
_LEAST = 1e-30  # of a target: far above what 80 digits leave of a residual
_MOST = 2**60
_MOST_WRITTEN, _MOST_PRODUCTS = 6, 200_000  # numbers of c in a script; what it counts to
_BACKPROPAGATION = """
left, k = A @ c, 1  # q_1 = c is free and leaves A c
while np.linalg.norm(left) > target * np.linalg.norm(c):
    left, k = A @ left, k + 1  # q <- A q + c: one product
"""


@dataclass(kw_only=True, eq=False)
class AidProducts(PdboExperiment, name="aid-products"):
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
        problem, network, step, variant, lam: of ``_place.Place``; A = A-bar on z, c = c^y.
        targets: relative residuals in (0, 1). c: instead of c^y, n d_x numbers, or None.
        norms, iterations: the a in (0, 1) and j >= 1 of "rb_promise".
    """

    columns = ("rb", "rb_iterations", "cg", "rb_promise")

    problem: Mapping[str, Any] = field(default_factory=lambda: {"clients": 2, "dim": 1, "hyper": 1})
    network: Mapping[str, Any] = field(default_factory=lambda: {"name": "directed-ring"})
    step: Any = 0.3
    variant: str = "4b"
    lam: float = 0.5
    targets: Sequence[float] = (1e-2, 1e-4, 1e-6)
    c: Sequence[float] | None = None
    norms: Sequence[float] = (0.5,)
    iterations: Sequence[int] = (1, 2, 4)

    def __post_init__(self) -> None:
        for name, numbers in (("targets", self.targets), ("norms", self.norms)):
            inside = bool(numbers) and all(_LEAST <= each < 1 for each in numbers)
            self.need(inside, name, "numbers in [1e-30, 1)")
        counts = all(type(j) is int and 1 <= j <= 32 for j in self.iterations)
        self.need(bool(self.iterations) and counts, "iterations", "integers 1..32")
        self.at = Place(self.problem, self.network, self.step, self.variant, self.lam)
        self.A = self.at.A_bar
        self.vector = self.at.c_y if self.c is None else np.array(self.c, np.float64)
        fits = self.vector.shape == self.at.c_y.shape and np.isfinite(self.vector).all()
        self.need(fits and any(self.vector), "c", f"{len(self.at.c_y)} numbers, not all 0")

    def constants(self) -> dict[str, Known]:
        # A claim for every a >= ||A||_2: a positive one where A is 0.
        largest = max(norm(self.A) * _ROOM, 1e-12)
        known = exacts("||A||_2, LAPACK, and 1e-12 of it", norm_A=largest)
        return known | exacts("||A - A^T||_2, LAPACK", asymmetry=norm(self.A - self.A.T))

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        if column == "rb_promise":
            rows = [_promise(a, j) for a in self.norms for j in self.iterations]
            return Observation(tuple(rows), True, "cg_iterations")
        counts = _both(self.A.tobytes(), self.vector.tobytes(), tuple(self.targets))
        rows = []
        for target in self.targets:
            cg, rb = counts[target]
            value = {"rb": rb - 1, "rb_iterations": rb, "cg": 2 * cg}[column]
            at = {"accuracy": float(target), "cg_products": 2.0 * cg, "cg_iterations": float(cg)}
            rows.append(Row(np.array([value]), at, f"accuracy={target:g}", rounding=0.0))
        return Observation(tuple(rows), True, "accuracy")

    def plain(self, spot: Spot) -> Plain:
        """How many products with A recurrent backpropagation takes; those of conjugate gradients
        are counted in exact arithmetic, a constant of the bound."""
        if spot.column not in ("rb", "rb_iterations"):
            return super().plain(spot)
        size, shown = len(self.vector), spot.result.measured
        if size > _MOST_WRITTEN and not spot.long:
            raise UnwrittenError(f"A has {size}^2 entries, too many for a script")
        target = re.search(r"accuracy=([\d.e+-]+)", spot.result.place)
        if target is None or shown is None:
            raise UnwrittenError("the place names no accuracy")
        if shown > _MOST_PRODUCTS:
            raise UnwrittenError("so many products take too long")
        end = "k - 1  # products" if spot.column == "rb" else "k  # iterations"
        plain = Plain(told={"target": "of ||c - (I - A) q|| / ||c||"})
        numbers = {"A": self.A, "c": self.vector, "target": float(target[1])}
        return plain.of(f"{_BACKPROPAGATION}measured = {end}", **numbers)


@functools.lru_cache(maxsize=8)  # the columns share them
def _both(A: bytes, c: bytes, targets: tuple[float, ...]) -> dict[float, tuple[int, int]]:
    """For each target the iterations of conjugate gradients and of recurrent backpropagation."""
    vector = np.frombuffer(c)
    with flint.ctx.workprec(BITS):
        one, other = _exact(np.frombuffer(A).reshape(len(vector), -1)), _exact(vector)
        needed, ladder = _counts(normal_equations(one, other), targets), [one]
        return {target: (needed[target], _until(ladder, other, target)) for target in targets}


def _promise(a: float, j: int) -> Row:
    n = 2 * j
    with flint.ctx.workprec(BITS + int(2 * n * -np.log2(a))):
        A = _exact(np.roll(np.eye(n), 1, axis=0)) * flint.arb(a)
        # (I - a Q)^{-1} e_1 = (1, a, a^2, ..) / (1 - a^n), in the order of the cycle
        c = flint.arb_mat([[flint.arb(a) ** k] for k in range(n)])
        left = float(list(normal_equations(A, c))[j - 1])
        value = float(flint.arb(a) ** (n + 1))
    at = {"cg_residual": left, "cg_iterations": float(j)}
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


def _until(ladder: list[Matrix], c: Matrix, target: float) -> int:
    """The first k with ||A^k c|| <= target ||c||. As ||A||_2 <= 1 these norms do not grow, so that
    2^60 steps take sixty squarings.

    ladder: A, A^2, A^4, .. as far as they were needed. ValueError where they are not enough.
    """
    aim, level = _norm(c) * target, 0
    while not _norm(ladder[level] * c) <= aim:
        if 2**level >= _MOST:
            raise ValueError("aid-products: 2^60 products leave A^k c too large; need rho(A) < 1")
        level += 1
        if level == len(ladder):
            ladder.append((ladder[-1] * ladder[-1]).mid())
    done = 0  # the largest power that is still too large
    for step in range(level - 1, -1, -1):
        further = (ladder[step] * c).mid()
        if not _norm(further) <= aim:
            done, c = done + 2**step, further
    return done + 1


def _exact(a: Floats) -> Matrix:
    rows = a if a.ndim == 2 else a[:, None]
    return flint.arb_mat([[float(x) for x in row] for row in rows])


def _square(v: Matrix) -> Any:
    return (v.transpose() * v)[0, 0].mid()


def _norm(v: Matrix) -> Any:
    return _square(v).sqrt().mid()
