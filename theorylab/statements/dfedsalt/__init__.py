"""DFedSalt, "Towards More Suitable Personalization in Federated Learning": its own statements.

Those of DFedAlt, the same paper's, are in ``theorylab.statements.dfedalt``.
"""

from theorylab.statements.dfedsalt.eq22 import STATEMENT as EQ22
from theorylab.statements.dfedsalt.eq23 import STATEMENT as EQ23
from theorylab.statements.dfedsalt.eq26 import STATEMENT as EQ26
from theorylab.statements.dfedsalt.eq27 import STATEMENT as EQ27
from theorylab.statements.dfedsalt.eq31 import STATEMENT as EQ31
from theorylab.statements.dfedsalt.eq32 import STATEMENT as EQ32
from theorylab.statements.dfedsalt.eq33 import STATEMENT as EQ33
from theorylab.statements.dfedsalt.lem4 import STATEMENT as LEM4
from theorylab.statements.dfedsalt.lem6 import STATEMENT as LEM6
from theorylab.statements.dfedsalt.thm2 import STATEMENT as THM2
from theorylab.statements.dfedsalt.thm2_bound import STATEMENT as THM2_BOUND

STATEMENTS = (  # the paper's order
    THM2,
    THM2_BOUND,
    LEM4,
    LEM6,
    EQ22,
    EQ23,
    EQ26,
    EQ27,
    EQ31,
    EQ32,
    EQ33,
)
# What cannot be run, and why: locator -> reason.
NOT_RUN = {
    "Algorithm 1, line 18": "0/0 where the gradient is 0; the runs add nothing there, and every "
    "bound here allows any change of length rho at most",
    "Algorithm 1, line 19": "garbled in print: (u_i^{t,k}, e_i^{t+1}), and line 18's epsilon is "
    "not used; the runs have the gradient at u_i^{t,k} + epsilon(u_i^{t,k}), as the proof of "
    "Lemma 4. To the letter DFedSalt is DFedAlt, rho = 0, which every statement covers",
    "Remark 2": "says in words that SAM helps through L_u^2 and L_vu^2 and flatter models; no "
    "formula (both enter Theorem 2's bound so that larger ones make it larger)",
    "Equation (24)": "the same display as (10), dfedalt.eq10",
    "Equations (28) to (30)": "the same displays as (14) to (16): see dfedalt",
    "Equations (34) to (36)": "Theorem 2's display in the appendix, thm2 [printed/appendix]; "
    "(34) has L_vu for (35)'s L_vu^2, and no K_u^2, and the uncoupled loss that refutes thm2 "
    "feels neither",
    "Tables and figures": "listed with dfedalt: tab1 to tab6",
}
