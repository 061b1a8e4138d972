"""What is known of a whole class, beside the checks of a theorem."""

from __future__ import annotations

from fractions import Fraction

from theorylab.topologies import topology

TREATED = (
    *("dfedsgpsm.thm1", "dfedpgp.thm1", "dfedalt.thm1_bound", "dfedsalt.thm2_bound", "deprl.thm1"),
)
CLIENTS = ROUNDS = 2  # of the case that is solved on the way: a few tenths of a second


def class_line(id: str) -> str:
    """A sentence or two about the worst case of the class of a statement; "" where none is known.

    The certificate is made here, and named by the command that writes it.
    """
    if id not in TREATED:
        return ""
    # slow to import, for commands that have no such statement
    from theorylab.report.number import decimal
    from theorylab.worst import NotSolvedError, UnboundedError
    from theorylab.worst.theorems import THEOREMS
    from theorylab.worst.triangle import triangles

    network = topology(THEOREMS[id].network, CLIENTS)
    try:
        made = triangles(id, network, ROUNDS, {})
        each = next(each for each in made if each.version == "corrected")
        reached = decimal(Fraction(each.replay().value), up=False)
        ran = f", and functions that the engine ran reach {reached}"
    except (NotSolvedError, UnboundedError, StopIteration):
        return ""
    except ArithmeticError:
        ran = ""
    certificate = each.answer.certificate
    if certificate is None or not each.proved:
        return ""
    return (
        f"[{each.version}] is PROVED for n = {CLIENTS} on {network.name} and "
        f"T = {ROUNDS}: the left side is at most {decimal(certificate.claim)}, the bound is "
        f"{decimal(each.least, up=False)}{ran}. The certificate: theorylab worst {id} "
        f"--clients {CLIENTS} --rounds {ROUNDS} --out DIR"
    )
