"""A left side of DePRL's at K rounds with Corollary 1's steps, which are set here anew."""

import math

from theorylab.known import How, Known
from theorylab.metrics import measured, metric
from theorylab.verdicts.instance import built, parsed


def left_side(column, K, *, problem, topology, clients, tau=1, x0=0.0):
    """The row of ``deprl.<column>``, whose L is not in it."""
    steps = {"alpha": 1 / (tau * math.sqrt(K)), "beta": math.sqrt(clients / K), "tau": tau}
    run = {"problem": problem, "topology": topology, "clients": clients, "algorithm": steps}
    data = {**run, "rounds": K, "law": "moments", "x0": x0}
    known = {"deprl_L": Known(math.inf, How.EXACT, "of no left side here")}
    setting = built("here", parsed("here", data), "deprl")
    (row,) = measured(metric(f"deprl.{column}"), setting, known, law="moments").rows
    return row
