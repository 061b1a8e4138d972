"""Every class of sympy.functions: it has a number and a ball around it, or is refused in a line."""

import inspect
from fractions import Fraction

import mpmath
import pytest
import sympy as sp
from flint import ctx
from sympy import functions

from theorylab.statements import enclosed, evaluate
from theorylab.symbols import T, alpha, eta

AT = {T: Fraction(6), eta: Fraction(3, 10), alpha: Fraction(3, 2)}
N, X, Y = T, eta, alpha  # an integer, a number below 1, one above
OF_X = "re im sign Abs conjugate arg transpose adjoint sin cos tan sec csc cot sinc asin acos atan"
OF_X += " acot exp log LambertW sinh cosh tanh coth sech csch asinh atanh asech acsch floor ceiling"
OF_X += " frac erf erfc erfi erfinv erfcinv Ei li Li Si Ci Shi Chi fresnels fresnelc gamma loggamma"
OF_X += " digamma trigamma dirichlet_eta Heaviside elliptic_k elliptic_e airyai airybi"
OF_X += " airyaiprime airybiprime"
OF_Y = "asec acsc acosh acoth zeta"
OF_N = "factorial factorial2 subfactorial fibonacci lucas harmonic bernoulli bell euler catalan"
OF_N += " primepi"
OF_N_X = "rf ff RisingFactorial FallingFactorial binomial Min Max atan2 expint lowergamma polygamma"
OF_N_X += " uppergamma polylog besselj bessely besseli besselk jn yn legendre hermite hermite_prob"
OF_N_X += " chebyshevt chebyshevu laguerre beta erf2 KroneckerDelta"
TOLD = {
    **{name: getattr(functions, name)(X) for name in OF_X.split()},
    **{name: getattr(functions, name)(Y) for name in OF_Y.split()},
    **{name: getattr(functions, name)(N) for name in OF_N.split()},
    **{name: getattr(functions, name)(N, X) for name in OF_N_X.split()},
    "ln": sp.log(X),
    "stieltjes": sp.stieltjes(1) * X,
    "erf2inv": sp.erf2inv(X, X / 9),
    "lerchphi": sp.lerchphi(X / 3, 2, 1),
    "betainc": sp.betainc(N, Y, X / 2, X),
    "betainc_regularized": sp.betainc_regularized(N, Y, X / 2, X),
    "multigamma": sp.multigamma(Y + 4, N),
    "elliptic_f": sp.elliptic_f(Y, X),
    "elliptic_pi": sp.elliptic_pi(X / 3, Y, X),
    "hyper": sp.hyper([X, N], [Y], X),
    "meijerg": sp.meijerg([1], [], [1], [], X),
    "appellf1": sp.appellf1(1, X, Y, N, X / 2, X / 3),
    "assoc_legendre": sp.assoc_legendre(N, 2, X),
    "assoc_laguerre": sp.assoc_laguerre(N, Y, X),
    "gegenbauer": sp.gegenbauer(N, Y, X),
    "jacobi": sp.jacobi(3, X, Y, X / 2),
    "chebyshevt_root": sp.chebyshevt_root(5, 2) * X,
    "chebyshevu_root": sp.chebyshevu_root(5, 2) * X,
    "Piecewise": sp.Piecewise((X, X < 1), (Y, True)),
    "SingularityFunction": sp.SingularityFunction(Y, X, 2),
    "LeviCivita": sp.LeviCivita(1, 2, 3) * X,
    "Id": sp.Id(X),
    "periodic_argument": sp.periodic_argument(X, sp.oo),
    "principal_branch": sp.Integer(1) * X,
    "genocchi": sp.genocchi(1) * X,
}
# mpmath has no word for these, or their values are complex.
SYMPYS = "motzkin tribonacci DiracDelta"  # it takes no symbol, or decides by its sign
REFUSED = "carmichael andre partition divisor_sigma udivisor_sigma mobius"
REFUSED += (
    " legendre_symbol jacobi_symbol kronecker_symbol primenu primeomega totient Rem polar_lift"
)
REFUSED += " reduced_totient exp_polar hankel1 hankel2 hn1 hn2 marcumq Ynm Znm mathieus mathieuc"
REFUSED += " mathieusprime mathieucprime riemann_xi genocchi principal_branch"
# Without a ball: computed twice.
TWICE = "arg periodic_argument primepi bell euler meijerg appellf1"
BRANCHED = "sign floor ceiling frac Heaviside Piecewise SingularityFunction KroneckerDelta"
CLASSES = {
    name for name in functions.__all__ if inspect.isclass(getattr(functions, name))
}  # fmt: skip


def numbers(expr):
    return {symbol: AT[symbol] for symbol in expr.free_symbols}


