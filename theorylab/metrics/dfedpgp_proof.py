"""Left-hand sides of the proof of dfedpgp's Theorem 1, (11) and (23) to (31), round by round."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from theorylab.known import UNIT
from theorylab.metrics._dfedpgp_terms import Floats, Played, common, slopes, slopes_at_z, squares
from theorylab.metrics.dfedpgp import PushRounds
from theorylab.problems import joined
from theorylab.runs import Row
from theorylab.runs.rounding import RELATIVE, descent_off


class BodyStep(PushRounds, name="dfedpgp.body_step"):
    """||u_i^{t,k+1} - u_i^t||^2, i by i and k by k (own_way, own_z_way, own_gradient, of i)."""

    plain = "((Us[{k} + 1] - U0)[..., {i}, :] ** 2).sum(-1)"

    def of_round(self, p: Played) -> Iterable[Row]:
        here, off = slopes_at_z(self.problem, p), self.rooms.walk(p, "u")
        for k, (old, new) in enumerate(zip(p.us[:-1], p.us[1:], strict=True)):
            way, step = squares(old - p.u), squares(new - p.u)
            for i in range(way.shape[1]):
                at = {
                    "dfedpgp_own_way": way[:, i],
                    "dfedpgp_own_z_way": way[:, i] / p.w[:, i] ** 2,
                    "dfedpgp_own_gradient": here[:, i],
                }
                yield Row(step[:, i], at, f"t={p.t}, i={i}, k={k}", off=off(k + 1))


def _away(p: Played) -> Floats:
    """z_i^{t,k} - ubar^t, k < K_u, (K_u, R, n, d_u)."""
    return np.stack([u / p.w[..., None] - p.mean for u in p.us[:-1]])


class BodyRounds(PushRounds):
    """What depends on how far the z_i^{t,k} are from ubar^t."""

    def away(self, p: Played) -> tuple[Floats, float]:
        """((1/m) sum_{i,k} ||z_i^{t,k} - ubar^t||^2, how far rounding puts these vectors off)."""
        sizes = squares(_away(p)).mean(axis=2).sum(axis=0)
        size = max(float(np.linalg.norm(x, axis=2).max()) for x in (*p.us, p.z))
        one = self.rooms.walk(p, "u")(self.K_u) / float(p.w.min())
        return sizes, self.K_u**0.5 * (one + 4 * (self.problem.clients + 2) * UNIT * size)


class BodyAway(BodyRounds, name="dfedpgp.body_away"):
    """(1/m) sum_i sum_{k<K_u} ||z_i^{t,k} - ubar^t||^2 (body_gradient, apart)."""

    plain = "sum(apart(each / w0, bar(U0)) for each in Us[:-1])"

    def of_round(self, p: Played) -> Iterable[Row]:
        value, off = self.away(p)
        at = {
            "dfedpgp_body_gradient": squares(common(self.problem, p.mean, p.vs[-1])),
            "dfedpgp_apart": squares(p.z - p.mean).mean(axis=1),
        }
        yield Row(value, at, f"t={p.t}", off=off)


class BodyDescent(BodyRounds, name="dfedpgp.body_descent"):
    """F(ubar^{t+1}, V^{t+1}) - F(ubar^t, V^{t+1}) (body_gradient, body_away, apart,
    moved_u).
    """

    plain = """
    after = F(bar(U), V)
    before = F(bar(U0), V)
    after - before"""

    def of_round(self, p: Played) -> Iterable[Row]:
        later = p.after.mean(axis=1, keepdims=True)
        start, end = joined(p.mean, p.vs[-1]), joined(later, p.vs[-1])
        away, far = self.away(p)
        at = {
            "dfedpgp_body_gradient": squares(common(self.problem, p.mean, p.vs[-1])),
            "dfedpgp_body_away": away,
            "dfedpgp_apart": squares(p.z - p.mean).mean(axis=1),
            "dfedpgp_moved_u": squares(later - p.mean).sum(axis=1),
        }
        slope, off = float(at["dfedpgp_body_gradient"].max()) ** 0.5, self.rooms.mean(p)
        size = float(np.linalg.norm(np.stack(p.us), axis=3).max())
        step = self.rooms.walk(p, "u", grows=False)(self.K_u)
        step += 4 * self.problem.clients * UNIT * size  # and the mixing
        bend = self.known["dfedpgp_L_u"].value ** 2 * (2 * float(away.max()) ** 0.5 + far) * far
        room = self.rooms.size(p) * step
        room += self.eta_u * (self.K_u * (2 * slope + off) * off + bend)
        yield _change(self, p, start, end, later - p.mean, at, room)


class HeadsMoved(PushRounds, name="dfedpgp.heads_moved"):
    """(1/m) sum_i ||v_i^{t+1} - v_i^t||^2 (heads_at_u, heads_at_z)."""

    plain = "apart(V, V0)"

    def of_round(self, p: Played) -> Iterable[Row]:
        at = _heads(self, p)
        off = self.rooms.walk(p, "v")(self.K_v)
        yield Row(squares(p.vs[-1] - p.vs[0]).mean(axis=1), at, f"t={p.t}", off=off)


class HeadDescent(PushRounds, name="dfedpgp.head_descent"):
    """F(ubar^t, V^{t+1}) - F(ubar^t, V^t) (heads_at_u, heads_at_z, heads_at_mean, body_gradient,
    apart).
    """

    plain = """
    after = F(bar(U0), V)
    before = F(bar(U0), V0)
    after - before"""

    def of_round(self, p: Played) -> Iterable[Row]:
        start, end = joined(p.mean, p.vs[0]), joined(p.mean, p.vs[-1])
        at = _heads(self, p) | {
            "dfedpgp_body_gradient": squares(common(self.problem, p.mean, p.vs[-1])),
            "dfedpgp_apart": squares(p.z - p.mean).mean(axis=1),
        }
        slope = max(float(at[f"dfedpgp_heads_at_{x}"].max()) for x in ("u", "mean")) ** 0.5
        off, eta_v = self.rooms.mean(p), float(self.rooms.eta["v"])
        room = self.rooms.size(p) * self.rooms.walk(p, "v", grows=False)(self.K_v)
        room += eta_v * self.K_v * (2 * slope + off) * off
        yield _change(self, p, start, end, p.vs[-1] - p.vs[0], at, room)


def _heads(metric: PushRounds, p: Played) -> dict[str, Floats]:
    """(1/m) sum_i ||grad_v F_i(., v_i^t)||^2 at u_i, z_i and ubar."""
    points = [joined(u, p.vs[0]) for u in (p.u, p.z, p.mean)]
    found = slopes(metric.problem, points, "v")
    return {
        f"dfedpgp_heads_at_{name}": squares(x).mean(axis=1)
        for name, x in zip(("u", "z", "mean"), found, strict=True)
    }


def _change(
    metric: PushRounds,
    p: Played,
    start: Floats,
    end: Floats,
    moved: Floats,
    at: dict[str, Floats],
    room: float,
) -> Row:
    """The row of F(end) - F(start); ``room``: what rounding can do to the other side."""
    problem = metric.problem
    change = problem.loss(end).mean(axis=1) - problem.loss(start).mean(axis=1)
    room += float(descent_off(problem, (start, end), (moved,)).max())
    room += RELATIVE * float(np.abs(change).max())
    return Row(change, at, f"t={p.t}", rounding=room)
