"""Assumptions that ask the instance: built-in and own, each with one that fails, and the reason."""

import re

import numpy as np
import pytest
from scipy.sparse import csr_array

from theorylab.registry import table
from theorylab.statements import (
    Assumption,
    Check,
    Quantity,
    Source,
    Statement,
    Version,
    doubly_stochastic,
    jointly_connected,
    self_loops,
    steps_within,
    symmetric,
)
from theorylab.symbols import symbol
from theorylab.topologies import Topology
from theorylab.verdicts import jobs, judge, judge_check


@pytest.fixture(autouse=True)
def known(registries):
    """The matrices' network is a topology in these tests alone."""
    table("topology").add(Given.name, Given)


bound = symbol("predicate_bound", "b", "a bound to compare with", (1, 0))
PAIR = np.array([[0.75, 0.25], [0.25, 0.75]])
SKEW = np.array([[0.5, 0.25], [0.5, 0.75]])  # columns sum to 1, rows do not


class Given(Topology):
    """Two clients, W(t) = matrices[t mod their number]."""

    name = "test-given-matrices"
    column_stochastic = False

    def __init__(self, clients, *, matrices):
        self.given = [np.array(each, dtype=float) for each in matrices]
        super().__init__(clients, period=len(matrices), options={"matrices": matrices})

    def _build(self, t, run):
        return csr_array(self.given[t])


def judged(assumption, level=1e9, rounds=4, topology=None, **options):
    n = 2 if topology is None else 4
    instance = {
        "problem": {"name": "quadratic", "dim": 1, "mu": 1.0, "L": 1.0, "seed": 0},
        "topology": topology or {"name": "complete"}, "clients": n, "rounds": rounds,
        "algorithm": {"eta": 0.5, **options}, "x0": 1.0, "constants": {"predicate_bound": level},
    }  # fmt: skip
    claim = Statement(
        "test.predicates", Source("test", "1", "a predicate"), Quantity("loss", "last"),
        {"claim": Version({"b": bound}, (assumption,), (Check("one", instance),))},
        algorithm="dpsgd",
    )  # fmt: skip
    return judge_check(claim, "claim", Check("one", instance))


def given(*matrices):
    return {"name": "test-given-matrices", "matrices": [np.asarray(m).tolist() for m in matrices]}


def on(*matrices):
    blocks = [np.kron(np.eye(2), m) for m in matrices]
    return given(*blocks)


LATE = np.eye(4)[[2, 1, 0, 3]] / 2 + np.eye(4) / 2  # an edge between the two pairs
PREDICATES = [
    (doubly_stochastic(), on(PAIR), True, "rows and columns sum to 1, in every round"),
    (doubly_stochastic(), on(PAIR, SKEW), False, r"row 0 of W\(1\) sums to 0.75"),
    (symmetric(), on(PAIR), True, "symmetric, in every round"),
    (symmetric(), on(PAIR, PAIR, SKEW), False, r"W\(2\) and its transpose differ by 0.25"),
    (self_loops(), on(SKEW), True, r"W\(0\)\[0, 0\] = 0.5 is the least"),
    (self_loops(), on(PAIR, np.eye(2)[::-1]), False, r"W\(1\)\[0, 0\] = 0 is the least"),
    (self_loops(0.75), on(PAIR, SKEW), False, r"W\(1\)\[0, 0\] = 0.5 is the least"),
    (jointly_connected(1), given(np.ones((4, 4)) / 4), True, "connected in every 1 rounds"),
    (jointly_connected(2), given(np.kron(np.eye(2), PAIR), LATE), True, "in every 2 rounds"),
    (jointly_connected(1), on(PAIR), False, r"the edges of rounds 0..0 leave 2 parts apart"),
]


@pytest.mark.parametrize(("assumption", "topology", "holds", "why"), PREDICATES)
def test_every_round_of_a_network_is_asked(assumption, topology, holds, why):
    found = judged(assumption, topology=topology)
    (told,) = found.assumptions
    assert told.holds is holds
    assert re.search(why, told.reason), told.reason
    assert found.verdict == ("HOLDS" if holds else "ASSUMPTION_FAILS")
    assert judged(assumption, -1.0, topology=topology).verdict == (
        "VIOLATED" if holds else "ASSUMPTION_FAILS"
    )


