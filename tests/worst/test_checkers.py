"""What both checkers of rates and of sequences rest on, and a forged state."""

import pathlib
from fractions import Fraction

import pytest

from theorylab.worst import check_forever, check_sequences, check_spectral

CHECKERS = (check_forever, check_sequences, check_spectral)


def hidden(**changes):
    """x+ = x - g/2 + y, y+ = y: nothing falls. The forgery says that only x matters."""
    one, rows = "1", {"after": [["1", "1", "-1/2"], ["0", "1", "0"]], "sends": []}
    rows |= {"queries": [["1", "0", "0"]], "starts": [["1", "0"], ["0", "1"]]}
    share = "36/25"
    c = {"version": 1, "kind": "forever", "clients": 1, "class": {"mu": "1/10", "L": "1"}}
    c |= {"owners": [0], "rows": rows, "networks": [[["1"]]], "weights": None, "about": {}}
    c |= {"quotient": [["1", "0"]], "span": [[one]], "V": [[["2"]]], "values": None}
    c |= {"multipliers": [[[[[share, 1, 0], [share, 0, 1]]]]], "spread": None, "noise": None}
    claim = {"rate": "19/20", "reference": False, "factor": None, "spread": None, "noise": None}
    return c | {"claim": claim} | changes


def test_a_state_that_feeds_what_matters_is_not_left_out():
    alone = {"after": [["1", "-1/2"]], "sends": [], "queries": [["1", "0"]], "starts": [["1"]]}
    assert check_forever.forever(hidden(rows=alone, quotient=[["1"]]))  # without y it is a theorem
    for quotient, span in (([["1", "0"]], [["1"]]), ([["1", "0"], ["0", "1"]], [["1", "0"]])):
        with pytest.raises(ValueError, match="no combination"):
            check_forever.forever(hidden(quotient=quotient, span=span))


@pytest.mark.parametrize("module", CHECKERS)
def test_definite_forms_are_told_from_others(module):
    half = Fraction(1, 2)
    assert module.definite([[2, half], [half, half]])
    assert not module.definite([[1, 1], [1, 1]])
    assert not module.definite([[1, 0, 0], [0, 1, 2], [0, 2, 1]])
    assert not module.definite([[-1, 0], [0, 1]])


def test_a_form_that_is_not_symmetric_is_none():
    with pytest.raises(ValueError, match="not symmetric"):
        check_forever.definite([[Fraction(1), Fraction(3)], [Fraction(1, 10), Fraction(1)]])


@pytest.mark.parametrize("text", ["1/x", " 5", "1_0", "1/-2", "--1", "1e5", "", "1/0", "\u0661"])
def test_what_is_no_rational_is_refused(text):
    with pytest.raises((ValueError, ZeroDivisionError)):
        check_forever.rational(text)


def test_sizes_are_told_before_any_work():
    row = ["1"] * 129
    with pytest.raises(ValueError, match="too large"):
        check_forever.matrix([row] * 129, 129, 129)
    with pytest.raises(ValueError, match="too large"):
        check_forever.matrix([], 1, 1)
    with pytest.raises(ValueError, match="another width"):
        check_forever.matrix([["1", "1"], ["1"]], 2, 2)
    large = [[Fraction(int(i == j), 2**200) for j in range(120)] for i in range(120)]
    with pytest.raises(ValueError, match="too large"):
        check_forever.definite(large)


def test_the_checkers_share_their_first_steps_word_by_word():
    """Each file stands alone; what they have in common is one text."""
    sources = [pathlib.Path(m.__file__).read_text() for m in CHECKERS]
    for name in ("need", "rational", "whole", "charge", "up", "plus", "add", "once"):
        texts = {source.split(f"\ndef {name}(")[1].split("\n\n\n")[0] for source in sources}
        assert len(texts) == 1, name
