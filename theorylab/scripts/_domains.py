"""The set and the term of a composite problem as lines of a script."""

from __future__ import annotations

from theorylab.problems import Domain
from theorylab.problems._domain import Affine, Ball, Interval, Simplex
from theorylab.scripts._literals import constant
from theorylab.scripts.base import UnscriptedError


def domain_lines(domain: Domain) -> list[str]:
    """Lines that give ``problem`` its projection, its prox, and F = f + g as its mean loss."""
    if isinstance(domain, Ball):
        near = f"into_ball(x, {constant(domain.center)}, {domain.radius!r})"
    elif isinstance(domain, Simplex):
        near = f"onto_simplex(x, {domain.total!r})"
    elif isinstance(domain, Affine):
        near = f"onto_plane(x, {constant(domain.A)}, {constant(domain.b)})"
    elif isinstance(domain, Interval):
        return _of_interval(domain)
    else:
        raise UnscriptedError(f"the set {type(domain).__name__}")
    return [f"problem.project = lambda x: {near}"]


def _of_interval(domain: Interval) -> list[str]:
    made = []
    if domain.confines:
        ends = ", ".join(map(constant, (domain.low, domain.high)))
        made.append(f"problem.project = lambda x: np.clip(x, {ends})")
    if domain.l1 or domain.bend:
        soft = f"x - np.clip(x, -{domain.l1!r} * s, {domain.l1!r} * s)" if domain.l1 else "x"
        soft = f"({soft}) / (1 + {domain.bend!r} * s)" if domain.bend else soft
        made.append(f"problem.prox = lambda x, s: problem.project({soft})")
        parts = [f"{domain.l1!r} * abs(x).sum(-1)"] if domain.l1 else []
        parts += [f"{domain.bend!r} / 2 * (x * x).sum(-1)"] if domain.bend else []
        made += ["f = problem.mean_loss",
                 f"problem.mean_loss = lambda x: f(x) + {' + '.join(parts)}"]  # fmt: skip
    return made
