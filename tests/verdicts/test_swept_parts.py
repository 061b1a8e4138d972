"""What a sweep makes of its subjects: the worst constants, the nearest assumption, the last run."""

import math
import pathlib
from dataclasses import replace

import numpy as np
import pytest

from theorylab.known import How, Known
from theorylab.runs import Interval
from theorylab.statements import Assumption, Order
from theorylab.symbols import L, T, alpha, eta, mu, n
from theorylab.verdicts import selected
from theorylab.verdicts.case import Case, Place, Seen
from theorylab.verdicts.swept import Swept

FILE = pathlib.Path(__file__).parent / "user_order.py"
STATEMENT, _ = selected([str(FILE)])["textbook.rate"]
CONTENT = STATEMENT.versions["printed"]
VALUES = [10, 100, 1000]


class Subject:
    """Has the constants ``table[k]`` and one place at the k-th value."""

    content = None  # what predicates are asked about

    def __init__(self, k, table, runs=(1, 1, 1), done=(True, True, True)):
        self.k, self.table, self.runs, self.done = k, table, runs, done

    def constants(self, case):
        return {s: Known(v[self.k], How.EXACT, "told") for s, v in self.table.items()}

    def described(self, case):
        return {"told": self.k}

    def seen(self, case, constants, total, seeds, seed):
        interval = Interval(1.0, 1.0, True, "told")
        place = Place(np.ones(1), 1.0, interval, True, {**constants, T: T_AT[self.k]}, "here")
        return Seen((place,), self.runs[self.k], self.done[self.k])


T_AT = [Known(float(v), How.EXACT, "told") for v in VALUES]


def swept(table, order=None, assumes=(), **options):
    sweep = {"parameter": "rounds", "values": VALUES}
    check = replace(CONTENT.checks[0], instance={**CONTENT.checks[0].instance, "sweep": sweep})
    order = Order(T**-1, window=True) if order is None else order
    content = replace(CONTENT, checks=(check,), order=order, assumes=tuple(assumes))
    case = Case(STATEMENT, "printed", content, check, STATEMENT.quantity_of(content))
    subjects = iter(range(len(VALUES)))
    return Swept(case, lambda each: Subject(next(subjects), table, **options)), case


def test_constants_are_those_of_the_worst_value():
    table = {
        L: (1.0, 3.0, 2.0),  # an upper one
        mu: (3.0, 1.0, 2.0),  # a lower one
        n: (4.0, 4.0, 4.0),  # exact, and the same
        eta: (0.1, 0.2, 0.3),  # exact, and moves
        alpha: (1.0, 0.0, 1.0),  # exact, and a flag
    }
    subject, case = swept(table)
    found = {symbol: known.value for symbol, known in subject.constants(case).items()}
    assert found == {L: 3.0, mu: 1.0, n: 4.0, alpha: 0.0}


def test_an_assumption_is_told_where_it_is_nearest_to_failing():
    table = {eta: (0.5, 0.9, 0.7)}
    for cap, holds, at in ((1.0, True, None), (0.8, False, 100), (0.6, False, 100)):
        rule = Assumption("cap", rule=eta <= cap)
        subject, case = swept(table, assumes=[rule])
        subject.constants(case)
        (told,) = subject.settled(case)
        assert told.holds is holds
        assert told.margin == pytest.approx((cap - 0.9) / max(cap, 0.9), rel=1e-12)
        assert told.reason == "" if at is None else told.reason.endswith(f"at rounds={at}")


@pytest.mark.parametrize(
    ("values", "same"),
    [
        ((1.0, 1.0, 1.0), True),
        ((1.0, 1.0 + 5e-10, 1.0), True),
        ((1.0, 1.0, 1.0 + 2e-9), False),
        ((0.0, 5e-13, 0.0), True),
        ((0.0, 2e-12, 0.0), False),
    ],
)
def test_what_the_order_hides_is_the_same_to_nine_digits(values, same):
    subject, case = swept({L: values}, order=Order(T**-1, fixed=(L,), window=True))
    subject.constants(case)
    (told,) = subject.settled(case)
    assert told.holds is same
    assert told.name == "O(.): L is the same at all values of the sweep"
    assert (told.reason == "") is same


def test_what_the_order_hides_has_to_be_known_before_a_run():
    subject, case = swept({eta: (1.0, 1.0, 1.0)}, order=Order(T**-1, fixed=(L,), window=True))
    subject.constants(case)
    with pytest.raises(ValueError, match="nothing defines 'L', which the order hides"):
        subject.settled(case)


def test_runs_are_the_most_and_all_have_to_be_done():
    for done in ((True, True, True), (True, False, True)):
        subject, case = swept({}, runs=(4, 16, 8), done=done)
        subject.constants(case)
        seen = subject.seen(case, {}, 16, 64, 0)
        assert (seen.runs, seen.done) == (16, all(done))
        assert [place.label for place in seen.behind] == [f"rounds={v}, here" for v in VALUES]
        (place,) = seen.places
        assert place.centre == pytest.approx(10.0, rel=1e-12)  # 1 over 1/T
        assert place.room > 0
        assert math.isfinite(place.interval.high)


def test_the_instance_shown_is_the_first_value_s_and_the_check_s():
    subject, case = swept({})
    shown = subject.described(case)
    assert shown["told"] == 0
    assert shown["sweep"]["values"] == VALUES
