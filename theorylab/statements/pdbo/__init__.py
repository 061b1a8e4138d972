"""PDBO, "Personalized Decentralized Bilevel Optimization over Stochastic and Directed Networks"."""

from theorylab.statements.pdbo._not_run import NOT_RUN as NOT_RUN
from theorylab.statements.pdbo.alg2 import STATEMENT as ALG2
from theorylab.statements.pdbo.alg2_estimates import STATEMENT as ALG2_ESTIMATES
from theorylab.statements.pdbo.alg3 import STATEMENT as ALG3
from theorylab.statements.pdbo.alg4 import STATEMENT as ALG4
from theorylab.statements.pdbo.alg5 import STATEMENT as ALG5
from theorylab.statements.pdbo.appa2 import STATEMENT as APPA2
from theorylab.statements.pdbo.appa31 import STATEMENT as APPA31
from theorylab.statements.pdbo.appb import STATEMENT as APPB
from theorylab.statements.pdbo.appc import STATEMENT as APPC
from theorylab.statements.pdbo.appc2 import STATEMENT as APPC2
from theorylab.statements.pdbo.appc6 import STATEMENT as APPC6
from theorylab.statements.pdbo.appc6_rounds import STATEMENT as APPC6_ROUNDS
from theorylab.statements.pdbo.appf import STATEMENT as APPF
from theorylab.statements.pdbo.asm1 import STATEMENT as ASM1
from theorylab.statements.pdbo.asm2 import STATEMENT as ASM2
from theorylab.statements.pdbo.asm3 import STATEMENT as ASM3
from theorylab.statements.pdbo.asm4 import STATEMENT as ASM4
from theorylab.statements.pdbo.asm6 import STATEMENT as ASM6
from theorylab.statements.pdbo.asm7 import STATEMENT as ASM7
from theorylab.statements.pdbo.asm8 import STATEMENT as ASM8
from theorylab.statements.pdbo.asm9 import STATEMENT as ASM9
from theorylab.statements.pdbo.asm10 import STATEMENT as ASM10
from theorylab.statements.pdbo.eq6 import STATEMENT as EQ6
from theorylab.statements.pdbo.eq9 import STATEMENT as EQ9
from theorylab.statements.pdbo.eq10 import STATEMENT as EQ10
from theorylab.statements.pdbo.eq11 import STATEMENT as EQ11
from theorylab.statements.pdbo.eq12 import STATEMENT as EQ12
from theorylab.statements.pdbo.eq13 import STATEMENT as EQ13
from theorylab.statements.pdbo.eq15 import STATEMENT as EQ15
from theorylab.statements.pdbo.eq29 import STATEMENT as EQ29
from theorylab.statements.pdbo.eq34 import STATEMENT as EQ34
from theorylab.statements.pdbo.eq41 import STATEMENT as EQ41
from theorylab.statements.pdbo.eq42 import STATEMENT as EQ42
from theorylab.statements.pdbo.fig1 import STATEMENT as FIG1
from theorylab.statements.pdbo.fig2 import STATEMENT as FIG2
from theorylab.statements.pdbo.fn2 import STATEMENT as FN2
from theorylab.statements.pdbo.itd_backward import STATEMENT as ITD_BACKWARD
from theorylab.statements.pdbo.lem2 import STATEMENT as LEM2
from theorylab.statements.pdbo.lem3 import STATEMENT as LEM3
from theorylab.statements.pdbo.lem4 import STATEMENT as LEM4
from theorylab.statements.pdbo.lem5 import STATEMENT as LEM5
from theorylab.statements.pdbo.lem6 import STATEMENT as LEM6
from theorylab.statements.pdbo.lem7 import STATEMENT as LEM7
from theorylab.statements.pdbo.lem7_lines import STATEMENT as LEM7_LINES
from theorylab.statements.pdbo.lem9 import STATEMENT as LEM9
from theorylab.statements.pdbo.lem9_lines import STATEMENT as LEM9_LINES
from theorylab.statements.pdbo.sec2 import STATEMENT as SEC2
from theorylab.statements.pdbo.sec2_convergence import STATEMENT as SEC2_CONVERGENCE
from theorylab.statements.pdbo.sec3 import STATEMENT as SEC3
from theorylab.statements.pdbo.sec5 import STATEMENT as SEC5
from theorylab.statements.pdbo.sec61 import STATEMENT as SEC61
from theorylab.statements.pdbo.sec61_point import STATEMENT as SEC61_POINT
from theorylab.statements.pdbo.tab1 import STATEMENT as TAB1
from theorylab.statements.pdbo.tab3 import STATEMENT as TAB3
from theorylab.statements.pdbo.tab4 import STATEMENT as TAB4
from theorylab.statements.pdbo.tab4_percentile import STATEMENT as TAB4_PERCENTILE
from theorylab.statements.pdbo.thm1 import STATEMENT as THM1
from theorylab.statements.pdbo.thm8 import STATEMENT as THM8
from theorylab.statements.pdbo.thm8_azuma import STATEMENT as THM8_AZUMA
from theorylab.statements.pdbo.thm8_series import STATEMENT as THM8_SERIES
from theorylab.statements.pdbo.thm8_tail import STATEMENT as THM8_TAIL
from theorylab.statements.pdbo.thm10 import STATEMENT as THM10
from theorylab.statements.pdbo.thm11 import STATEMENT as THM11
from theorylab.statements.pdbo.thm11_cross import STATEMENT as THM11_CROSS
from theorylab.statements.pdbo.thm11_gap import STATEMENT as THM11_GAP
from theorylab.statements.pdbo.thm11_sum import STATEMENT as THM11_SUM

STATEMENTS = (  # the paper's order
    SEC2,
    SEC2_CONVERGENCE,
    SEC3,
    ASM1,
    ASM2,
    EQ6,
    ASM3,
    ASM4,
    EQ9,
    EQ10,
    EQ11,
    ASM6,
    ASM7,
    EQ12,
    EQ13,
    ASM8,
    THM1,
    FN2,
    SEC5,
    SEC61,
    SEC61_POINT,
    TAB1,
    APPA2,
    APPA31,
    EQ15,
    APPB,
    ASM9,
    EQ34,
    APPC,
    LEM2,
    LEM3,
    LEM4,
    LEM5,
    LEM6,
    APPC2,
    EQ29,
    LEM7,
    LEM7_LINES,
    THM8,
    THM8_TAIL,
    THM8_AZUMA,
    THM8_SERIES,
    LEM9,
    LEM9_LINES,
    THM10,
    FIG1,
    APPC6,
    APPC6_ROUNDS,
    FIG2,
    ASM10,
    THM11,
    THM11_GAP,
    THM11_CROSS,
    THM11_SUM,
    TAB3,
    ALG2,
    ALG2_ESTIMATES,
    ALG3,
    ALG4,
    ALG5,
    APPF,
    TAB4,
    TAB4_PERCENTILE,
    EQ41,
    EQ42,
    ITD_BACKWARD,
)
