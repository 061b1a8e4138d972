"""Of which instances of DFedAlt and DFedSalt expectations are known without drawing anything."""

from __future__ import annotations

import numpy as np

from theorylab.experiments._alternating_instance import AlternatingInstance
from theorylab.problems import CoupledQuadratic, plain

ISOTROPIC = ("gaussian", "rademacher", "two-point", "coordinate")


def is_one_slope(instance: AlternatingInstance) -> bool:
    """True if a round is affine but for SAM, uncoupled, and every A_i is L_u I."""
    made = instance.problem
    if not (_affine_but_for_sam(instance) and plain(made, CoupledQuadratic)):
        return False
    scalar = made.A[0, 0, 0] * np.eye(made.shared)
    return not made.C.any() and bool((scalar == made.A).all())


def _affine_but_for_sam(instance: AlternatingInstance) -> bool:
    made = instance.problem
    return (
        plain(made, CoupledQuadratic)
        and made.field.kind in ISOTROPIC
        and instance.steps["batch"] == "per-step"
    )
