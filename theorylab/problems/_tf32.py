"""Whether products and convolutions in float32 may be rounded to TF32 on a GPU, while our own work
is queued. torch's own default lets convolutions: three rounds of a residual network were 2 % off.

Imports torch, so it is itself imported only where tensors are.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch


@contextmanager
def float32_products(tf32: bool) -> Iterator[None]:
    """Within it float32 products of matrices, convolutions and recurrences are float32's, or TF32's
    on request; afterwards torch has the settings of its user again.

    The settings are the process's. So what other threads queue meanwhile has ours.
    """
    if not hasattr(torch.backends.cuda.matmul, "fp32_precision"):  # before torch 2.9
        with _older(tf32):
            yield
        return
    backends: Any = torch.backends
    places = backends.cuda.matmul, backends.cudnn.conv, backends.cudnn.rnn
    kept = []
    try:
        for place in places:
            before = place.fp32_precision
            place.fp32_precision = "none"  # then it reads what it inherits
            kept.append((place, "none" if place.fp32_precision == before else before))
            place.fp32_precision = "tf32" if tf32 else "ieee"
        yield
    finally:
        for place, before in kept:
            place.fp32_precision = before


@contextmanager
def _older(tf32: bool) -> Iterator[None]:
    cudnn, products = torch.backends.cudnn, torch.get_float32_matmul_precision()
    convolutions = cudnn.allow_tf32
    try:
        torch.set_float32_matmul_precision("high" if tf32 else "highest")
        cudnn.allow_tf32 = tf32
        yield
    finally:
        torch.set_float32_matmul_precision(products)
        cudnn.allow_tf32 = convolutions
