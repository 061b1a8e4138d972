r"""Algorithm 1, its input: mixing weight p_{j,i}^t = 1/|N_{i,0}^out|.

Printed: the share is that of round 0, for every t. The mixing matrices are "time-varying" (Section
3.2), and in push-sum "designed to be column stochastic (each column must sum to 1)" (Appendix B),
which the proof needs from (23) on.

Client i gives 1/|N_{i,0}^out| to each of the |N_{i,t}^out| out-neighbors that it has in round t, in
all |N_{i,t}^out| / |N_{i,0}^out|, which has to be 1. It is where no out-degree changes. DFedSGPSM's
Algorithm 1 has the same input, judged in ``dfedsgpsm.alg1_input``, and its (3) has the degree of
round t; nothing in DFedPGP has that. In its runs the shares are those of (6), see ``eq6``.

Corrected: 1/|N_{i,t}^out|. Columns then sum to 1 by construction; judged up to rounding.
"""

import dataclasses

from theorylab.statements import Source
from theorylab.statements.dfedsgpsm.alg1_input import STATEMENT as SAME_INPUT

STATEMENT = dataclasses.replace(
    SAME_INPUT,
    id="dfedpgp.alg1_input",
    source=Source("dfedpgp", "Algorithm 1, input", "shares of round 0 and columns that sum to 1"),
)
