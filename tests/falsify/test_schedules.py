"""Steps that fall or repeat themselves are instances of a method, and are looked at."""

from fractions import Fraction

import pytest

from theorylab.algorithms import DPSGD, step_size
from theorylab.falsify.schedules import schedules
from theorylab.falsify.structure import structural

RUN = {
    "problem": {"name": "quadratic", "dim": 1},
    "topology": {"name": "complete"},
    "clients": 2,
    "rounds": 4,
    "algorithm": {"eta": 0.5, "momentum": 0.5},
}


def test_every_sequence_is_a_step_of_the_method_in_every_round():
    made = {label: one["algorithm"] for label, one in schedules(RUN)}
    steps = {
        label: [step_size(DPSGD(options["eta"]), t) for t in range(4)]
        for label, options in made.items()
    }
    half = Fraction(1, 2)
    assert steps == {
        "steps: eta falls as 1/t": [float(half / (1 + t)) for t in range(4)],
        "steps: eta falls as 1/sqrt t": pytest.approx([0.5 / (1 + t) ** 0.5 for t in range(4)]),
        "steps: eta is small in every other round": [0.5, 0.005, 0.5, 0.005],
        "steps: eta falls by half": [float(half / 2**t) for t in range(4)],
    }
    assert all(options["momentum"] == 0.5 for options in made.values())


def test_they_are_among_the_moves_of_a_run():
    labels = [label for label, _ in structural(RUN)]
    assert "steps: eta falls as 1/t" in labels


def test_a_step_that_is_a_sequence_already_stays():
    run = {**RUN, "algorithm": {"eta": "1/(1 + t)"}}
    assert not list(schedules(run))
