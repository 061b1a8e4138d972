r"""Figure 4: what "the convergence time is almost linearly decreasing" in N can show.

Printed ("Speedup"): "We validate our main theoretical result that DePRL achieves a linear speedup
of convergence. This often means that the convergence time (measures how quickly the gradient norm
converges to zero) should be linear in the number of workers ... the speedup (convergence time) is
almost linearly increasing (decreasing) as the number of workers increases."

Read as: with Corollary 1's alpha and beta and K = c/N rounds, (1/K) sum_k E||grad_phi f(phibar(k),
theta(k+1))||^2 over Corollary 1's bracket grows by at most 10^(1/20) per decade of N. Only the
gradient at the average of all representations is looked at; the distance to it, M(k)'s third term,
is not.

True here on a ring and on a complete graph. It is as true where nothing is averaged: on a directed
ring without self-loops P is a permutation, each worker hands its representation on and takes
another, and but for their names the workers are alone (P = I). Where all losses have one curvature
A, phibar(k+1) = (1 - beta A) phibar(k) - beta (mean noise) for every P whose columns sum to 1, so
the left side does not feel P at all: the mean noise has the variance sigma^2/N because N workers
draw, not because they agree. What the figure measures does not tell a network from none;
``cor1_speedup`` measures M(k), which does: without self-loops it does not converge (``cor1_rate``).
"""

import sympy as sp

from theorylab.statements import Check, Order, Quantity, Source, Statement, Version
from theorylab.statements.deprl import _instances as cases
from theorylab.statements.deprl._corollary1 import BRACKET, CHOSEN, HIDDEN
from theorylab.statements.deprl._theorem1 import ALL_STEPS, SHARED

STATEMENT = Statement(
    id="deprl.fig4",
    source=Source(
        "deprl", "Figure 4, Speedup", "the gradient norm falls as fast with fewer rounds"
    ),
    algorithm="deprl",
    quantity=Quantity(
        "deprl.gradient",
        "rows",
        (2, -2),
        r"\frac1K\sum_{k=0}^{K-1} E\|\nabla_\phi f(\bar\phi(k),\{\theta_i(k+1)\})\|^2",
    ),
    versions={
        "printed": Version(
            terms={"a twentieth of a decade": sp.Integer(10) ** sp.Rational(1, 20)},
            assumes=(*SHARED, ALL_STEPS, *CHOSEN),
            order=Order(BRACKET, HIDDEN),
            note="true where nothing is averaged, too",
            checks=(
                Check("ring", cases.FIG4_RING),
                Check("complete", cases.SPEEDUP_COMPLETE),
                Check("nothing-averaged", cases.SPEEDUP_HANDED_ON),
            ),
        ),
    },
)
