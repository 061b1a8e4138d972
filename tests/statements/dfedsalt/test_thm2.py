"""Theorem 2's O(.): the exponent that it misses, the brackets, controls that must fail."""

import dataclasses

import pytest

from theorylab.experiments import experiment
from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedsalt.thm2 import STATEMENT


def test_every_check_gets_its_verdict(judged):
    judged(STATEMENT)


@pytest.mark.parametrize("bracket", ["thm2", "thm2-appendix"])
def test_along_T_the_ratio_grows_as_the_root(bracket):
    data = {**made.swept(bracket), "values": [10**k for k in range(8, 13)]}
    (row,) = experiment("alternating-growth", **data).observe("growth", range(1), 0).rows
    # 10^(1/2) in the limit; the transient is 1e-3 of the first T
    assert row.values[0] == pytest.approx(10**0.5, rel=2e-3)


def test_controls_fail(caught):
    version = dataclasses.replace(STATEMENT.versions["corrected"], assumes=())
    statement = dataclasses.replace(STATEMENT, versions={"corrected": version})
    terms, along = dict(version.terms), made.ALONG_ROUNDS
    faults = {
        "T^(-3/4)": (terms, made.swept("corrected", **along, exponent=1.5)),
        "1/T": (terms, made.swept("corrected", **along, exponent=2.0)),
        "m^(-3/2)": (terms, made.swept("corrected", **made.ALONG_CLIENTS, exponent=1.5)),
        "printed": (terms, made.swept("thm2")),
        "appendix": (terms, made.swept("thm2-appendix")),
    }
    assert caught(statement, "corrected", faults) == []


def test_no_order_along_T_grows(never_violated):
    def make(draw):
        noise = dict(zip(("sigma_u", "sigma_v"), map(float, 10 ** draw.uniform(-2, 1, 2)),
                         strict=True))  # fmt: skip
        problem = made.scalars(2, float(10 ** draw.uniform(-1, 1)), 1.0, **noise)
        values = [10**k for k in range(5, 10)]
        return made.swept("corrected", problem=problem, values=values, x0=float(draw.normal()))

    assert never_violated(STATEMENT, "corrected", make, range(10)) == 1
