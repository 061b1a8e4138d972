"""Both versions by hand, the worked counterexample, and where each breaks."""

import math
from fractions import Fraction

import mpmath
import pytest

from theorylab.statements import BUILT_IN, Check, evaluate
from theorylab.statements.dfedsgpsm._proof5 import LINE_9
from theorylab.symbols import BY_NAME
from theorylab.verdicts import judge_check

STATEMENT = BUILT_IN["dfedsgpsm.thm1"]
# Numbers with exact fractions: a slip of a power or a factor cannot hide in rounding.
POINT = {
    "T": 10, "K": 3, "eta": Fraction(1, 100), "alpha": Fraction(1, 2), "rho": Fraction(1, 10),
    "f0": 5, "f_star": 1, "x0_sq": 2, "L": 2, "L_sample": 4, "B": 3, "sigma_l": 4,
    "sigma_g": 2, "delta": Fraction(1, 4), "x0_spread": 3, "noise_clients": 5,
    "C": 3, "q": Fraction(1, 2),
}  # fmt: skip


def values():
    with mpmath.workdps(50):
        return {
            BY_NAME[k]: mpmath.mpf(Fraction(v).numerator) / Fraction(v).denominator
            for k, v in POINT.items()
        }


def by_hand_printed():
    eta, alpha, rho, delta, q = (POINT[k] for k in ("eta", "alpha", "rho", "delta", "q"))
    T, K, L, B, C, sl, sg = (POINT[k] for k in ("T", "K", "L", "B", "C", "sigma_l", "sigma_g"))
    C1 = 8 * K * sl**2 + 64 * K**2 * sg**2
    C1 += 32 * K**2 * alpha**2 / (1 - alpha) ** 2 * (sl**2 + B**2) + 64 * K * L**2 * rho**2
    return {
        "optimisation": 2 * (1 - alpha) * 4 / (T * eta * K),
        "noise": L * eta * K * sl**2 / (1 - alpha),
        "client drift": 3 * eta**2 * L**2 / delta * (C1 + 64 * K**2 * B**2),
        "initial disagreement": 6 * L**2 * C**2 / (T * (1 - q**2)) * 2,
        "consensus": 6 * L**2 * eta**2 * K**2 * C**2 * (B**2 + sl**2)
        / ((1 - alpha) ** 2 * (1 - q) ** 2),
        "sharpness": 3 * L**2 * rho**2,
    }  # fmt: skip


def by_hand_corrected():
    """K = 3, alpha = 1/2: b = 7/4, 3/2, 1; a~_1 = 1, a~_2 = 5/2, a~ = 17/4; G = 5 + 4/10."""
    eta, rho, delta, q = (POINT[k] for k in ("eta", "rho", "delta", "q"))
    T, L, C, sl, Lx = (POINT[k] for k in ("T", "L", "C", "sigma_l", "L_sample"))
    a, G = Fraction(17, 4), Fraction(54, 10)
    squares = Fraction(7, 4) ** 2 + Fraction(3, 2) ** 2 + 1
    drift = (Fraction(3, 2) * 1 + 1 * Fraction(5, 2) ** 2) / a
    # the squares of the four parts, whose roots are added; 3 is the spread of the first models
    parts = {
        "client drift": L**2 * eta**2 * G**2 / delta**2 * drift,
        "initial disagreement": L**2 * C**2 / (T * (1 - q**2)) * 3,
        "consensus": (L * eta * a * C * G * q / (1 - q)) ** 2,
        "sharpness": Lx**2 * rho**2,
    }
    with mpmath.workdps(50):
        roots = {
            name: mpmath.sqrt(mpmath.mpf(square.numerator) / square.denominator)
            for name, square in parts.items()
        }
        square = {name: root * sum(roots.values()) for name, root in roots.items()}
    return {
        "optimisation": Fraction(2 * 4) / (T * eta * a),
        "noise": L * eta * squares / a * sl**2 / (5 * (1 - L * eta * a)),
        **square,
    }


@pytest.mark.parametrize(
    ("version", "oracle"),
    [
        ("printed", by_hand_printed),
        ("printed/sgp", by_hand_printed),
        ("printed/line-9", by_hand_printed),
        ("corrected", by_hand_corrected),
    ],
)
def test_every_term_is_the_hand_computed_fraction(version, oracle):
    expected = oracle()
    terms = STATEMENT.versions[version].terms
    assert set(terms) == set(expected)
    for name, term in terms.items():
        # 50-digit arithmetic against exact fractions
        assert float(evaluate(term, values())) == pytest.approx(
            float(expected[name]), rel=1e-15, abs=0
        ), name


@pytest.fixture
def job(judged):
    return lambda version, check: judged(STATEMENT)[version, check]


def worked_example_measured():
    """The run of DESIGN section 8 in plain loops: 1/T sum tanh(xbar - 8)^2."""
    out = {i: [i, (i + 1) % 8] for i in range(8)}
    out[0] += [4, 2]
    out[3] += [6]
    x, w, total = [0.0] * 8, [1.0] * 8, 0.0
    for _ in range(12000):
        total += math.tanh(sum(x) / 8 - 8) ** 2
        half = [x[i] - 1e-3 * math.tanh(x[i] / w[i] - 8) for i in range(8)]
        x, w, old = [0.0] * 8, [0.0] * 8, w
        for j in range(8):
            for i in out[j]:
                x[i] += half[j] / len(out[j])
                w[i] += old[j] / len(out[j])
    return total / 12000


