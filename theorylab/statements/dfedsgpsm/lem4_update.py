r"""Proof 4, second display: the size of a client's update.

Printed: "Based on Assumption 5, 3",

    ||eta sum_k sum_{s<=k} alpha^{k-s} g_{i,s}^j|| <= eta a~ sqrt(B^2 + sigma_l^2).

Judged as squares. Readings. No expectation is printed: `printed` claims every realisation.
`printed/mean-square` puts E in, as the lemma's end does ("after squaring both sides and taking
expectations"): true without SAM (Minkowski). `printed/line-9` asks Assumption 3 of line 9's
gradient, given its point: true, and met where there is no SAM or no noise.

Corrected: sqrt(E|breve g|^2) <= G = sqrt(B^2 + sigma_l^2) + L_xi rho, so eta a~ G bounds the root
mean square.
"""

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedsgpsm import _instances as cases
from theorylab.statements.dfedsgpsm._algorithm1 import INPUTS, a_tilde
from theorylab.statements.dfedsgpsm._causes import NO_EXPECTATION, UNBIASED
from theorylab.statements.dfedsgpsm._proof5 import LINE_9, SMOOTH_SAMPLES, G
from theorylab.symbols import B, eta, sigma_l

_ASSUMES = (
    *INPUTS,
    Assumption("Assumption 3 (bounded gradient noise)", finite=(sigma_l,)),
    Assumption("Assumption 5 (bounded gradient)", finite=(B,)),
)
_TEXT = r"\|\eta_l\sum_k\sum_{s\leq k}\alpha^{k-s}\breve{g}_{i,s}^t\|^2"
_MEAN = Quantity("dfedsgpsm.update", "rows", (0, 2), "E" + _TEXT)
_TERMS = {"update": eta**2 * a_tilde**2 * (B**2 + sigma_l**2)}

STATEMENT = Statement(
    id="dfedsgpsm.lem4_update",
    source=Source("dfedsgpsm", "Proof 4, second display", "size of one round's update"),
    algorithm="dfedsgpsm",
    quantity=_MEAN,
    versions={
        "printed": Version(
            terms=_TERMS,
            assumes=_ASSUMES,
            quantity=Quantity("dfedsgpsm.update", "rows", (0, 2), _TEXT, pathwise=True),
            note="for every realisation",
            causes=(NO_EXPECTATION,),
            checks=(
                Check("two-with-signs", cases.LEM4_UPDATE_TWO_SIGNS, "VIOLATED"),
                Check("signs", cases.LEM4_UPDATE_SIGNS, "VIOLATED"),
                Check("six-clients", cases.CHORDS),
            ),
        ),
        "printed/mean-square": Version(
            terms=_TERMS,
            assumes=_ASSUMES,
            note="in expectation",
            causes=(UNBIASED,),
            mends=(NO_EXPECTATION,),
            checks=(
                Check("two-on-pinwheels", cases.TWO_PINWHEELS, "VIOLATED"),
                Check("pinwheel", cases.ONE_CLIENT_PINWHEEL, "VIOLATED"),
                Check("two-with-signs", cases.LEM4_UPDATE_TWO_SIGNS),
                Check("signs", cases.LEM4_UPDATE_SIGNS),
                Check("six-clients", cases.CHORDS),
            ),
        ),
        "printed/line-9": Version(
            terms=_TERMS,
            assumes=(*_ASSUMES, LINE_9),
            note="in expectation, Assumption 3 for the gradient of line 9",
            mends=(NO_EXPECTATION, UNBIASED),
            checks=(
                Check("signs", cases.LEM4_UPDATE_SIGNS),
                Check("six-clients", cases.CHORDS),
                Check("pinwheel", cases.ONE_CLIENT_PINWHEEL, "ASSUMPTION_FAILS"),
                Check("two-on-pinwheels", cases.TWO_PINWHEELS, "ASSUMPTION_FAILS"),
            ),
        ),
        "corrected": Version(
            terms={"update": eta**2 * a_tilde**2 * G**2},
            assumes=(*_ASSUMES, SMOOTH_SAMPLES),
            note="in expectation, with line 9's gradient",
            mends=(NO_EXPECTATION, UNBIASED),
            checks=(
                Check("signs", cases.LEM4_UPDATE_SIGNS),
                Check("six-clients", cases.CHORDS),
                Check("pinwheel", cases.ONE_CLIENT_PINWHEEL),
            ),
        ),
    },
)
