r"""Algorithm 5: VR-HGP, as client i runs it, against Appendix B.

Printed (Appendix F). Three places differ from Appendix B
and from Section 4.2:

 1. line 22 of the algorithm: w_i += beta pbar_ij / dbar d phi_i u_j, where Appendix B has w_j
    (lines 16 and 20 send and receive w_j, which nothing uses then);
 2. line 2 sets v^(0) = c^lambda and line 25 returns v + c^lambda, where Appendix B has v^(0) = 0:
    after M rounds alpha^M c^lambda is left over;
 3. w^(0) is never set. Appendix B's c^y is taken.

`printed`: unbiased for B-bar sum_{m<M} A-bar^m c^y + c^lambda, as Appendix B is. `printed/line22`
and `printed/c-twice` have the first and the second difference alone; the bias of the second
vanishes with M. `corrected` is Appendix B. Line 25's v^(m) after the loop is
v^(M), see ``alg3``; a delta without its bar is read with it, see ``alg4``. `printed/letter` is
Appendix B with v^(M-1) for v^(M), the third place alone: its mean lacks B-bar A-bar^{M-1} c^y.
"""

from __future__ import annotations

from theorylab.statements import Check, Source, Statement, Version
from theorylab.statements.pdbo._causes import C_TWICE, RETURN, U_FOR_W
from theorylab.statements.pdbo._instances import STO_D, TWO, place
from theorylab.statements.pdbo._unbiased import BIAS, BIAS_TERMS, instances
from theorylab.statements.pdbo.asm6 import BOTH_WAYS

_QUIET = {**TWO, "noise": 0.0}  # five rounds of every outcome
_OPTIONS = {"terms": 3, "alpha": 0.6, "beta": 0.3}


def _cases(reading: str, **more: object) -> dict[str, dict[str, object]]:
    return {
        "sto-u": instances(reading, **_OPTIONS, **more)["sto-u"],
        "sto-d": {"place": place(_QUIET, STO_D), "reading": reading, **_OPTIONS, **more},
        "sto-d-4a": {"place": place(_QUIET, STO_D, "4a"), "reading": reading, **_OPTIONS, **more},
    }


_PRINTED = _cases("alg5")
_LINE_22 = {**_PRINTED["sto-d"], "alpha": 0.0}  # alpha^M c^lambda is 0
_LINES_2_25 = {**_PRINTED["sto-d"], "terms": 2}  # line 22 shows from M = 3 on

STATEMENT = Statement(
    id="pdbo.alg5",
    source=Source("pdbo", "Algorithm 5", "VR-HGP, client by client"),
    experiment="hgp-unbiased",
    quantity=BIAS,
    versions={
        "printed": Version(
            terms=BIAS_TERMS,
            assumes=(BOTH_WAYS,),
            causes=(U_FOR_W, C_TWICE),
            note="u_j in line 22, c^lambda in v^(0) and again at the end; w^(0) = c^y supplied",
            checks=(
                Check("line-22", _LINE_22, "VIOLATED", causes=(U_FOR_W,)),
                Check("lines-2-and-25", _LINES_2_25, "VIOLATED", causes=(C_TWICE,)),
                *(Check(name, one, "VIOLATED") for name, one in _PRINTED.items()),
            ),
        ),
        "printed/line22": Version(
            terms=BIAS_TERMS,
            assumes=(BOTH_WAYS,),
            causes=(U_FOR_W,),
            note="u_j in line 22, c^lambda once",
            mends=(C_TWICE,),
            checks=tuple(
                Check(name, one, "VIOLATED")
                for name, one in _cases("appendix-b", message="u").items()
            ),
        ),
        "printed/c-twice": Version(
            terms=BIAS_TERMS,
            assumes=(BOTH_WAYS,),
            causes=(C_TWICE,),
            note="w_j in line 22, c^lambda twice",
            mends=(U_FOR_W,),
            checks=tuple(
                Check(name, one, "VIOLATED") for name, one in _cases("alg5", message="w").items()
            ),
        ),
        "printed/letter": Version(
            terms=BIAS_TERMS,
            assumes=(BOTH_WAYS,),
            causes=(RETURN,),
            note="v^(m) of the last m, all else as Appendix B",
            mends=(U_FOR_W, C_TWICE),
            checks=tuple(
                Check(name, one, "VIOLATED")
                for name, one in _cases("appendix-b", letter=True).items()
            ),
        ),
        "corrected": Version(
            terms=BIAS_TERMS,
            assumes=(BOTH_WAYS,),
            note="Appendix B: w_j, v^(0) = 0, w^(0) = c^y",
            mends=(U_FOR_W, C_TWICE, RETURN),
            checks=tuple(Check(name, one) for name, one in _cases("appendix-b").items()),
        ),
    },
)
