"""A run that leaves float64 is judged where it is finite, as the instance that it is there."""

import numpy as np
import pytest
import sympy as sp

from theorylab.falsify.moves import worded
from theorylab.falsify.repairs import finite, left_float64, repaired, shorter_runs
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import L, T, eta, f0, f_star
from theorylab.verdicts import judge_check

RUN = {
    "problem": {"name": "quadratic", "dim": 1, "mu": 1.0, "L": 1.0, "seed": 0, "sigma": 0.0},
    "topology": {"name": "complete"},
    "clients": 2,
    "rounds": 400,
    "algorithm": {"eta": 12.0},
    "x0": 3.0,
}


def claim(over="last", bound=f0 - f_star):
    """Of gradient descent with any step at all: false for eta > 2 / L."""
    return Statement(
        "test.descent",
        Source("test", "none", "the gap never grows"),
        Quantity("suboptimality", over),
        {"printed": Version({"bound": bound}, (), (Check("small", RUN),))},
        algorithm="sgp",
    )


def judge(statement):
    return lambda made: judge_check(statement, "printed", Check("search", made), seeds=4)


@pytest.mark.parametrize("over", ["last", "average", "every"])
@pytest.mark.parametrize("sigma", [0.0, 1.0])
def test_a_diverging_run_refutes_at_the_rounds_that_are_finite(over, sigma):
    statement = claim(over)
    whole = {**RUN, "problem": {**RUN["problem"], "sigma": sigma}}
    loud = np.errstate(over="ignore", invalid="ignore")
    with loud, pytest.raises(ValueError, match=r"float64|overflowed|is nan") as refused:
        judge(statement)(whole)
    assert left_float64(str(refused.value))
    instance, result = finite(judge(statement), whole)
    assert result.verdict == "VIOLATED"
    assert instance == {**whole, "rounds": instance["rounds"]}
    # (eta - 1)^(2 T) leaves float64 at T = 148: 100 is the longest half
    assert instance["rounds"] == 100
    assert result.measured > 1e100


def test_the_claim_is_that_of_the_shorter_run():
    # a bound that grows as the run does holds at every T: cutting must not refute it
    true = claim(bound=(f0 - f_star) * (eta * L - 1) ** (2 * T))
    _, result = finite(judge(true), RUN)
    assert result.verdict in ("HOLDS", "INCONCLUSIVE")  # an equality
    assert result.ratio == pytest.approx(1)


@pytest.mark.parametrize(
    "line",
    [
        "simulate: loss overflowed at round 37; need a smaller step size",
        "trace: loss overflowed in the last round",
        "moments: those of 400 rounds leave float64; need smaller steps or fewer of them",
        "metric dfedalt.drift: numbers leave float64 (overflow encountered in multiply)",
    ],
)
def test_every_arm_s_line_about_an_overflow_is_known(line):
    made = list(shorter_runs({"rounds": 40, "at": [3, 40]}, line))
    assert [one["rounds"] for one in made] == [20, 10, 5, 2, 1]
    assert [one["at"] for one in made] == [[3, 20], [3, 10], [3, 5], [2], [1]]


@pytest.mark.parametrize(
    ("instance", "line"),
    [
        ({"rounds": 40}, "algorithm: eta is -1; need > 0"),
        ({"rounds": 40, "sweep": {"parameter": "rounds"}}, "trace: loss overflowed"),
        ({"clients": 4}, "numbers leave float64"),
        ({"rounds": 1}, "numbers leave float64"),
    ],
)
def test_what_says_nothing_of_rounds_is_not_cut(instance, line):
    assert list(shorter_runs(instance, line)) == []


def test_what_no_part_of_can_be_judged_is_refused_as_the_whole_is():
    def refuses(made):
        raise ValueError(f"trace: overflowed in the last round of {made['rounds']}")

    with pytest.raises(ValueError, match="round of 8"):
        finite(refuses, {"rounds": 8})


def test_an_instance_that_is_finite_is_judged_as_it_stands():
    statement = claim(bound=sp.Integer(2) * (f0 - f_star))
    tame = {**RUN, "algorithm": {"eta": 0.5}}
    instance, result = finite(judge(statement), tame)
    assert (instance, result.verdict) == (tame, "HOLDS")


@pytest.mark.parametrize(
    ("instance", "refusal", "want"),
    [
        ({"law": "enumerated", "x0": 1}, "law or at came; need neither, for", [{"x0": 1}]),
        ({"x0": 1}, "law or at came; need neither, for", []),
        (
            {"rounds": 11, "at": [10]},
            "a norm of a mean is asked for; need law 'enumerated', or no noise",
            [{"rounds": 2, "at": [1], "law": "enumerated"}],
        ),
        ({"rounds": 1, "law": "enumerated"}, "need law 'enumerated'", []),
        ({"rounds": 4}, "trace: loss overflowed", [{"rounds": 2}, {"rounds": 1}]),
        ({"rounds": 4}, "algorithm: eta is -1; need > 0", []),
    ],
)
def test_a_refusal_says_what_is_looked_at_instead(instance, refusal, want):
    before = repr(instance)
    assert list(repaired(instance, refusal)) == want
    assert repr(instance) == before


def test_a_word_moves_over_the_words_known_at_its_place():
    one = {"algorithm": {"batch": "per-step", "eta": 0.1}, "law": "moments"}
    known = {("algorithm", "batch"): ["per-step", "per-round", "fresh"], ("algorithm",): [{}]}
    found = dict(worded(one, known))
    assert list(found) == ["batch: per-round", "batch: fresh"]
    assert found["batch: fresh"] == {**one, "algorithm": {"batch": "fresh", "eta": 0.1}}
