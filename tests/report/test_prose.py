"""Prose with letters of mathematics: whole tokens change, words stay, nothing is markup."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theorylab.report.prose import prose

CASES = [
    ("eta_l < delta / (8 L K)", "<i>η</i><sub>l</sub> &lt; <i>δ</i> / (8 L K)"),
    ("sigma_u^2 <= x", "<i>σ</i><sub>u</sub><sup>2</sup> ≤ x"),
    ("||z||^2 -> 0", "‖z‖² → 0"),
    ("1/a~ kept", "1/<i>ã</i> kept"),
    ("grad f(xbar^t)", "<i>∇</i> f(<i>x̄</i><sup>t</sup>)"),
    ("a sum of beta-s, the lambdas", "a sum of beta-s, the lambdas"),
    ("worked-example, two words", "worked-example, two words"),
    ("sum_{s<=k} x", "<i>∑</i><sub>s≤k</sub> x"),
]


@pytest.mark.parametrize(("text", "markup"), CASES)
def test_letters_are_set_and_words_stay(text, markup):
    assert str(prose(text)) == markup


@given(st.text())
def test_nothing_of_a_text_is_markup(text):
    tags = set(re.findall(r"<[^>]*>", str(prose(text))))
    assert tags <= {"<i>", "</i>", "<sub>", "</sub>", "<sup>", "</sup>"}


@given(st.text(alphabet="abcxyz <>&\"'(),;:!?é", max_size=30).filter(lambda t: "->" not in t))
def test_text_without_letters_of_mathematics_comes_through(text):
    plain = html.unescape(re.sub(r"</?(i|sub|sup)>", "", str(prose(text))))
    assert plain.replace("≤", "<=").replace("≥", ">=").replace("≠", "!=") == text
