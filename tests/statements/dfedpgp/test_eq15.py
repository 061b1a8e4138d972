"""(15): false for a client that stands still; with the largest of all clients true."""

import pytest

from theorylab.statements.dfedpgp._symbols import largest_sum, start_size
from theorylab.statements.dfedpgp.eq15 import STATEMENT
from theorylab.statements.dfedsgpsm._symbols import t
from theorylab.symbols import C, q

TERMS = STATEMENT.versions["corrected"].terms


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # ring of three, client 0 moves by 5 eta: ubar by 5 eta/3, client 2 not at all
    assert found["printed", "one-moves"].measured == pytest.approx(5e-6 / 3, rel=1e-5)
    assert found["printed", "one-moves"].bound == 0
    # whatever C and q are, those of (14) too
    assert found["printed/eq14", "one-moves"].bound == 0
    assert found["printed/eq14", "one-away"].measured == pytest.approx(1 / 3, rel=1e-12)


def test_planted_errors_are_refuted(missed):
    start, moves = TERMS["first model"], TERMS["updates"]
    variants = {
        "0.4 of it": {"first model": start * 0.4, "updates": moves * 0.4},
        "no first model": {"updates": moves},
        "no updates": {"first model": start},
        "q^2t for q^t": {"first model": start.subs(t, 2 * t), "updates": moves},
        "half the updates": {"first model": start, "updates": moves / 2},
        "C = 1/2": {"first model": start.subs(C, 0.5), "updates": moves.subs(C, 0.5)},
        "updates times q": {"first model": start, "updates": C * q * largest_sum},
    }
    # a start that all share costs nothing: only a different one tells
    assert missed(STATEMENT, "corrected", variants) <= {"C = 1/2"}
    assert start_size in STATEMENT.versions["corrected"].free


def test_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", range(1, 41, 2), rounds=5) >= 8


@pytest.mark.slow
def test_two_hundred_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", range(1, 401, 2), rounds=5) >= 80