def test_the_printed_bound_is_violated_on_the_worked_example(job):
    result = job("printed", "worked-example")
    assert result.verdict == "VIOLATED"
    assert result.ratio >= 2
    assert all(a.holds for a in result.assumptions)
    assert result.measured == pytest.approx(
        worked_example_measured(), rel=1e-9, abs=0
    )  # 12000 steps
    assert result.constants["delta"]["value"] == pytest.approx(0.4154, abs=5e-5)


def test_the_corrected_bound_holds_on_the_worked_example(job):
    result = job("corrected", "worked-example")
    assert result.verdict == "HOLDS"
    assert 0.3 < result.ratio < 1
    # 1.22 at T = 12000 is above B^2 = 1, which Assumption 5 gives for nothing; the reason says so
    assert "without the theorem the left side is at most B**2 = 1" in result.reason


def test_a_run_that_is_moved_keeps_its_bound(job):
    moved = job("corrected", "shifted")
    checks = STATEMENT.versions["corrected"].checks
    far = next(check.instance for check in checks if check.name == "shifted")
    start = {**far, "x0": 0.0, "problem": {**far["problem"], "center": 8.0}}
    there = judge_check(STATEMENT, "corrected", Check("not moved", start))
    # losses and slopes at 1008 - x round by as much as 1000 does, 2000 times
    assert moved.bound == pytest.approx(there.bound, rel=1e-9)
    assert moved.measured == pytest.approx(there.measured, rel=1e-9)
    assert there.bound < 0.75
    # the printed one counts the same start from 0
    printed = judge_check(STATEMENT, "printed", Check("moved", far))
    assert printed.terms["initial disagreement"] > 1e4


def test_with_the_closed_formulas_of_the_sgp_lemma_the_bound_says_nothing_there(job):
    result = job("printed/sgp", "worked-example")
    assert result.verdict == "VACUOUS"
    assert result.log10_bound > 2


def test_sam_with_noise_on_one_minibatch_refutes_the_printed_bound_without_momentum(job):
    result = job("printed", "sam-trap")
    assert result.verdict == "VIOLATED"
    assert result.ci[0] > result.bound
    # K = 1, alpha = 0: (1-alpha)/K = 1/a~, so the first term is what it should be
    first = [STATEMENT.versions[v].terms["optimisation"] for v in ("printed", "corrected")]
    at = {**values(), BY_NAME["alpha"]: 0, BY_NAME["K"]: 1}
    assert evaluate(first[0], at) == evaluate(first[1], at)


def test_taken_at_line_9s_word_the_trap_breaks_assumption_3_and_the_first_term_is_still_too_small(
    job,
):
    trap = job("printed/line-9", "sam-trap")
    assert trap.verdict == "ASSUMPTION_FAILS"
    assert [a.name for a in trap.assumptions if a.holds is False] == [LINE_9.name]
    result = job("printed/line-9", "worked-example")
    assert result.verdict == "VIOLATED"
    assert result.severity == "wrong order"


@pytest.mark.parametrize(
    ("version", "named"),
    [("printed", "eta_l < delta / (8 L K)"), ("corrected", "eta_l < 1 / (L a~)")],
)
def test_a_step_above_the_cap_is_named(version, named, job):
    result = job(version, "step-above-cap")
    assert result.verdict == "ASSUMPTION_FAILS"
    assert named in result.reason
    failed = [a for a in result.assumptions if a.holds is False]
    assert [named in a.name for a in failed] == [True]
    assert failed[0].margin < 0
    assert result.runs == 0


def test_the_ratio_grows_without_limit_as_alpha_tends_to_1(job):
    found = job("printed", "momentum-to-one")
    curve = found.curve
    assert (curve.axis, curve.rounds) == ("inverse", [30, 100, 300])
    ratios = [m / b for m, b in zip(curve.measured, curve.bound, strict=True)]
    # two thirds of what the first term alone would give, 1 / (10 (1 - alpha))
    assert ratios == pytest.approx([30 / 15, 100 / 15, 300 / 15], rel=0.1)
    assert found.ratio == pytest.approx(max(ratios), rel=1e-12)
    # all clients walk alike: the slope of the clipped line shrinks by 1 - eta in every round
    for inverse, measured in zip(curve.rounds, curve.measured, strict=True):
        rounds = round(0.528 * inverse**1.5)
        kept = (1 - 0.1 / rounds) ** 2
        by_hand = (1 - kept**rounds) / (1 - kept) / rounds
        assert measured == pytest.approx(by_hand, rel=1e-11)


def test_the_closed_formulas_do_not_save_the_printed_bound(job):
    found = job("printed/sgp", "ring-of-three")
    # D = 2, Delta = 2: lambda = 1/4, q = lambda^(1/3), C = 2 * 4 / lambda^(4/3)
    assert found.constants["q"]["value"] == pytest.approx(0.25 ** (1 / 3), rel=1e-12)
    assert found.constants["C"]["value"] == pytest.approx(8 * 0.25 ** (-4 / 3), rel=1e-12)
    assert found.ratio > 2.37


def test_the_gap_of_the_printed_bound_grows_as_momentum_does():
    # with eta T fixed and eta -> 0 the printed bound tends to its first term
    first = STATEMENT.versions["printed"].terms["optimisation"]
    low, high = (evaluate(first, {**values(), BY_NAME["alpha"]: a}) for a in (0.5, 0.99))
    assert float(low / high) == pytest.approx(50, rel=1e-9, abs=0)
