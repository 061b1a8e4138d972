"""The constants that DePRL's statements speak of, by hand on three scalar quadratics."""

import math
import pathlib
import runpy

import numpy as np
import pytest

from theorylab.constants import Bench, deprl_instance_constants, paper_constants
from theorylab.problems import problem
from theorylab.topologies import topology

REFERENCE = pathlib.Path(__file__).parents[1] / "metrics" / "_reference_deprl.py"
HERE = runpy.run_path(str(REFERENCE))
EDGES, RUN, f = (HERE[name] for name in ("EDGES", "RUN", "f"))
OPTIONS = {"alpha": 0.1, "beta": 0.2, "tau": 3, "head": "all-steps"}


def bench(network=EDGES, clients=3, start=0.7, **options):
    blocks = {k: v for k, v in RUN["problem"].items() if k != "name"} if clients == 3 else {}
    made = problem("coupled-quadratic", clients, **blocks)
    network = dict(network)
    graph = topology(network.pop("name"), clients, **network)
    return Bench(made, graph, {**OPTIONS, **options}, np.full((clients, made.dim), start), 5)


def test_the_numbers_of_a_small_instance_are_those_by_hand():
    known = deprl_instance_constants(bench())
    assert known["deprl_L"].value == pytest.approx(2.0, rel=1e-14)
    assert known["deprl_f_start"].value == pytest.approx(f(0.7, [0.7] * 3), rel=1e-14)
    assert known["deprl_varsigma"].value == math.inf
    assert (known["deprl_p"].value, known["deprl_kept"].value) == (0.2, 3)
    assert deprl_instance_constants(bench(head="printed"))["deprl_kept"].value == 2
    # P is circulant: normal, with |.5 + .3 w + .2 w^2|^2 = .07 for a root w of unity
    assert known["deprl_q2"].value == pytest.approx(0.07**0.5, rel=1e-12)
    assert known["deprl_C2"].value == pytest.approx(1.0, rel=1e-8)
    apart = bench()
    apart.start[:, 0] = [1.0, 0.0, 2.0]
    assert deprl_instance_constants(apart)["deprl_start_spread"].value == 2.0


def test_the_paper_s_name_leads_to_them():
    assert paper_constants("deprl", bench(), {"deprl_L"}) == deprl_instance_constants(bench())


def test_rows_that_do_not_average_have_no_pair():
    path = {"name": "edge-list", "edges": [[0, 1], [1, 2], [2, 0], [0, 2], [0, 0], [1, 1], [2, 2]]}
    known = deprl_instance_constants(bench({**path, "weights": "uniform"}))
    assert known["deprl_doubly"].value == 0
    assert (known["deprl_C2"].value, known["deprl_q2"].value) == (math.inf, math.inf)


def test_bad_instances_are_one_line():
    with pytest.raises(ValueError, match=r"tau is \(1, 2, 3\); need one number of steps"):
        deprl_instance_constants(bench(tau=(1, 2, 3)))
    with pytest.raises(ValueError, match="one-peer-exponential changes from round to round"):
        deprl_instance_constants(bench({"name": "one-peer-exponential"}, 4))
    whole = Bench(problem("log-cosh", 3), bench().topology, OPTIONS, np.zeros((3, 1)), 5)
    with pytest.raises(ValueError, match="deprl: log-cosh has no personal part"):
        deprl_instance_constants(whole)
