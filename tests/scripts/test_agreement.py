"""A script prints the digits that float64 has right, and no others."""

import contextlib
import io
import pathlib
import re
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from mpmath import mp

from theorylab import registry, statements
from theorylab.scripts import script
from theorylab.scripts._agreement import rightly_printed
from theorylab.user_file import load
from theorylab.verdicts import judge_check

END = 'print(f"measured {measured:.15g} <= bound {bound:.15g} is claimed; '
END += 'ratio {measured / bound:.6g}")\n'


class Judged:
    """What is asked of a result."""

    measured, bound, runs, ci = 1.0, 1.0, 1, (1 - 5e-8, 1 + 5e-8)


def printed(text):
    """The texts of measured and bound, as the script prints them."""
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        exec(compile(text, "script", "exec"), {"__name__": "__main__"})
    return re.search(r"measured (\S+) (?:<=|>=) bound (\S+) is", told.getvalue()).groups()


def digits(text):
    return [int(k) for k in re.findall(r":\.(\d+)g", text)]


def rounded(exact, count):
    """A fraction in decimal, rounded to so many digits."""
    with localcontext() as context:
        context.prec = count
        return Decimal(exact.numerator) / Decimal(exact.denominator)


def right(text, exact, count):
    """Whether all of so many digits are right."""
    return Decimal(text) == rounded(exact, count)


@pytest.mark.parametrize("power", range(15))
def test_what_cancels_costs_the_digits_that_it_costs(power):
    x = 10.0**power  # the sum is rounded to a multiple of the spacing at x
    lines = f"import numpy as np\nx = {x!r}\nmeasured, bound = (x + 1 / 3) - x, 1\n"
    text = rightly_printed(lines + END, Judged)
    told, _ = printed(text)
    count, _, ratio = digits(text)
    assert right(told, Fraction(1, 3), count)
    more = f"{(x + 1 / 3) - x:.{count + 1}g}"
    assert count == 15 or not right(more, Fraction(1, 3), count + 1)
    assert ratio == min(6, count)


def test_where_balls_leave_it_open_the_allowance_of_the_engine_says_how_many():
    lines = (
        "import numpy as np\nx = np.sqrt(2.0)\nmeasured = 1.0 if x * x > 2 else 0.0\nbound = 1\n"
    )
    assert digits(rightly_printed(lines + END, Judged)) == [7, 9, 6]


class Loosely(Judged):
    """A growth, whose limits are far apart."""

    ci = (0.3, 1.7)


def test_where_the_allowance_leaves_no_digit_the_balls_take_longer(monkeypatch):
    monkeypatch.setattr("theorylab.scripts._agreement._WORK", 200)
    lines = "x = 0.0\nfor k in range(90):\n    x = x + 1 / 90\nmeasured, bound = x, 1\n"
    assert digits(rightly_printed("import numpy as np\n" + lines + END, Loosely)) == [14, 15, 6]
    assert digits(rightly_printed("import numpy as np\n" + lines + END, Judged)) == [7, 9, 6]


def test_both_sides_of_an_identity_have_their_digits():
    lines = (
        "import numpy as np\nleft, right = (1e8 + 1 / 3) - 1e8, 0.5\nmeasured = abs(left - right)\n"
    )
    sides = 'print("the two sides of the identity:", left, "and", right)\n'
    text = rightly_printed(lines + "bound = 1\n" + sides + END, Judged)
    assert "{left:.8g} and {right:.15g}" in text


def exactly(number):
    """A number of 50 digits as a fraction."""
    sign, man, exponent, _ = mp.mpf(number)._mpf_
    return (-1) ** sign * Fraction(int(man)) * Fraction(2) ** exponent