def oracle(name, expr):
    x = mpmath.mpf(3) / 10
    own = {
        "erfcinv": lambda: mpmath.erfinv(1 - x),
        "erf2": lambda: mpmath.erf(x) - mpmath.erf(6),
        "erf2inv": lambda: mpmath.erfinv(mpmath.erf(x) + x / 9),
    }
    if name in own:
        return own[name]()
    there = {s: sp.Rational(v.numerator, v.denominator) for s, v in AT.items()}
    return mpmath.mpf(str(sp.N(expr.subs(there).doit(), 60)))


def ends(ball):
    with ctx.workprec(400):
        both = [end.man_exp() for end in (ball.lower(), ball.upper())]
    return [mpmath.ldexp(mpmath.mpf(int(m)), int(e)) for m, e in both]


def test_every_class_is_listed():
    assert set(TOLD) | {*REFUSED.split(), *SYMPYS.split()} >= CLASSES


@pytest.mark.parametrize("name", TOLD)
def test_a_function_has_forty_digits_and_a_ball_around_them(name):
    expr = TOLD[name]
    with mpmath.workdps(60):
        right = oracle(name, expr)
        assert abs(evaluate(expr, numbers(expr)) - right) <= mpmath.mpf(10) ** -40 * abs(right)
        spans = {symbol: (value, value) for symbol, value in numbers(expr).items()}
        ball = enclosed(expr, spans, 192)
        if name in (TWICE + " " + BRANCHED).split():
            return
        low, high = ends(ball)
        room = mpmath.mpf(10) ** -50 * abs(right)
        assert low - room <= right <= high + room
        assert high - low <= mpmath.mpf(10) ** -40 * abs(right)


@pytest.mark.parametrize("name", REFUSED.split())
def test_what_has_no_number_says_so_without_a_class_of_the_program(name):
    arguments = {4: (N, 1, X, X), 3: (N, X, Y), 2: (N, Y), 1: (N,)}
    kind = getattr(functions, name)
    for given in arguments.values():
        try:
            expr = kind(*given)
        except (TypeError, ValueError, AttributeError):
            continue
        if expr.has(kind):
            break
    with pytest.raises(ValueError, match="has no finite real value here") as caught:
        evaluate(expr, numbers(expr))
    assert "PrintMethod" not in str(caught.value)
    assert "ByPlace" not in str(caught.value)
    assert "theorylab computes no" in str(caught.value)


def test_an_order_that_is_no_integer_is_refused_and_not_cut():
    """mpmath's psi cuts its order; the generalised function of sympy is another one."""
    with pytest.raises(ValueError, match=r"0\.3 came; need an integer"):
        evaluate(sp.polygamma(X, Y), {X: 0.3, Y: 7.0})
    assert abs(evaluate(sp.polygamma(1, Y), {Y: 1}) - mpmath.zeta(2)) < 1e-14


def test_a_function_of_too_many_arguments_is_named():
    with pytest.raises(ValueError, match="theorylab computes no fibonacci of 2 arguments"):
        evaluate(sp.fibonacci(N, X), {N: 6, X: 0.3})


def test_the_fractional_part_is_decided_with_the_numbers_that_were_written():
    from theorylab.statements import resolved

    (way,) = resolved(sp.frac(X * 10), {X: (Fraction(3, 10), Fraction(3, 10))})
    assert evaluate(way, {X: Fraction(3, 10)}) == 0


def test_a_wide_argument_gives_a_ball_of_all_values():
    ball = enclosed(sp.LambertW(X), {X: (Fraction(1, 10), Fraction(1, 2))}, 100)
    for x in (0.1, 0.3, 0.5):
        assert ball.lower() <= float(mpmath.lambertw(x).real) + 1e-15
        assert float(mpmath.lambertw(x).real) - 1e-15 <= ball.upper()


def test_a_value_that_two_precisions_do_not_share_is_refused(monkeypatch):
    from theorylab.statements import _functions

    shaky = _functions.Function(lambda x: x + mpmath.mpf(10) ** (-mpmath.mp.dps / 4))
    monkeypatch.setitem(_functions.FUNCTIONS, "primepi", shaky)
    with pytest.raises(ValueError, match="primepi with twice the digits is another number"):
        evaluate(sp.primepi(N) + 0 * X + Y / 7, {N: 6, X: 0.3, Y: 1.5})


def test_a_product_is_multiplied_factor_by_factor():
    k = sp.Symbol("k", integer=True)
    expr = sp.Product(1 - X / k, (k, 1, N))
    right = Fraction(1)
    for j in range(1, 7):
        right *= 1 - Fraction(3, 10) / j
    found = evaluate(expr, {X: Fraction(3, 10), N: 6})
    assert abs(found * right.denominator - right.numerator) < 1e-40 * right.denominator
    ball = enclosed(expr, {X: (Fraction(3, 10),) * 2, N: (Fraction(6),) * 2}, 192)
    assert abs(float(ball.mid()) - float(right)) < 1e-15
    assert evaluate(sp.Product(X, (k, 3, 2)), {X: 0.5}) == 1
    with pytest.raises(ValueError, match=r"products of 1e\+06 terms; need at most 200000"):
        evaluate(sp.Product(X, (k, 1, 10**6)), {X: 0.5})
