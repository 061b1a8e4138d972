"""What the statements about exact means share: rounding of a sum over all joint outcomes."""

from __future__ import annotations

from typing import Any

from theorylab.statements import Quantity
from theorylab.statements.pdbo._instances import STO_D, STO_U, TWO, place
from theorylab.statements.pdbo._rounding import OPERATIONS, gamma
from theorylab.statements.pdbo._symbols import magnitude_v, magnitude_w, outcomes, size_R
from theorylab.symbols import magnitude

_m = OPERATIONS + 4 * outcomes
BIAS = Quantity("bias", "rows", (1, 0), r"\|E \hat d_\lambda - d_\lambda^{(M)}\|_\infty")
BIAS_TERMS = {"rounding": gamma(_m) * magnitude_v}
W_TERMS = {"rounding": gamma(_m) * magnitude_w}
A_TERMS = {"rounding": gamma(_m) * size_R}
B_TERMS = {"rounding": gamma(_m) * magnitude}
THREE = {"clients": 3, "dim": 1, "hyper": 1, "noise": 0.0, "seed": 1}


def instances(reading: str, **options: Any) -> dict[str, dict[str, Any]]:
    """Every minibatch and edge pattern of two or three clients."""
    return {
        "sto-d": {"place": place(TWO, STO_D), "reading": reading, **options},
        "sto-d-4a": {"place": place(TWO, STO_D, "4a"), "reading": reading, **options},
        "sto-u": {"place": place(TWO, STO_U), "reading": reading, **options},
        "sto-u-three": {"place": place(THREE, STO_U, "4a"), "reading": reading, **options},
    }
