"""The instances that DFedSalt's statements are checked on: DFedAlt's, with SAM, and its own."""

from __future__ import annotations

from typing import Any

from theorylab.statements._entries import entry_of
from theorylab.statements.dfedalt._instances import Data as Data
from theorylab.statements.dfedalt._instances import changed as changed


def __getattr__(name: str) -> Any:
    return entry_of(__package__, name)
