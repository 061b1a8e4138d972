"""Theorem 1's O(.): the exponent that it misses, and controls that must fail."""

import dataclasses

import pytest

from theorylab.statements import Check, evaluate
from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedalt import _symbols as alt
from theorylab.statements.dfedalt._orders import NOISE, NOISE_SAM, ORDERS
from theorylab.statements.dfedalt.thm1 import STATEMENT
from theorylab.symbols import T, n, rho
from theorylab.verdicts import judge_check
from theorylab.verdicts.case import Case
from theorylab.verdicts.judge import subject_of

FAR = {"law": "moments", "sweep": made.along("rounds", [10**k for k in range(8, 13)])}


def test_along_t_the_ratio_grows_as_the_root():
    found = judge_check(STATEMENT, "printed", Check("far", made.swept(**FAR)))
    # 10^(1/2) in the limit; sqrt(T)/c rounds of transient are 1e-3 of T = 1e8, c = .1
    assert found.measured == pytest.approx(10**0.5, rel=2e-3)
    assert (found.verdict, "which outgrows the bracket" in found.reason) == ("VIOLATED", True)


def test_the_left_side_is_the_derived_number():
    content = STATEMENT.versions["printed"]
    check = Check("far", made.swept(**FAR))
    case = Case(STATEMENT, "printed", content, check, STATEMENT.quantity_of(content))
    subject = subject_of(case)
    last = subject.seen(case, subject.constants(case), 1, 1, 0).behind[-1]
    assert last.label == "rounds=1e+12, T=1000000000000"
    # c sigma^2/(2 m K_u L sqrt T), c = .1, m = 2, up to c/sqrt(T) and 1/(c sqrt T)
    assert last.centre == pytest.approx(0.1 / 4 / 1e6, rel=1e-4)


@pytest.mark.parametrize("part", ["u", "v"])
@pytest.mark.parametrize(("factor", "verdict"), [(1 - 1e-15, "VIOLATED"), (1.001, None)])
def test_the_steps_are_the_theorems_to_the_rounding_of_a_float(part, factor, verdict):
    data = made.swept()
    path = f"algorithm.eta_{part}"
    follow = {**data["sweep"]["set"], path: f"{factor!r}*({data['sweep']['set'][path]})"}
    data["sweep"] = {**data["sweep"], "set": follow}
    found = judge_check(STATEMENT, "printed", Check("planted", data))
    assert found.verdict == (verdict or "ASSUMPTION_FAILS")
    if verdict is None:
        assert found.reason.startswith(f"Theorem: eta_{part} = c/(L_{part} K_{part} sqrt T)")


def planted(order, version="corrected"):
    content = dataclasses.replace(STATEMENT.versions[version], assumes=(), order=order)
    return dataclasses.replace(STATEMENT, versions={version: content})


def test_controls_fail(missed):
    """As claims about the window: nothing is proved against an order that is true."""
    order = STATEMENT.versions["corrected"].order
    terms = STATEMENT.versions["corrected"].terms

    def power(exponent):
        steeper = dataclasses.replace(order, bracket=order.bracket**exponent, window=True)
        return {"terms": terms, "order": steeper}

    along = made.swept(**made.ALONG_ROUNDS)
    printed = dataclasses.replace(order, bracket=ORDERS["thm1"], window=True)
    faults = {
        "T^(-3/4)": (power(1.5), along),
        "1/T": (power(2), along),
        "T^(-.6)": (power(1.2), along),
        "m^(-3/2)": (power(1.5), made.swept(**made.ALONG_CLIENTS)),
        "printed": ({"terms": terms, "order": printed}, made.swept()),
    }
    assert missed(planted(order), "corrected", faults) == set()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"problem": made.scalars(2, 1.0, 1.0, sigma_u=1.0, sigma_v=1e-3)}, "tends to"),
        ({"x0": 1e-3}, "tends to"),  # F - F* stands with 1/sqrt T
    ],
    ids=["heads' noise", "a start"],
)
def test_where_the_proof_does_not_apply_nothing_is_refuted(change, why):
    found = judge_check(STATEMENT, "printed", Check("planted", made.swept(**change)))
    assert found.verdict != "VIOLATED"
    if found.verdict == "INCONCLUSIVE":
        assert why in found.reason


def test_two_slopes_are_not_the_proofs():
    problem = {
        **{"name": "coupled-quadratic", "sigma_u": 1.0, "A": [[[1.0, 0.0], [0.0, 2.0]]] * 2},
        **{"B": [[[1.0]]] * 2, "C": [[[0.0], [0.0]]] * 2, "a": [[0.0] * 2] * 2, "b": [[0.0]] * 2},
    }
    found = judge_check(
        STATEMENT, "printed", Check("planted", made.swept(problem=problem, L={"u": "2", "v": "1"}))
    )
    assert found.verdict == "INCONCLUSIVE"
    assert "the lower bound needs Eq(dfedalt_one_slope, 1)" in found.reason


@pytest.mark.parametrize("clients", [2, 5])
@pytest.mark.parametrize(("steps", "scale"), [(1, 0.1), (3, 1.0), (4, 0.03)])
@pytest.mark.parametrize("rounds", [1200, 10**5])
def test_the_lower_bound_is_below_plain_sums(clients, steps, scale, rounds):
    L, sigma = 2.0, 0.7
    eta = scale / (L * steps * rounds**0.5)
    shrink = (1 - eta * L) ** (2 * steps)
    noise = eta**2 * sigma**2 / clients * sum((1 - eta * L) ** (2 * k) for k in range(steps))
    square = total = 0.0
    for _ in range(rounds):
        total += L * square
        square = shrink * square + noise
    numbers = {alt.scale: scale, alt.sigma_u: sigma, n: clients, alt.K_u: steps, alt.L_u: L}
    lower = float(evaluate(NOISE.lower, {**numbers, T: rounds}))
    assert float(evaluate(NOISE_SAM.lower, {**numbers, T: rounds, rho: 0})) == lower
    # a sum of ``rounds`` positive numbers is right to as many roundings
    assert 0 < lower <= total / rounds * (1 + rounds * 2.0**-52)


def test_no_order_along_other_parameters_grows(never_violated):
    def make(draw):
        sigma = 10 ** draw.uniform(-2, 1, 2)
        a = draw.normal(size=2).tolist()
        problem = made.scalars(2, float(10 ** draw.uniform(-1, 1)), 1.0, a=a,
                               sigma_u=float(sigma[0]), sigma_v=float(sigma[1]))  # fmt: skip
        sweep = made.along("rounds", [10**k for k in range(5, 10)], 4)
        options = {"problem": problem, "topology": made.pair(0.25), "sweep": sweep}
        L = {"u": repr(problem["A"][0][0][0]), "v": "1"}
        return made.swept(**options, L=L, x0=float(draw.normal()))

    assert never_violated(STATEMENT, "corrected", make, range(10)) == 1
