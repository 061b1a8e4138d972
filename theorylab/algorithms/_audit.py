"""The audits of a round: no client without weight, and no mass made or lost.

On the host they are made at once. On a GPU a look at a number waits for all that was queued before,
so each audit leaves one flag on the device, and all are read together when the run records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from theorylab.kernels import on_device

if TYPE_CHECKING:
    from theorylab.algorithms._base import Array, State

_AUDITED = 64  # coordinates whose sums are compared
_X_EVERY = 8  # rounds
_KEPT = 4096  # flags, until they are read anyway


class MassError(RuntimeError):
    """The sums of x or w changed in a round whose mixing promised to keep them."""


class Audits:
    """The audits of one run. ``settle`` raises what those on a device have found."""

    def __init__(self) -> None:
        self._flags: list[tuple[Any, Any, type[Exception], str]] = []

    def weights(self, t: int, w: Array) -> None:
        """ValueError where a client has no weight after round ``t``; w (R, n)."""
        least = w.min()
        self._expect(~(least > 0), least, ValueError, _no_weight(t))

    def mass(self, before: State, half: Array, after: State) -> None:
        """Compare the sums over clients and what is in flight: of w in every round, x in some.

        P acts on both alike, so a P that leaks shows in w at once; x is looked at for the
        arithmetic that is its own. Rounding: n (s + 1) products and sums of relative error eps
        each, with room for a factor 4.
        """
        total = before.w.sum(axis=1)  # of positive weights: it is their size too
        self._compare("weight", before, after, total, total, after.w, 1, 1)
        if before.t % _X_EVERY == 0:
            stride = max(1, half.shape[2] // _AUDITED)
            total, size = half[:, :, ::stride].sum(axis=1), abs(half[:, :, ::stride]).sum(axis=1)
            self._compare("x", before, after, total, size, after.x[:, :, ::stride], 0, stride)

    def found(self, what: str, t: int, number: float) -> None:
        """Raise what a kernel's own audit of round ``t`` found: see ``kernels.Fault``."""
        if what == "no weight":
            raise ValueError(_no_weight(t))
        raise MassError(_leak(t, what).format(number))

    def settle(self) -> None:
        """Read the flags that are left; raises the first audit's error that failed."""
        if not self._flags:
            return
        import torch

        flags, self._flags = self._flags, []
        failed = torch.stack([flag for flag, *_ in flags]).cpu().numpy()
        if failed.any():
            _, number, kind, text = flags[int(np.argmax(failed))]
            raise kind(text.format(float(number)))

    def _compare(
        self,
        name: str,
        before: State,
        after: State,
        total: Array,
        size: Array,
        new: Array,
        way: int,
        stride: int,
    ) -> None:
        now, far = new.sum(axis=1), 0
        if before.flight is not None:
            waiting = before.flight[way][..., ::stride]
            total, size = total + waiting.sum(axis=(1, 2)), size + abs(waiting).sum(axis=(1, 2))
        if after.flight is not None:
            waiting = after.flight[way][..., ::stride]
            now, far = now + waiting.sum(axis=(1, 2)), waiting.shape[1]
        eps, least = (2.0**-52, 2.0**-1022) if new.dtype.itemsize == 8 else (2.0**-23, 2.0**-126)
        # Below the least normal number a rounding is absolute: n^2 products lose eps least each.
        size = size + new.shape[1] * least
        excess = (abs(now - total) - 4 * eps * new.shape[1] * (far + 2) * size).max()
        text = _leak(before.t, name)
        self._expect(excess > 0, excess, MassError, text)  # not where a run overflowed: nan

    def _expect(self, failed: Any, number: Any, kind: type[Exception], text: str) -> None:
        if not on_device(failed):
            if failed:
                raise kind(text.format(float(number)))
            return
        self._flags.append((failed, number, kind, text))
        if len(self._flags) >= _KEPT:
            self.settle()


def _no_weight(t: int) -> str:
    return (
        f"mix: a client has no weight after round {t}; need every client to keep a share "
        "of its own mass (a self-loop)"
    )


def _leak(t: int, name: str) -> str:
    return (
        f"mix: round {t}: the sum of {name} over the clients and what is in flight "
        "changed by {:.3g} more than rounding explains; the mixing matrix does not have "
        "columns that sum to 1"
    )
