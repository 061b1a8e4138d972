"""DFedSGPSM, "Asymmetrically Decentralized Federated Learning": its statements in order."""

from theorylab.statements.dfedsgpsm.lem1 import STATEMENT as LEM1
from theorylab.statements.dfedsgpsm.thm1 import STATEMENT as THM1

STATEMENTS = (THM1, LEM1)  # the paper's order
