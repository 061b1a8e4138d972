"""(33): what the condition of the appendix asks for, by hand."""

import dataclasses
import math

import pytest

from theorylab.statements.dfedpgp._orders import PRINTED
from theorylab.statements.dfedpgp.eq33 import STATEMENT
from theorylab.symbols import T
from theorylab.verdicts import judge_check


def log10_asked(clients, delay):
    """log10 of 100 (C/(1-q))^2: D = 2, Delta = m - 1, B = 1, one shared coordinate.

    1 - q is (1 - lambda)/(hops + 1) to all digits where lambda is next to 1.
    """
    hops = (delay + 1) * (clients - 1)
    C = math.log10(2) * (hops + 1)
    gap = math.log10(clients) - hops * math.log10(2) - math.log10(hops + 1)
    return 2 + 2 * (C - gap)


@pytest.mark.parametrize(
    ("version", "name", "clients", "delay"),
    [("printed/sgp", "ring-of-16", 16, 0), ("printed/eq14", "ring-of-2-twenty-steps", 2, 20)],
)
def test_a_ring_asks_for_more_rounds_than_there_are(version, name, clients, delay):
    (check,) = (c for c in STATEMENT.versions[version].checks if c.name == name)
    found = judge_check(STATEMENT, version, check)
    assert found.verdict == "VACUOUS"
    # for delay 0, 1 - lambda is 16 2^-15, so 1/lambda is off 1 by 5e-4
    assert f"asks for 10^{log10_asked(clients, delay):.1f} rounds" in found.reason


def test_five_local_steps_on_a_ring_of_a_hundred():
    # C/(1-q) = 10^358.7
    assert (log10_asked(100, 5) - 2) / 2 == pytest.approx(358.7, abs=0.05)


def test_a_bracket_that_falls_too_fast_is_refuted(planted):
    content = STATEMENT.versions["printed"]
    order = dataclasses.replace(content.order, bracket=PRINTED / T)
    wrong = planted(STATEMENT, "printed", {"order": order})
    (check,) = (c for c in content.checks if c.name == "rounds")
    found = judge_check(wrong, "printed", check)
    assert found.verdict != "HOLDS"
    assert found.measured > 5
