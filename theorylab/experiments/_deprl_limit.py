"""What DePRL's left side stays above at Corollary 1's step sizes, however many rounds there are.

A window of a sweep proves nothing about a limit. Here is what is proved, for uncoupled quadratics
F_i = (phi - a_i)^T A_i (phi - a_i)/2 + (theta - b_i)^T B_i (theta - b_i)/2, beta^2 = N/K:

*A walk.* A_i = 0, additive noise of variance sigma_u^2 that is independent over workers and rounds,
P doubly stochastic with an eigenvalue besides 1 that has modulus 1. The deviations from the average
are E(k) = -beta sum_{m=1..k} (P^m - J) n(k - m), so E||E(k)||^2 = beta^2 sigma_u^2
sum_{m=1..k} ||P^m - J||_F^2. By Schur's inequality a squared Frobenius norm is at least the sum of
the squared moduli of the eigenvalues, so every summand is at least 1:

    1/K sum_{k<K} 1/N E||E(k)||^2 >= beta^2 sigma_u^2/N 1/K sum_{k<K} k = sigma_u^2 (K-1)/(2K).

The limit is r sigma_u^2/2 with r such eigenvalues: P is unitary on their space, which reduces it,
and what is left of P^m - J falls geometrically. On a ring of four with P_ij = 1/2 between
neighbours the eigenvalues are 1, 0, 0, -1, so that r = 1 and the inequality is an equality.

*Heads that stay.* By line 10 with tau = 1 no theta_i moves, and M(k) >= alpha tau/beta
||1/N sum_i B_i (theta_i(0) - b_i)||^2 with alpha tau/beta = 1/sqrt(N).
"""

from __future__ import annotations

import math

import numpy as np
from scipy.sparse import csr_array

from theorylab.constants import lambda2
from theorylab.experiments._deprl_instance import DeprlInstance
from theorylab.known import How
from theorylab.problems import CoupledQuadratic


def limit_from_below(at: DeprlInstance, alone: bool) -> float:
    """A number that the left side (``alone``: its distance) does not tend below; 0 if none is
    proved."""
    made = at.problem
    if not made.affine_gradient or (made.stochastic and made.noise_variances() is None):
        return 0.0
    assert isinstance(made, CoupledQuadratic)
    if np.any(made.C):
        return 0.0
    walk = stay = 0.0
    second = lambda2(csr_array(at.P))
    doubly = at.known["deprl_doubly"].value == 1
    if not np.any(made.A) and doubly and second.how is How.EXACT and second.value == 1:
        walk = made.field.parts[0].sigma ** 2 / 2
    if at.kept == 0 and not alone:
        start, b = at.start[:, at.shared :], made.centers[:, at.shared :]
        pull = np.matmul(made.B, (start - b)[..., None])[..., 0].mean(axis=0)
        stay = float(pull @ pull) / math.sqrt(made.clients)
    return max(walk, stay)
