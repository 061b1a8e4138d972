"""Closed forms, exact certificates, and the two sparse paths against the dense ones."""

import math
import subprocess
import sys
from pathlib import Path

import networkx
import numpy as np
import pytest
from scipy.sparse import csr_array

from theorylab.constants import (
    _lanczos,
    lambda2,
    mixing,
    periodicity,
    perron,
    spectrum,
    symmetric_lambda,
)
from theorylab.constants.certified import certified_constants
from theorylab.known import How
from theorylab.topologies import topology

EPS = np.finfo(float).eps
SCRIPT = Path(__file__).resolve().parents[2] / "verify" / "constants.py"


@pytest.mark.parametrize("n", [2, 16, 100, 128, pytest.param(2000, marks=pytest.mark.slow)])
def test_the_lazy_directed_ring_has_the_gap_of_its_cosine(n):
    gap = 1 - lambda2(topology("directed-ring", n).matrix(0)).value
    assert abs(gap - (1 - math.cos(math.pi / n))) <= 64 * EPS * n  # the accuracy promised


@pytest.mark.parametrize("k", [1, 3, 7])
@pytest.mark.parametrize("name", ["directed-exponential", "hypercube", "complete"])
def test_graphs_of_two_to_the_k_have_their_closed_form(name, k):
    options = {"weights": "uniform"} if name == "hypercube" else {}
    expected = 0.0 if name == "complete" else 1 - 2 / (k + 1)
    value = lambda2(topology(name, 2**k, **options).matrix(0)).value
    assert abs(value - expected) <= 64 * EPS * 2**k


def test_a_nilpotent_disagreement_has_lambda2_zero_where_float64_sees_a_cloud():
    n = 64  # de Bruijn: j -> 2j, 2j + 1 mod n; P^6 = 11^T/n, one Jordan block of size 6
    rows = np.concatenate([2 * np.arange(n) % n, (2 * np.arange(n) + 1) % n])
    P = csr_array((np.full(2 * n, 0.5), (rows, np.tile(np.arange(n), 2))), shape=(n, n))
    assert np.sort(np.abs(np.linalg.eigvals(P.toarray())))[-2] > 1e-4
    known = lambda2(P)
    assert known.value <= 64 * EPS * n
    assert "exact characteristic polynomial" in known.source


def test_a_lazy_de_bruijn_graph_is_as_quick_as_it_is_defective():
    n = 128  # one Jordan block of size 7 at 1/2: digits are lost 7 times over
    rows = np.concatenate([2 * np.arange(n) % n, (2 * np.arange(n) + 1) % n, np.arange(n)])
    weights = np.repeat([0.25, 0.25, 0.5], n)
    P = csr_array((weights, (rows, np.tile(np.arange(n), 3))), shape=(n, n))
    assert abs(lambda2(P).value - 0.5) <= 64 * EPS * n


@pytest.mark.parametrize(
    ("name", "n", "options"),
    [
        ("star", 40, {"weights": "uniform"}),
        ("path", 64, {"weights": "uniform"}),
        ("grid", 36, {}),
        ("random-out", 20, {"degree": 2}),
        ("directed-ring", 33, {"weights": "lazy"}),  # above 32 only lambda_2 is enclosed
    ],
)
@pytest.mark.usefixtures("few_lags")
def test_the_float_is_within_64_n_eps_of_the_certificate(name, n, options):
    built = topology(name, n, **options)
    if built.period is None:
        P = built.matrix(0).tocoo()
        edges = [[int(j), int(i)] for i, j in zip(P.row, P.col, strict=True)]
        built = topology("edge-list", n, edges=edges, allow_disconnected=True)
    enclosed = certified_constants(built, 1)["lambda2"]
    value = lambda2(built.matrix(0)).value
    assert enclosed.lower - 64 * EPS * n <= value <= enclosed.upper + 64 * EPS * n


