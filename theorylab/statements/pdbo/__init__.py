"""PDBO, "Personalized Decentralized Bilevel Optimization over Stochastic and Directed Networks"."""

from theorylab.statements.pdbo._not_run import NOT_RUN as NOT_RUN

LOCATORS = (  # a module each, in the paper's order
    "sec2 sec2_convergence sec3 asm1 asm2 eq6 asm3 asm4 eq9 eq10 eq11 asm6 asm7 eq12 eq13 "
    "asm8 thm1 fn2 sec5 sec61 sec61_point tab1 tab1_da tab1_both tab1_fc tab1_low "
    "appa2 appa31 eq15 appb asm9 eq34 appc lem2 "
    "lem3 lem4 lem5 lem6 appc2 eq29 lem7 lem7_lines thm8 thm8_tail thm8_azuma thm8_series "
    "lem9 lem9_lines thm10 fig1 appc6 appc6_rounds fig2 asm10 thm11 thm11_gap thm11_cross "
    "thm11_sum appd_initial tab3 alg2 alg2_estimates alg3 alg4 alg5 appf tab4 tab4_percentile "
    "tab4_baselines eq41 eq42 itd_backward"
).split()
