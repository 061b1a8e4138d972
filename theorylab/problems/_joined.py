"""A model of two parts: the shared u and a client's own v_i."""

from __future__ import annotations

from typing import Any

import numpy as np


def joined(u: Any, v: Any) -> Any:
    """(u, v_i) as one point (R, n, d); u (R, 1, d_u) or (R, n, d_u), v (R, n, d_v)."""
    return np.concatenate([np.broadcast_to(u, (*v.shape[:2], u.shape[2])), v], axis=2)
