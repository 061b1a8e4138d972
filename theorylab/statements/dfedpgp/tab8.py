r"""Table 8 and what Section 5.1 and Appendix C.2 say of the same settings.

Printed (Section 5.1): 500 rounds, batches of 128, "we train the shared part for 5 epochs", "a
learning rate eta_u = 0.1 [...] decreasing by 0.99x exponentially. All methods are set with a decay
rate of 0.005 and a local momentum of 0.9". Settings are no measurements: nothing was shortened.

`printed`: all of these against Table 8. `printed/no-decay`: without the two decays; the others
agree. `printed/tiny-imagenet`: Appendix C.2's "300 rounds for Tiny-ImageNet".
"""

from theorylab.statements import Source, Statement
from theorylab.statements._tables import OFF, claim, said
from theorylab.statements.dfedpgp._causes import DECAYS, TINY_IMAGENET
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
            causes=(DECAYS,),
            exact=True,
        ),
        "printed/no-decay": said(
            TABLE_8, _AGREED, note="all but the two decays", exact=True, mends=(DECAYS,)
        ),
        "printed/tiny-imagenet": said(
            TABLE_8,
            [claim("300 rounds for Tiny-ImageNet", "all | rounds", "=", 300)],
            note="Appendix C.2 against the table",
            causes=(TINY_IMAGENET,),
            exact=True,
        ),
    },
)
