"""Statements about experiments: rows, laws, chances, witnesses."""

import numpy as np
import pytest
import sympy as sp

from theorylab.experiments import Experiment, Observation, Row
from theorylab.kernels import Stream
from theorylab.known import How, Known
from theorylab.statements import (
    Assumption,
    Check,
    Quantity,
    Source,
    Statement,
    Version,
    Witness,
)
from theorylab.symbols import L, T, eta, symbol
from theorylab.verdicts import judge_check
from theorylab.verdicts.decide import known_number

level = symbol("test_level", "b", "a bound to compare with")
floor = symbol("test_floor", "a", "a number that is at least 1 everywhere")


class Dice(Experiment, name="test-dice"):
    """Values k = 1 .. sides at rows T = 1 .. rows, scaled by T."""

    columns = ("law", "sampled", "all")

    def __init__(self, *, level=1.0, sides=6, rows=1, floor=2.0, how="exact"):
        self.options = {"level": level, "sides": sides, "rows": rows, "floor": floor, "how": how}

    def describe(self):
        return self.options

    def constants(self):
        return {
            "test_level": Known(self.options["level"], How(self.options["how"]), "option"),
            "test_floor": Known(self.options["floor"], How.EXACT, "option"),
        }

    def observe(self, column, runs, seed):
        sides, rows = self.options["sides"], []
        faces = np.arange(1.0, sides + 1)
        for t in range(1, self.options["rows"] + 1):
            at, label = {"T": float(t)}, f"T={t}"
            if column == "law":
                rows.append(Row(t * faces, at, label, np.full(sides, 1 / sides)))
            elif column == "all":
                rows.append(Row(np.array([float(t)]), at, label, rounding=0.0))
            else:
                drawn = Stream(seed, "sample").integers(sides, np.array(runs), 1, t, 0, 1)
                rows.append(Row(t * (1.0 + drawn[:, 0, 0]), at, label))
        return Observation(tuple(rows), column != "sampled", "T" if rows[1:] else "")


def verdict(bound, column="law", expect="HOLDS", assumes=(), witness=None, **options):
    chance = options.pop("chance", None)
    quantity = Quantity(column, "rows", (0, 0), "k", column == "all", chance=chance)
    statement = Statement(
        id="test.rows",
        source=Source("test", "none", "dice"),
        experiment="test-dice",
        quantity=quantity,
        versions={
            "printed": Version({"bound": bound}, assumes, unsatisfiable=witness),
        },
    )
    seeds = options.pop("seeds", 64)
    return judge_check(statement, "printed", Check("dice", options, expect), seeds=seeds)


def test_what_a_row_is_at_least_decides_against_a_claim_not_for_it():
    for least, said in ((0.5, "INCONCLUSIVE"), (1.5, "VIOLATED"), (None, "VIOLATED")):

        class Faded(Dice, name=f"test-faded-{least}"):
            def observe(self, column, runs, seed, least=least):
                return Observation((Row(np.array([2.0]), rounding=0.0, least=least),), True)

        statement = Statement(
            id="test.faded",
            source=Source("test", "none", "a number that is 2, or less"),
            experiment=Faded.name,
            quantity=Quantity("law", "rows", (0, 0), "k"),
            versions={"printed": Version({"bound": level}, ())},
        )
        assert judge_check(statement, "printed", Check("one", {"level": 1.0})).verdict == said
        assert judge_check(statement, "printed", Check("two", {"level": 2.5})).verdict == "HOLDS"


def test_an_exact_law_gives_its_exact_mean():
    found = verdict(level, level=3.6)
    assert (found.verdict, found.measured) == ("HOLDS", pytest.approx(3.5, rel=1e-15))
    assert verdict(level, level=3.4).verdict == "VIOLATED"


def test_equality_within_the_rounding_allowance_is_not_decided():
    assert verdict(level, level=3.5).verdict == "INCONCLUSIVE"


@pytest.mark.parametrize(("eps", "expected"), [(0.2, "HOLDS"), (0.15, "VIOLATED")])
def test_a_chance_is_judged_by_the_exact_law(eps, expected):
    # P(face > 5) = 1/6: the claim "at most 5 with probability 1 - eps" turns at eps = 1/6.
    found = verdict(level, level=5.5, chance=sp.Float(eps), sides=6)
    assert found.verdict == expected
    assert found.measured == (5.0 if expected == "HOLDS" else 6.0)


def test_a_chance_equal_to_eps_to_the_bit_is_within_the_claim():
    # P(face > 3) = 1/4 of a die with four sides, whose weights are exact
    found = verdict(level, level=3.5, chance=sp.Float(0.25), sides=4)
    assert found.measured == 3.0


def test_a_chance_equal_to_eps_within_rounding_is_not_refuted():
    # 1/6 has no float: P(face > 5) = eps exactly would hold, so rounding must not refute it.
    assert verdict(level, level=5.5, chance=sp.Float(1 / 6)).verdict == "INCONCLUSIVE"


def test_a_sampled_chance_gets_enough_runs_for_a_limit_and_binomial_limits():
    found = verdict(level, "sampled", level=20.5, chance=sp.Float(0.05), sides=20)
    assert found.verdict == "HOLDS"
    assert found.runs > 64  # with 64 runs no upper limit for the .95-quantile exists
    found = verdict(level, "sampled", level=4.0, chance=sp.Float(0.05), sides=20)
    assert found.verdict == "VIOLATED"


