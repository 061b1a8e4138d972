"""The instances that DFedSGPSM's statements are checked on: ``instances.toml`` has them."""

from __future__ import annotations

from typing import Any

from theorylab.statements._entries import entry_of
from theorylab.statements._quadratics import Data as Data


def __getattr__(name: str) -> Any:
    return entry_of(__package__, name)
