"""Mixing times, against powers in fractions and closed forms."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array

from theorylab.constants import mixing_time
from theorylab.known import How
from theorylab.statements import Check, Source, Statement, Version
from theorylab.symbols import mixing_time as letter
from theorylab.topologies import topology
from theorylab.verdicts import judge_check

# client j sends to j + 1 alone and keeps the rest, column by column
LAZY = [Fraction(1, 2), Fraction(1, 4), Fraction(3, 4), Fraction(7, 8)]


def chain():
    P = [[Fraction(0)] * 4 for _ in range(4)]
    for j, keeps in enumerate(LAZY):
        P[j][j], P[(j + 1) % 4][j] = keeps, 1 - keeps
    settled = [1 / (1 - keeps) for keeps in LAZY]  # what leaves a client is the same for all
    return P, [each / sum(settled) for each in settled]


def walked(P, settled, eps):
    """The least t, round by round, in fractions."""
    n = len(P)
    M, t = [[Fraction(int(i == j)) for j in range(n)] for i in range(n)], 0
    while max(sum(abs(M[i][j] - settled[i]) for i in range(n)) for j in range(n)) > eps:
        M = [[sum(P[i][k] * M[k][j] for k in range(n)) for j in range(n)] for i in range(n)]
        t += 1
    return t


def array(P):
    return csr_array(np.array(P, float))


@pytest.mark.parametrize(
    "eps", [Fraction(3, 2), Fraction(1, 2), Fraction(1, 10), Fraction(1, 10**4)]
)
def test_a_directed_chain_mixes_when_its_powers_say_so(eps):
    P, settled = chain()
    found = mixing_time(array(P), eps)
    assert found.lower == found.value == found.upper == walked(P, settled, eps)
    assert found.how is How.CERTIFIED


def two(e):
    """P^t = pi 1^T + (1 - 3 e)^t (I - pi 1^T), pi = (2/3, 1/3): d(t) = 4/3 (1 - 3 e)^t."""
    return array([[1 - e, 2 * e], [e, 1 - 2 * e]])


@pytest.mark.parametrize("power", [3, 6, 9, 12])
def test_a_gap_of_any_size_is_squared_away(power):
    e = 2.0**-30 if power == 9 else 10.0**-power
    right = math.log(8 / 3) / -math.log1p(-3 * e)  # d(t) = 1/2, no whole number
    assert mixing_time(two(e)).value == math.ceil(right)


def test_a_round_at_which_it_is_met_exactly_counts():
    # d(t) = 4/3 (1/4)^t is 1/3 at t = 1 and 1/12 at t = 2, which no ball decides
    for eps, right in (("1/3", 1), ("1/12", 2), ("1/13", 3)):
        assert mixing_time(two(0.25), eps).value == right


def test_what_never_settles_and_what_is_settled():
    swap = mixing_time(array([[0, 1], [1, 0]]))
    assert (swap.value, swap.how) == (math.inf, How.EXACT)
    assert "period 2" in swap.source
    assert mixing_time(array([[1]])).value == 0
    assert mixing_time(topology("complete", 5).matrix(0)).value == 1


@pytest.mark.parametrize("eps", [0, 2, -1, "x", float("nan"), True, None])
def test_another_eps_is_one_line(eps):
    with pytest.raises(ValueError, match=r"mixing_time: eps is .*; need a number in \(0, 2\)"):
        mixing_time(two(0.1), eps)


def test_more_clients_are_refused_before_any_work():
    with pytest.raises(ValueError, match="mixing_time: n is 65; need at most 64"):
        mixing_time(topology("ring", 65).matrix(0))


@pytest.mark.parametrize(
    ("network", "verdict"),
    [({"name": "path"}, "HOLDS"), ({"name": "random-out", "degree": 2}, "refused")],
)
def test_a_claim_may_name_it_where_the_network_is_one_matrix(network, verdict):
    run = {"problem": {"name": "quadratic", "dim": 1}, "topology": network, "clients": 4}
    run |= {"rounds": 2, "algorithm": {"eta": 0.1}}
    version = Version({"bound": 10**6 * letter}, (), (Check("one", run),))
    of = Statement("mix.one", Source("me", "1", "it"), "last_consensus", {"claim": version}, "sgp")
    if verdict == "refused":
        with pytest.raises(ValueError, match="nothing defines the constant 'mixing_time'"):
            judge_check(of, "claim", version.checks[0])
        return
    found = judge_check(of, "claim", version.checks[0])
    P = [[Fraction(2, 3), Fraction(1, 3), 0, 0], [Fraction(1, 3)] * 3 + [0]]
    P += [row[::-1] for row in P[::-1]]
    assert found.verdict == verdict
    assert found.bound == 10**6 * walked(P, [Fraction(1, 4)] * 4, Fraction(1, 2))
