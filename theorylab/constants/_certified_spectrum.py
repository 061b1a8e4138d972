"""Enclosures of |lambda_2| of an exact matrix."""

from __future__ import annotations

from typing import Any

from flint import arb, arb_mat, ctx, fmpz, fmpz_mat, fmpz_poly

from theorylab.constants._certified_matrix import ExactMatrix

CHARPOLY = 128  # up to here the exact characteristic polynomial: seconds
POWERS = 1024  # up to here powers of the matrix: a minute
BITS = 192
SQUARINGS, WORK = 48, 10**10  # M^(2^48) gives 14 digits; n^3 per squaring

Ends = tuple[Any, Any]


def second_modulus(P: ExactMatrix) -> tuple[Ends, str]:
    """(lower, upper) of the second largest eigenvalue modulus, as arb, and how it was found.

    Raises:
        ValueError: if n is above ``POWERS``.
    """
    n = P.clients
    if n == 1:
        return (arb(0), arb(0)), "one client"
    if n <= CHARPOLY:
        return from_charpoly(P), "roots of the exact characteristic polynomial over (x - 1), arb"
    if n <= POWERS:
        return from_powers(P)
    raise ValueError(f"n is {n}; need n <= {POWERS}")


def from_charpoly(P: ExactMatrix) -> Ends:
    """All roots of det(x - P) / (x - 1), isolated in ball arithmetic; the largest modulus.

    1^T P = 1^T exactly, so x - 1 divides, and exactly one factor is taken out: an eigenvalue 1
    that comes twice stays. Repeated roots are found in the squarefree part. A modulus of exactly 1
    is decided, not enclosed: such eigenvalues of a stochastic matrix are roots of unity of order
    at most n (Perron, Frobenius), so the polynomial has a factor in common with some x^k - 1.
    """
    n, L = P.clients, P.denominator  # the roots of the polynomial below are L lambda
    rest, remainder = divmod(P.numerators.charpoly(), fmpz_poly([-L, 1]))
    if remainder != 0:
        raise ArithmeticError("certified: 1 is no eigenvalue; the columns do not sum to 1")
    if rest.degree() < 1:
        return arb(0), arb(0)
    squarefree = rest // rest.gcd(rest.derivative())
    with ctx.workprec(BITS):
        moduli = [abs(root) for root, _ in squarefree.complex_roots()]
        low = max_of([arb(m.abs_lower()) for m in moduli]) / L
        high = max_of([arb(m.abs_upper()) for m in moduli]) / L
        low, high = low.lower(), high.upper()
        if high > 1 - arb(2) ** -40:
            if _root_of_unity(squarefree, n, L):
                return arb(1), arb(1)
            high = min_of([high, arb(1)])
    return low, high


def second_singular(P: ExactMatrix) -> Ends:
    """(lower, upper) of the second largest singular value: the root of an eigenvalue of P^T P.

    These are real and >= 0. The roots of the exact characteristic polynomial are isolated, so that
    the order of their balls is theirs; one that comes twice counts twice.
    """
    if P.clients == 1:
        return arb(0), arb(0)
    squares = (P.numerators.transpose() * P.numerators).charpoly()
    with ctx.workprec(BITS):
        roots = sorted(
            (root.real for root, times in squares.complex_roots() for _ in range(times)),
            key=lambda ball: float(ball.mid()),
        )
        value = max_of([roots[-2], arb(0)]).sqrt() / P.denominator
        return value.lower(), value.upper()


def _root_of_unity(polynomial: Any, n: int, L: int) -> bool:
    return any(
        polynomial.gcd(fmpz_poly([-(fmpz(L) ** k)] + [0] * (k - 1) + [1])).degree() > 0
        for k in range(1, n + 1)
    )


def from_powers(P: ExactMatrix) -> tuple[Ends, str]:
    """|trace M^m| / (n - 1) <= rho(M)^m <= ||M^m||_F for M = P - 11^T/n and m = 1, 2, 4, ...

    1^T is a left eigenvector, so M has the eigenvalues of P with one 1 replaced by 0 (Brauer
    1952), and n - 1 of them may be nonzero. P need be neither symmetric nor normal. Every m gives
    valid limits and the best are kept; they close in like log(n) / m.
    """
    n, L = P.clients, P.denominator
    squarings = min(SQUARINGS, max(16, WORK // n**3))
    ones = fmpz_mat(n, n, [L] * (n * n))
    with ctx.workprec(BITS):
        M = arb_mat(P.numerators * n - ones) / arb(n * L)
        low, high = arb(0), arb(1)
        for k in range(squarings + 1):
            if k:
                M = M * M
            exponent = arb(1) / arb(fmpz(2) ** k)
            squares = sum((v * v for v in M.entries()), arb(0)).abs_upper()
            if not squares.is_finite():
                break  # the balls have outgrown their centres: no further power helps
            if squares == 0:
                high = arb(0)
                break
            high = min_of([high, ((squares.log() / 2) * exponent).exp().upper()])
            trace = (abs(M.trace()) / (n - 1)).abs_lower()
            if trace > 0:
                low = max_of([low, (trace.log() * exponent).exp().lower()])
            if high - low < arb(2) ** -54 * high:
                break
        low = min_of([low, high])
    return (low, high), f"|tr M^m|/(n-1) <= |lambda_2|^m <= ||M^m||_F, M = P - 11^T/n, m <= 2^{k}"


def max_of(numbers: list[Any]) -> Any:
    """The largest of exact balls."""
    best = numbers[0]
    for x in numbers[1:]:
        best = best.max(x)
    return best


def min_of(numbers: list[Any]) -> Any:
    """The smallest of exact balls."""
    best = numbers[0]
    for x in numbers[1:]:
        best = best.min(x)
    return best
