r"""What truncating the series costs (Appendix C.3, and again in Theorem 10's proof).

Printed: || Bbar sum_{i=M+1}^oo Abar^i c^y || <= eta_B ||c^y|| sum_{i=M+1}^oo eta_A^i
<= eta_B ||c^y|| / (1 - eta_A) eta_A^{M+1} = exp(-O(M)).

True, and with equality for one client with d_y phi = d_y psi = eta_A / 2. Here M terms are used, so
the power is M. `printed/bias` measures the mean of the estimator itself, over every edge pattern:
the noise has mean 0 (Lemma 5 and (29)), so this is all the bias there is.
"""

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._bound import EDGES, NORMS
from theorylab.statements.pdbo._symbols import c_norm, eta_A, eta_B, terms, vr_alpha, vr_beta
from theorylab.statements.pdbo.thm8 import EXACT, EXTREME

_TAIL = Quantity("truncation", "rows", (1, 0), r"\|\bar B\sum_{i\geq M}\bar A^i c^{\mathbf y}\|")
_BIAS = Quantity("bias_law", "rows", (1, 0), r"\|E v^{(M)} + c^\lambda - d_\lambda\bar F\|")
_TERMS = {"truncation": eta_B * c_norm * eta_A**terms / (1 - eta_A)}
_RANGE = (
    Assumption("Theorem: alpha <= 1", rule=vr_alpha <= 1),
    Assumption("Theorem: beta <= 1", rule=vr_beta <= 1),
)
ONE_CLIENT = {
    **{"clients": 1, "network": {"name": "complete"}, "maps": "aligned", "dim": 1, "hyper": 1},
    "terms": [1, 2, 5, 10, 20, 40],
}
HGP = {**EXACT, "alpha": 1.0, "beta": 0.0}

STATEMENT = Statement(
    id="pdbo.thm8_tail",
    source=Source("pdbo", "Theorem 8, proof", "the truncated series decays like eta_A^M"),
    experiment="hgp-error",
    quantity=_TAIL,
    versions={
        "printed": Version(
            terms=_TERMS,
            assumes=(EDGES[0], *NORMS),  # Assumption 8 divides by kappa
            note="from the matrices",
            checks=(Check("one-client", ONE_CLIENT), Check("two-clients", EXTREME)),
        ),
        "printed/bias": Version(
            terms=_TERMS,
            assumes=(*EDGES[:2], *_RANGE, *NORMS),
            quantity=_BIAS,
            note="from the estimator's exact law",
            checks=(
                Check("one-client", {**ONE_CLIENT, "terms": [1, 2, 5]}),
                Check("vr-hgp", EXACT),
                Check("hgp", HGP),
            ),
        ),
    },
)
