"""The oracle is the printed text with powers written out, no logarithms, in 5000 digits."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from theorylab.constants import deprl_constants
from theorylab.known import How

CASES = [
    *({"clients": 2, "p": 0.5}, {"clients": 5, "p": 0.2, "L": 3.0, "local_steps": 4}),
    *({"clients": 8, "p": 1 / 3, "L": 0.25}, {"clients": 8, "p": 0.5, "L": 1e-12}),
    *({"clients": 1000, "p": 1 / 11}, {"clients": 30, "p": 0.001, "L": 1e100}),
]


def printed(clients, p, L=1.0, local_steps=1):
    """DePRL, Theorem 1 and Corollary 1."""
    N, p, L, tau = clients, mpmath.mpf(p), mpmath.mpf(L), local_steps
    C = 2 * (1 + p**-N) / (1 - p**N)
    q = (1 - p**N) ** (mpmath.mpf(1) / N)
    return {
        "C_deprl": C,
        "q_deprl": q,
        "gap_deprl": 1 - q,
        "deprl_head_step_cap": (1 + 36 * tau**2) / (tau * L),
        "deprl_step_cap": min(1 / L, mpmath.mpf(N) / 2, (1 - q) / (3 * mpmath.sqrt(2) * C * L * N)),
        "deprl_rounds": max(
            18 * C**2 * L**2 * N**3 / (1 - q) ** 2, (2 * L**2 + 2) ** 2 / (N * L**4), N * L**2
        ),
    }


@pytest.mark.parametrize("case", CASES)
def test_every_number_is_the_printed_one_rounded_outwards(case):
    found = deprl_constants(**case)
    with mpmath.workdps(5000):
        for name, exact in printed(**case).items():
            known, log = found[name], mpmath.log10(exact)
            # one rounding of the logarithm and one step outwards
            assert abs(known.log10 - log) <= 4 * np.finfo(float).eps * abs(log) + 1e-320, name
            if known.how is How.UPPER:
                assert known.value >= exact or known.value == 1.0, name
                assert known.log10 >= log or known.log10 == 0.0, name
            else:
                assert known.how is How.LOWER, name
                assert known.value <= exact, name
                assert known.log10 <= log, name
        for what in ("step_cap", "rounds"):
            log10 = found[f"deprl_log10_{what}"]
            assert (log10.value, log10.how) == (found[f"deprl_{what}"].log10,
                                                found[f"deprl_{what}"].how)  # fmt: skip


def test_a_case_worked_by_hand():
    found = deprl_constants(2, 0.5)
    C, q = Fraction(2 * (1 + 4), 1) / Fraction(3, 4), math.sqrt(Fraction(3, 4))
    assert found["C_deprl"].value == pytest.approx(float(C), rel=1e-15)  # 40/3
    assert found["q_deprl"].value == pytest.approx(q, rel=1e-15)
    K = 18 * float(C) ** 2 * 8 / (1 - q) ** 2
    # 1 - q loses three bits
    assert found["deprl_rounds"].value == pytest.approx(K, rel=1e-14)
    assert found["deprl_head_step_cap"].value == pytest.approx(37, rel=1e-15)


def test_the_term_that_binds_is_named():
    usual, flat = deprl_constants(8, 0.5), deprl_constants(8, 0.5, L=1e-12)
    assert usual["deprl_step_cap"].source.startswith("beta <= (1-q)/(3 sqrt(2) C L N)")
    assert usual["deprl_rounds"].source.startswith("K >= 18 C^2 L^2 N^3/(1-q)^2")
    assert flat["deprl_step_cap"].source.startswith("beta <= N/2")
    assert flat["deprl_rounds"].source.startswith("K >= (2 L^2 + 2)^2/(N L^4)")
    assert all("as printed" in known.source for known in usual.values())


def test_a_thousand_clients_overflow_nothing():
    found = deprl_constants(1000, 1 / 11)
    assert found["C_deprl"].value == found["deprl_rounds"].value == math.inf
    assert found["gap_deprl"].value == found["deprl_step_cap"].value == 0
    assert found["q_deprl"].value == 1.0
    for known in found.values():
        assert known.finite
        assert not any(math.isinf(v) for v in known.as_json().values() if isinstance(v, float))
    assert found["deprl_log10_step_cap"].value == pytest.approx(-2089.714, abs=1e-3)


def test_the_step_of_the_corollary_obeys_the_cap_of_the_theorem():
    # K >= 18 C^2 L^2 N^3/(1-q)^2 says sqrt(N/K) <= (1-q)/(3 sqrt(2) C L N)
    found = deprl_constants(9, 0.3, L=2.0)
    beta = (math.log10(9) - found["deprl_log10_rounds"].value) / 2
    assert beta == pytest.approx(found["deprl_log10_step_cap"].value, rel=1e-14)


@pytest.mark.parametrize("n", [3, 6])
def test_the_pair_bounds_every_entry_of_the_powers_where_it_is_proven(n):
    P = np.eye(n) / 2 + np.roll(np.eye(n), 1, axis=0) / 2
    found, power = deprl_constants(n, 0.5), np.eye(n)
    for lag in range(200):
        assert np.abs(power - 1 / n).max() <= found["C_deprl"].value * found["q_deprl"].value ** lag
        power = P @ power


def test_without_self_loops_the_printed_pair_is_false():
    # four clients on a ring, 1/2 from each neighbour: doubly stochastic, connected, period 2
    P = [[Fraction(abs(i - j) % 2, 2) for j in range(4)] for i in range(4)]
    square = [[sum(P[i][k] * P[k][j] for k in range(4)) for j in range(4)] for i in range(4)]
    fourth = [[sum(square[i][k] * square[k][j] for k in range(4)) for j in range(4)]
              for i in range(4)]  # fmt: skip
    assert fourth == square  # so |P^(2k)_00 - 1/4| = 1/4 for all k
    found = deprl_constants(4, 0.5)
    lag = next(lag for lag in itertools.count(0, 2)
               if found["C_deprl"].value * found["q_deprl"].value ** lag < 1 / 4)  # fmt: skip
    assert abs(square[0][0] - Fraction(1, 4)) == Fraction(1, 4)
    assert lag < 1000


def test_a_permutation_has_no_constants():
    for n in (1, 7):
        found = deprl_constants(n, 1.0)
        for name in ("C_deprl", "q_deprl", "deprl_rounds", "deprl_log10_rounds"):
            assert found[name].value == math.inf
            assert found[name].as_json()["value"] is found[name].log10 is None
            assert "p = 1, so 1 - p^N = 0" in found[name].source
        assert found["gap_deprl"].value == found["deprl_step_cap"].value == 0
        assert found["deprl_log10_step_cap"].value == -math.inf


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"clients": 0}, "clients is 0; need at least 1"),
        ({"p": 0.0}, "p is 0.0; need 0 < p <= 1"),
        ({"p": math.nan}, "p is nan; need 0 < p <= 1"),
        ({"L": math.inf}, "L is inf; need 0 < L < inf"),
        ({"local_steps": 0}, "local_steps is 0; need at least 1"),
    ],
)
def test_bad_numbers_are_named(wrong, message):
    with pytest.raises(ValueError, match=f"^deprl_constants: {message}$"):
        deprl_constants(**({"clients": 4, "p": 0.5} | wrong))
