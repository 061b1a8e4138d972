"""Corollary 1: Theorem 1's bound at its step sizes, by hand; planted faults; random instances."""

import math
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from theorylab.statements import Assumption, Check, Source, Statement, Version, evaluate
from theorylab.statements.deprl import _instances as made
from theorylab.statements.deprl._corollary1 import CHOSEN
from theorylab.statements.deprl._symbols import q2, sigma, varsigma
from theorylab.statements.deprl._theorem1 import MEASURE_EACH
from theorylab.statements.deprl.cor1 import STATEMENT
from theorylab.symbols import BY_NAME, T, n
from theorylab.verdicts import judge_check

CORRECTED = STATEMENT.versions["corrected"]
# N = 4, K = 100: sqrt(NK) = 20, K sqrt N = 200.
POINT = {
    "T": 100, "n": 4, "deprl_tau": 3, "deprl_kept": 2, "deprl_unit": 1, "deprl_f_start": 5,
    "deprl_f_best": 2, "deprl_L": 2, "deprl_sigma": 3, "deprl_varsigma": 7,
    "deprl_p": Fraction(1, 2), "deprl_C2": 2, "deprl_q2": Fraction(3, 5),
}  # fmt: skip


def values():
    with mpmath.workdps(50):
        return {
            BY_NAME[k]: mpmath.mpf(Fraction(v).numerator) / Fraction(v).denominator
            for k, v in POINT.items()
        }


def by_hand(version):
    s2, v2 = 9, 49
    if version != "corrected":
        return {
            "optimisation": Fraction(12, 20),
            "representation noise": Fraction(2 * 2 * s2, 20),
            "head drift": Fraction(12 * 4 * 2 * 19 * s2, 9 * 200),
            "head noise": Fraction(2 * 2 * s2, 3 * 20),
            "consensus noise": Fraction(5, 4) * Fraction(2 * s2, 3 * 20),
            "consensus diversity": Fraction(5, 4) * Fraction(2 * v2, 20),
        }
    spread = 3 * Fraction(3, 4) + 7 * Fraction(3, 2)
    return {
        "optimisation": Fraction(12, 20),
        "representation noise": Fraction(2 * 2 * s2, 20),
        "head drift": Fraction(2 * 4 * 2 * 1 * s2, 27 * 200),
        "head noise": Fraction(2 * 2 * 2 * s2, 9 * 20),
        "consensus": 4 * (3 + Fraction(2 * 2, 3 * 2)) * (2 * 2 * spread) ** 2 * Fraction(4, 100),
    }


@pytest.mark.parametrize("version", list(STATEMENT.versions))
def test_every_term_is_the_hand_computed_fraction(version):
    terms, oracle = STATEMENT.versions[version].terms, by_hand(version)
    assert list(terms) == list(oracle)
    for name, term in terms.items():
        # 50-digit arithmetic against exact fractions
        assert float(evaluate(term, values())) == pytest.approx(float(oracle[name]), rel=1e-15)


def test_the_printed_numbers_of_rounds():
    rules = {a.name: a.rule for a in STATEMENT.versions["printed"].assumes}
    C = 2 * (1 + 2**4) / (1 - 2**-4)
    q = (1 - 2**-4) ** 0.25
    for name, number in (
        ("Corollary 1: K >= 18 C^2 L^2 N^3/(1-q)^2", 18 * C**2 * 4 * 64 / (1 - q) ** 2),
        ("Corollary 1: K >= (2 L^2 + 2)^2/(N L^4)", 10**2 / (4 * 16)),
        ("Corollary 1: K >= N L^2", 16),
    ):
        rule = rules[name]
        side = rule.lhs if rule.rhs == T else rule.rhs
        # (1 - q) has lost three of sixteen digits in float64
        assert float(evaluate(side, values())) == pytest.approx(number, rel=1e-12), name


def test_without_self_loops_the_left_side_tends_to_half_the_variance():
    check = Check("ring", made.COROLLARY_RING, "VIOLATED")
    found = judge_check(STATEMENT, "printed/no-self-loops", check)
    # a walk of K steps of variance beta^2 sigma^2/4 a worker, beta^2 = 4/K: its mean is sigma^2/2,
    # up to 2/K and the curvature 1e-9 beta K
    assert found.measured == pytest.approx(0.5, rel=1e-3)


@pytest.mark.parametrize("option", ["algorithm.alpha", "algorithm.beta"])
def test_steps_are_the_corollarys_up_to_the_rounding_of_a_float(option):
    def judged(factor):
        steps = {**made.CHOSEN, option: f"({made.CHOSEN[option]})*{factor!r}"}
        sweep = {**made.COROLLARY_EARLY["sweep"], "set": steps}
        check = Check("off", {**made.COROLLARY_EARLY, "sweep": sweep})
        return judge_check(STATEMENT, "corrected", check)

    for one in (math.nextafter(1.0, 0.0), 1.0, math.nextafter(1.0, 2.0)):
        assert judged(one).verdict == "HOLDS"
    for other in (1 - 1e-12, 1 + 1e-12, 0.5):
        found = judged(other)
        assert found.verdict == "ASSUMPTION_FAILS"
        assert f"Corollary 1: {option.partition('.')[2]} = " in found.reason


