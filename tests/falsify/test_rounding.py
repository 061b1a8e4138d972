"""A finding on drawn numbers is shown on rounder ones where it stands there, too."""

import numpy as np
import pytest
import sympy as sp

from theorylab.falsify import shortened
from theorylab.scripts import script
from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import L
from theorylab.verdicts import judge_check

DRAWN = {"name": "quadratic", "dim": 2, "mu": 0.1, "L": 2.0, "seed": 5}
RUN = {"problem": DRAWN, "topology": {"name": "complete"}, "clients": 1, "rounds": 3}
RUN |= {"algorithm": {"eta": 0.25}, "x0": [[0.123456789012345, 1.0]]}


def judged(bound, rule=None, **changes):
    assumes = () if rule is None else (Assumption("rule", rule=rule),)
    version = Version({"b": sp.sympify(bound)}, assumes, (Check("one", {**RUN, **changes}),))
    source = Source("short", "Lemma 1", "a gradient that is far too small")
    quantity = Quantity("squared_gradient", "last")
    claim = Statement("short.x", source, quantity, {"claim": version}, "sgp")
    return claim, judge_check(claim, "claim", *version.checks)


def replayed(instance):
    """The squared gradient after all steps of gradient descent, in plain NumPy."""
    H, c = (np.array(instance["problem"][key][0]) for key in "Hc")
    x = np.array(instance["x0"][0])
    for _ in range(instance["rounds"]):
        x = x - instance["algorithm"]["eta"] * H @ (x - c)
    return ((H @ (x - c)) ** 2).sum()


def digits(data):
    texts = [repr(float(x)) for x in np.ravel(data)]
    return max(len(text.partition("e")[0].replace(".", "").lstrip("-0")) for text in texts)


def test_drawn_numbers_have_few_digits_where_the_finding_stands():
    claim, result = judged(1e-4)
    short, count = shortened(claim, result)
    assert (short.verdict, count) == ("VIOLATED", 2)
    assert digits(short.instance["problem"]["H"]) <= 2
    assert digits(short.instance["problem"]["c"]) <= 2
    assert short.instance["x0"] == [[0.12, 1.0]]
    assert short.measured == pytest.approx(replayed(short.instance), rel=1e-12)
    text = script(claim, short)
    assert len(text) < len(script(claim, result))


@pytest.mark.parametrize(("share", "count"), [(0.5, 2), (0.01, 3), (0.001, 4), (1e-5, 6)])
def test_more_digits_are_taken_where_fewer_lose_the_finding(share, count):
    _, far = judged(1e-4)
    claim, result = judged(far.measured * (1 - share))
    short, digits_of_it = shortened(claim, result)
    assert digits_of_it == count
    assert replayed(short.instance) > result.bound


def test_a_finding_that_rounder_numbers_lose_keeps_its_own():
    claim, result = judged(1e-4, rule=sp.Eq(L, 2))  # of the drawn matrix, and of no rounder one
    assert result.verdict == "VIOLATED"
    assert shortened(claim, result) == (result, 0)


def test_what_is_short_or_holds_stays_as_it_is():
    explicit = {"name": "quadratic", "H": [[[2.0, 0.0], [0.0, 1.0]]], "c": [[0.0, 0.0]]}
    for claim, result in (judged(1e-4, problem=explicit, x0=1.0), judged(1000)):
        assert shortened(claim, result) == (result, 0)
