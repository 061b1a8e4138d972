import math
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import block_diag, csr_array

from theorylab.constants import _graph, diameter, lambda2, mixing, sigma2, spectral_gap, spectrum
from theorylab.known import How, Known
from theorylab.topologies import topology

EPS = np.finfo(float).eps


def close(n):
    # Normal matrices: LAPACK's backward error, a modest multiple of n eps, moves an eigenvalue
    # by no more than its norm (Bauer, Fike).
    return 10 * n * EPS


def P(name, n, **options):
    return topology(name, n, **options).matrix(0)


@pytest.mark.parametrize("n", [2, 3, 5, 8, 33])
def test_directed_ring_has_the_cosine(n):
    expected = abs(1 + np.exp(2j * np.pi / n)) / 2  # the circulant (I + S) / 2
    assert expected == pytest.approx(math.cos(math.pi / n), abs=EPS)
    assert lambda2(P("directed-ring", n)).value == pytest.approx(expected, abs=close(n))


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_static_exponential_and_hypercube_have_the_gap_of_the_papers(k):
    gap = spectral_gap(lambda2(P("directed-exponential", 2**k)))
    assert gap.value == pytest.approx(2 / (k + 1), abs=close(2**k))  # Ying et al. 2021
    cube = lambda2(P("hypercube", 2**k, weights="uniform"))
    # Eigenvalues 1 - 2 j / (k + 1); for k = 1 the second is 0.
    assert cube.value == pytest.approx(1 - 2 / (k + 1), abs=close(2**k))


@pytest.mark.parametrize("n", [2, 4, 9])
def test_complete_has_gap_one(n):
    assert lambda2(P("complete", n)).value <= close(n)
    assert sigma2(P("complete", n)).value <= close(n)


@pytest.mark.parametrize("n", [4, 5, 12])
def test_metropolis_ring_has_the_circulant_eigenvalue(n):
    expected = (1 + 2 * math.cos(2 * math.pi / n)) / 3
    assert lambda2(P("ring", n)).value == pytest.approx(expected, abs=close(n))
    assert sigma2(P("ring", n)).value == pytest.approx(expected, abs=close(n))


def test_two_parts_have_a_second_eigenvalue_one_and_it_is_not_dropped():
    A = P("directed-ring", 4)
    apart = csr_array(block_diag([A, A]))
    known = lambda2(apart)
    assert (known.value, known.how) == (1.0, How.EXACT)
    assert "2 closed classes, e.g. those of clients 0 and 4" in known.source
    moduli = spectrum.eigenvalue_moduli(apart)
    assert moduli[0] == pytest.approx(1, abs=close(8))
    assert moduli[1] < 0.8  # one eigenvalue 1 is left, not two


def test_the_gap_of_an_upper_bound_is_a_lower_bound_and_so_on():
    sides = {How.UPPER: How.LOWER, How.LOWER: How.UPPER}
    for how in How:
        gap = spectral_gap(Known(0.75, how, "made up"))
        assert (gap.value, gap.how) == (0.25, sides.get(how, how))
        assert (gap.lower, gap.upper) == (None, None)


@given(st.floats(0, 1), st.floats(0, 1))
def test_the_gap_of_an_enclosure_holds_the_gap_of_every_number_in_it(one, other):
    low, high = sorted([one, other])
    gap = spectral_gap(Known(high, How.CERTIFIED, "made up", low, high))
    assert Fraction(gap.lower) <= 1 - Fraction(high) <= 1 - Fraction(low) <= Fraction(gap.upper)
    assert gap.upper - gap.lower <= high - low + 4 * EPS
    assert spectral_gap(Known(1.0, How.UPPER, "made up", None, 1.0)).lower == 0


def test_lambda_of_a_symmetric_matrix_keeps_its_ends():
    enclosed = Known(0.5, How.CERTIFIED, "made up", 0.25, 0.5)
    found = mixing.symmetric_lambda(P("ring", 4), enclosed)
    assert (found.value, found.lower, found.upper) == (0.5, 0.25, 0.5)


def test_complex_eigenvalues_on_the_unit_circle_stay():
    known = lambda2(P("directed-ring", 5, self_loops=False))
    assert (known.value, known.how) == (1.0, How.EXACT)
    assert "period 5" in known.source
    two_sided = P("star", 4, weights="uniform", self_loops=False)
    assert "period 2" in lambda2(two_sided).source  # the eigenvalue -1 of a bipartite graph
    moduli = spectrum.eigenvalue_moduli(P("directed-ring", 5, self_loops=False))
    assert np.abs(moduli[:4] - 1).max() <= close(5)
    assert moduli[4] <= close(5)


