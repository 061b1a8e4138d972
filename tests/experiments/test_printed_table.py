"""Claims about tables against fractions by hand; both ways of shortening; one line on bad data."""

from fractions import Fraction

import pytest

from theorylab.experiments import PrintedTable, experiment
from theorylab.statements._tables import best, claim, transcribed

TABLE = transcribed("a b", "ours 85.61 131\nfirst 84.50 189\nsecond 83.1 -")


def rows(*claims, **options):
    made = experiment("printed-table", table=options.pop("table", TABLE), claims=claims, **options)
    return made.observe("off", range(1), 0).rows


def off_and_room(*claims, **options):
    return [(row.values[0], row.at["printed_room"]) for row in rows(*claims, **options)]


def test_an_entry_with_a_point_was_shortened_and_one_without_is_a_count():
    assert TABLE == {
        "ours": {"a": "85.61", "b": 131},
        "first": {"a": "84.50", "b": 189},
        "second": {"a": "83.1"},
    }
    ((off, room),) = off_and_room(claim("x", "ours | a", "=", "86.50"))
    assert (off, room) == (float(Fraction("0.89")), 0.01)
    ((off, room),) = off_and_room(claim("x", "ours | b", "=", 130))
    assert (off, room) == (1.0, 0.0)
    ((off, room),) = off_and_room(claim("x", ".5", "=", "1"), shortened=["nearest"])
    assert (off, room) == (0.5, 0.55)


def test_the_digits_of_both_sides_count():
    gap = ["-", "ours | a", "first | a"]
    assert off_and_room(claim("x", gap, "=", "1.11")) == [(0.0, 0.015)]
    assert off_and_room(claim("x", gap, "=", "1.1")) == [(0.01, float(Fraction("0.06")))]
    assert off_and_room(claim("x", "second | a", "=", "83.10")) == [
        (0.0, float(Fraction("0.055"))),
    ]


@pytest.mark.parametrize(("relation", "sign"), [(">=", -1), ("<=", 1)])
def test_what_is_said_to_be_more_is_off_where_it_is_less(relation, sign):
    ((off, room),) = off_and_room(claim("x", "ours | a", relation, "first | a"))
    assert (off, room) == (sign * float(Fraction("1.11")), 0.01)


def test_operations_are_those_of_ranges():
    # exactly 131 and 189, a mean of 160; 189/131 to two digits
    table = {"r": {"x": 131, "y": 189, "z": "2.0"}}
    found = off_and_room(
        claim("mean", ["mean", "r | x", "r | y"], "=", 160),
        claim("quotient", ["/", "r | y", "r | x"], "=", "1.44"),
        claim("sum", ["+", "r | x", "r | y", 1], "=", 321),
        claim("product", ["*", "r | x", "r | z"], "=", 262),
        claim("least", ["min", "r | *"], "=", "2.0"),
        claim("largest", ["max", "r | !z"], "=", 189),
        table=table,
    )
    quotient = abs(Fraction(189, 131) - Fraction("1.44"))
    assert found == [
        (0.0, 0.0),
        (float(quotient), 0.005),
        (0.0, 0.0),
        (0.0, float(131 * Fraction("0.05"))),
        (0.0, 0.1),
        (0.0, 0.0),
    ]


def test_a_quotient_of_two_shortened_numbers_is_the_whole_range():
    ((off, room),) = off_and_room(claim("x", ["/", "3.0", "1.0"], "=", 3), shortened=["nearest"])
    low, high = Fraction("2.95") / Fraction("1.05"), Fraction("3.05") / Fraction("0.95")
    assert off == float(abs((low + high) / 2 - 3))
    assert room == float((high - low) / 2)


