r"""Replayed <= PROVED <= bound: a theorem's own number beside the worst case of its class.

The theorem is `dfedsgpsm.thm1`: push-sum with K local heavy ball steps, no SAM and no noise, from a
common x^0. Its class: every f_i L-smooth, f(x^0) - f* <= gap, |grad f_i| <= B where a gradient is
taken; the measure is the mean of |grad f(xbar^t)|^2 over t < T. The proof of its corrected version
uses Assumption 5 at the gradients that are taken, nowhere else. A run that exceeds the bound of
another version has gradients that are bounded along it, and perhaps not elsewhere: it is told, and
is no VIOLATED by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theorylab.algorithms import algorithm
from theorylab.constants import topology_constants
from theorylab.known import How, Known
from theorylab.statements import evaluate
from theorylab.statements.dfedsgpsm.thm1 import STATEMENT
from theorylab.topologies import Topology
from theorylab.verdicts.evidence import constant_name, settled, value_on_side
from theorylab.worst.question import Functions
from theorylab.worst.worst import Worst, worst

TREATED = (STATEMENT.id,)
OPTIONS = {"eta": None, "alpha": 0.0, "local_steps": 1, "L": 1.0, "B": 1.0, "gap": 1.0}


@dataclass(frozen=True)
class Triangle:
    """The worst case of the class, with its certificate, beside the bound of one version."""

    version: str
    answer: Worst
    bound: Known

    @property
    def factor(self) -> float:
        """The least c, up to the margin, for which c times the bound is PROVED."""
        made = self.answer.certificate
        worst_case = self.answer.value if made is None else float(made.claim)
        return worst_case / self.bound.value

    @property
    def proved(self) -> bool:
        """Whether the claim is at most the bound, so that the theorem is PROVED of this class."""
        made = self.answer.certificate
        return made is not None and made.claim <= Fraction(self.bound.value)


def triangles(network: Topology, rounds: int, given: Mapping[str, Any]) -> list[Triangle]:
    """One for each version of the theorem of which this class meets the assumptions.

    Args:
        given: of ``OPTIONS``; eta is half of what the corrected version allows, if omitted.

    Raises ValueError, one line, on an unknown option, or where no version has its assumptions met.
    """
    unknown = sorted({*given} - {*OPTIONS})
    if unknown:
        raise ValueError(
            f"{STATEMENT.id} has no option {unknown[0]!r} here; need one of {', '.join(OPTIONS)}"
        )
    options: dict[str, Any] = {**OPTIONS, **given}
    K, alpha = int(options["local_steps"]), float(options["alpha"])
    if options["eta"] is None:
        pushed = sum(alpha ** (k - s) for k in range(K) for s in range(k + 1))
        options["eta"] = _short(1 / (2 * options["L"] * pushed))
    method = algorithm("dfedsgpsm", eta=options["eta"], alpha=alpha, local_steps=K)
    bounds: dict[str, Known] = {}
    failed = ""
    for version in STATEMENT.versions:
        try:
            bounds[version] = _bound(version, network, rounds, options)
        except ValueError as error:
            failed = str(error)
    if not bounds:
        raise ValueError(failed)
    L = options["L"]
    answer = worst(
        method, network, rounds=rounds, functions=Functions(-L, L, B=options["B"]),
        start={"gap": options["gap"]}, metric="mean-gradient", certify=True,
    )  # fmt: skip
    return [Triangle(version, answer, bound) for version, bound in bounds.items()]


def _short(value: float) -> float:
    """The number with three digits, which is the rational that it prints."""
    return float(f"{value:.3g}")


def _bound(version_name: str, network: Topology, rounds: int, options: Mapping[str, Any]) -> Known:
    """The bound of a version, from constants on the side that makes it larger.

    Raises ValueError: one line naming the assumption that these numbers break.
    """
    version = STATEMENT.versions[version_name]
    given = {key: float(options[key]) for key in ("L", "B", "eta", "alpha")}
    given |= {"L_sample": given["L"], "sigma_l": 0.0, "sigma_g": 2 * given["B"]}
    given |= {"f0": float(options["gap"]), "f_star": 0.0, "rho": 0.0, "decay": 1.0}
    given |= {
        "K": float(options["local_steps"]),
        "T": float(rounds),
        "x0_spread": 0.0,
        "x0_sq": 0.0,
    }
    given["noise_clients"] = float(network.clients)
    table = topology_constants(network, horizon=rounds)
    table |= {name: Known(v, How.EXACT, "of the class") for name, v in given.items()}
    try:
        wanted = {s: table[constant_name(version, s)] for s in version.free}
    except KeyError as error:
        raise ValueError(f"{STATEMENT.id} [{version_name}]: no value of {error}") from None
    for assumption in version.assumes:
        result = settled(assumption, wanted)
        if not result.holds:
            raise ValueError(
                f"{STATEMENT.id} [{version_name}]: {assumption.name} fails: {result.reason}"
            )
    values = {s: value_on_side(s, wanted[s]) for s in version.bound.free_symbols}
    return Known(
        float(evaluate(version.bound, values)), How.UPPER, f"{STATEMENT.id} [{version_name}]"
    )
