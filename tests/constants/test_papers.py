"""Constants by a paper's own names."""

import numpy as np

from theorylab.constants import Bench, paper_constants
from theorylab.problems import problem
from theorylab.topologies import topology


def test_a_paper_without_names_of_its_own_has_none():
    start = np.zeros((3, 1))
    bench = Bench(problem("log-cosh", 3), topology("ring", 3), {"eta": 0.1}, start, 2)
    assert paper_constants("mine", bench) == {}
