r"""Assumption 5: bounded diversity of the gradients by phi.

Printed: (1/N) sum_i E||grad_phi F_i(phi, theta_i) - grad_phi f(phi, {theta_i})||^2 <= varsigma^2
for all theta_i (and, as one phi stands in it, all phi). What E is over is not said; nothing in it
is random, and it is left out.

Judged at drawn points, phi common, every worker with a head of its own. Satisfiable: sin-sin, and
quadratics without coupling and with equal Hessians by phi (equality at every point, which rounding
leaves undecided). By no other quadratics: with N > 1 and grad_phi F_i linear in a coupled theta_i,
heads far apart make it as large as one likes. So it excludes least squares with a linear
representation, Collins et al.'s setting.
"""

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.deprl import _instances as cases
from theorylab.statements.deprl._symbols import varsigma

STATEMENT = Statement(
    id="deprl.asm5",
    source=Source("deprl", "Assumption 5", "bounded global variability"),
    experiment="drawn-points",
    quantity=Quantity(
        "mean_diversity",
        "rows",
        (2, -2),
        r"\frac1N\sum_i\|\nabla_\phi F_i(\phi,\theta_i)-\nabla_\phi f\|^2",
        pathwise=True,
    ),
    versions={
        "printed": Version(
            terms={"diversity": varsigma**2},
            assumes=(Assumption("Assumption 5", finite=(varsigma,)),),
            checks=(
                Check("sin-sin", cases.PROBED, "HOLDS"),
                Check("coupled-quadratic", cases.PROBED_COUPLED, "ASSUMPTION_FAILS"),
            ),
        ),
    },
)