def test_one_row_above_its_bound_is_enough_and_is_named():
    # T k with mean 3.5 T against T^2: above for T = 1, 2, 3.
    found = verdict(T**2, rows=8)
    assert (found.verdict, found.place, found.places) == ("VIOLATED", "T=1", 8)
    assert "at T=1" in found.reason
    assert found.ratio == pytest.approx(3.5)


def test_all_rows_below_hold_and_make_a_curve_against_the_axis():
    found = verdict(level * T, rows=5, level=4.0)
    assert (found.verdict, found.places) == ("HOLDS", 5)
    assert found.curve.axis == "T"
    assert found.curve.rounds == [1, 2, 3, 4, 5]
    np.testing.assert_allclose(found.curve.measured, 3.5 * np.arange(1, 6), rtol=1e-14)
    np.testing.assert_allclose(found.curve.bound, 4.0 * np.arange(1, 6), rtol=1e-14)


def test_sampled_rows_share_the_chance_of_error():
    one = verdict(level, "sampled", level=3.4, rows=1, seeds=256)
    many = verdict(level * T, "sampled", level=3.4, rows=32, seeds=256)
    assert one.ci[0] > many.ci[0] / float(many.place.split("=")[1])


def test_a_claim_for_every_realisation_takes_the_largest_and_equality_holds():
    assert verdict(level * T, "all", level=1.0, rows=3).verdict == "HOLDS"
    assert verdict(level * T, "all", level=0.999, rows=3).verdict == "VIOLATED"


def test_a_constant_from_the_wrong_side_never_proves_a_violation():
    assert verdict(level, level=3.4, how="estimate").verdict == "INCONCLUSIVE"


def test_an_assumption_that_fails_at_a_row_is_named_with_it():
    limit = Assumption("T at most 3", rule=T <= 3)
    assert verdict(level * T, level=4.0, rows=3, assumes=(limit,)).verdict == "HOLDS"
    found = verdict(level * T, level=4.0, rows=4, assumes=(limit,))
    assert found.verdict == "ASSUMPTION_FAILS"
    assert "T at most 3" in found.reason
    assert "at T=4" in found.reason
    alone = verdict(level * T, level=4.0, assumes=(Assumption("T above 1", rule=T > 1),))
    assert (alone.verdict, alone.place) == ("ASSUMPTION_FAILS", "T=1")


def test_a_witness_says_unsatisfiable_only_while_its_facts_are_seen():
    asked = Assumption("Assumption 8", rule=floor < 1)
    witness = Witness("Assumption 8", (Assumption("a is at least 1", rule=floor >= 1),), "dice")
    found = verdict(level, level=4.0, assumes=(asked,), witness=witness)
    assert found.verdict == "UNSATISFIABLE"
    assert found.reason.startswith("by no instance of dice: Assumption 8 against: a is at least 1;")
    found = verdict(level, level=4.0, floor=0.5, assumes=(asked,), witness=witness)
    assert (found.verdict, "is not seen here" in found.reason) == ("INCONCLUSIVE", True)
    loose = Witness("Assumption 8", (Assumption("a is positive", rule=floor > 0),), "dice")
    found = verdict(level, level=4.0, floor=0.5, assumes=(asked,), witness=loose)
    assert (found.verdict, "refuted" in found.reason) == ("INCONCLUSIVE", True)


def test_a_witness_names_an_assumption_of_its_version():
    with pytest.raises(ValueError, match="no such assumption; need one of other"):
        verdict(
            level,
            assumes=(Assumption("other", rule=floor < 1),),
            witness=Witness("Assumption 8", (Assumption("fact", rule=floor >= 1),), "dice"),
        )


def test_a_witness_names_the_class_it_speaks_of():
    with pytest.raises(ValueError, match="within is ''; need the algorithm or class"):
        Witness("Assumption 8", (Assumption("fact", rule=floor >= 1),), "")


def test_a_symbol_that_nothing_defines_is_one_line():
    with pytest.raises(ValueError, match=r"dice: nothing defines the constant 'L'; need") as caught:
        verdict(L * eta)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"algorithm": "sgp", "experiment": "test-dice"}, "need exactly one of them"),
        ({}, "need exactly one of them"),
    ],
)
def test_a_statement_is_about_an_algorithm_or_an_experiment(options, line):
    with pytest.raises(ValueError, match=line):
        Statement(
            id="test.rows",
            source=Source("test", "none", "dice"),
            quantity=Quantity("law", "rows", (0, 0), "k"),
            versions={"printed": Version({"bound": level}, ())},
            **options,
        )


def test_a_number_needs_every_constant():
    assert known_number(level, {}) is None


def test_a_control_says_so_in_its_result():
    control = Check("dice", {"level": 3.4}, "VIOLATED", control=True)
    quantity = Quantity("law", "rows", (0, 0), "k")
    statement = Statement(
        id="test.rows",
        source=Source("test", "none", "dice"),
        experiment="test-dice",
        quantity=quantity,
        versions={"printed": Version({"bound": level}, (), (control,))},
    )
    assert judge_check(statement, "printed", control).control
    assert not judge_check(statement, "printed", Check("dice", {"level": 3.6})).control
