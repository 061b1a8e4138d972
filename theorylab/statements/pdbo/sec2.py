r"""Section 2: SGP recovers DSGD and FedAvg.

Printed (Section 2): "By making p_ji(delta_j^(t)) form a doubly stochastic mixing matrix P^(t), Eq.
(4a) and Eq. (4b) recover the decentralized stochastic gradient descent (DSGD) in Bianchi et al.
(2013) and Lian et al. (2017), respectively. We can also recover FedAVG (McMahan et al., 2017) by
choosing a fully-connected graph with averaging over all clients, i.e., delta_{i->j}^(t) = 1 and
p_ij(delta_i^(t)) = 1/n for all i, j and t in Eq. (4a)." Footnote 1: "This is a mathematical
equivalence; FedAVG runs on a centralized network in practice."

Readings of the methods, whose texts are not quoted here: Sec. 2 says that (4a) runs local gradient
descent "before" and (4b) "after" communication, so with plain models x_i

    `printed`       x_i <- sum_j P_ij (x_j - a_j g_j(x_j))     step, then mix      (4a)
    `printed/lian`  x_i <- sum_j P_ij x_j - a_i g_i(x_i)       mix, then step      (4b)

with g_i at the model before the exchange, as (4b) has it. FedAVG averages all clients, all alike as
p_ij = 1/n and Eq. (1) have it (McMahan's weights are these for data sets of equal sizes):
`printed/fedavg` with one local step between averages, and `printed/fedavg-local` with K of them,
the "epoch-wise communication" that Appendix D has on FC, compared after equally many gradients.
omega^(0) is not printed; 1 is the reading (with c for every client it is DSGD with steps a_i / c).

True: rows of P^(t) sum to 1, so omega stays 1, x_i = z_i, and what is left of Eq. (2) is the plain
recursion. Columns sum to 1 by Eq. (3) in any case; where rows do not, omega moves and it is another
method (the controls).

Corrected: p_ij^(t) = 1/n where K divides t + 1, and in all other rounds delta_{i->j} = p_ij = 0 for
j != i (the "self-loop topology" of Section 5). Then K rounds of (4a) are K local steps and an
average. P^(t) is doubly stochastic in each of them; so this, too, is a special case of SGP.

`printed/self-loops` is a sentence of Section 5 (Sec. 5), on CDBO-Local, whose clients solve their
own inner problems: "by ... designing p_ij to form the self-loop topology in the inner SGP". True,
with P^(t) = I; E P is then not strongly connected, which Assumption 2 asks of an inner problem.

Measured: the largest difference over all t, clients and coordinates against rounding, the room of
an identity. Both sides are polynomials in the problem's numbers, divided by omega = 1 + O(u).
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._causes import LOCAL_STEPS
from theorylab.statements.pdbo._rounding import gamma
from theorylab.statements.pdbo._symbols import (
    alone_gap,
    average_gap,
    omega_start,
    schedule_gap,
    summands,
    sums_gap,
)
from theorylab.symbols import K, magnitude, n, roundoff


def _gap(column: str, text: str) -> Quantity:
    return Quantity(column, "rows", (0, 1), text, pathwise=True)


_BIANCHI = _gap("bianchi", r"\max_{t,i}\|x_i^{(t)} - x_i^{\mathrm{Bianchi}}\|_\infty")
_LIAN = _gap("lian", r"\max_{t,i}\|x_i^{(t)} - x_i^{\mathrm{Lian}}\|_\infty")
_FEDAVG = _gap("fedavg", r"\max_{t,i}\|x_i^{(t)} - x^{\mathrm{FedAvg}}\|_\infty")
_ALONE = _gap("alone", r"\max_{t,i}\|x_i^{(t)} - x_i^{\mathrm{local}}\|_\infty")
ROUNDING = {"rounding": gamma(summands) * magnitude}
START = Assumption("reading: omega^(0) = 1", rule=sp.Eq(omega_start, 0))
DOUBLY = Assumption("doubly stochastic P^(t), up to rounding", rule=sums_gap <= 4 * n * roundoff)
AVERAGING = Assumption("p_ij = 1/n in every round", rule=average_gap <= 4 * roundoff)
ONE_STEP = Assumption("reading: one local step", rule=sp.Eq(K, 1))
ALONE = Assumption("p_ii = 1 in every round", rule=alone_gap <= 4 * roundoff)
SCHEDULE = Assumption("p_ij = 1/n every K-th round, else P = I", rule=schedule_gap <= 4 * roundoff)

RING = {"clients": 5, "network": {"name": "ring", "weights": "metropolis"}}
ONE_PEER = {"clients": 4, "network": {"name": "one-peer-exponential"}, "step": [0.1, 0.2, 0.3, 0.4]}
STO_U = {"clients": 4, "network": {"name": "sto-u", "weights": "constant", "seed": 2}}
DIRECTED = {"clients": 5, "network": {"name": "directed-ring"}, "problem": {"noise": 0.0}}
# Columns sum to 1 alone: the weights leave 1.
UNEVEN = {"clients": 4, "network": {"name": "star", "weights": "uniform"}}
STO_D = {"clients": 4, "network": {"name": "sto-d", "seed": 2}}
WEIGHTED = {**RING, "omega0": [1.0, 2.0, 1.0, 1.0, 0.5]}
AVERAGE = {"clients": 5, "network": {"name": "complete"}}
LOOPS = [[i, i, 1.0] for i in range(3)]
SELF_LOOPS = {
    "clients": 3,
    "network": {"name": "edge-list", "edges": LOOPS, "allow_disconnected": True},
}
LOCAL = {**AVERAGE, "local_steps": 3}

_DSGD = (
    Check("metropolis-ring", RING),
    Check("one-peer", ONE_PEER),
    Check("random-undirected", STO_U),
    Check("directed-ring", DIRECTED),
    Check("uneven-star", UNEVEN, "ASSUMPTION_FAILS", control=True),
    Check("sto-d", STO_D, "ASSUMPTION_FAILS", control=True),
    Check("other-weights", WEIGHTED, "ASSUMPTION_FAILS", control=True),
)

STATEMENT = Statement(
    id="pdbo.sec2",
    source=Source("pdbo", "Section 2", "SGP recovers DSGD and FedAvg"),
    experiment="sgp-recovers",
    quantity=_BIANCHI,
    versions={
        "printed": Version(
            terms=ROUNDING,
            assumes=(DOUBLY, START),
            note="Eq. (4a) against step, then mix",
            checks=_DSGD,
        ),
        "printed/lian": Version(
            terms=ROUNDING,
            assumes=(DOUBLY, START),
            quantity=_LIAN,
            note="Eq. (4b) against mix, then step",
            checks=_DSGD,
        ),
        "printed/fedavg": Version(
            terms=ROUNDING,
            assumes=(AVERAGING, START, ONE_STEP),
            quantity=_FEDAVG,
            note="one local step between averages of all",
            mends=(LOCAL_STEPS,),
            checks=(
                Check("complete", AVERAGE),
                Check("metropolis-ring", RING, "ASSUMPTION_FAILS", control=True),
                Check("three-local-steps", LOCAL, "ASSUMPTION_FAILS", control=True),
            ),
        ),
        "printed/fedavg-local": Version(
            terms=ROUNDING,
            assumes=(AVERAGING, START),
            quantity=_FEDAVG,
            causes=(LOCAL_STEPS,),
            note="several local steps between averages, p_ij = 1/n for all t",
            checks=(Check("three-local-steps", LOCAL, "VIOLATED"),),
        ),
        "printed/self-loops": Version(
            terms=ROUNDING,
            assumes=(ALONE, START),
            quantity=_ALONE,
            note="Section 5: the self-loop topology leaves every client by itself",
            checks=(
                Check("self-loops", SELF_LOOPS),
                Check("metropolis-ring", RING, "ASSUMPTION_FAILS", control=True),
            ),
        ),
        "corrected/fedavg-local": Version(
            terms=ROUNDING,
            assumes=(SCHEDULE, START),
            quantity=_FEDAVG,
            note="clients keep to themselves between averages",
            mends=(LOCAL_STEPS,),
            checks=(
                Check("three-local-steps", {**LOCAL, "rests": 3}),
                Check("two-local-steps", {**AVERAGE, "local_steps": 2, "rests": 2}),
                Check("every-round", LOCAL, "ASSUMPTION_FAILS"),
            ),
        ),
    },
)
