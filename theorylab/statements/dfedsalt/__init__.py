"""DFedSalt, "Towards More Suitable Personalization in Federated Learning": its own statements.

Those of DFedAlt, the same paper's, are in ``theorylab.statements.dfedalt``.
"""

from theorylab.statements.dfedsalt.eq33 import STATEMENT as EQ33
from theorylab.statements.dfedsalt.lem4 import STATEMENT as LEM4
from theorylab.statements.dfedsalt.lem6 import STATEMENT as LEM6
from theorylab.statements.dfedsalt.thm2 import STATEMENT as THM2
from theorylab.statements.dfedsalt.thm2_bound import STATEMENT as THM2_BOUND

STATEMENTS = (THM2, THM2_BOUND, LEM4, LEM6, EQ33)  # the paper's order
# What cannot be run, and why: locator -> reason.
NOT_RUN = {
    "Remark 2": "says in words that SAM helps through L_u^2 and L_vu^2 and flatter models; no "
    "formula (both enter Theorem 2's bound so that larger ones make it larger)",
    "Equations (22) to (32)": "steps of the proof of (33), which is not their sum; eq33 judges "
    "(27) + (32) too and says where they fail",
    "Equations (34) to (36)": "Theorem 2's display in the appendix, thm2 [printed/appendix]",
    "Tables and figures": "listed with dfedalt",
}
