r"""Table 8 and what Section 5.1 and Appendix C.2 say of the same settings.

Printed (Section 5.1): 500 rounds, batches of 128, "we train the shared part for 5 epochs", "a
learning rate eta_u = 0.1 [...] decreasing by 0.99x exponentially. All methods are set with a decay
rate of 0.005 and a local momentum of 0.9". Settings are no measurements: nothing was shortened.

`printed`: all of these against Table 8, which has a weight decay of 5e-4 and a learning rate decay
of 0.9. `printed/no-decay`: without these two; the others agree. `printed/tiny-imagenet`: Appendix
C.2 has 300 rounds for Tiny-ImageNet, the table 500 for all three data sets.
"""

from __future__ import annotations

from theorylab.statements._base import Source, Statement
from theorylab.statements._severity import Severity
from theorylab.statements._tables import OFF, claim, said
from theorylab.statements.dfedpgp._tables import TABLE_8

_AGREED = [
    claim("500 communication rounds", "all | rounds", "=", 500),
    claim("the batch size is 128", "all | batch", "=", 128),
    claim("5 epochs a round", "all | local interval", "=", 5),
    claim("a learning rate of 0.1", "all | learning rate", "=", "0.1"),
    claim("a local momentum of 0.9", "all | momentum", "=", "0.9"),
]
_DECAYS = [
    claim("a decay rate of 0.005", "all | weight decay", "=", "0.005"),
    claim("a learning rate decreasing by 0.99", "all | rate decay", "=", "0.99"),
]

STATEMENT = Statement(
    id="dfedpgp.tab8",
    source=Source("dfedpgp", "Table 8, Section 5.1", "hyperparameters"),
    experiment="printed-table",
    quantity=OFF,
    versions={
        "printed": said(
            TABLE_8,
            [*_AGREED, *_DECAYS],
            severity=Severity.MISPRINT,
            rests_on="a weight decay of .005 for 5e-4, a rate decay of .99 for .9",
            exact=True,
        ),
        "printed/no-decay": said(TABLE_8, _AGREED, note="all but the two decays", exact=True),
        "printed/tiny-imagenet": said(
            TABLE_8,
            [claim("300 rounds for Tiny-ImageNet", "all | rounds", "=", 300)],
            note="Appendix C.2 against the table",
            severity=Severity.MISPRINT,
            rests_on="300 rounds in Appendix C.2, 500 in Table 8",
            exact=True,
        ),
    },
)
