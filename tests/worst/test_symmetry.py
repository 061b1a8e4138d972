"""Fourier blocks of a circulant network: the value of the whole program, and its certificate."""

import importlib.util
import json
import pathlib

import pytest

from theorylab.topologies import topology
from theorylab.worst import Outcome, check_certificate, worst
from theorylab.worst.generation import solved
from theorylab.worst.program import Program
from theorylab.worst.symmetry import Circulant, is_circulant

HERE = pathlib.Path(__file__).parent
spec = importlib.util.spec_from_file_location("cases_of_worst", HERE / "cases.py")
cases = importlib.util.module_from_spec(spec)
spec.loader.exec_module(cases)


@pytest.mark.parametrize(
    ("n", "name", "options"),
    [(3, "sgp", {}), (4, "sgp", {"metric": "gap"}), (4, "dpsgd", {"eta": 0.25})],
)
def test_the_blocks_have_the_value_of_the_whole_and_prove_it(n, name, options):
    words, more = cases.asked(name, network=topology("directed-ring", n), **options)
    found = worst(*words, **more, certify=True)
    assert isinstance(found.program, Circulant)
    whole = solved(Program(found.question.theorem())).solution.dual
    assert found.value == pytest.approx(whole, rel=1e-7)  # the gaps of two solutions
    assert found.outcome is Outcome.PROVED
    check_certificate.proved(json.loads(found.certificate.text()))
    played = found.replay()
    assert (1 - 1e-6) * whole <= played.value <= (1 + 1e-8) * whole


def test_a_network_with_a_chord_or_a_free_start_has_no_blocks():
    words, more = cases.asked(network=cases.chord())
    assert not is_circulant(worst(*words, **more).question.theorem())
    words, more = cases.asked(network=topology("directed-ring", 3))
    asked = worst(*words, **more).question
    assert is_circulant(asked.theorem())
    words, more = cases.asked(
        "sgp", network=topology("directed-ring", 3), functions=cases.Functions(0, None, B=1),
        start={"distance": 1}, metric="gap",
    )  # fmt: skip
    assert not is_circulant(worst(*words, **more).question.theorem())
