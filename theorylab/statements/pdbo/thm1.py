r"""Theorem 1: the error of VR-HGP for stochastic gradient push.

Printed (Section 4.2; Assumptions 1 to 8, minibatches of b, alpha, beta in (0, 1)):
with probability at least 1 - epsilon,

    || \hat d_{lambda_i} Fbar - d_lambda Fbar(x*, lambda) ||
      <= mu_{alpha,beta} tau sqrt( ( sum_{i,j} pbar_ji^2 / delta_{i->j}^2 + 4 n / b )
             log( n (d_y + d_lambda) / epsilon ) ) + e^{-O(M)},        mu, tau as in Theorem 8.

Readings. delta_{i->j} without its bar would be a random 0 or 1 under a fraction bar: we read
dbar, as Appendix C prints. \hat d_{lambda_i} has d_lambda numbers, d_lambda Fbar n d_lambda: see
Theorem 8, whose readings of both sides and of e^{-O(M)} apply. Here M terms are used (Section
4.2's v^(M)); the proof has M + 1.

`printed` is about SGP, Eq. (4a) or (4b), the paper's own algorithm: Theorem 1 supposes Assumption
1, and the f_i enter the iteration (2) through (4a) and (4b) alone; Section 3 has x* "the optimum of
Eq. (1)" by it. It is empty: no instance of SGP satisfies Assumption 8. `printed/any-maps` takes
Section 2 at its word ("formulates SGP with further generalization"): any phi_i, psi_i that satisfy
Assumption 8, of which Assumption 1 says nothing. That holds, as Theorem 8 does.

Unsatisfiable by SGP. Assumption 8 asks for ||d_y phi_i||_2 <= eta_A / (2 kappa) with eta_A < 1 at
every y_i. Eq. (4a) and (4b), which Section 2 gives as SGP, have y_i = (z_i, omega_i) and send
omega_i as it is: d_y phi_i has the entry d omega_i' / d omega_i = 1, so ||d_y phi_i||_2 >= 1. But
kappa = sum_ij pbar_ji / dbar_{i->j} >= sum_ij pbar_ji = n (Appendix C), so eta_A / (2 kappa) < 1/2.
Nothing of the instance was used. On z alone it is no better: in (4b) d_z phi_i = I, of norm 1. In
(4a) d_z phi_i = I - (alpha_i / omega_i) H_i(z_i / omega_i); keep x_i = z_i / omega_i and let
omega_i grow ("for all y_i"): the norm tends to 1. (As omega_i -> 0 it, and (4b)'s psi, is
unbounded, H_i being positive definite by Assumption 1.)

Corrected. Let a = max ||A||_2 < 1 and b = max ||B||_2 over the draws of one round and the means
Abar, Bbar, on z (v never reads omega's part of u: lambda does not move omega), at y* only; phi_A,
phi_B the largest ||d_y phi_i||, ||d_lambda phi_i||; Delta_A, Delta_B the largest
||d g_i - E|| + ||d h_i - E|| of one sample. With R_3, L_4, L_5, R_1 as bounded in ``_bound``,

    error <= ||c^y|| sqrt( 2 log(2 / eps)
          [ (phi_B^2 S + Delta_B^2 n/b') sum |R_3|^2
            + (phi_A^2 S + Delta_A^2 n/b') sum (|L_4| a^i + |L_5| |R_1|)^2 ] )
          + b ||c^y|| a^M / (1 - a),      minibatches of b', and
    S = sum_{i,j} pbar_ji^2 s_ij^2,  s_ij = max(1, 1/dbar_{i->j} - 1), 0 where dbar_{i->j} = 1.

Proof. As Theorem 8, with Lemma 6's bounds in a and b: they use nothing but these norms. The sum is
a vector's martingale once c^y is applied, so that Pinelis (1994, Theorem 3.5) serves instead of
Tropp's inequality for matrices: P(|sum d_k| >= t) <= 2 exp(-t^2 / (2 sum A_k^2)) in a Euclidean
space, |d_k| <= A_k, with 2 for 8 and no dimension under the log. For X: |delta/dbar - 1| is 1 or
1/dbar - 1, as delta is 0 or 1, and 0 on an edge that is always there, as every self-loop is. For
Y: the block row of one sample is
e_t (x) G + pbar_t (x) H with G = d g - E, H = d h - E, and ||pbar_t||_2 <= sum_s pbar_ts = 1, so
its norm is at most ||G|| + ||H|| <= Delta, over b'; there are n b' of them a round. Assumption 8
implies a <= eta_A, b <= eta_B, phi <= eta / (2 kappa), Delta <= 4 eta / (2 kappa) and S <= sum
pbar^2 / dbar^2, so that this is below the printed bound: nothing is lost, and SGP meets a < 1 where
one step contracts enough (max ||A||_2 < 1; the check "sgp-4a"). Assumptions 1 to 3 enter only
through y*. What holds without the theorem is Theorem 8's ``TRIVIAL``, in Assumption 8's constants.
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Source, Statement, Version, Witness
from theorylab.statements.pdbo._assumption9 import SGP_MAPS
from theorylab.statements.pdbo._bound import EDGES, PINELIS, TRIVIAL, WEIGHTS, apart, explicit, sums
from theorylab.statements.pdbo._causes import OMEGA
from theorylab.statements.pdbo._symbols import (
    batch,
    c_norm,
    dev_A,
    dev_B,
    edge_swing,
    kappa,
    omega_entry,
    op_A,
    op_B,
    phi_A,
    phi_B,
    terms,
)
from theorylab.statements.pdbo.thm8 import (
    ASSUMES,
    ERROR,
    EXACT,
    EXTREME,
    MINIBATCHES,
    TEN_CLIENTS,
)
from theorylab.symbols import n

_first, _second = sums(terms - 1, op_A)
_variance = (phi_B**2 * edge_swing + dev_B**2 * n / batch) * _first + op_B**2 * (
    phi_A**2 * edge_swing + dev_A**2 * n / batch
) * _second
CORRECTED = {
    "noise": c_norm * sp.sqrt(PINELIS * _variance),
    "truncation": op_B * c_norm * op_A**terms / (1 - op_A),
}
CORRECTED_ASSUMES = (
    *EDGES,
    *WEIGHTS,
    Assumption("corrected: a = max ||A||_2 < 1", rule=op_A < 1),
    Assumption("corrected: b = max ||B||_2 finite", finite=(op_B,)),
    apart(op_A),
)
_NOT_SGP = Witness(
    breaks="Assumption 8: eta_A < 1",
    facts=(
        Assumption("Eq. (4a), (4b): phi_i hands omega_i on", rule=sp.Eq(omega_entry, 1)),
        # kappa >= n; the factor 2 leaves room for rounding, and 1 <= ||d phi|| < 1/(2 kappa) <= 1/n
        # is still impossible.
        Assumption("kappa >= n (Appendix C)", rule=2 * kappa >= n),
    ),
    within=SGP_MAPS,
)
SGP_4A = {
    "maps": "sgp",
    "terms": [1, 2, 3],
    "eps_chance": 0.05,
    "sgp": {"step": 0.4, "variant": "4a"},
    "problem": {"noise": 0.1},
    "alpha": 0.7,
    "beta": 0.2,
}
SGP_CONTRACTING = {
    **{"maps": "sgp", "clients": 8, "terms": [40], "law": "sample", "eps_chance": 0.2},
    **{"sgp": {"step": 0.5, "variant": "4a"}, "alpha": 0.95, "beta": 0.2},
    "problem": {"mu": 1.9, "L": 2.1},
}
SGP_4B = {**SGP_4A, "sgp": {"step": 0.4, "variant": "4b"}}

STATEMENT = Statement(
    id="pdbo.thm1",
    source=Source("pdbo", "Theorem 1", "error of VR-HGP with probability 1 - epsilon"),
    experiment="hgp-error",
    quantity=ERROR,
    trivial=TRIVIAL,
    versions={
        "printed": Version(
            terms=explicit(terms - 1),
            assumes=ASSUMES,
            unsatisfiable=_NOT_SGP,
            causes=(OMEGA,),
            note="for SGP, Eq. (4a)/(4b), the paper's own algorithm: empty, phi_i hands omega_i on",
            checks=(
                Check("sgp-4a", SGP_4A, "UNSATISFIABLE"),
                Check("sgp-4b", SGP_4B, "UNSATISFIABLE"),
            ),
        ),
        "printed/any-maps": Version(
            terms=explicit(terms - 1),
            assumes=ASSUMES,
            note="for any maps that satisfy Assumption 8; SGP's do not",
            mends=(OMEGA,),
            checks=(Check("ten-clients", TEN_CLIENTS),),
        ),
        "corrected": Version(
            terms=CORRECTED,
            assumes=CORRECTED_ASSUMES,
            note="norms of whole rounds at y*, on z",
            mends=(OMEGA,),
            checks=(
                Check("ten-clients", TEN_CLIENTS),
                Check("sgp-4a", SGP_CONTRACTING),
                Check("every-pattern", EXACT),
                Check("extreme-maps", EXTREME),
                Check("minibatches", MINIBATCHES),
            ),
        ),
    },
)
