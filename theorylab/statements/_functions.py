"""Functions that sympy's printer for mpmath has no word for: in digits, and in balls.

One entry per class of ``sympy.functions``. Balls are Arb's, which enclose. A function without one
is computed with 50 and with 100 digits, and is a number where both agree in 30: mpmath promises no
error, and a formula that loses more digits than that is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath

Ball = Any  # flint.arb
_AGREED = 30  # digits that two evaluations have to share
_MOST_PRIMES = 10**7  # mpmath sieves up to its argument
_LONGEST = 10**5  # of an integer function's argument: its value has as many digits, or more


@dataclass(frozen=True)
class Function:
    """``digits`` of mpmath's numbers, and ``ball`` of Arb's; None where Arb has none."""

    digits: Callable[..., Any]
    ball: Callable[..., Ball] | None = None


def in_digits(name: str, *given: Any) -> Any:
    """The function of sympy's ``name`` at numbers of mpmath, with its working precision.

    Raises ValueError where two evaluations do not share 30 digits, or the value is complex.
    """
    entry = FUNCTIONS[name]
    try:
        found = real(entry.digits(*given))
    except TypeError:
        raise ValueError(f"theorylab computes no {name} of {len(given)} arguments") from None
    if entry.ball is not None or not mpmath.isfinite(found):
        return found
    with mpmath.workprec(2 * mpmath.mp.prec):
        again = real(entry.digits(*given))
        if abs(found - again) > mpmath.mpf(10) ** -_AGREED * abs(again):
            raise ValueError(f"{name} with twice the digits is another number")
    return found


def in_balls(name: str, *given: Any) -> Ball:
    """The same at balls; NotImplementedError where none is known."""
    from flint import arb

    entry = FUNCTIONS[name]
    if entry.ball is None:
        raise NotImplementedError(f"no ball of {name}")
    found = entry.ball(*(x if isinstance(x, tuple | list) else arb(x) for x in given))
    return found if isinstance(found, arb) else _real_part(found)


def real(number: Any) -> Any:
    """``number``; ValueError where it is complex."""
    if isinstance(number, mpmath.mpc):
        if number.imag != 0:
            raise ValueError("it is complex")
        return number.real
    return number


def _real_part(found: Any) -> Ball:
    if not found.imag.contains(0):
        raise ValueError("it is complex")
    return found.real


def _whole(x: Any) -> int:
    """The integer that a number is, or the only one in a ball."""
    ball = hasattr(x, "unique_fmpz")
    number = int(x.unique_fmpz() if ball else x)
    if not ball and number != x:
        raise ValueError(f"{mpmath.nstr(x, 6)} came; need an integer")
    if abs(number) > _LONGEST:
        raise ValueError(f"{number} came; need at most {_LONGEST}")
    return number


def _of_integer(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, *rest: function(_whole(x), *rest)


def _at(name: str, *, last: bool = False) -> Callable[..., Ball]:
    """A method of Arb's balls, of the first argument or of the last one."""
    if last:
        return lambda *given: getattr(given[-1], name)(*given[:-1])
    return lambda first, *rest: getattr(first, name)(*rest)


def _complex(name: str, *, last: bool = False) -> Callable[..., Any]:
    """The same of complex balls, which are told to be real by their imaginary part."""

    def function(*given: Any) -> Any:
        from flint import acb

        balls = [acb(x) for x in given]
        return _at(name, last=last)(*balls)

    return function


def _static(name: str) -> Callable[..., Any]:
    def function(*given: Any) -> Any:
        from flint import acb

        return getattr(acb, name)(*map(acb, given))

    return function


def _harmonic_ball(n: Ball, m: Ball | None = None) -> Ball:
    if m is None or m == 1:
        return (n + 1).digamma() + n.const_euler()
    return m.zeta() - m.zeta(n + 1)


def _harmonic(n: Any, m: Any = 1) -> Any:
    return mpmath.harmonic(n) if m == 1 else mpmath.zeta(m) - mpmath.zeta(m, n + 1)


def _double_factorial(n: Ball) -> Ball:
    two = n * 0 + 2
    return two ** (n / 2) * (n / 2 + 1).gamma() * (2 / n.pi()) ** ((1 - n.cos_pi()) / 4)


def _fib(n: Ball) -> Ball:
    return n.fib(_whole(n))


