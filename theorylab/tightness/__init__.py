"""How tight a theorem is: simulated <= exact worst case (a semidefinite program) <= bound."""

from theorylab.extras import MissingExtraError as MissingExtraError
from theorylab.tightness.interpolation import Interpolant as Interpolant
from theorylab.tightness.interpolation import Interpolated as Interpolated
from theorylab.tightness.setting import Setting as Setting
from theorylab.tightness.triangle import METHODS as METHODS
from theorylab.tightness.triangle import Triangle as Triangle
from theorylab.tightness.triangle import settings as settings
from theorylab.tightness.triangle import triangle as triangle
from theorylab.tightness.worst_case import needed as needed

__all__ = [
    "METHODS", "Interpolant", "Interpolated", "MissingExtraError", "Setting", "Triangle",
    "needed", "settings", "triangle",
]  # fmt: skip
