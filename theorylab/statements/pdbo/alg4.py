r"""Algorithm 4: HGP, as client i runs it, against Eq. (12).

Printed (Appendix F; given p-bar_ij and dbar_{j->i}): receive u_j for every j with delta_{j->i} = 1
and add pbar_ij / delta_{j->i} d phi_i u_j (lines 8 to 10, 16 to 18), and d psi_i u_i (11, 19).

`printed`: it is Eq. (12), unbiased for B-bar sum_{m<M} A-bar^m c^y + c^lambda. True.

Readings. Lines 10 and 18 have no bar over delta in this text; "Input" names dbar_{j->i}, which is
used nowhere else, so the bar is read: the text's extraction loses such bars, see ``eq13``. Line 20
returns v^(m) after the loop: v^(M), or v^(M-1) to the letter (`printed/letter`), see ``alg3``.
"""

from theorylab.statements import Check, Source, Statement, Version
from theorylab.statements.pdbo._causes import RETURN
from theorylab.statements.pdbo._unbiased import BIAS, BIAS_TERMS, instances
from theorylab.statements.pdbo.asm6 import BOTH_WAYS

_BY_NAME = instances("alg4")

STATEMENT = Statement(
    id="pdbo.alg4",
    source=Source("pdbo", "Algorithm 4", "HGP, client by client"),
    experiment="hgp-unbiased",
    quantity=BIAS,
    versions={
        "printed": Version(
            terms=BIAS_TERMS,
            assumes=(BOTH_WAYS,),
            note="dbar in the denominators, v^(M) returned",
            mends=(RETURN,),
            checks=(
                *(Check(name, one) for name, one in _BY_NAME.items()),
                Check("three-terms", {**_BY_NAME["sto-u"], "terms": 3}),
            ),
        ),
        "printed/letter": Version(
            terms=BIAS_TERMS,
            assumes=(BOTH_WAYS,),
            causes=(RETURN,),
            note="v^(m) of the last m",
            checks=tuple(
                Check(name, {**one, "letter": True}, "VIOLATED") for name, one in _BY_NAME.items()
            ),
        ),
    },
)
