import math
import pathlib
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb, ctx
from scipy.sparse import block_diag

import theorylab
from theorylab.constants import certified_constants, certified_spectrum
from theorylab.constants._certified_matrix import exact_matrix
from theorylab.constants._certified_spectrum import from_charpoly, from_powers, second_modulus
from theorylab.known import How
from theorylab.topologies import topology


def edge_list(A, **options):
    """The topology of a dense column-stochastic A."""
    edges = [[int(j), int(i), float(A[i, j])] for i, j in zip(*np.nonzero(A), strict=True)]
    return topology("edge-list", len(A), edges=edges, self_loops=False, **options)


def random_weights(n, degree, seed):
    P = topology("random-out", n, degree=degree, seed=seed).matrix(0).toarray()
    P *= np.random.default_rng(seed).uniform(0.1, 1, P.shape)
    return P / P.sum(axis=0)


def holds(known, exact):
    """The ball ``exact``, much narrower than a float64 spacing, lies in the certified interval."""
    assert known.how is How.CERTIFIED
    assert known.lower <= known.value <= known.upper
    return arb(known.lower) <= exact.upper() and exact.lower() <= arb(known.upper)


def narrow(known):
    return known.upper - known.lower <= 2 * math.ulp(known.upper)  # one rounding on each side


def ring_law(n):
    return (arb(1) / n).cos_pi()


def metropolis_ring_law(n):
    return (1 + 2 * (arb(2) / n).cos_pi()) / 3


def exponential_law(n):
    return 1 - arb(2) / n.bit_length()  # Ying et al. 2021: gap 2 / (log2 n + 1)


def complete_law(n):
    return arb(0)


LAWS = [
    *(("directed-ring", n, {}, ring_law) for n in (3, 8, 33, 128)),
    *(("ring", n, {}, metropolis_ring_law) for n in (5, 16, 127)),
    *(("directed-exponential", n, {}, exponential_law) for n in (4, 16, 128)),
    *(("hypercube", n, {"weights": "uniform"}, exponential_law) for n in (4, 32, 128)),
    *(("complete", n, {}, complete_law) for n in (2, 7, 64)),
]


@pytest.mark.parametrize(("name", "n", "options", "law"), LAWS)
def test_the_enclosure_holds_the_closed_form_and_is_two_ulp_wide(name, n, options, law):
    known = certified_constants(topology(name, n, **options), 1)
    with ctx.workprec(300):
        assert holds(known["lambda2"], law(n))
        assert holds(known["spectral_gap"], 1 - law(n))
    assert narrow(known["lambda2"])
    assert narrow(known["spectral_gap"])
    assert "exact fractions" in known["lambda2"].source


@pytest.mark.parametrize(
    ("name", "law"), [("directed-ring", ring_law), ("ring", metropolis_ring_law)]
)
def test_above_128_clients_powers_enclose_the_closed_form(name, law):
    known = certified_spectrum(topology(name, 150))["lambda2"]
    with ctx.workprec(300):
        assert holds(known, law(150))
    # log(n ||.||) / 2^48, a few times over: n = 150 and norms of powers below n
    assert known.upper - known.lower <= 8 * math.log(150) * 2**-48
    assert "tr M^m" in known.source


@pytest.mark.parametrize("seed", range(4))
def test_powers_and_polynomial_agree_on_nonnormal_matrices(seed):
    P = exact_matrix(topology("random-out", 20, degree=3, seed=seed).matrix(0))
    low, high = from_charpoly(P)
    (wide_low, wide_high), _ = from_powers(P)
    assert wide_low <= high
    assert low <= wide_high
    assert wide_high - wide_low <= 1e-12  # log(20) / 2^48 times a condition number


def test_an_eigenvalue_one_that_comes_twice_stays_exactly_one():
    A = topology("directed-ring", 4).matrix(0)
    apart = edge_list(block_diag([A, A]).toarray(), allow_disconnected=True)
    known = certified_constants(apart, 2)
    assert (known["lambda2"].lower, known["lambda2"].upper) == (1.0, 1.0)
    assert (known["spectral_gap"].lower, known["spectral_gap"].upper) == (0.0, 0.0)
    assert known["C"].value == math.inf
    assert "not certified: no q < 1: union of the edges" in known["C"].source


@pytest.mark.usefixtures("few_lags")
def test_roots_of_unity_are_exactly_one_and_close_ones_are_not():
    around = certified_spectrum(topology("directed-ring", 5, self_loops=False))["lambda2"]
    assert (around.lower, around.upper) == (1.0, 1.0)
    tiny = 2.0**-45
    close = edge_list(np.array([[1 - tiny, tiny], [tiny, 1 - tiny]]))
    known = certified_constants(close, 2)
    assert known["lambda2"].upper < 1
    assert known["spectral_gap"].lower == known["spectral_gap"].upper == 2 * tiny


def test_a_defective_eigenvalue_is_found_exactly():
    # de Bruijn: P = 11^T/n + a nilpotent part with Jordan blocks of size log2 n
    edges = sorted({(i, (2 * i + b) % 64) for i in range(64) for b in (0, 1)})
    lazy = topology("edge-list", 64, edges=edges, weights="lazy", self_loops=False)
    known = certified_spectrum(lazy)["lambda2"]
    assert (known.lower, known.upper) == (0.5, 0.5)


