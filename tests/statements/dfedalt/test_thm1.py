"""Theorem 1's O(.): the exponent that it misses, and controls that must fail."""

import dataclasses

import pytest

from theorylab.experiments import experiment
from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedalt.thm1 import STATEMENT


def test_every_check_gets_its_verdict(judged):
    judged(STATEMENT)


def test_along_T_the_ratio_grows_as_the_root():
    data = {**made.swept("thm1"), "values": [10**k for k in range(8, 13)]}
    (row,) = experiment("alternating-growth", **data).observe("growth", range(1), 0).rows
    # 10^(1/2) in the limit; sqrt(T)/c rounds of transient are 1e-3 of T = 1e8, c = .1
    assert row.values[0] == pytest.approx(10**0.5, rel=2e-3)


def test_the_left_side_is_the_derived_number():
    data = {**made.swept("thm1"), "values": [10**k for k in (6, 8, 10, 12)]}
    rows = experiment("alternating-growth", **data).observe("ratio", range(1), 0).rows
    # c sqrt(T)/(2 m K_u), c = .1, m = 2, K_u = 1, up to c/sqrt(T) and 1/(c sqrt T)
    assert rows[-1].values[0] == pytest.approx(0.1 * 1e6 / 4, rel=1e-4)


def test_controls_fail(caught):
    version = STATEMENT.versions["corrected"]
    free = dataclasses.replace(version, assumes=())
    statement = dataclasses.replace(STATEMENT, versions={"corrected": free})
    terms = dict(version.terms)
    along = {"rounds": made.ALONG_ROUNDS, "clients": made.ALONG_CLIENTS}
    quiet_clients = {**made.ALONG_CLIENTS, "exponent": 1.5}
    faults = {
        "T^(-3/4)": (terms, made.swept("corrected", **along["rounds"], exponent=1.5)),
        "1/T": (terms, made.swept("corrected", **along["rounds"], exponent=2.0)),
        "T^(-.6)": (terms, made.swept("corrected", **along["rounds"], exponent=1.2)),
        "m^(-3/2)": (terms, made.swept("corrected", **quiet_clients)),
        "printed": (terms, made.swept("thm1")),
    }  # fmt: skip
    assert caught(statement, "corrected", faults) == []


def test_no_order_along_other_parameters_grows(never_violated):
    def make(draw):
        sigma = 10 ** draw.uniform(-2, 1, 2)
        a = draw.normal(size=2).tolist()
        problem = made.scalars(2, float(10 ** draw.uniform(-1, 1)), 1.0, a=a,
                               sigma_u=float(sigma[0]), sigma_v=float(sigma[1]))  # fmt: skip
        values = [10**k for k in range(5, 10)]
        options = {"problem": problem, "topology": made.pair(0.25), "values": values}
        return made.swept("corrected", **options, x0=float(draw.normal()))

    assert never_violated(STATEMENT, "corrected", make, range(10)) == 1
