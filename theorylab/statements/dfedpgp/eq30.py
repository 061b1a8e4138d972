r"""(30): T_{3,v} by Lemma 3.

Printed: L_vu^2/(2m) sum_i E||ubar^t - z_i^t||^2 <= L_vu^2/2 (sigma_u^2 + sigma_g^2 + E Delta_u^t)
AA.

Without the factor L_vu^2/2 that both sides have it is the end of Lemma 3's proof, (19), and not
what Lemma 3 says, (13): AA has the K_u + 1 that (13) has lost. So it is judged as (19) is, with C
and q of the network (`printed/theorem1-constants`) and of (14) (`printed`). Its proof does not
prove it (``lem3``); no instance is known where it fails."""

from theorylab.statements import Check, Source, Statement, Version
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp.lem3 import STATEMENT as LEM3
from theorylab.symbols import C, q

_EQ19 = LEM3.versions["printed/eq19"]

STATEMENT = Statement(
    id="dfedpgp.eq30",
    source=Source("dfedpgp", "Eq. (30)", "T_{3,v} by Lemma 3"),
    algorithm="dfedpgp",
    quantity=LEM3.quantity,
    versions={
        "printed": Version(
            terms=_EQ19.terms,
            assumes=_EQ19.assumes,
            constants={C: "C_dfedpgp", q: "q_dfedpgp"},
            note="with C and q of (14)",
            checks=(
                Check("tiny-steps", cases.TINY_STEPS),
                Check("no-self-loops", cases.NEVER_MIXED, "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/theorem1-constants": Version(
            terms=_EQ19.terms,
            assumes=_EQ19.assumes,
            constants=_EQ19.constants,
            note="with C and q of the network",
            checks=(
                Check("noise", cases.CONSENSUS_NOISE),
                Check("alike-losses", cases.PUSHED),
                Check("one-away", cases.AWAY, "ASSUMPTION_FAILS"),
            ),
        ),
    },
)
