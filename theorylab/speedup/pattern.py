"""Losses of n clients that are copies of a few, so that the common minimiser and the heterogeneity
stay what they are while n grows."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.problems import (
    PROBLEMS,
    CoupledQuadratic,
    LogCosh,
    Logistic,
    Problem,
    Quadratic,
    Softmax,
    problem,
)
from theorylab.registry import options_of
from theorylab.speedup.copies import Copies
from theorylab.speedup.samples import with_data

# What each problem is unless options say otherwise. The losses of two kinds of clients differ in
# more than a shift, so that the mean of models that never met is no minimiser.
DEFAULTS: dict[str, dict[str, Any]] = {
    "quadratic": {"dim": 2, "mu": 0.2, "L": 1.0, "sigma": 1.0, "heterogeneity": 2.0},
    "coupled-quadratic": {
        **{"dim_u": 2, "dim_v": 1, "mu_u": 0.2, "mu_v": 0.5, "coupling": 0.3},
        **{"sigma_u": 1.0, "sigma_v": 1.0, "heterogeneity": 0.7},
    },
    "log-cosh": {"dim": 2, "spread": 2.0, "sigma": 1.0, "seed": 2},
    "logistic": {"partition": "dirichlet", "batch": 2, "reg": 0.2},
    "softmax": {"partition": "dirichlet", "batch": 2, "reg": 0.2},
    "mlp": {"hidden": [16], "batch": 4, "reg": 0.1, "samples": 400, "alpha": 0.3},
    "cnn": {
        **{"channels": [4, 8], "hidden": [16], "batch": 4, "reg": 0.1, "samples": 400},
        "alpha": 0.3,
    },
}
# The sizes of dfedsgpsm, Appendix A, on all of the data.
FULL: dict[str, dict[str, Any]] = {
    "mlp": {"hidden": [200, 200], "samples": None},
    "cnn": {"channels": [64, 64], "hidden": [384, 192], "samples": None},
}
MOST_KINDS = 4
Place = NDArray[np.int64]  # (n,): of which kind each client is


@dataclass(frozen=True)
class Pattern:
    """``kinds`` client losses; client i of n has the loss of client i mod ``kinds``.

    Args:
        name: of a registered problem. options: of it, in place of ``DEFAULTS``; of a problem with
            the options data and root also ``samples``, the first so many of the data.
        kinds: how many unlike clients there are; n is a multiple of it.
        personal: the point has a shared and a personal part. A quadratic is then a
            ``coupled-quadratic``, and of a regression the bias is personal.
        blocks: clients of a kind stand side by side, as far from the others as a network lets them.

    Raises:
        ValueError: one line, on a problem that cannot be copied, or an option that is none.
    """

    name: str
    options: Mapping[str, Any]
    kinds: int
    personal: bool = False
    blocks: bool = False

    def __post_init__(self) -> None:
        if self.personal and self.name == "quadratic":
            object.__setattr__(self, "name", "coupled-quadratic")
        PROBLEMS.find(self.name)
        if self.personal and self.name == "log-cosh":
            raise ValueError(
                "speedup: log-cosh has no personal part, and the algorithm needs one; need "
                "quadratic, logistic or softmax"
            )
        object.__setattr__(self, "options", {**DEFAULTS.get(self.name, {}), **self.options})

    @functools.cached_property
    def base(self) -> Problem:
        """The problem of one client of each kind."""
        given = dict(self.options)
        if {"data", "root"} <= options_of(PROBLEMS.find(self.name)).keys():
            given = with_data(given)
        return problem(self.name, self.kinds, **given)

    def losses(self, clients: int, noise: bool = True) -> Problem:
        """The losses of ``clients`` clients; without ``noise`` every gradient is exact.

        Raises ValueError where the kinds do not divide the clients.
        """
        copies, left = divmod(clients, self.kinds)
        if left or not copies:
            raise ValueError(
                f"speedup: {clients} clients are no copies of {self.kinds}; need a multiple"
            )
        place = np.arange(clients)
        place = place // copies if self.blocks else place % self.kinds
        made: Any = _COPIES.get(self.name, Copies)(self.base, place, noise)
        if self.personal and self.name in ("logistic", "softmax"):
            made.shared = made.dim - made.columns
            made.blocks = (made.shared, made.dim)
        losses: Problem = made
        return losses

    @property
    def document(self) -> dict[str, Any]:
        """All of it as JSON has it."""
        return {
            "name": self.name,
            "options": dict(self.options),
            "kinds": self.kinds,
            "personal": self.personal,
            "blocks": self.blocks,
        }


def kinds_of(clients: list[int]) -> int:
    """The most kinds, up to ``MOST_KINDS``, that divide every number of clients."""
    common = int(np.gcd.reduce(clients))
    return max(k for k in range(1, MOST_KINDS + 1) if common % k == 0)


def _quadratic(base: Quadratic, place: Place, noise: bool) -> Problem:
    return Quadratic(
        len(place),
        H=base.hessians[place],
        c=base.centers[place],
        sigma=base.sigma if noise else 0.0,
    )


def _coupled(base: CoupledQuadratic, place: Place, noise: bool) -> Problem:
    d_u, (own, personal) = base.shared, base.field.parts
    options: dict[str, Any] = {**base.field.options()}
    return CoupledQuadratic(
        len(place),
        A=base.A[place],
        B=base.B[place],
        C=base.C[place],
        a=base.centers[:, :d_u][place],
        b=base.centers[:, d_u:][place],
        noise=base.field.kind,
        sigma_u=own.sigma if noise else 0.0,
        sigma_v=personal.sigma if noise else 0.0,
        **options,
    )


def _log_cosh(base: LogCosh, place: Place, noise: bool) -> Problem:
    return LogCosh(
        len(place),
        centers=base.centers[place],
        scale=base.scale,
        sigma=base.sigma if noise else 0.0,
    )


def _regression(base: Logistic | Softmax, place: Place, noise: bool) -> Problem:
    rows = [np.arange(base.starts[kind], base.starts[kind] + base.sizes[kind]) for kind in place]
    every = np.concatenate(rows)
    return type(base)(
        len(place),
        features=base.features[every],
        labels=base.labels[every],
        owners=np.repeat(np.arange(len(place)), [len(each) for each in rows]),
        batch=base.batch if noise else None,
        reg=base.reg,
    )


# Problems that are copied into one of their own class, with its kernels; all others are wrapped.
_COPIES: dict[str, Callable[[Any, Place, bool], Any]] = {
    "quadratic": _quadratic,
    "coupled-quadratic": _coupled,
    "log-cosh": _log_cosh,
    "logistic": _regression,
    "softmax": _regression,
}
