r"""Theorem 1, text: alpha = O(1/tau) offsets what many head steps add.

Printed: "the noise term 12 alpha^3 L^2 tau/beta (tau-1) (6 tau+1) sigma^2 + 2 alpha^2 tau L/beta
sigma^2 is caused by tau-step local head update ... To lower its impact, an inverse relationship
between the local head learning rate alpha and the updated steps tau in each round is desired, i.e.,
alpha = O(1/tau), such that the error can be offset by a small alpha."

A claim about (11)'s own terms: along tau, with alpha = c/tau and beta fixed, they stay below a
constant times the noise of the representation, 2 beta L sigma^2/N, which tau is not in. True: with
alpha = c/tau they are 12 c^3 L^2 sigma^2/beta (tau-1) (6 tau+1)/tau^2 + 2 c^2 L sigma^2/(beta tau),
between 0 and 72 c^3 L^2 sigma^2/beta + 2 c^2 L sigma^2/beta: they do not grow, nor do they vanish.
With alpha fixed, the control, they grow as tau^3.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Check, Order, Source, Statement, Version
from theorylab.statements.deprl import _instances as cases
from theorylab.statements.deprl._theorem1 import ALL_STEPS, MEASURE, PRINTED, SHARED

_ORDER = Order(PRINTED["representation noise"], left=PRINTED["head drift"] + PRINTED["head noise"])


def _along(alpha: str) -> cases.Data:
    moved = {"parameter": "algorithm.tau", "values": [1, 4, 16, 64], "window": 3}
    return {
        "problem": cases.COROLLARY["problem"],
        "topology": cases.PAIR,
        "clients": 2,
        "algorithm": {"alpha": 0.01, "beta": 1e-3, "tau": 1},
        "rounds": 1,
        "law": "moments",
        "sweep": {**moved, "set": {"algorithm.alpha": alpha}},
    }


STATEMENT = Statement(
    id="deprl.thm1_heads",
    source=Source("deprl", "Theorem 1, text", "alpha = O(1/tau) offsets the noise of the heads"),
    algorithm="deprl",
    quantity=MEASURE,
    versions={
        "printed": Version(
            terms={"a twentieth of a decade": sp.Integer(10) ** sp.Rational(1, 20)},
            assumes=(*SHARED, ALL_STEPS),
            order=_ORDER,
            note="the terms stay bounded along tau",
            checks=(
                Check("inverse", _along("0.01/tau")),
                Check("fixed", _along("0.01"), "VIOLATED", control=True),
            ),
        ),
    },
)
