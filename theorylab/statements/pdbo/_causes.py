"""What is wrong with PDBO, one record a fault: ``causes.toml`` has them."""

from __future__ import annotations

from theorylab.statements import Cause
from theorylab.statements._entries import cause_of


def __getattr__(name: str) -> Cause:
    return cause_of(__package__, name)
