"""The audits of a round: no client without weight, no mass made or lost, nothing out of range.

On the host they are made at once. On a GPU a look at a number waits for all that was queued before,
so each audit leaves one flag on the device, and all are read together when the run records.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from array_api_compat import array_namespace

from theorylab.kernels import on_device

Array = Any  # numpy.ndarray or torch.Tensor: one kind throughout a run
Line = tuple[type[Exception], str]
_MODELS_EVERY = 8  # rounds
_AUDITED = 64  # coordinates whose sums are compared
_KEPT = 4096  # flags, until they are read anyway


class MassError(RuntimeError, ValueError):
    """The sums of x or w changed in a round whose mixing promised to keep them.

    A ValueError, too: it is nearly always a user's own network or step that breaks a promise.
    """


class Audits:
    """The audits of one run. ``settle`` raises what those on a device have found."""

    def __init__(self) -> None:
        self._flags: list[tuple[Any, Any, list[Line]]] = []

    def weights(self, t: int, w: Array) -> None:
        """ValueError where a client has no weight after round ``t``; w (R, n)."""
        least = w.min()
        self._expect(~(least > 0), least, ValueError, _no_weight(t))

    @staticmethod
    def models_of(t: int) -> bool:
        """Whether the sums of the models are audited in round t; those of the weights always are:
        P acts on both alike, so a P that leaks shows in w at once."""
        return t % _MODELS_EVERY == 0

    def rounds(self, first: int, weights: Array, conserves: bool) -> None:
        """``weights``, and ``sums`` of them where the network conserves, of rounds on a device.

        weights: (K + 1, R, n), before round ``first`` and after each of K.
        """
        old, now, n = weights[:-1], weights[1:], weights.shape[2]
        xp, numbers = array_namespace(weights), [now.amin((1, 2))]
        flags = [~(numbers[0] > 0)]
        if conserves:
            gap = abs(now.sum(2) - old.sum(2))
            numbers.append((gap - _room(n, 0, abs(old).sum(2), now)).amax(1))
            flags.append(numbers[1] > 0)
        lines: list[Line] = []
        for t in range(first, first + len(now)):
            lines += [(ValueError, _no_weight(t)), (MassError, _leak(t, "weight"))][: len(flags)]
        failed, found = (xp.stack(each, axis=1).reshape(-1) for each in (flags, numbers))
        self._keep(failed, found, lines)

    def sums(
        self,
        t: int,
        name: str,
        sent: Array,
        arrived: Array,
        waiting: Array | None = None,
        flight: Array | None = None,
    ) -> None:
        """MassError unless the sums over clients and what is in flight are the same before and
        after round ``t``: sent and arrived (R, n) or (R, n, d), on the way (R, s, ...).

        Rounding: n (s + 1) products and sums of relative error eps each, with room for a factor 4.
        """
        some, far = _some(sent), 0
        old, now = (sent, arrived) if some is ... else (sent[some], arrived[some])
        n, kind = now.shape[1], now
        total, size, now = (_sum(a) for a in (old, abs(old), now))
        if waiting is not None:
            way = waiting[some]
            total, size = total + way.sum(axis=(1, 2)), size + abs(way).sum(axis=(1, 2))
        if flight is not None:
            way = flight[some]
            now, far = now + way.sum(axis=(1, 2)), way.shape[1]
        excess = (abs(now - total) - _room(n, far, size, kind)).max()
        # not where a run overflowed: nan
        self._expect(excess > 0, excess, MassError, _leak(t, name))

    def ranges(self, t: int, name: str, sent: Array, arrived: Array) -> None:
        """MassError unless every entry lies between the least and the largest that was sent.

        sent, arrived: (R, n) or (R, n, d), the range is over n. Rounding as of ``sums``.
        """
        some = _some(sent)
        old, now = sent[some], arrived[some]
        n, (eps, least) = now.shape[1], _precision(now)
        room = 4 * eps * (n + 2) * (_most(abs(old)) + n * least)
        text = (
            f"mix: round {t}: {name} leaves the range of what was sent by {{:.3g}} more than "
            "rounding explains; the mixing matrix does not have rows that sum to 1"
        )
        for one, other in ((old, now), (-old, -now)):
            excess = (_most(other) - _most(one) - room).max()
            self._expect(excess > 0, excess, MassError, text)

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
        failed = torch.cat([flag for flag, *_ in flags]).cpu().numpy()
        if failed.any():
            first = int(np.argmax(failed))
            numbers = torch.cat([number for _, number, _ in flags])
            kind, text = [line for *_, lines in flags for line in lines][first]
            raise kind(text.format(float(numbers[first])))

    def _expect(self, failed: Any, number: Any, kind: type[Exception], text: str) -> None:
        if not on_device(failed):
            if failed:
                raise kind(text.format(float(number)))
            return
        self._keep(failed.reshape(1), number.reshape(1), [(kind, text)])

    def _keep(self, failed: Any, numbers: Any, lines: list[Line]) -> None:
        """Flags (m,) on a device, a number and a line for each."""
        self._flags.append((failed, numbers, lines))
        if sum(len(each) for *_, each in self._flags) >= _KEPT:
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


def _some(a: Array) -> Any:
    """The coordinates that are looked at, whatever axes come before the last."""
    stride = a.shape[2] // _AUDITED if a.ndim == 3 else 1
    return (..., slice(None, None, stride)) if stride > 1 else ...


def _sum(a: Array) -> Array:
    """Over the clients: of NumPy arrays without what ``sum`` does around it."""
    return np.add.reduce(a, axis=1) if type(a) is np.ndarray else a.sum(axis=1)


def _most(a: Array) -> Array:
    """The largest over the clients."""
    return a.max(axis=1) if type(a) is np.ndarray else a.amax(axis=1)


def _room(n: int, far: int, size: Array, kind: Array) -> Array:
    """What rounding explains of a change of sums; size: the sum of what was added, as numbers.

    Below the least normal number a rounding is absolute: n^2 products lose eps least each.
    """
    eps, least = _precision(kind)
    made: Array = 4 * eps * n * (far + 2) * (size + n * least)
    return made


def _precision(a: Array) -> tuple[float, float]:
    """(the spacing of floats at 1, the least normal number)."""
    return (2.0**-52, 2.0**-1022) if a.dtype.itemsize == 8 else (2.0**-23, 2.0**-126)