def _spherical(kind: str) -> Function:
    """sqrt(pi/(2z)) times a Bessel function of order n + 1/2."""

    def digits(n: Any, z: Any) -> Any:
        bessel = getattr(mpmath, f"bessel{kind}")
        return mpmath.sqrt(mpmath.pi / (2 * z)) * bessel(n + mpmath.mpf(1) / 2, z)

    def ball(n: Ball, z: Ball) -> Ball:
        return (n.pi() / (2 * z)).sqrt() * getattr(z, f"bessel_{kind}")(n + 0.5)

    return Function(digits, ball)


def _elliptic_pi(n: Any, z: Any, m: Any = None) -> Any:
    from flint import acb

    if m is None:
        return acb.elliptic_pi(acb(n), acb(z))
    return acb.elliptic_pi_inc(acb(n), acb(z), acb(m))


def _elliptic_e(z: Any, m: Any = None) -> Any:
    from flint import acb

    return acb.elliptic_e(acb(z)) if m is None else acb.elliptic_e_inc(acb(z), acb(m))


def _hypergeometric(above: Any, below: Any, z: Any) -> Any:
    from flint import arb

    return arb(z).hypgeom([arb(a) for a in above], [arb(b) for b in below])


def _bernoulli(n: Any, x: Any = None) -> Any:
    """sympy's B_1 is 1/2, mpmath's and Arb's -1/2."""
    n = _whole(n)
    if x is not None:
        return mpmath.bernpoly(n, x)
    return mpmath.mpf(1) / 2 if n == 1 else mpmath.bernoulli(n)


def _bernoulli_ball(n: Ball, x: Ball | None = None) -> Ball:
    from flint import arb

    if x is not None:
        return x.bernoulli_poly(_whole(n))
    return arb(1) / 2 if _whole(n) == 1 else arb.bernoulli(_whole(n))


def _lambert(x: Any, k: Any = 0) -> Any:
    return mpmath.lambertw(x, _whole(k))


def _stieltjes_ball(n: Ball, a: Any = 1) -> Any:
    from flint import acb

    return acb.stieltjes(_whole(n), acb(a))


def _subfactorial(n: Any) -> Any:
    """n! sum_k (-1)^k / k!, by integers."""
    total = 1
    for k in range(1, _whole(n) + 1):
        total = k * total + (-1) ** k
    return total


def _prime_count(x: Any) -> Any:
    if x > _MOST_PRIMES:
        raise ValueError(f"{mpmath.nstr(x, 6)} came; need at most {_MOST_PRIMES}")
    return mpmath.primepi(x)


