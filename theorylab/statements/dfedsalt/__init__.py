"""DFedSalt, "Towards More Suitable Personalization in Federated Learning": its own statements.

Those of DFedAlt, the same paper's, are in ``theorylab.statements.dfedalt``.
"""

LOCATORS = (  # a module each, in the paper's order
    "thm2 thm2_bound lem4 lem6 eq22 eq23 eq26 eq27 eq31 eq32 eq33"
).split()
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
