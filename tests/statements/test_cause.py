"""One record a fault: what a version names, what a verdict tells of it."""

import pytest

from theorylab.statements import (
    Assumption,
    Cause,
    Check,
    Line,
    Severity,
    Source,
    Statement,
    Version,
)
from theorylab.symbols import L, T, eta, f0, f_star
from theorylab.verdicts import judge_check

RUN = {
    "problem": {"name": "quadratic", "dim": 1, "mu": 1.0, "L": 2.0},
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 4,
    "algorithm": {"eta": 0.1},
    "x0": 1.0,
}


def cause(name="own/factor", severity=Severity.WRONG_CONSTANT, **parts):
    told = {
        "clause": f"the line of {name}",
        "fails": "A factor is lost.",
        "repair": "Write it.",
        "lines": (Line("own.claim", "Claim", words="as printed"),),
    }
    return Cause(id=name, severity=severity, **{**told, **parts})


FACTOR = cause()
LETTER = cause("own/letter", Severity.MISPRINT)


def judged(scale, version=None, **check):
    terms = {"all": scale * (f0 - f_star) / (T * eta)}
    one = Check("one", RUN, **check)
    printed = Version(
        terms=terms,
        assumes=(Assumption("L-smooth", finite=(L,)),),
        checks=(one,),
        **(version or {"causes": (FACTOR, LETTER)}),
    )
    own = Statement(
        id="own.claim",
        source=Source("own", "Claim", "for the tests"),
        algorithm="sgp",
        quantity="mean_squared_gradient",
        versions={"printed": printed},
    )
    return judge_check(own, "printed", one)


def test_a_verdict_against_a_claim_names_the_causes_that_its_check_shows_and_no_other():
    whole = judged(1e-6)
    assert (whole.severity, whole.causes) == ("wrong constant", ["own/factor", "own/letter"])
    letter = judged(1e-6, causes=(LETTER,), carries="eta = .1")
    assert (letter.severity, letter.causes) == ("misprint", ["own/letter"])
    assert letter.rests_on == "the line of own/letter; eta = .1"


def test_what_holds_and_what_is_a_control_shows_no_cause():
    for result in (judged(1e6), judged(1e-6, control=True)):
        assert (result.severity, result.causes, result.rests_on) == ("", [], "")


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"name": "Own Factor"}, "need <paper>/<words-of-the-fault>"),
        ({"severity": "quite wrong"}, "'quite wrong' is not a valid Severity"),
        ({"fails": ""}, "cause own/factor: need fails"),
        ({"lines": ()}, "cause own/factor: need lines"),
    ],
)
def test_a_cause_without_its_words_is_refused(parts, words):
    with pytest.raises(ValueError, match=words):
        cause(**parts)


def test_a_line_has_a_statement_a_place_and_what_stands_there():
    with pytest.raises(ValueError, match=r"need <paper>\.<locator>"):
        Line("claim", "Eq. (1)", words="as printed")
    with pytest.raises(ValueError, match="need its place, and its display or its words"):
        Line("own.claim", "Eq. (1)")


def test_a_check_shows_causes_of_its_version_alone_and_a_version_mends_no_cause_of_its_own():
    with pytest.raises(ValueError, match="own/letter is no cause of its version"):
        judged(1e-6, {"causes": (FACTOR,)}, causes=(LETTER,))
    with pytest.raises(ValueError, match="as a cause and as mended"):
        judged(1e-6, {"causes": (FACTOR,), "mends": (FACTOR,)})


def test_a_statement_is_shown_its_own_line_then_that_of_its_paper():
    shared = cause(
        lines=(
            Line("one.eq1", "Eq. (1)", words="first"),
            Line("two.eq2", "Eq. (2)", words="second"),
        )
    )
    assert shared.homes == ("one.eq1", "two.eq2")
    assert shared.line_of("two.eq2").words == "second"
    assert shared.line_of("two.thm1").words == "second"
    assert shared.line_of("three.thm1").words == "first"