def test_eigenvalues_very_close_to_one_are_not_dropped():
    tiny = 1e-9
    A = csr_array(np.array([[1 - tiny, tiny], [tiny, 1 - tiny]]))
    assert lambda2(A).value == pytest.approx(1 - 2 * tiny, abs=close(2))
    assert lambda2(A).value < 1


def test_a_drain_makes_no_second_closed_class():
    A = csr_array(np.array([[0.75, 0.0], [0.25, 1.0]]))  # everything ends at client 1
    assert lambda2(A).value == pytest.approx(0.75, abs=close(2))


@pytest.mark.parametrize(
    ("name", "options"), [("directed-ring", {}), ("star", {"weights": "uniform"}), ("grid", {})]
)
def test_the_sparse_way_agrees_with_the_dense_one(monkeypatch, name, options):
    A = P(name, 40, **options)
    dense = [lambda2(A).value, sigma2(A).value]
    monkeypatch.setattr(mixing, "DENSE", 10)
    monkeypatch.setattr(spectrum, "DENSE", 10)
    sparse = [lambda2(A), sigma2(A)]
    assert any(name in sparse[0].source for name in ("ARPACK", "Lanczos"))
    # ARPACK stops at machine precision of the Ritz residual; gaps here are above 1e-3
    assert [known.value for known in sparse] == pytest.approx(dense, rel=1e-9)


@given(st.integers(1, 6), st.data())
def test_diameter_is_the_longest_shortest_path(n, data):
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    edges = data.draw(st.lists(pairs, max_size=3 * n))
    graph = nx.DiGraph(edges)
    graph.add_nodes_from(range(n))
    A = csr_array(nx.to_numpy_array(graph, nodelist=range(n)).T)
    known = diameter(A)
    if nx.is_strongly_connected(graph):
        assert (known.value, known.how) == (nx.diameter(graph), How.EXACT)
    else:
        assert known.value == math.inf
        assert "client" in known.source


@pytest.mark.parametrize(("name", "n", "hops"), [("directed-ring", 64, 63), ("ring", 141, 70)])
def test_few_hops_and_many_are_counted_alike(name, n, hops):
    assert diameter(P(name, n)).value == hops
    assert _graph.few_hops(P(name, n), hops) == hops
    assert _graph.few_hops(P(name, n), hops - 1) is None


def test_a_symmetric_matrix_has_its_second_modulus_as_second_singular_value():
    for name in ("ring", "torus"):
        A = P(name, 144)
        second = lambda2(A)
        expected = np.sort(np.abs(np.linalg.eigvalsh(A.toarray())))[-2]
        assert sigma2(A, second).value == pytest.approx(expected, abs=1e-9)
        assert "lambda_2" in sigma2(A, second).source
    directed = P("random-out", 144)
    singular = np.linalg.svd(directed.toarray(), compute_uv=False)[1]
    assert sigma2(directed, lambda2(directed)).value == pytest.approx(singular, abs=1e-12)


def test_above_the_dense_size_the_diameter_is_an_upper_bound(monkeypatch):
    monkeypatch.setattr(mixing, "DENSE", 4)
    known = diameter(P("path", 9))
    assert known.how is How.UPPER
    assert known.value == 16  # client 0 is an end: 8 there, 8 back; the truth is 8


@pytest.mark.parametrize(("off", "holds"), [(0, 1), (4 * EPS, 1), (64 * EPS, 0), (1e-6, 0)])
def test_doubly_stochastic_is_a_matter_of_n_eps(off, holds):
    A = np.full((4, 4), 0.25)
    A[0, 0] += off
    A[1, 0] -= off  # the columns keep their sums
    assert mixing.doubly_stochastic(csr_array(A)).value == holds


def test_degrees_entries_and_flags():
    A = P("star", 5, weights="uniform")
    assert mixing.max_out_degree(A).value == 5  # the hub's self-loop counts
    assert mixing.p_min(A).value == 1 / 5
    assert mixing.self_loops(A).value == 1
    assert mixing.symmetric(A).value == 0
    assert mixing.doubly_stochastic(A).value == 0
    assert mixing.symmetric(P("star", 5)).value == 1
    assert mixing.doubly_stochastic(P("star", 5)).value == 1
    assert mixing.doubly_stochastic(P("directed-ring", 5)).value == 1
    assert mixing.symmetric(P("directed-ring", 5)).value == 0
    assert mixing.self_loops(P("directed-ring", 5, self_loops=False)).value == 0
    assert mixing.strongly_connected(P("directed-ring", 5)).value == 1
    cut = mixing.strongly_connected(csr_array(np.eye(2)))
    assert cut.value == 0
    assert "client 1 cannot be reached" in cut.source
