"""Data as text that is the same wherever it is made, and how a text is named."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def canonical(data: Any) -> str:
    """JSON with sorted keys and nothing between: the same data has the same text."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False)


def text_hash(text: str) -> str:
    """How a row names a text: 32 hexadecimal digits of its SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]
