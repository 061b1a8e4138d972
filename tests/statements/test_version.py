"""A version of one's own has a name of its own."""

import pytest

from theorylab.statements import Source, Statement, Version
from theorylab.symbols import f0, f_star


def named(name):
    return Statement(
        id="own.claim",
        source=Source("own", "Claim", "for the tests"),
        algorithm="sgp",
        quantity="mean_squared_gradient",
        versions={name: Version(terms={"all": f0 - f_star})},
    )


def test_a_user_s_version_may_have_any_name_of_small_letters():
    assert named("my-own-name").versions["my-own-name"].severity is None
    with pytest.raises(ValueError, match="need a name of small letters"):
        named("My Own")
