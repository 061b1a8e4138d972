r"""Proof 5, conditional expectations, third line: the noise of a round is split off.

Printed: from the display above it, -<a, b> = (||a-b||^2 - ||a||^2 - ||b||^2)/2, an identity, with
a = grad f(xbar^t) and b = A/a~, and what is left of the step,

    E||G||^2 <= a~^2 sigma_l^2 + E||A||^2,
    G = 1/n sum_i sum_k sum_s alpha^{k-s} breve g_{i,s},
    A = 1/n sum_i sum_k sum_s alpha^{k-s} grad f_i(breve z_{i,s}).

(Its first line, which puts A for G in the inner product, is ``lem5_mean``.) Judged with E||A||^2
taken to the left, E||G||^2 - E||A||^2 <= a~^2 sigma_l^2, which is the same inequality: the ratio is
then that of the noise alone.

With SAM and noise: on the pinwheel the noise where SAM lands is d times as large as anywhere on
average (``lem2``). `printed/line-9` asks Assumption 3 of line 9's gradient, given
its point, which leaves SAM or noise. Then with N = G - A, b_s = sum_{k >= s} alpha^{k-s}:
E||N||^2 <= sum_s b_s^2 sigma_l^2, as the noise of a client's steps is orthogonal, and that is less
than a~^2 sigma_l^2 by 2 sum_{s<s'} b_s b_s' sigma_l^2. But the cross term 2 E<A, N> is 0 for K = 1
only: later points know earlier noise. With l = L eta/delta and c_j = 1 + alpha + .. + alpha^{j-1}
the L2 distance from the noiseless steps after m of them is at most eta sigma_l D_m,

    D_m = sqrt(sum_{j<=m} c_j^2) + l sum_{s<=m} c_{m-s+1} D_{s-1},

and the cross term at most 2 l sqrt(sum_s b_s^2) sum_s b_s D_{s-1} sigma_l^2: under Lemma 3's cap,
l < 1/(8K), inside the room for K <= 600 (computed, every alpha looked at), and for all K without
momentum (D_m <= 1.14 sqrt(m), so at most .19 K of K^2 - K). With momentum and long rounds it is
not. On a ridge, f'' = -L, noise grows like cosh(sqrt(L eta) m) as alpha -> 1, so like e^sqrt(K/8)
over a round at the cap, and the room like a power of K. One client shows it from about K = 820 on:
at the cap and alpha = .9999 the left side exceeds E||A||^2 by 1.38 a~^2 sigma_l^2 at K = 900 and by
50 a~^2 sigma_l^2 at K = 2000, exactly (the steps are linear, see the experiment's ridge). Two
clients whose noise is independent have half of that.

Corrected. e_{i,s}, the noise of line 7, is a martingale difference with or without SAM. With N its
sum and H = G - N, Minkowski gives for every step size

    E||G||^2 <= (sqrt(E||H||^2) + sqrt(sum_s b_s^2) sigma_l)^2,

and (a+b)^2 <= (1+theta) a^2 + (1+1/theta) b^2 with 1+theta = 1/(L eta a~) the step of ``thm1``.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedsgpsm import _instances as cases
from theorylab.statements.dfedsgpsm._algorithm1 import INPUTS, a_tilde, square_sum
from theorylab.statements.dfedsgpsm._causes import NOISE_SPLIT, UNBIASED
from theorylab.statements.dfedsgpsm._proof5 import CAPS, LINE_9
from theorylab.statements.dfedsgpsm._symbols import kept_slopes
from theorylab.symbols import B, K, L, sigma_l

_NEEDS = (*INPUTS, Assumption("Assumption 3 (bounded gradient noise)", finite=(sigma_l,)))
_ASSUMES = (
    *_NEEDS,
    Assumption("Assumption 2 (L-smoothness)", finite=(L,)),
    Assumption("Assumption 5 (bounded gradient)", finite=(B,)),
    *CAPS,
)
_TERMS = {"noise": a_tilde**2 * sigma_l**2}
_SQUARE = r"E\|\frac{1}{n}\sum_{i,k,s}\alpha^{k-s}\breve g_{i,s}^t\|^2"
_squares = square_sum(K)

_SPLIT: dict[str, Any] = {
    "causes": (NOISE_SPLIT,),
    "carries": "K = 2000, alpha = .9999, no SAM",
}

STATEMENT = Statement(
    id="dfedsgpsm.lem5_split",
    source=Source("dfedsgpsm", "Proof 5, conditional expectations, third line", "noise split off"),
    experiment="noise-split",
    quantity=Quantity(
        "excess",
        "rows",
        (2, -2),
        rf"{_SQUARE} - E\|\frac{{1}}{{n}}\sum_{{i,k,s}}\alpha^{{k-s}}"
        r"\nabla f_i(\breve z_{i,s}^t)\|^2",
    ),
    versions={
        "printed": Version(
            terms=_TERMS,
            assumes=_ASSUMES,
            causes=(NOISE_SPLIT, UNBIASED),
            checks=(
                Check("two-in-long-rounds", cases.LEM5_SPLIT_TWO_LONGER, "VIOLATED", **_SPLIT),
                Check("long-rounds", cases.LEM5_SPLIT_LONGER, "VIOLATED", **_SPLIT),
                Check("two-on-pinwheels", cases.TWO_PINWHEELS, "VIOLATED", causes=(UNBIASED,)),
                Check("pinwheel", cases.ONE_CLIENT_PINWHEEL, "VIOLATED", causes=(UNBIASED,)),
                Check("momentum-noise", cases.TWO_NOISY),
                Check("step-above-cap", cases.LEM5_SPLIT_STEEP, "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/line-9": Version(
            terms=_TERMS,
            assumes=(*_ASSUMES, LINE_9),
            note="Assumption 3 for the gradient of line 9",
            causes=(NOISE_SPLIT,),
            mends=(UNBIASED,),
            checks=(
                Check("two-in-long-rounds", cases.LEM5_SPLIT_TWO_LONGER, "VIOLATED", **_SPLIT),
                Check("long-rounds", cases.LEM5_SPLIT_LONGER, "VIOLATED", **_SPLIT),
                Check("pinwheel", cases.ONE_CLIENT_PINWHEEL, "ASSUMPTION_FAILS"),
                Check("two-on-pinwheels", cases.TWO_PINWHEELS, "ASSUMPTION_FAILS"),
                Check("shorter-round", cases.LEM5_SPLIT_SHORTER),
                Check("momentum-noise", cases.TWO_NOISY),
            ),
        ),
        "corrected": Version(
            terms={
                "noise": _squares * sigma_l**2,
                "mean direction": kept_slopes**2,
                "cross": 2 * sp.sqrt(_squares) * sigma_l * kept_slopes,
            },
            assumes=_NEEDS,
            quantity=Quantity("square", "rows", (2, -2), _SQUARE),
            note="exact momentum weights, and the cross term",
            mends=(NOISE_SPLIT, UNBIASED),
            checks=(
                Check("pinwheel", cases.ONE_CLIENT_PINWHEEL),
                Check("two-on-pinwheels", cases.TWO_PINWHEELS),
                Check("long-round", cases.LEM5_SPLIT_LONG),
                Check("two-in-a-long-round", {**cases.LEM5_SPLIT_LONG, "clients": 2}),
                Check("momentum-noise", cases.TWO_NOISY),
                Check("steep", cases.LEM5_SPLIT_STEEP),
            ),
        ),
    },
)