_M = mpmath
FUNCTIONS: dict[str, Function] = {
    "harmonic": Function(_harmonic, _harmonic_ball),
    "zeta": Function(_M.zeta, _at("zeta")),
    "dirichlet_eta": Function(_M.altzeta, _complex("dirichlet_eta")),
    "lerchphi": Function(_M.lerchphi, _complex("lerch_phi")),
    "polylog": Function(_M.polylog, _at("polylog", last=True)),
    "stieltjes": Function(_of_integer(_M.stieltjes), _stieltjes_ball),
    "fibonacci": Function(_of_integer(_M.fib), _fib),
    "lucas": Function(
        _of_integer(lambda n: _M.fib(n - 1) + _M.fib(n + 1)), lambda n: _fib(n - 1) + _fib(n + 1)
    ),
    "bernoulli": Function(_bernoulli, _bernoulli_ball),
    "bell": Function(_of_integer(_M.bell)),
    "euler": Function(
        lambda n, x=None: _M.eulernum(_whole(n)) if x is None else _M.eulerpoly(_whole(n), x)
    ),
    "catalan": Function(
        lambda n: _M.binomial(2 * n, n) / (n + 1),
        lambda n: (2 * n + 1).gamma() * (n + 1).rgamma() * (n + 2).rgamma(),
    ),
    "factorial2": Function(_M.fac2, _double_factorial),
    "subfactorial": Function(_subfactorial, lambda n: 0 * n + _subfactorial(n)),
    "primepi": Function(_prime_count),
    "arg": Function(_M.arg),
    "atan2": Function(_M.atan2, lambda y, x: y.atan2(y, x)),
    "LambertW": Function(_lambert, lambda x, k=0: x.lambertw(_whole(k))),
    "erfi": Function(_M.erfi, _at("erfi")),
    "erfinv": Function(_M.erfinv, _at("erfinv")),
    "erfcinv": Function(lambda x: _M.erfinv(1 - x), _at("erfcinv")),
    "erf2inv": Function(lambda x, y: _M.erfinv(_M.erf(x) + y), lambda x, y: (x.erf() + y).erfinv()),
    "Ei": Function(_M.ei, _at("ei")),
    "expint": Function(_M.expint, _at("expint", last=True)),
    "li": Function(_M.li, _at("li")),
    "Li": Function(lambda x: _M.li(x, offset=True), lambda x: x.li(offset=True)),
    "Si": Function(_M.si, _at("si")),
    "Ci": Function(_M.ci, _at("ci")),
    "Shi": Function(_M.shi, _at("shi")),
    "Chi": Function(_M.chi, _at("chi")),
    "fresnels": Function(_M.fresnels, _at("fresnel_s")),
    "fresnelc": Function(_M.fresnelc, _at("fresnel_c")),
    "polygamma": Function(_of_integer(_M.psi), _complex("polygamma", last=True)),
    "lowergamma": Function(lambda s, x: _M.gammainc(s, 0, x), lambda s, x: x.gamma_lower(s)),
    "uppergamma": Function(lambda s, x: _M.gammainc(s, x), lambda s, x: x.gamma_upper(s)),
    "beta": Function(_M.beta, lambda x, y: x.gamma() * y.gamma() * (x + y).rgamma()),
    "betainc": Function(
        lambda a, b, x, y: _M.betainc(a, b, x, y),
        lambda a, b, x, y: y.beta_lower(a, b) - x.beta_lower(a, b),
    ),
    "betainc_regularized": Function(
        lambda a, b, x, y: _M.betainc(a, b, x, y, regularized=True),
        lambda a, b, x, y: y.beta_lower(a, b, 1) - x.beta_lower(a, b, 1),
    ),
    **{
        f"bessel{k}": Function(getattr(_M, f"bessel{k}"), _at(f"bessel_{k}", last=True))
        for k in "jyik"
    },
    "jn": _spherical("j"),
    "yn": _spherical("y"),
    "airyai": Function(_M.airyai, _at("airy_ai")),
    "airybi": Function(_M.airybi, _at("airy_bi")),
    "airyaiprime": Function(
        lambda x: _M.airyai(x, derivative=1), lambda x: x.airy_ai(derivative=1)
    ),
    "airybiprime": Function(
        lambda x: _M.airybi(x, derivative=1), lambda x: x.airy_bi(derivative=1)
    ),
    "elliptic_k": Function(_M.ellipk, _static("elliptic_k")),
    "elliptic_f": Function(_M.ellipf, _static("elliptic_f")),
    "elliptic_e": Function(_M.ellipe, _elliptic_e),
    "elliptic_pi": Function(_M.ellippi, _elliptic_pi),
    "hyper": Function(_M.hyper, _hypergeometric),
    "meijerg": Function(_M.meijerg),
    "appellf1": Function(_M.appellf1),
    "legendre": Function(_M.legendre, _at("legendre_p", last=True)),
    "chebyshevt": Function(_M.chebyt, _at("chebyshev_t", last=True)),
    "chebyshevu": Function(_M.chebyu, _at("chebyshev_u", last=True)),
    "hermite": Function(_M.hermite, _at("hermite_h", last=True)),
    "hermite_prob": Function(
        lambda n, x: _M.mpf(2) ** (-n / _M.mpf(2)) * _M.hermite(n, x / _M.sqrt(2)),
        lambda n, x: (n * 0 + 2) ** (-n / 2) * (x / (n * 0 + 2).sqrt()).hermite_h(n),
    ),
    "laguerre": Function(lambda n, x: _M.laguerre(n, 0, x), _at("laguerre_l", last=True)),
    "assoc_laguerre": Function(_M.laguerre, lambda n, a, x: x.laguerre_l(n, a)),
    "assoc_legendre": Function(_M.legenp, lambda n, m, x: x.legendre_p(n, m)),
    "gegenbauer": Function(_M.gegenbauer, lambda n, a, x: x.gegenbauer_c(n, a)),
    "jacobi": Function(_M.jacobi, lambda n, a, b, x: x.jacobi_p(n, a, b)),
}
