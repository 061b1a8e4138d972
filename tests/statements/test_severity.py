"""A false claim says how it is false and what that stands on."""

import pytest
import sympy

from theorylab.statements import Assumption, Check, Severity, Source, Statement, Version
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


def statement(scale, **says):
    version = Version(
        terms={"all": scale * (f0 - f_star) / (T * eta)},
        assumes=(Assumption("L-smooth", finite=(L,)),),
        **says,
    )
    return Statement(
        id="own.claim",
        source=Source("own", "Claim", "for the tests"),
        algorithm="sgp",
        quantity="mean_squared_gradient",
        versions={"my-own-name": version},
    )


FALSE = {"severity": Severity.WRONG_CONSTANT, "rests_on": "the factor"}


def judged(own, **check):
    return judge_check(own, "my-own-name", Check("one", RUN, **check))


def test_a_false_verdict_carries_its_severity_and_what_it_rests_on():
    result = judged(statement(1e-6, **FALSE))
    assert (result.verdict, result.severity) == ("VIOLATED", "wrong constant")
    assert "the factor" in result.rests_on


def test_what_holds_and_what_is_a_control_carries_none():
    assert judged(statement(1e6, **FALSE)).severity == ""
    assert judged(statement(1e-6, **FALSE), control=True).severity == ""


def test_what_a_verdict_rests_on_needs_a_severity():
    with pytest.raises(ValueError, match="without a severity"):
        Version(terms={"one": sympy.Integer(1)}, assumes=(), rests_on="a reading")


def test_a_user_s_version_may_have_any_name_of_small_letters():
    assert statement(1.0).versions["my-own-name"]
    with pytest.raises(ValueError, match="need a name of small letters"):
        Statement(
            id="own.claim",
            source=Source("own", "Claim", "for the tests"),
            algorithm="sgp",
            quantity="mean_squared_gradient",
            versions={"My Own": Version(terms={"all": f0 - f_star}, assumes=())},
        )


def test_a_severity_may_come_as_its_text_and_no_other_text():
    terms = {"optimisation": 2 * f0}
    assert Version(terms=terms, severity="wrong order").severity is Severity.WRONG_ORDER
    with pytest.raises(ValueError, match="'quite wrong' is not a valid Severity"):
        Version(terms=terms, severity="quite wrong")