def heads_moved():
    """(28) of DFedPGP: how far round 1 moves the heads, with the floats of the instance."""
    eta_v, eta_u, third = mp.mpf(0.0001), mp.mpf(1e-6), mp.mpf(1 / 3)
    P = [[third, 0, 0.5], [third, 0.5, 0], [third, 0.5, 0.5]]
    U, w = [mp.mpf(3)] * 3, [mp.mpf(1)] * 3
    V = [mp.mpf(v) for v in (-0.286996814178, -0.286996814178, 0.354829077276)]
    for _ in range(2):
        Z, before = [u / x for u, x in zip(U, w, strict=True)], V
        V = [v - eta_v * (v + mp.sin(z) * mp.cos(v) / 2) for v, z in zip(V, Z, strict=True)]
        U = [u - eta_u * (z - 3 + mp.cos(z) * mp.sin(v) / 2)
             for u, z, v in zip(U, Z, V, strict=True)]  # fmt: skip
        U, w = ([mp.fsum(p * x for p, x in zip(row, X, strict=True)) for row in P] for X in (U, w))
    return exactly(sum((v - b) ** 2 for v, b in zip(V, before, strict=True)) / 3)


def growth():
    """The slope of DePRL's heads against tau, by least squares."""
    alpha, beta = mp.mpf(0.01), mp.mpf(0.001)
    taus = [mp.mpf(tau) for tau in (4, 16, 64)]
    tops = [12 * alpha**3 * x * (x - 1) * (6 * x + 1) + 2 * alpha**2 * x for x in taus]
    ratios = [top / beta**2 for top in tops]
    logs, values = [mp.log10(x) for x in taus], [mp.log10(r) for r in ratios]
    mean = mp.fsum(logs) / 3
    top = mp.fsum((x - mean) * y for x, y in zip(logs, values, strict=True))
    return exactly(mp.power(10, top / mp.fsum((x - mean) ** 2 for x in logs)))


def walked(eta, steps):
    """How far that many steps of gradient descent lead on x^2/2 from 1."""
    return 1 - (1 - Fraction(eta)) ** steps


BUILT_IN = {
    ("dfedsgpsm.lem4", "one-away"): lambda: (Fraction(1, 9), None),
    ("dfedalt.eq12", "many-steps"): lambda: (walked(1e-5, 200) ** 2, 800 * Fraction(1e-5) ** 2),
    ("dfedpgp.lem2", "long-walk"): lambda: (
        walked(1e-6, 63) ** 2 * (1 + Fraction(1.001) ** 2) / 2,
        None,
    ),
    ("dfedpgp.eq29", "flat-at-the-biased-model"): lambda: (heads_moved(), None),
    ("deprl.thm1_heads", "fixed"): lambda: (growth(), exactly(mp.power(10, mp.mpf(1) / 20))),
}


@pytest.mark.parametrize(("name", "check"), BUILT_IN)
def test_every_digit_of_a_built_in_finding_is_that_of_the_exact_number(name, check):
    with mp.workdps(50):
        exact = BUILT_IN[name, check]()
    claim = statements.BUILT_IN[name]
    pairs = ((v, c) for v, content in claim.versions.items() for c in content.checks)
    version, chosen = next((v, c) for v, c in pairs if (c.name, c.expect) == (check, "VIOLATED"))
    text = script(claim, judge_check(claim, version, chosen))
    for told, wanted, count in zip(printed(text), exact, digits(text), strict=False):
        assert wanted is None or right(told, wanted, count), (told, float(wanted))


def test_every_digit_of_a_stranger_s_finding_is_that_of_the_exact_number():
    with registry.restored():
        own = load(pathlib.Path(__file__).with_name("exact_claims.py"))
        claim = own.claim(own.R(1, 7), own.DISTANCE, rounds=60)
        (check,) = claim.versions["claim"].checks
        text = script(claim, judge_check(claim, "claim", check))
    exact = Fraction(1.1) ** 2 * (1 - 2 * Fraction(0.1)) ** 120
    told, (first, second, _) = printed(text), digits(text)
    assert right(told[0], exact, first)
    assert right(told[1], Fraction(1, 7), second)
    assert 12 <= first <= second == 15
