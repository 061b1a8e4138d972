r"""Section 3: personalized layers as a case of PDBO.

Printed (Sec. 3): "suppose that f_i is the cross-entropy loss of a DNN with a feature extractor and
classifier parameterized by x_i and lambda_i [...]. By letting F_i be a validation loss, we can
recover a family of personalized layer scheme (Arivazhagan et al., 2019; Bui et al., 2019)". These
schemes descend one loss of each client in both parts, lambda_i along (1/n) d_lambda f_i alone.

Reading. The paper says "a validation loss"; that F_i is f_i is ours. Nothing but d_lambda x is left
of the difference then, and the claim is that it adds nothing: d_lambda Fbar = (1/n) d_lambda f_i.
(With another validation loss the schemes' steps and PDBO's differ by their data, too.) `printed`:
for Eq. (5), whose x is the optimum of Eq. (1): true, as sum_i d_x f_i = 0 there and all clients
have one d_lambda x (the envelope theorem).

Remark. For Eq. (7), whose x* is Eq. (6)'s, something is added, as d_x f_i(x_i*) does not sum to 0
over what each client's x_i* moves by. It is of the order of the step, as the distance of ``eq6``.
"Recover" is said of the problem, so this is no fault of the sentence.
"""

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._instances import NOISY, STO_D, STO_U, place
from theorylab.statements.pdbo._symbols import magnitude_v
from theorylab.symbols import roundoff

_GAP = r"\|d_\lambda\bar F - \tfrac1n\partial_\lambda f\|_\infty"
_ROUNDING = {"rounding": roundoff * magnitude_v}

STATEMENT = Statement(
    id="pdbo.sec3",
    source=Source("pdbo", "Section 3", "personalized layers are a case of PDBO"),
    experiment="own-layers",
    quantity=Quantity("at_optimum", "rows", (1, 0), rf"{_GAP}, \mathrm{{Eq.\,5}}"),
    versions={
        "printed": Version(
            terms=_ROUNDING,
            assumes=(),
            note="F_i = f_i, which is ours; x the optimum of Eq. (1)",
            checks=(
                Check("sto-d", {"place": place(NOISY, STO_D)}),
                Check("sto-u-4a", {"place": place(NOISY, STO_U, "4a", 0.05)}),
            ),
        ),
    },
)
