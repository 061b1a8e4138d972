"""Left-hand sides of the lemmas of dfedpgp, at every round t, client i or local step k."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

import numpy as np

from theorylab.algorithms import LocalStep, State
from theorylab.known import UNIT, Known
from theorylab.metrics._base import Metric
from theorylab.metrics._dfedpgp_terms import (
    BENDS,
    Floats,
    Played,
    Rooms,
    common,
    slopes,
    slopes_at_z,
    squares,
    steps_of,
)
from theorylab.problems import joined
from theorylab.runs import Row, Setting
from theorylab.runs.rounding import RELATIVE, descent_off


class PushRounds(Metric):
    """Rounds of Algorithm 1 as printed, with one K_u and one K_v: v's steps, then u's."""

    local = True
    numbers: ClassVar[tuple[str, ...]] = BENDS

    def __init__(self, setting: Setting, known: Mapping[str, Known]) -> None:
        super().__init__(setting, known)
        options = steps_of(self.name, setting)
        self.problem, self.shared = setting.problem, setting.problem.shared
        self.K_u, self.K_v, self.eta_u = (options[key] for key in ("steps_u", "steps_v", "eta_u"))
        eta = {part: options[f"eta_{part}"] for part in "uv"}
        self.rooms = Rooms(setting.problem, eta, known)
        self._steps: list[LocalStep] = []

    def see(self, step: LocalStep) -> None:
        self._steps.append(step)

    def rows(self, before: State, after: State) -> Iterable[Row]:
        steps, self._steps = self._steps, []
        if [step.part for step in steps] != ["v"] * self.K_v + ["u"] * self.K_u:
            raise ValueError(
                f"metric {self.name}: {self.setting.algorithm.name} takes other local steps; need "
                "K_v steps of v, then K_u steps of u"
            )
        return self.of_round(Played.of(before, steps, after))

    def of_round(self, p: Played) -> Iterable[Row]:
        raise NotImplementedError


class HeadDrift(PushRounds, name="dfedpgp.head_drift"):
    """||v_i^{t,K_v-1} - v_i^t||^2 (head_gradient)."""

    plain = "((Vs[-2] - Vs[0]) ** 2).sum(-1)[..., {i}]"

    short: ClassVar[int] = 1  # steps that are left out

    def of_round(self, p: Played) -> Iterable[Row]:
        k = self.K_v - self.short
        way = squares(p.vs[k] - p.vs[0])
        slope = squares(slopes(self.problem, p.at_v[:1], "v")[0])
        off = self.rooms.walk(p, "v")(k)
        for i in range(way.shape[1]):
            at = {"dfedpgp_head_gradient": slope[:, i]}
            yield Row(way[:, i], at, f"t={p.t}, i={i}", off=off)


class HeadDriftAll(HeadDrift, name="dfedpgp.head_drift_all"):
    """||v_i^{t+1} - v_i^t||^2 (head_gradient)."""

    plain = "((V - V0) ** 2).sum(-1)[..., {i}]"

    short = 0


class BodyDrift(PushRounds, name="dfedpgp.body_drift"):
    """(1/m) sum_i ||u_i^{t,k} - u_i^t||^2, k = 1..K_u - 1 (local_step, own_gradient)."""

    plain = "apart(Us[{k}], U0)"

    def of_round(self, p: Played) -> Iterable[Row]:
        here = slopes_at_z(self.problem, p).mean(axis=1)
        off = self.rooms.walk(p, "u")
        for k, u in enumerate(p.us[:-1]):
            if k == 0 and self.K_u > 1:  # 0 <= 0
                continue
            at = {"local_step": float(k), "dfedpgp_own_gradient": here}
            yield Row(squares(u - p.u).mean(axis=1), at, f"t={p.t}, k={k}", off=off(k))


class Descent(PushRounds, name="dfedpgp.descent"):
    """F(ubar^{t+1}, V^{t+1}) - F(ubar^t, V^t) (linear_part, moved_u, moved_v)."""

    plain = """
    after = F(bar(U), V)
    before = F(bar(U0), V0)
    after - before"""

    def of_round(self, p: Played) -> Iterable[Row]:
        problem, later = self.problem, p.after.mean(axis=1, keepdims=True)
        old, new, end = joined(p.mean, p.vs[0]), joined(p.mean, p.vs[-1]), joined(later, p.vs[-1])
        moved, turned = later - p.mean, p.vs[-1] - p.vs[0]
        first = (problem.gradient(new)[..., : self.shared] * moved).sum(axis=2)
        third = (problem.gradient(old)[..., self.shared :] * turned).sum(axis=2)
        at = {
            "dfedpgp_linear_part": (first + third).mean(axis=1),
            "dfedpgp_moved_u": squares(moved).sum(axis=1),
            "dfedpgp_moved_v": squares(turned).mean(axis=1),
        }
        change = problem.loss(end).mean(axis=1) - problem.loss(old).mean(axis=1)
        room = float(descent_off(problem, (old, new, end), (moved, turned)).max())
        yield Row(change, at, f"t={p.t}", rounding=room)


class Square(PushRounds, name="dfedpgp.square"):
    """||ubar^{t+1} - ubar^t||^2 (gradient_sum)."""

    plain = "apart(bar(U), bar(U0))"

    def of_round(self, p: Played) -> Iterable[Row]:
        total = squares(np.stack(p.gu)).sum(axis=0).mean(axis=1)
        # mixing is n products, of columns that sum to 1 but for n UNIT, and an average over n more
        size = float(np.linalg.norm(np.stack(p.us), axis=3).max())
        off = self.rooms.walk(p, "u", grows=False)(self.K_u)
        off += 4 * self.problem.clients * UNIT * size
        square = squares(p.after.mean(axis=1) - p.u.mean(axis=1))
        yield Row(square, {"dfedpgp_gradient_sum": total}, f"t={p.t}", off=off)


class Bias(PushRounds, name="dfedpgp.bias"):
    """||E g - E grad|| of every local step of u and v, i by i (bias_room)."""

    @classmethod
    def written(cls, setting: Setting, place: str) -> str:
        """As of ``Metric``: of a step of v, or of u."""
        gap = "left, right = used_{part}[{{k}}].mean(0)[{{i}}], {exact}.mean(0)[{{i}}]"
        exact = {"v": "heads(U0 / w0, Vs[{k}])", "u": "body(Us[{k}] / w0, V)"}
        part = "v" if ", v," in place else "u"
        return f"{gap.format(part=part, exact=exact[part])}\nnp.linalg.norm(left - right)"

    def of_round(self, p: Played) -> Iterable[Row]:
        for part, drawn, points in (("v", p.gv, p.at_v), ("u", p.gu, p.at_u)):
            for k, (g, h) in enumerate(zip(drawn, slopes(self.problem, points, part), strict=True)):
                # a mean of R numbers of that size, d of them in a norm; each chance is a product
                # of at most 18 that are not 1, for they are of at most 2^18 outcomes
                sums = len(g) + self.problem.dim + 36
                at = {"dfedpgp_bias_room": 4 * sums * UNIT * np.abs(g).max(axis=(1, 2))}
                for i in range(g.shape[1]):
                    yield Row(
                        (g - h)[:, i],
                        at,
                        f"t={p.t}, {part}, k={k}, i={i}",
                        rounding=0.0,
                        reduction="norm of the mean",
                        sides=np.stack([g[:, i], h[:, i]], axis=1),
                    )


class GradientAtZ(PushRounds, name="dfedpgp.gradient_at_z"):
    """||grad_u F(z_i^t, V^{t+1})||^2, i by i (own_apart, gradient)."""

    plain = "(body((U0 / w0)[..., {i}:{i} + 1, :], V).mean(-2) ** 2).sum(-1)"

    def of_round(self, p: Played) -> Iterable[Row]:
        away, gradient = squares(p.z - p.mean), squares(common(self.problem, p.mean, p.vs[-1]))
        own, off = slopes_at_z(self.problem, p), self.rooms.mean(p)
        for i in range(own.shape[1]):
            at = {"dfedpgp_own_apart": away[:, i], "dfedpgp_gradient": gradient}
            yield Row(own[:, i], at, f"t={p.t}, i={i}", off=off)


class LocalSquare(PushRounds, name="dfedpgp.local_square"):
    """||grad_u F_i(z_i^{t,k}, v_i^{t+1}; xi_i)||^2, i by i and k by k (own_gradient, of i)."""

    plain = "(used_u[{k}][..., {i}, :] ** 2).sum(-1)"

    def of_round(self, p: Played) -> Iterable[Row]:
        here, off = slopes_at_z(self.problem, p), self.rooms.mean(p)
        for i in range(here.shape[1]):
            for k, g in enumerate(p.gu):
                at = {"dfedpgp_own_gradient": here[:, i]}
                yield Row(squares(g[:, i]), at, f"t={p.t}, i={i}, k={k}", off=off)


class HeadProduct(PushRounds, name="dfedpgp.head_product"):
    """(1/m) sum_i <grad_v F_i(ubar^t, v_i^t), v_i^{t+1} - v_i^t> (heads_at_u, heads_at_z,
    heads_at_mean, apart, moved_v, head_walk).
    """

    plain = "(heads(bar(U0), V0) * (V - V0)).sum(-1).mean(-1)"

    def of_round(self, p: Played) -> Iterable[Row]:
        v = p.vs[0]
        points = [joined(u, v) for u in (p.u, p.z, p.mean)]
        at_u, at_z, heads = slopes(self.problem, points, "v")
        turned = p.vs[-1] - v
        product = (heads * turned).sum(axis=2).mean(axis=1)
        parts: dict[str, Floats] = {
            "dfedpgp_heads_at_u": at_u,
            "dfedpgp_heads_at_z": at_z,
            "dfedpgp_heads_at_mean": heads,
            "dfedpgp_apart": p.z - p.mean,
            "dfedpgp_moved_v": turned,
        }
        at = {name: squares(x).mean(axis=1) for name, x in parts.items()}
        at["dfedpgp_head_walk"] = sum(squares(x - v).mean(axis=1) for x in p.vs[:-1])
        # what turned v is a sum of gradients at the computed v_i, each step of it rounded
        off, step = self.rooms.mean(p), self.rooms.walk(p, "v", grows=False)(self.K_v)
        way, slope = (
            float(at[f"dfedpgp_{name}"].max()) ** 0.5 for name in ("moved_v", "heads_at_mean")
        )
        error = off * way + step * (slope + off)
        room = error + RELATIVE * float(np.abs(product).max())
        yield Row(product, at, f"t={p.t}", rounding=room)
