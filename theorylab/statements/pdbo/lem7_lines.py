r"""Lines of the proof of Lemma 7 that are inequalities of their own.

Printed (C.3, of Y): "sum_s || 1_ts d g_t + pbar_ts d h_t - 1_ts B-bar^psi - pbar_ts B-bar^phi
||^2 <= (eta_B / (2 kappa))^2 (2 + 2 sum_s pbar_ts)", the bracket being 4, and the same in y with
eta_A. Over |zeta|^2, and without ||R_3||^2, which both sides have.

Corrected: 4 eta_B^2 / kappa^2, as every summand is at most (1_ts + pbar_ts)^2 (eta_B / kappa)^2 and
sum_s (1_ts + pbar_ts)^2 <= 1 + 2 + 1. It is what the next line has: ``lem7``. For one client whose
samples are as far apart as Assumption 9 lets them it is nearly attained; for two clients on the
complete network 5/8 of it is.
"""

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._assumption9 import SAMPLES
from theorylab.statements.pdbo._causes import HALF_APART
from theorylab.statements.pdbo._symbols import batch, eta_A, eta_B, kappa
from theorylab.statements.pdbo.lem7 import _ALONE, _DIRECTED

_SUM = r"|\zeta|^{-2}\sum_s\|\cdots\|^2"
_OF_B = Quantity("summed_B", "rows", (0, 2), rf"{_SUM}, \lambda", pathwise=True)
_OF_A = Quantity("summed_A", "rows", (0, 0), rf"{_SUM}, y", pathwise=True)
_B, _A = (eta_B / (kappa * batch)) ** 2, (eta_A / (kappa * batch)) ** 2
_MANY = {**_ALONE, "population": 64}  # the last sample is nearly alone on its side
_PAIR = {**_MANY, "clients": 2}
_CHECKS = (
    Check("two-clients", _PAIR, "VIOLATED"),
    Check("alone", _ALONE, "VIOLATED"),
    Check("many-samples", _MANY, "VIOLATED"),
)
_TRUE = (
    Check("two-clients", _PAIR),
    Check("alone", _ALONE),
    Check("many-samples", _MANY),
    Check("sto-d", _DIRECTED),
)

STATEMENT = Statement(
    id="pdbo.lem7_lines",
    source=Source("pdbo", "Lemma 7, proof", "the sums over s in Y"),
    experiment="hgp-blocks",
    quantity=_OF_B,
    versions={
        "printed": Version(
            terms={"sum over s": _B},
            assumes=SAMPLES,
            causes=(HALF_APART,),
            note="of Y_B",
            checks=_CHECKS,
        ),
        "printed/a": Version(
            terms={"sum over s": _A},
            assumes=SAMPLES,
            quantity=_OF_A,
            causes=(HALF_APART,),
            note="of Y_A",
            checks=_CHECKS,
        ),
        "corrected": Version(
            terms={"four times": 4 * _B}, assumes=SAMPLES, note="of Y_B", checks=_TRUE,
            mends=(HALF_APART,),
        ),
        "corrected/a": Version(
            terms={"four times": 4 * _A}, assumes=SAMPLES, quantity=_OF_A, note="of Y_A",
            checks=_TRUE, mends=(HALF_APART,),
        ),
    },
)  # fmt: skip