def test_one_way_of_shortening_has_to_fit_all_claims():
    # 178/74 = 2.4054 and 14.0696/4 = 3.5174: cut off, 3.51 is right and 2.41 is not
    mean = claim("mean", ["/", "14.0696", 4], "=", "3.51")
    speed = claim("speed", ["/", 178, 74], "=", "2.41")
    (row,) = rows(mean)
    assert row.values[0] <= row.at["printed_room"]
    assert row.label == "'mean' (truncated)"
    first, second = rows(mean, speed)
    assert first.label == "'mean' (nearest)"
    assert first.values[0] > first.at["printed_room"]
    assert second.values[0] <= second.at["printed_room"]


def test_settings_are_exact():
    decay = claim("decay", "0.99", "=", "0.9")
    ((off, room),) = off_and_room(decay)  # 0.9 is 0.99, cut off
    assert off <= room
    ((off, room),) = off_and_room(decay, shortened=["exact"])
    assert (off, room) == (float(Fraction("0.09")), 0.0)


def test_the_end_of_a_range_belongs_to_it():
    # 2.5 and 3: exactly half a unit
    ((off, room),) = off_and_room(claim("x", ["/", 5, 2], "=", "3"), shortened=["nearest"])
    assert off == room == 0.5
    ((off, room),) = off_and_room(claim("x", -2, "=", "-1.9"), shortened=["truncated"])
    assert off == room == 0.05


def test_best_is_no_less_than_every_other_entry_of_its_column():
    assert off_and_room(best("ours", "a")) == [(-float(Fraction("1.11")), 0.01)]
    assert off_and_room(best("first", "a")) == [(float(Fraction("1.11")), 0.01)]


def test_it_is_made_again_from_its_description():
    made = PrintedTable(table=TABLE, claims=[best("ours", "a")], shortened=["nearest"])
    assert experiment("printed-table", **made.describe()).describe() == made.describe()


GOOD = claim("x", "ours | a", "=", "85.61")


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"table": [1]}, "table is .1.; need"),
        ({"table": {"r": 1}}, "need .row: .column: entry"),
        ({"claims": []}, "claims is "),
        ({"claims": [{"text": "x"}]}, "need text, value, claimed of each"),
        ({"claims": [{**GOOD, "more": 1}]}, "need text, value, claimed of each"),
        ({"claims": [{**GOOD, "relation": "<"}]}, "a relation among =, >=, <="),
        ({"shortened": []}, "shortened is "),
        ({"shortened": ["up"]}, "need some of nearest, truncated, exact"),
        ({"claims": [{**GOOD, "value": "ours | c"}]}, "no entry 'ours [|] c'"),
        ({"claims": [{**GOOD, "value": "* | a"}]}, "is 3 entries; need one, or max"),
        ({"claims": [{**GOOD, "value": ["-", "* | a"]}]}, "has 3 parts; need two"),
        ({"claims": [{**GOOD, "value": ["pow", "2", "3"]}]}, "need .one of"),
        ({"claims": [{**GOOD, "value": ["max"]}]}, "need .one of"),
        ({"claims": [{**GOOD, "value": ["/", "1", "0.0"]}]}, "a divisor may be -0.05; need one"),
        ({"claims": [{**GOOD, "claimed": 85.61}]}, "need digits as in '85.61', or an integer"),
        ({"claims": [{**GOOD, "claimed": "nan"}]}, "need digits as in '85.61', or an integer"),
        ({"claims": [{**GOOD, "claimed": True}]}, "need digits as in '85.61', or an integer"),
        ({"claims": [{**GOOD, "claimed": 10**31}]}, "or an integer below 1e30"),
        ({"claims": [{**GOOD, "claimed": ["*", *[10**29] * 12]}]}, "above 1e308"),
    ],
)
def test_a_wrong_option_is_one_line(options, line):
    with pytest.raises(ValueError, match=f"^printed-table: [^\n]*{line}[^\n]*$"):
        PrintedTable(**{"table": TABLE, "claims": [GOOD], **options})


def test_lists_are_at_most_eight_deep():
    value = "ours | a"
    for _ in range(9):
        value = ["max", value]
    with pytest.raises(ValueError, match=r"^printed-table: [^\n]*at most 8 deep$"):
        PrintedTable(table=TABLE, claims=[{**GOOD, "value": value}])
