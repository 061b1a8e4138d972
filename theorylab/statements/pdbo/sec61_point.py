r"""Section 6.1: y^(T) in the place of y*.

Printed (Section 6.1): "approximates y_i^* by y_i^(T) obtained from the T steps of
inner-optimization. Theorem 11 [...] proves this approximation of y_i^* is reasonable when ||y_i^(T)
- y_i^*|| is sufficiently small". Theorem 11's bound has G = n sum_i ||y_i^* - y_i^(T)||, and n T
steps are what is done about it. On networks whose edges are drawn anew G does not go to 0 with T.

`implied`: E ||omega^(T) - omega*||^2 -> 0. omega^(T) = P^(T-1) ... P^(0) 1 is a part of y^(T), and
moves on with every P that does not keep omega*. The limit is the trace of C = E[P C P^T] +
E[(P omega* - omega*) (.)^T], 1^T C = 0: the chain E[P (x) P] of two walkers, whose columns sum to
1, has one closed class, without a period as p_ii > 0. It is 0 only where P omega* = omega* for
every outcome, as on static networks. `implied/z`: where rows of every P sum to 1, omega stays 1,
and E ||z^(T) - z*||^2 -> 0 is claimed of x = z alone: false, the models differ between clients
(``eq6``), so that a random P moves them. `implied/nearer` is the least that an approximation can
be: omega^(T) is nearer to omega* than the start is. It is further away.

Corrected: the mean approaches it, at a rate:

    || E omega^(T) - omega* || <= sqrt(omega_max / omega_min) sigma^T || 1 - omega* ||.

Proof. D = diag(omega*), S = D^{-1/2} E P D^{1/2}, d = sqrt(omega*): S d = d as E P omega* = omega*,
and d^T S = d^T as columns of E P sum to 1; d^T d = n. So (S - d d^T / n)^T = S^T - d d^T / n, and,
as sum_i (1 - omega*_i) = 0, D^{-1/2} (E omega^(T) - omega*) = (S - d d^T / n)^T D^{-1/2} (1 -
omega*). sigma = ||S - d d^T / n||_2 <= 1, and below 1 where p_ii > 0 on a connected graph.
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._causes import DRAWN_EDGES
from theorylab.statements.pdbo._instances import STO_D
from theorylab.statements.pdbo._symbols import (
    contraction,
    omega_ratio,
    omega_room,
    self_weight,
    start_gap,
    z_room,
)
from theorylab.statements.pdbo.asm2 import CONNECTED
from theorylab.symbols import T

_AWAY = Quantity("omega", "rows", (0, 0), r"E\|\omega^{(T)}-\omega^*\|^2")
_LIMIT = Quantity("omega_limit", "rows", (0, 0), r"\lim_T E\|\omega^{(T)}-\omega^*\|^2")
_OF_Z = Quantity("z_limit", "rows", (0, 2), r"\lim_T E\|z^{(T)}-z^*\|^2")
_MEAN = Quantity("omega_mean", "rows", (0, 0), r"\|E\,\omega^{(T)}-\omega^*\|")
_LOOPS = Assumption("every client keeps a share: p_ii > 0", rule=self_weight > 0)
_ASSUMES = (CONNECTED, _LOOPS)
DRAWN = {"network": STO_D, "rounds": [1, 10, 100, 1000, 4000]}
PAIRED = {"network": {"name": "sto-u", "weights": "constant", "seed": 2}}
STATIC = {"network": {"name": "star", "weights": "uniform"}, "rounds": [10, 100]}
RING = {"network": {"name": "ring", "weights": "metropolis"}}

STATEMENT = Statement(
    id="pdbo.sec61_point",
    source=Source("pdbo", "Section 6.1", "y^(T) approximates y*"),
    experiment="sgp-approach",
    quantity=_LIMIT,
    versions={
        "implied": Version(
            terms={"rounding": omega_room},
            assumes=_ASSUMES,
            causes=(DRAWN_EDGES,),
            note="omega^(T) approaches omega*, in mean square",
            checks=(
                Check("sto-d", DRAWN, "VIOLATED"),
                Check("static", STATIC),
                Check("constant-weights", PAIRED),
            ),
        ),
        "implied/z": Version(
            terms={"rounding": z_room},
            assumes=_ASSUMES,
            quantity=_OF_Z,
            causes=(DRAWN_EDGES,),
            note="z^(T) approaches z*, in mean square, where omega stays 1",
            checks=(Check("constant-weights", PAIRED, "VIOLATED"), Check("ring", RING)),
        ),
        "implied/nearer": Version(
            terms={"the start": start_gap**2},
            assumes=_ASSUMES,
            quantity=_AWAY,
            causes=(DRAWN_EDGES,),
            note="omega^(T) is nearer to omega* than omega^(0) is",
            checks=(Check("sto-d", DRAWN, "VIOLATED"), Check("static", STATIC)),
        ),
        "corrected": Version(
            terms={
                "start": sp.sqrt(omega_ratio) * contraction**T * start_gap,
                "rounding": sp.sqrt(omega_room),
            },
            assumes=_ASSUMES,
            quantity=_MEAN,
            note="the mean of omega^(T) approaches omega*",
            mends=(DRAWN_EDGES,),
            checks=(Check("sto-d", DRAWN), Check("static", STATIC)),
        ),
    },
)