@pytest.mark.parametrize("n", [2, 3, 6, 9])
def test_any_weights_agree_with_fifty_digits(n):
    A = random_weights(n, min(n - 1, 3), seed=n)
    P = exact_matrix(edge_list(A).matrix(0))
    known = certified_spectrum(edge_list(A))["lambda2"]
    with mpmath.workdps(50):
        exact = mpmath.matrix(n, n)
        for i in range(n):
            for j in range(n):
                exact[i, j] = mpmath.mpf(int(P.numerators[i, j])) / P.denominator
                assert abs(exact[i, j] - A[i, j]) <= n * np.finfo(float).eps
        moduli = sorted((abs(v) for v in mpmath.eig(exact, right=False)), reverse=True)
        slack = mpmath.mpf(10) ** -20  # 50 digits, and eigenvalues better conditioned than 1e30
        assert abs(moduli[0] - 1) <= slack
        assert known.lower - slack <= moduli[1] <= known.upper + slack
    assert narrow(known)


def test_every_certified_matrix_has_column_sums_of_exactly_one():
    for P in (
        topology("random-out", 30, degree=6).matrix(0),
        topology("erdos-renyi", 40, seed=1, redraw=True, weights="lazy-metropolis").matrix(0),
        edge_list(random_weights(12, 4, seed=3), allow_disconnected=True).matrix(0),
    ):
        E = exact_matrix(P)
        n, dense = P.shape[0], P.toarray()
        entries = np.array([int(v) for v in E.numerators.entries()], dtype=object).reshape(n, n)
        assert all(entries.sum(axis=0) == E.denominator)
        off = max(
            abs(Fraction(int(entries[i, j]), E.denominator) - Fraction(float(dense[i, j])))
            for i in range(n)
            for j in range(n)
        )
        assert off <= n * Fraction(1, 2**52)
        assert all(v > 0 for v in entries[dense > 0])
        assert not entries[dense == 0].any()


def test_the_source_says_which_matrix_is_meant():
    third = exact_matrix(topology("directed-exponential", 6).matrix(0))
    assert third.rule == "the weights as exact fractions"
    assert int(third.numerators[0, 0]) / third.denominator == pytest.approx(1 / 4)
    given = exact_matrix(edge_list(random_weights(5, 2, seed=0), allow_disconnected=True).matrix(0))
    assert given.rule.startswith("the float64 weights as they are stored")
    tenth = exact_matrix(edge_list(np.array([[0.9, 0.1], [0.1, 0.9]])).matrix(0))
    assert (tenth.denominator, tenth.rule) == (10, "the weights as exact fractions")


def test_a_period_is_certified_as_its_product_and_a_drawn_sequence_has_no_spectrum():
    cycle = certified_constants(topology("one-peer-exponential", 64), 3)
    assert (cycle["lambda2"].lower, cycle["lambda2"].upper) == (0.0, 0.0)
    assert "product over one period of 6 rounds" in cycle["lambda2"].source
    drawn = certified_constants(topology("random-out", 5, degree=2), 3)
    assert set(drawn) == {"delta", "C", "q", "C_row", "q_row"}


def test_what_is_too_large_is_not_called_certified(monkeypatch):
    known = certified_constants(topology("directed-ring", 33), 20)
    for name in ("C", "q", "C_row", "q_row"):
        assert known[name].how is How.UPPER
        assert "not certified: n is 33; need n <= 32" in known[name].source
    monkeypatch.setattr("theorylab.constants._certified_spectrum.POWERS", 100)
    large = certified_constants(topology("directed-ring", 129), 2)
    assert large["lambda2"].how is not How.CERTIFIED
    assert "not certified: n is 129; need n <= 100" in large["lambda2"].source
    with pytest.raises(ValueError, match="horizon is 0; need at least 1"):
        certified_constants(topology("directed-ring", 3), 0)


def test_only_this_path_says_certified():
    package = pathlib.Path(theorylab.__file__).parent
    saying = {p.name for p in package.rglob("*.py") if "How.CERTIFIED" in p.read_text()}
    assert "certified.py" in saying
    giving = {
        p.name
        for p in (package / "constants").rglob("*.py")
        if "How.CERTIFIED" in p.read_text() and p.name != "certified.py"
    }
    assert giving == {"mixing_time.py"}  # by squaring in balls: tests/constants/test_mixing_time.py


def test_one_client_and_two():
    alone = certified_constants(topology("complete", 1), 3)
    assert (alone["lambda2"].value, alone["C"].value, alone["q"].value) == (0.0, 0.0, 0.0)
    assert second_modulus(exact_matrix(topology("complete", 2).matrix(0)))[0] == (0, 0)


def test_the_spectrum_alone_is_that_of_all_constants():
    for name in ("directed-ring", "one-peer-exponential"):
        network = topology(name, 6)
        every = certified_constants(network, 3)
        names = ("lambda2", "spectral_gap", "sigma2")
        assert certified_spectrum(network) == {k: every[k] for k in names}
    with pytest.raises(ValueError, match="random-out is drawn; need one period"):
        certified_spectrum(topology("random-out", 4))
