"""A model of two parts: the shared u and a client's own v_i."""

from __future__ import annotations

from typing import Any

import numpy as np


def joined(u: Any, v: Any) -> Any:
    """(u, v_i) as one point (R, n, d); u (R, 1, d_u) or (R, n, d_u), v (R, n, d_v)."""
    split = u.shape[2]
    point = np.empty((*v.shape[:2], split + v.shape[2]), np.result_type(u, v))
    point[..., :split], point[..., split:] = u, v  # two copies: half of a concatenation's time
    return point