def test_uniform_weights_of_an_undirected_graph_are_symmetrised():
    P = topology("star", 9, weights="uniform").matrix(0)
    S = spectrum.symmetrised(P)
    assert np.array_equal(S.toarray(), S.toarray().T)
    law = spectrum.reversible_law(P)
    assert law == pytest.approx(np.array([9] + [2] * 8) / 25, rel=1e-14)
    assert spectrum.symmetrised(topology("directed-ring", 5).matrix(0)) is None
    cycle = np.array([[0.4, 0.4, 0.2], [0.2, 0.4, 0.4], [0.4, 0.2, 0.4]])
    assert spectrum.symmetrised(csr_array(cycle)) is None  # symmetric pattern, not reversible


@pytest.mark.parametrize("name", ["directed-ring", "star", "random-out", "ring"])
def test_the_perron_vector_is_fixed_and_sums_to_one(monkeypatch, name):
    options = {"weights": "uniform"} if name != "ring" else {}
    P = topology(name, 12, **options).matrix(0)
    exact = np.linalg.matrix_power(P.toarray(), 4096)[:, 0]
    for dense in (2000, 4):
        monkeypatch.setattr(mixing, "DENSE", dense)
        found = perron(P)
        # a step of the power iteration below 4 eps, over a gap above 0.01
        assert np.abs(found.vector - exact / exact.sum()).max() <= 1000 * EPS
        assert found.vector.sum() == pytest.approx(1, abs=12 * EPS)
        assert found.residual <= 100 * EPS


def test_two_closed_classes_have_no_single_perron_vector():
    with pytest.raises(
        ValueError, match=r"perron: 2 closed classes, e\.g\. those of clients 0 and 1"
    ):
        perron(csr_array(np.eye(2)))


@pytest.mark.parametrize("lengths", [(4, 6), (3, 5), (6, 9), (7,)])
def test_periodicity_is_the_gcd_of_the_cycles(lengths):
    graph, node = networkx.DiGraph(), 1
    for length in lengths:
        ring = [0, *range(node, node + length - 1)]
        networkx.add_cycle(graph, ring)
        node += length - 1
    A = networkx.to_numpy_array(graph, nodelist=range(node)).T
    known = periodicity(csr_array(A / A.sum(axis=0)))
    assert (known.value, known.how) == (math.gcd(*lengths), How.EXACT)


def test_lambda_is_for_symmetric_matrices_and_sees_the_negative_end():
    P = csr_array(np.array([[0.1, 0.9], [0.9, 0.1]]))
    assert symmetric_lambda(P).value == pytest.approx(0.8, abs=2 * EPS)
    with pytest.raises(ValueError, match=r"symmetric_lambda: P\[0,1\] = 0.0 but P\[1,0\] = 0.5"):
        symmetric_lambda(topology("directed-ring", 4).matrix(0))


@pytest.mark.parametrize("name", ["ring", "directed-ring"])
def test_a_gap_too_small_for_lanczos_is_enclosed_and_not_hidden(monkeypatch, name):
    monkeypatch.setattr(_lanczos, "MOST", 10)
    monkeypatch.setattr(spectrum, "DENSE", 10)
    known = lambda2(topology(name, 400).matrix(0))
    ring, directed = (1 + 2 * math.cos(2 * math.pi / 400)) / 3, math.cos(math.pi / 400)
    assert (known.how, known.value, known.upper) == (How.UPPER, 1, 1)
    assert "not converged" in known.source
    assert 0.5 < known.lower <= (ring if name == "ring" else directed)


@pytest.mark.slow
@pytest.mark.parametrize("case", ["regular", "exponential", "sequence", "peer"])
def test_the_scale_that_was_asked_for_is_reached(case):
    done = subprocess.run(
        [sys.executable, str(SCRIPT), case], capture_output=True, text=True, check=True
    )
    used, asked = done.stdout.strip().splitlines()[-1].split("; asked: ")
    seconds, gib = (
        float(used.split("all: ")[1].split(" s")[0]),
        float(used.split(", ")[2].split()[0]),
    )
    assert seconds <= float(asked.split(" s")[0])
    assert gib <= float(asked.split(", ")[1].split()[0])
    if case == "exponential":
        assert float(done.stdout.split("off by ")[1].split()[0]) <= 1e-6
