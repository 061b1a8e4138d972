"""Data as text that is the same wherever it is made, and how a text is named."""

from __future__ import annotations

import hashlib
import json
from typing import Any

Document = dict[str, Any]


def canonical(data: Any) -> str:
    """JSON with sorted keys and nothing between: the same data has the same text."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False)


def text_hash(text: str) -> str:
    """How a row names a text: 32 hexadecimal digits of its SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def check_plain(data: Any) -> None:
    """Raises ValueError, one line, where JSON cannot say it."""
    try:
        canonical(data)
    except (TypeError, ValueError, RecursionError):
        raise ValueError(
            f"{str(data)[:60]} came; need finite numbers, texts, and lists or tables of them"
        ) from None
