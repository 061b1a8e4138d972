"""Envelopes of one matrix's powers for all lags, from as few lags as its spectrum allows.

With D_l = P^l - pi 1^T, E(t, s) = Phi(t, s) - w(t) 1^T/n and l = t - s,

    E(s + l, s) = D_l - y(s + l) 1^T/n,   M(t, s) = diag(1/w(t)) E(t, s),   w(t) = n pi + y(t).

**The tail.** Let X = D_L - mu D_(L-d) for one mu in [0, 1) and one d: X is small where the slowest
part of P is a real eigenvalue, whatever its gap, and all else has died out. From there on the
powers are a geometric series but for X: for L - d < b <= L and k >= 0,

    D_(b+kd) = mu^k D_b + sum_(j<k) mu^(k-1-j) X P^(jd+b-L+d),

and X P^m (I - w(s) 1^T/n) = X E(s + m, s). So if ||M|| <= C q^m at all lags 1 <= m < l,

    ||M(s + l, s)|| <= mu^k K_b + zeta C q^l,   zeta = beta q^(-L) q^d / (q^d - mu),

where beta bounds diag(1/w(t)) X diag(w(r)) over t - r >= L, and K_b is the largest norm of
diag(1/v) E(s + b, s) over all s and all v between w(s + b) and n pi, which w(s + l) is. Hence
C q^l is an envelope if it is one up to lag L with K_b in the place of lag b and zeta C more. For
mu = 0 this is beta <= q^L, and no K_b.

**The starts.** Row i of M is affine in 1/w_i(t), so that its largest norm over the starts is at the
largest or the smallest w_i(t), t >= l. The 2-norm is looked for at every t.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from theorylab.constants._envelope import Pairs, hull
from theorylab.constants._lag_norms import LEAST, lengths, norms
from theorylab.constants._powers import Powers
from theorylab.constants._tail import Recurrent, Tail, least_rate
from theorylab.known import EPS, UNIT

Floats = NDArray[np.float64]

NORMS = ("row", "spectral", "entry")
FIRST, STEP = 5, 1.3  # lags at the first look for a tail, and how they grow
NEAR = 0.995  # of the gap 1 - |lambda_2|: a tail that has so much is not improved
VANISHED = 1e-60  # no more lags from there on
STEPS, TRIED = 64, 3  # steps d that are looked at, and those of them that are judged in full
ENTRIES = 1e8  # of matrices whose 2-norms are looked for
AS_GOOD = 1e-4  # by so much a gap may be smaller, relative, where a step is shorter
BEND = 1e-5  # by so much, relative, 2-norms between two anchors may lie above the chord
ANCHORS = 256
UNSURE = 0.25  # of a weight: so much no later one may be off by


class Recurrence:
    """The norms of M for all lags and starts of one matrix.

    Args:
        powers: of a matrix with one closed class, of period 1, and no weight 0.
        second: |lambda_2| as float64 has it; it only tells when more lags bring little.

    ``tail`` is None where none was found within the work that is allowed.
    """

    def __init__(self, powers: Powers, second: float) -> None:
        self._powers, self._second = powers, second
        self.tail: Tail | None = None
        self._looked_at, look = 0, FIRST
        while True:
            look = min(look, powers.affordable)
            powers.grow(look)
            last = len(powers.D) - 1
            self._y, self._w = powers.weights(2 * last + 4)
            self._radius = powers.radius()
            if powers.zero is not None:
                zeros = dict.fromkeys(NORMS, 0.0)
                self.tail = Tail(last, 0.0, 0, zeros, zeros, 0.0)
                break
            self.tail = self._best(last)
            vanished = np.abs(powers.D[last] / powers.level[:, None]).sum(axis=1).max() < VANISHED
            if self.sharp or vanished or look == powers.affordable:
                break
            look = int(look * STEP) + 1
        if self.tail is not None:
            self._ends = self._extremes(self.tail)

    @property
    def sharp(self) -> bool:
        """Whether the tail asks for little more than |lambda_2|."""
        if self.tail is None:
            return False
        return all(1 - q >= NEAR * (1 - self._second) for q in self.tail.q.values())

    def _best(self, last: int) -> Tail | None:
        """The tail with the largest gaps; of those that are as good, the one of fewest steps."""
        steps = range(min(last // 2, STEPS) + 1)
        # what is left out, as the settled weights see it: beta is at least that
        near = [least_rate(*self._remainder(last, d)[1:], d, last) for d in steps]
        few = sorted({0, *np.argsort(near, kind="stable")[:TRIED].tolist()})
        tails = [self._tail(last, d) for d in few if near[d] < 1]
        there = [tail for tail in tails if tail is not None]
        gaps = [math.fsum(math.log1p(-q) for q in tail.q.values()) for tail in there]
        best = max(gaps, default=0.0)
        return next((t for t, gap in zip(there, gaps, strict=True) if gap >= best - AS_GOOD), None)

    def _remainder(self, last: int, d: int) -> tuple[Floats, float, float]:
        """|D_last - mu D_(last-d)| from above, entry by entry, its row norm at n pi, and mu.

        The norm is inf where no mu in (0, 1) fits.
        """
        now, before, level = self._powers.D[last], self._powers.D[last - d], self._powers.level
        ratios = np.stack([now, before]) / level[:, None]
        ratios /= np.abs(ratios[1]).max() or 1.0  # or the squares of entries of 1e-200 would vanish
        mu = float((ratios[0] * ratios[1]).sum() / ((ratios[1] ** 2).sum() or 1.0)) if d else 0.0
        X = np.abs(now - mu * before) + 3 * UNIT * (np.abs(now) + abs(mu) * np.abs(before))
        X += 2 * self._radius
        size = float(((X @ level) / level).max()) if mu > 0 or d == 0 else math.inf
        return X, size if mu < 1 else math.inf, mu

    def _tail(self, last: int, d: int) -> Tail | None:
        X, _, mu = self._remainder(last, d)
        level = self._powers.level
        y = self._y
        moved = np.abs(y[last] - mu * y[last - d])
        moved += 3 * UNIT * (np.abs(y[last]) + mu * np.abs(y[last - d])) + 2 * self._radius
        if d:
            offset = float((moved / level).max()) / (1 - mu)
        else:
            offset = float((np.abs(y[-1]) / level).max()) * (1 + 4 * UNIT)
        if self._powers.flat:
            offset = 0.0
        if not offset / min(1.0, float((self._w / level).min())) <= UNSURE:
            return None
        beta = self._beta(X, last, d)
        q = {norm: least_rate(beta[norm], mu, d, last) for norm in NORMS}
        if max(q.values()) >= 1:
            return None
        return Tail(last, mu, d, beta, q, offset)

    def _beta(self, X: Floats, last: int, d: int) -> dict[str, float]:
        """Bounds of diag(1/w(t)) X diag(w(r)): over t = r + last, or all t beyond, too, if d."""
        w, level = self._w, self._powers.level
        r = len(w) - last
        relative = w[r - 1] / level  # w(t) / (n pi) only moves inwards from there on
        lowest = level * (float(relative.min()) * (1 - 8 * UNIT))
        after = np.minimum.accumulate(np.vstack([w, lowest])[::-1])[::-1] if d else w
        wide = float(relative.max() / relative.min()) * (1 + 8 * UNIT)
        weights, inverse = w[:r].T, 1 / after[last : last + r].T
        rows = np.append((X @ weights) * inverse, (X @ level / level)[:, None] * wide, axis=1)
        columns = np.append((X.T @ inverse) * weights, (X.T @ (1 / level) * level)[:, None] * wide)
        shares = np.maximum(X / (scale := float(X.max()) or 1.0), LEAST) ** 2
        settled = np.sqrt(shares @ level**2)[:, None] / level[:, None] * wide
        each = np.append(np.sqrt(shares @ weights**2) * inverse, settled, axis=1)
        two = min(
            scale * float(lengths(each, 0).max()),
            math.sqrt(float(rows.max())) * math.sqrt(float(columns.max())),
        )
        room = 1 + 8 * (len(X) + 8) * UNIT
        found = zip(NORMS, (float(rows.max()), two, float(X.sum(axis=1).max())), strict=True)
        return {norm: value * room for norm, value in found}

    def _extremes(self, tail: Tail) -> list[tuple[Floats, Floats]]:
        """(y, w) at the smallest and at the largest y_i(t) over t >= l, for every lag l.

        Rounds that were not looked at lie between one that was, at t >= l, and y = 0.
        """
        level = self._powers.level
        explicit = np.zeros((0, len(level))) if self._powers.flat else self._y
        found = []
        for pick, sign in ((np.minimum, -1), (np.maximum, 1)):
            limit = sign * tail.offset * level
            y = pick.accumulate(np.vstack([explicit, limit])[::-1])[::-1]
            # n pi + y, not by that sum where y(t) was looked at: it may cancel
            ends = np.vstack([self._w[: len(explicit)], level + limit])
            found.append((y, pick.accumulate(ends[::-1])[::-1]))
        return found

    def heights(self) -> dict[str, Floats]:
        """By norm, bounds for the lags 0, ..., ``tail.last``; K_b for the last ``tail.step``.

        The 2-norm's are Frobenius norms of rows that no start has together: see ``two_norm``.
        """
        assert self.tail is not None
        last, n, level = self.tail.last, self._powers.n, self._powers.level
        share = self.tail.offset * float((level / self._ends[0][1][0]).max())
        found = {norm: np.zeros(last + 1) for norm in NORMS}
        for lag in range(last + 1):
            held = lag > last - self.tail.step
            row, two, entry = 0.0, np.zeros(n), 0.0
            for y, w in self._ends_of(lag, held):
                E = np.abs(n * self._powers.D[lag] - y[:, None]) + self._blur(lag, y)[:, None]
                M = E / (n * w)[:, None]
                row = max(row, float(M.sum(axis=1).max()))
                two = np.maximum(two, lengths(M, 1))
                entry = max(entry, float(E.max()) / n)
            room = (1 + 4 * (n + 8) * UNIT) * (1 + 2 * share if held else 1)
            for norm, size in zip(NORMS, (row, float(lengths(two, 0)), entry), strict=True):
                found[norm][lag] = size * room
        if self._powers.zero is not None:
            for sizes_of in found.values():
                sizes_of[last] = 0.0
        return found

    def _ends_of(self, lag: int, held: bool) -> list[tuple[Floats, Floats]]:
        """Every (y, w) that a row of ``heights`` has to be looked at with."""
        ends = []
        for y, w in self._ends:
            row = min(lag, len(y) - 1)
            ends.append((y[row], w[row]))
            if held:
                ends.append((y[row], self._powers.level))
        return ends

    def _blur(self, lag: int, y: Floats) -> Floats:
        """What an entry of n D - y, rows by y, may be off by; more than any entry needs."""
        n = self._powers.n
        largest = np.abs(self._powers.D[lag]).max(axis=1)
        return np.asarray(3 * UNIT * (n * largest + np.abs(y)) + 2 * n * self._radius)

    def two_norm(self, lag: int) -> float:
        """The same as ``heights`` of the 2-norm, at the starts that there are."""
        assert self.tail is not None
        tail, n = self.tail, self._powers.n
        D, level = self._powers.D[lag], self._powers.level
        ys = [self._y[lag:]] if not self._powers.flat else []
        ws = [self._w[lag:]] if not self._powers.flat else []
        bend = 0.0
        for y in [] if self._powers.flat else self._y[len(self._y) - tail.step :]:
            shares, bent = _anchors(y, level)
            bend = max(bend, bent)
            ys.append(shares[:, None] * y)
            ws.append(level + ys[-1])
        if not tail.step or self._powers.flat:
            ys.append(np.zeros((1, n)))
            ws.append(level[None])
        if lag > tail.last - tail.step and not self._powers.flat:
            for y in self._y[lag : lag + tail.step]:
                shares, bent = _anchors(y, level)
                bend = max(bend, bent)
                ys.append(np.broadcast_to(y, (len(shares), n)))
                ws.append(level + shares[:, None] * y)
        y, w = np.concatenate(ys), np.concatenate(ws)
        M = (n * D - y[:, :, None]) / (n * w)[:, :, None]
        self._looked_at += M.size
        size = norms(M, 0.0)["spectral"] * (1 + 4 * n**2 * EPS)
        blur = self._blur(lag, np.abs(y).max(axis=0)) + 2 * tail.offset * n * level
        off = float((blur / w.min(axis=0)).max())
        room = 1 + 3 * float((tail.offset * level / w.min(axis=0)).max())
        return (size + off + bend * (size + 1)) * room

    def pairs(self, norm: str, heights: Floats, refined: set[int]) -> Pairs:
        """All pairs above ``heights``, inf where a lag does not count.

        For the 2-norm the lags that matter are given their ``two_norm`` in place, those first on
        which the smallest pair rests, within ``ENTRIES``; ``refined`` are those that have it.
        """
        assert self.tail is not None
        while True:
            counted = np.flatnonzero(np.isfinite(heights))
            lags, logs = hull(counted.astype(float), heights[counted])
            pairs = Recurrent(lags, logs, self.tail.q[norm], tail=self.tail, norm=norm)
            open_ones = [int(lag) for lag in lags if int(lag) not in refined]
            if norm != "spectral" or not open_ones or self._looked_at > ENTRIES:
                return pairs
            if (q := pairs.smallest[1]) > 0:
                log_q = math.log(q)
                open_ones.sort(key=lambda lag: lag * log_q - math.log(heights[lag]))
            for lag in open_ones[:8]:
                refined.add(lag)
                heights[lag] = min(heights[lag], self.two_norm(lag))

    def least_weight(self) -> tuple[float, float, str]:
        """An enclosure of inf w_i(t) over all t and i, and where it is taken."""
        level, w = self._powers.level, self._w
        if self._powers.flat:
            return 1.0, 1.0, "all row sums are 1"
        low = float(min(w.min(), self._ends[0][1][0].min())) * (1 - 4 * UNIT) - self._radius
        high = float(min(w.min(), level.min())) * (1 + 4 * UNIT)
        t = int(np.argmin(w.min(axis=1)))
        return low, high, f"attained at t = {t}" if w.min() <= level.min() else "n min pi"

    def tail_text(self, norm: str) -> str:
        """The lags that were looked at, and what the others rest on."""
        assert self.tail is not None
        tail, q = self.tail, self.tail.q[norm]
        seen = f"lags 0..{tail.last} computed, "
        if self._powers.zero is not None:
            return f"{seen}the last and all later ones 0"
        if tail.mu == 0:
            return f"{seen}the rest from ||N|| <= {tail.beta[norm]:.3g} <= {q:.6g}^{tail.last}"
        rest = f"D_(l+{tail.step}) = {tail.mu:.6g} D_l + X, {tail.beta[norm]:.3g} for X"
        return f"{seen}the rest from {rest}"


def _anchors(y: Floats, level: Floats) -> tuple[Floats, float]:
    """Shares tau of y in n pi + tau y, and how far 1/(n pi + tau y) is from its chord between two.

    |d^2/dtau^2| of it is 2 y^2 / (n pi + tau y)^2 times itself.
    """
    bent = float((np.abs(y) / np.minimum(level, level + y)).max())
    pieces = min(ANCHORS, 1 + int(bent / (2 * math.sqrt(BEND))))
    return np.linspace(0, 1, pieces + 1), (bent / pieces) ** 2 / 4
