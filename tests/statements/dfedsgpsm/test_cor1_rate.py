"""1/sqrt(T) over three decades; as a claim about the window a faster rate is refuted."""

import math
from dataclasses import replace

import pytest

from theorylab.statements import Check
from theorylab.statements.dfedsgpsm.cor1_rate import BRACKET, STATEMENT
from theorylab.symbols import T
from theorylab.verdicts import judge_check

RUN = STATEMENT.versions["printed"].checks[0].instance
SHORT = {**RUN, "sweep": {**RUN["sweep"], "values": [10, 32, 100, 316, 1000]}}


def planted(power, window=True, **problem):
    content = STATEMENT.versions["printed"]
    order = replace(content.order, bracket=BRACKET * T ** (power + 0.5), window=window)
    wrong = replace(STATEMENT, versions={"printed": replace(content, order=order)})
    instance = {**SHORT, "problem": {**RUN["problem"], **problem}}
    return judge_check(wrong, "printed", Check("planted", instance))


@pytest.mark.parametrize("power", [-0.6, -0.75, -1.0, -1.5, -2.0])
def test_faster_rates_are_refuted_on_the_window_and_open_in_the_limit(power):
    found = planted(power)
    assert found.verdict == "VIOLATED"
    # 1/sqrt(T) is right up to what is transient
    assert found.measured == pytest.approx(10 ** (-0.5 - power), rel=0.1)
    assert planted(power, window=False).verdict == "INCONCLUSIVE"


def test_flat_losses_refute_nothing():
    # a gradient of 1e-3 moves nothing in 1000 rounds: the ratio rises as sqrt T, far below 1
    found = planted(-0.5, window=False, scale=1e-3)
    assert found.verdict == "INCONCLUSIVE"
    assert found.measured == pytest.approx(math.sqrt(10), rel=1e-2)


def test_along_clients_what_the_order_hides_must_not_move():
    check = next(c for c in STATEMENT.versions["printed"].checks if c.name == "clients")
    apart = {**check.instance, "problem": {**RUN["problem"]}}
    found = judge_check(STATEMENT, "printed", Check("apart", apart))
    assert found.verdict == "ASSUMPTION_FAILS"
    assert "sigma_g is the same at all values" in found.reason
