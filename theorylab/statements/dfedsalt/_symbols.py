"""DFedSalt's symbols: DFedAlt's, and rho of ``theorylab.symbols``."""

from theorylab.symbols import rho as rho
