"""The tool's own theorem as the third corner of the triangle: `dfedsgpsm.thm1`, corrected."""

from __future__ import annotations

from theorylab.constants import topology_constants
from theorylab.known import How, Known
from theorylab.statements import evaluate
from theorylab.statements.dfedsgpsm.thm1 import STATEMENT
from theorylab.tightness.setting import GAP, B, L
from theorylab.topologies import Topology
from theorylab.verdicts.evidence import constant_name, settled, value_on_side

VERSION = "corrected"


def corrected_theorem1(
    network: Topology, *, eta: float, alpha: float, local_steps: int, rounds: int
) -> Known:
    """The bound for every run of Algorithm 1 from x^0 = 0 without SAM and noise.

    The class of losses: L-smooth, f(x^0) - f* <= GAP, |grad f_i| <= B along the run. The proof
    (``statements.dfedsgpsm.thm1``) uses Assumption 5 at the gradients that are taken, nowhere else.

    Raises:
        ValueError: one line naming the assumption that these numbers break.
    """
    version = STATEMENT.versions[VERSION]
    given = {"L": L, "L_sample": L, "B": B, "sigma_l": 0.0, "f0": GAP, "f_star": 0.0}
    given |= {"eta": eta, "alpha": alpha, "rho": 0.0, "decay": 1.0, "K": local_steps}
    given |= {"T": rounds, "x0_spread": 0.0, "noise_clients": network.clients}
    table = topology_constants(network, horizon=rounds)
    table |= {name: Known(float(v), How.EXACT, "of the class") for name, v in given.items()}
    wanted = {s: table[constant_name(version, s)] for s in version.free}
    for assumption in version.assumes:
        result = settled(assumption, wanted)
        if not result.holds:
            raise ValueError(
                f"{STATEMENT.id} [{VERSION}]: {assumption.name} fails: {result.reason}"
            )
    values = {s: value_on_side(s, wanted[s]) for s in version.bound.free_symbols}
    bound = evaluate(version.bound, values)
    return Known(float(bound), How.UPPER, f"{STATEMENT.id} [{VERSION}], C and q in the 2-norm")
