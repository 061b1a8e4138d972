"""torch's devices by their names, and how arrays come there.

Imports torch, so it is itself imported only where a device is asked for.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from theorylab.problems._options import Array


def device_named(where: str, name: str) -> torch.device:
    """The torch device of this name, with its number, once it is seen to be there."""
    if name == "cpu":
        return torch.device(name)
    kind, _, number = str(name).partition(":")
    if kind != "cuda" or not (number.isdigit() or name == "cuda"):
        raise ValueError(f"{where}: device is {name!r}; need cpu, cuda or cuda:k")
    have = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if int(number or 0) >= have:
        raise ValueError(f"{where}: device is {name!r}, but torch sees {have} of them; need cpu")
    return torch.device("cuda", int(number or 0))


def tensor_of(x: Array, device: Any, dtype: torch.dtype | None = None) -> Tensor:
    """A tensor there with the numbers of ``x``, in memory of its own.

    Of an axis along which a view repeats itself (``np.broadcast_to``) one entry is sent: the same
    first model for 100 clients is a hundredth of the bytes.
    """
    own = x[tuple(slice(None) if stride else slice(0, 1) for stride in x.strides)]
    sent = torch.tensor(np.ascontiguousarray(own), dtype=dtype, device=device)
    return sent.expand(x.shape).contiguous()
