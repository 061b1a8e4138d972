"""The settings that docs/hypergradients.md counts: each has a bound on its error."""

import pathlib
import re

import numpy as np
import pytest

from theorylab.commands.hypergradient.bound import CHEBYSHEV, EVERY, bounds_at
from theorylab.hypergradients import SGP, Linear, edge_law, stationary
from theorylab.topologies import from_networkx, topology

pytestmark = pytest.mark.slow
DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs/hypergradients.md"
NETWORKS = {
    "its cycle": lambda page: from_networkx(page["topology"]),
    "complete": lambda page: topology("complete", 5),
    "lazy ring": lambda page: topology("ring", 5, weights="lazy-metropolis"),
    "sto-d": lambda page: topology("sto-d", 5),
    "sto-d near 1": lambda page: topology("sto-d", 5, low=0.95, high=0.99),
}
# The thirtieth: rho(A_zz) is 1.066 there, which takes a minute to find, and no bound exists.
DIVERGES = ("its cycle", "4b", 1.0)


@pytest.fixture(scope="module")
def page():
    """What the page's file defines."""
    names = {"__name__": "my_hypergradient"}
    block = re.search(r"<!-- my_hypergradient.py -->\n```python\n(.*?)```", DOCS.read_text(), re.S)
    exec(block[1], names)
    return names


@pytest.mark.parametrize("name", NETWORKS)
def test_every_setting_with_a_hypergradient_has_a_bound(page, name):
    problem, graph, lam = page["problem"], NETWORKS[name](page), page["lam"]
    law, start = edge_law(graph), None
    for variant, step in [(v, step) for v in ("4a", "4b") for step in (0.4, 0.05, 1.0)]:
        if (name, variant, step) == DIVERGES:
            continue
        sgp = SGP(step, variant)
        point = stationary(problem, law, sgp, lam, z0=start)
        start = point.z  # the next point is near it
        at = Linear(problem, sgp, point.x[None], point.omega[None], lam[None])
        bounds = bounds_at(at, graph, law)
        drawn = name.startswith("sto-d")
        for weights in ((1.0, 0.0), (0.9, 0.1)):
            bound = bounds.of(50, *weights, 0.1)
            assert bound.value is not None, (variant, step, bound.rule)
            assert 0 < bound.value < np.inf
            assert bound.rule in ((EVERY, CHEBYSHEV) if drawn else ("nothing is drawn",))
