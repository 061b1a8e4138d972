"""Constants by a paper's own names."""

import numpy as np

from theorylab.constants import Bench, paper_constants, paper_names
from theorylab.problems import problem
from theorylab.topologies import topology


def test_a_paper_without_names_of_its_own_has_none():
    start = np.zeros((3, 1))
    bench = Bench(problem("log-cosh", 3), topology("ring", 3), {"eta": 0.1}, start, 2)
    assert paper_constants("sgp", bench, {"dfedpgp_K_u"}) == {}


def test_a_claim_in_its_own_words_about_a_paper_s_algorithm_needs_none_of_its_constants():
    start = np.zeros((3, 2))
    options = {"steps_u": [1, 2, 3]}  # of which the paper's constants know nothing
    bench = Bench(problem("sin-sin", 3), topology("ring", 3), options, start, 2)
    assert paper_constants("dfedpgp", bench, {"L", "n"}) == {}


def test_a_papers_names_are_told_from_those_of_the_network():
    names = {"dfedalt_L_u", "dfedpgp_L_u", "delta"}
    assert paper_names("dfedsalt", names) == {"dfedalt_L_u"}
    assert paper_names("dfedpgp", names) == {"dfedpgp_L_u"}
    assert paper_names("sgp", names) == set()