def test_the_steps_may_be_off_at_no_k():
    # chosen for K = 10: at the other K they are too large
    still = {"algorithm.alpha": "1/(tau*sqrt(10))", "algorithm.beta": "sqrt(clients/10)"}
    sweep = {**made.COROLLARY_EARLY["sweep"], "set": still}
    for version, content in STATEMENT.versions.items():
        head = "printed" if version == "printed" else "all-steps"
        run = made.changed({**made.COROLLARY_EARLY, "sweep": sweep}, head=head)
        found = judge_check(STATEMENT, version, Check("still", run))
        assert found.verdict == "ASSUMPTION_FAILS"
        assert set(CHOSEN) <= set(content.assumes)
        for step in CHOSEN:
            alone = replace(STATEMENT, versions={version: replace(content, assumes=(step,))})
            found = judge_check(alone, version, Check("still", run))
            assert found.verdict == "ASSUMPTION_FAILS"
            assert found.reason.startswith(step.name)


def faulty(terms, assumes=CORRECTED.assumes):
    return Statement(
        id="deprl.cor1",
        source=Source("deprl", "Corollary 1", "with a fault"),
        algorithm="deprl",
        quantity=MEASURE_EACH,
        versions={"corrected": Version(terms, assumes)},
    )


def scaled(**factors):
    return {k: t * factors.get(k.replace(" ", "_"), 1) for k, t in CORRECTED.terms.items()}


TRAVELLING = {
    **made.COROLLARY,
    **made.chosen(10, 100),
    "problem": made.scalars(2, 1.0, 1.0, a=[30.0, -30.0]),
    "x0": 0.0,
}
SLOW = {**made.COROLLARY_TIGHT, **made.chosen(10**6, 10**8), "algorithm": {"tau": 50}}
HEADS = {
    **made.COROLLARY,
    **made.chosen(100, 10**4),
    "problem": made.scalars(4, 1.0, 1.0),
    "topology": {"name": "complete"},
    "clients": 4,
    "algorithm": {"tau": 1},
    "x0": [0.0, 1.0],
}
FAULTS = {
    "no gap": (scaled(optimisation=0), HEADS),
    "gap / K": (scaled(optimisation=T**-0.5), HEADS),
    "gap / N": (scaled(optimisation=n**-0.5 / 2), HEADS),
    "noise / 4": (scaled(representation_noise=0.25), SLOW),
    "noise / K": (scaled(representation_noise=T**-0.5), SLOW),
    "no sigma": ({k: t.subs(sigma, 0) for k, t in CORRECTED.terms.items()}, SLOW),
    "no varsigma": ({k: t.subs(varsigma, 0) for k, t in CORRECTED.terms.items()}, TRAVELLING),
    "consensus / K": (scaled(consensus=1 / T), TRAVELLING),
    "q^3 for q": ({k: t.subs(q2, q2**3) for k, t in CORRECTED.terms.items()}, TRAVELLING),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_refuted(fault):
    # Not refuted: the head noise or the drift left out (the same sigma is in the representation's
    # noise, whose bound covers both), 2m/(tau sqrt N) left out (needs a coupling).
    terms, instance = FAULTS[fault]
    check = Check(fault, instance, "VIOLATED")
    assert judge_check(faulty(terms), "corrected", check).verdict == "VIOLATED"


def test_too_few_rounds_are_refuted():
    # K = 1 with N L^2 = 16: beta L = 4 diverges
    kept = tuple(a for a in CORRECTED.assumes if "K >= N L^2" not in a.name)
    assumes = (*kept, Assumption("K >= N/100", rule=n <= 100 * T))
    instance = {**HEADS, **made.chosen(1, 2, 3), "clients": 16, "x0": [1.0, 0.0]}
    instance["problem"] = made.scalars(16, 1.0, 1.0)
    check = Check("early", instance, "VIOLATED")
    assert judge_check(faulty(CORRECTED.terms, assumes), "corrected", check).verdict == "VIOLATED"


def random_instance(seed):
    draw = np.random.default_rng(1000 + seed)
    clients = int(draw.integers(2, 6))
    curvature, head = (float(10 ** draw.uniform(-1, 0.5)) for _ in range(2))
    a, b = (list(map(float, draw.normal(size=clients) * 3)) for _ in "ab")
    noise = {key: float(10 ** draw.uniform(-2, 1)) for key in ("sigma_u", "sigma_v")}
    weights = {"weights": "metropolis"}
    topology = [{"name": "ring", **weights}, {"name": "complete"}, {"name": "star", **weights}]
    least = math.ceil(4000 * clients * max(curvature, head) ** 2)
    return {
        "problem": made.scalars(clients, curvature, head, a=a, b=b, **noise),
        "topology": topology[seed % 3],
        "clients": clients,
        "algorithm": {"tau": int(draw.integers(1, 6)), "head": ("all-steps", "printed")[seed % 2]},
        **made.chosen(least, 10 * least, 1000 * least),
        "x0": float(draw.normal()),
    }


@pytest.mark.parametrize("seeds", [range(20), pytest.param(range(20, 200), marks=pytest.mark.slow)])
def test_no_random_true_instance_is_called_violated(seeds):
    for seed in seeds:
        check = Check(f"random {seed}", random_instance(seed))
        assert judge_check(STATEMENT, "corrected", check).verdict == "HOLDS", seed
