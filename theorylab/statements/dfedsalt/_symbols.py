"""DFedSalt's symbols: DFedAlt's, and rho of ``theorylab.symbols``."""

from __future__ import annotations

from theorylab.symbols import rho as rho