def test_the_sum_of_weights_is_one_up_to_its_rounding_and_no_further():
    """Metropolis weights of 1/3 do not sum to 1 exactly; 1e-9 is no rounding."""
    thirds = {"name": "ring"}
    assert judged(doubly_stochastic(), topology=thirds).assumptions[0].holds is True
    off = PAIR + np.diag([1e-9, 0.0])
    told = judged(doubly_stochastic(), topology=on(off)).assumptions[0]
    assert (told.holds, told.margin) == (False, pytest.approx(-1e-9, rel=1e-5))


def test_drawn_edges_are_asked_in_the_rounds_of_the_run_alone():
    drawn = {"name": "random-symmetric", "degree": 2, "seed": 1}
    told = judged(symmetric(), topology=drawn).assumptions[0]
    assert told.reason == "symmetric, in rounds 0..3 of run 0"
    long = judged(jointly_connected(9), topology=drawn)
    assert (long.verdict, long.assumptions[0].holds) == ("INCONCLUSIVE", None)


@pytest.mark.parametrize(("decay", "holds"), [(0.8, True), (0.7, False)])
def test_steps_that_shrink_are_compared_over_e_rounds(decay, holds):
    """eta_t / eta_{t+2} = decay^-2: 1.56, or 2.04."""
    told = judged(steps_within(2, 2), rounds=6, decay=decay).assumptions[0]
    assert told.holds is holds
    assert told.margin == pytest.approx((2 - decay**-2) / max(2, decay**-2), rel=1e-12)
    assert judged(steps_within(2, 9), rounds=6, decay=decay).assumptions[0].holds is None


def test_steps_that_shrink_by_the_factor_meet_it_whatever_float64_makes_of_their_quotient():
    # .3^t / .3^(t+1) is 3.3333333333333335 for t = 0 and 3.333333333333334 for t = 4
    told = judged(steps_within(1 / 0.3, 1), rounds=9, decay=0.3).assumptions[0]
    assert told.holds is True
    assert told.firm is (told.margin >= 0)
    assert (
        judged(steps_within(1 / 0.3 - 1e-12, 1), rounds=9, decay=0.3).assumptions[0].holds is False
    )


def test_a_predicate_of_ones_own_is_in_the_table_with_its_margin_and_reason():
    def few(setting):
        return setting.rounds <= 4, (4 - setting.rounds) / 4, f"{setting.rounds} rounds, at most 4"

    told = judged(Assumption("few rounds", holds=few), rounds=3).assumptions[0]
    assert (told.name, told.holds, told.margin) == ("few rounds", True, 0.25)
    found = judged(Assumption("few rounds", holds=few), rounds=5)
    assert found.verdict == "ASSUMPTION_FAILS"
    assert found.reason == "few rounds: 5 rounds, at most 4"
    assert judged(Assumption("known", holds=lambda setting: None)).verdict == "INCONCLUSIVE"


FILE = """
from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import f0

def asked(setting):
    return {answer}

STATEMENT = Statement("mine.thm1", Source("mine", "1", "a"), Quantity("loss", "last"), {{
    "claim": Version({{"f0": f0}}, (Assumption("asked", holds=asked),), (Check("one", {{
        "problem": {{"name": "quadratic", "dim": 1}}, "topology": {{"name": "complete"}},
        "clients": 1, "rounds": 2, "algorithm": {{"eta": 0.5}}, "x0": 3.0}}),))}}, algorithm="sgp")
"""


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        ("1 / 0", "own.py, line 6: ZeroDivisionError: division by zero"),
        ("'yes'", "own.py, line 8: .*'asked': its function gave 'yes'; need True, False or None"),
        ("(True, float('nan'), 'x')", "own.py, line 8: .* gave .True, nan, 'x'.; need True, Fal"),
        ("setting.nothing", "own.py, line 6: AttributeError: 'Setting' object has no attribute"),
    ],
)
def test_a_predicate_that_gives_no_answer_is_one_line(tmp_path, answer, line):
    (tmp_path / "own.py").write_text(FILE.format(answer=answer))
    (job,) = jobs([str(tmp_path / "own.py")])
    with pytest.raises(ValueError, match=line) as caught:
        judge(job)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (lambda: Assumption("a"), "says nothing; need a rule, finite"),
        (lambda: Assumption("a", rule=bound > 0, holds=print), "holds came with a rule"),
        (lambda: Assumption("a", holds=3), "holds is 3; need a function of the instance"),
        (lambda: jointly_connected(0), "within is 0; need at least 1 round"),
    ],
)
def test_an_assumption_that_is_none_is_refused(make, line):
    with pytest.raises((ValueError, TypeError), match=line):
        make()
