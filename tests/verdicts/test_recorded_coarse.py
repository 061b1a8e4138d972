# ruff: noqa: F811
"""A run in coarse arithmetic refutes nothing that its rounding may have made."""

from tests.verdicts.test_recorded import judged, saved  # noqa: F401
from theorylab.symbols import L, T


def test_a_run_in_float32_refutes_only_where_its_distances_are_above_what_it_loses(saved):
    # 2^-23 to the 3/4 is 6.4e-6: of coordinates up to 2000 it loses 1.3e-2
    run = {"squared_gradient": [[4.0, 4.0, 4.0]], "deterministic": 1, "precision": 2.0**-23}
    bound = L / 100
    unknown = judged(saved(**run), bound, L=1)
    assert (unknown.verdict, "no size" in unknown.reason) == ("INCONCLUSIVE", True)
    assert judged(saved(**run, size=2000), bound, L=1).verdict == "VIOLATED"
    near = judged(saved(**run, size=2000), bound, L=250)  # 2/250 away at least, as far as is known
    assert (near.verdict, "loses distances" in near.reason) == ("INCONCLUSIVE", True)
    near = judged(saved(**run, size=2e6), bound, L=1)
    assert (near.verdict, "loses distances up to 13 of 2" in near.reason) == ("INCONCLUSIVE", True)
    free = judged(saved(**run, size=2000), 1 / T)
    assert (free.verdict, "without L" in free.reason) == ("INCONCLUSIVE", True)


def test_models_that_differ_by_rounding_alone_refute_no_consensus(saved):
    run = {"consensus": [[0.0, 1e-13, 1e-13]], "deterministic": 1, "precision": 2.0**-23}
    found = judged(saved(**run, size=1), 0 * T, "mean_consensus")
    assert found.verdict == "INCONCLUSIVE"


def test_models_that_are_apart_refute_a_consensus_without_an_l(saved):
    run = {"consensus": [[0.0, 1.0, 1.0]], "deterministic": 1, "precision": 2.0**-23}
    assert judged(saved(**run, size=1), 0 * T, "mean_consensus").verdict == "VIOLATED"
