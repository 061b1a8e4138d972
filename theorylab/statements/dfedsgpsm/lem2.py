r"""Lemma 2: how far one local step goes.

Printed (Appendix B, after Sun et al. 2022, Lemma 2; Assumptions 4, 5, 0 < alpha < 1):

    E||x_{i,k+1} - x_{i,k}||^2 <= (2 eta^2 sigma_l^2 + 2 eta^2 B^2) / (1-alpha)^2,  0 <= k <= K-1.

Readings. sigma_l is Assumption 3's (printed sigma_g there), so that one is needed too; alpha = 0
is fine. Assumption 3's "unbiased and with bounded variance" is read of line 7's gradient; the
step uses line 9's. Without SAM they are one, and the lemma is true with a factor 2
to spare. `printed/line-9` asks it of line 9's gradient, given the point where it is taken, and is
true in the same way; on one minibatch that is so only without SAM or without noise. With both, the
problem `pinwheel` has E|g|^2 = eps^2 + A^2 against 2 sigma_l^2 = 2 eps^2 + A^2/d: the ratio tends
to d as eps, B -> 0.

Corrected. x_{k+1} - x_k = -eta v_{k+1}, v_{k+1} = sum_{s<=k+1} alpha^{k+1-s} breve g_s. On one
sample SAM changes the gradient by at most L_xi rho, so by Minkowski sqrt(E|breve g|^2) <= G =
sqrt(B^2 + sigma_l^2) + L_xi rho and sqrt(E|v_{k+1}|^2) <= (1 - alpha^{k+1})/(1-alpha) G:

    E||x_{i,k+1} - x_{i,k}||^2 <= eta^2 (1 - alpha^{k+1})^2 / (1-alpha)^2 G^2.
"""

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedsgpsm import _instances as cases
from theorylab.statements.dfedsgpsm._algorithm1 import INPUTS
from theorylab.statements.dfedsgpsm._causes import UNBIASED
from theorylab.statements.dfedsgpsm._proof5 import LINE_9, SMOOTH_SAMPLES, G
from theorylab.statements.dfedsgpsm._symbols import local_step
from theorylab.symbols import B, alpha, eta, sigma_g, sigma_l

_ASSUMES = (
    *INPUTS,
    Assumption("Assumption 3 (bounded gradient noise)", finite=(sigma_l,)),
    Assumption("Assumption 5 (bounded gradient)", finite=(B,)),
)
_PRINTED = {
    "noise": 2 * eta**2 * sigma_l**2 / (1 - alpha) ** 2,
    "signal": 2 * eta**2 * B**2 / (1 - alpha) ** 2,
}
_PRINTED_ASSUMES = (
    *_ASSUMES,
    Assumption("Assumption 4 (bounded heterogeneity)", finite=(sigma_g,)),
    Assumption("Lemma 2: alpha > 0", rule=alpha > 0),
)
# With rho = 0 and signs as noise E|v|^2 is exact; far from the centers |grad f_i| is nearly B.
_FAR = {
    **cases.WAVE,
    "problem": {
        **cases.WAVE["problem"], "base": {"name": "log-cosh", "dim": 1, "center": 9.0},
        "field": "rademacher", "length": None, "sigma": 0.5,
    },
    "algorithm": {"eta": 1e-3, "alpha": 0.5, "rho": 0.0, "local_steps": 8},
    "law": "enumerated",
}  # fmt: skip

STATEMENT = Statement(
    id="dfedsgpsm.lem2",
    source=Source("dfedsgpsm", "Lemma 2", "one local step"),
    algorithm="dfedsgpsm",
    quantity=Quantity("dfedsgpsm.step", "rows", (0, 2), r"E\|x_{i,k+1}^t - x_{i,k}^t\|^2"),
    versions={
        "printed": Version(
            terms=_PRINTED,
            assumes=_PRINTED_ASSUMES,
            causes=(UNBIASED,),
            checks=(
                Check("two-on-pinwheels", cases.TWO_PINWHEELS, "VIOLATED"),
                Check("pinwheel", cases.ONE_CLIENT_PINWHEEL, "VIOLATED"),
                Check("far-from-the-centers", _FAR),
                Check("six-clients", cases.CHORDS),
            ),
        ),
        "printed/line-9": Version(
            terms=_PRINTED,
            assumes=(*_PRINTED_ASSUMES, LINE_9),
            note="Assumption 3 for the gradient of line 9",
            mends=(UNBIASED,),
            checks=(
                Check("far-from-the-centers", _FAR),
                Check("six-clients", cases.CHORDS),
                Check("pinwheel", cases.ONE_CLIENT_PINWHEEL, "ASSUMPTION_FAILS"),
                Check("two-on-pinwheels", cases.TWO_PINWHEELS, "ASSUMPTION_FAILS"),
            ),
        ),
        "corrected": Version(
            terms={"step": eta**2 * (1 - alpha ** (local_step + 1)) ** 2 / (1 - alpha) ** 2 * G**2},
            assumes=(*_ASSUMES, SMOOTH_SAMPLES),
            note="line 9's gradient on line 7's sample, and k steps of momentum",
            mends=(UNBIASED,),
            checks=(
                Check("far-from-the-centers", _FAR),
                Check("six-clients", cases.CHORDS),
                Check("pinwheel", cases.ONE_CLIENT_PINWHEEL),
            ),
        ),
    },
)
