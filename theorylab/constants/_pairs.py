"""The names of the constants that products of a network's matrices have, and nothing else has."""

from __future__ import annotations

PAIRS = ("C", "q", "C_row", "q_row", "C_entry", "q_entry", "C_least", "q_least", "delta")
