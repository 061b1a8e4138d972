"""Every claim of linear speedup of the five papers and of the gallery, under its own protocol.

A protocol is the paper's error, its steps as functions of n and T, and one instance: quadratics of
four kinds of clients, 512 rounds, ``directed-exponential``, n = 4, 8, 16, 32. Beside it stands the
same method with steps that stay, where P = I is a control that can tell.

The bounds of dfedsgpsm (Corollary 1), dfedpgp (Corollary 1), dfedalt and dfedsalt (Theorems 1 and
2) name no number of clients, and pdbo states no rate in it: they claim no speedup.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from theorylab.speedup.entry import speedup
from theorylab.speedup.result import Speedup

ROUNDS = 512


@dataclass(frozen=True)
class Claim:
    """A claimed power of n. protocol: arguments of ``speedup``, and ``text`` what they are."""

    id: str
    locator: str
    text: str
    method: str
    protocol: Mapping[str, Any] = field(default_factory=dict)


def _printed(step: str, **options: Any) -> dict[str, Any]:
    """The mean over all rounds, at steps that grow with n."""
    return {"average": True, "step": step, "claim": -0.5, **options}


_OWN = "the last round, steps that stay"
CLAIMS = (
    Claim(
        "deprl.cor1_speedup",
        "DePRL, Corollary 1",
        "mean of M(k), beta = sqrt(N/K), alpha = 1/(tau sqrt(K)): (NK)^-1/2",
        "deprl",
        _printed("sqrt(n/T)", measure="deprl", options={"alpha": ROUNDS**-0.5, "tau": 1}),
    ),
    Claim("deprl.fig4", "DePRL, Figure 4, text", f"shared gradient, {_OWN}: 1/N", "deprl"),
    Claim(
        "gallery.dpsgd",
        "Lian et al. 2017, Corollary 2",
        "mean of |grad f|^2, eta = 1/(2L + sigma sqrt(T/n)): (Tn)^-1/2",
        "dpsgd",
        _printed("1/(2 + sqrt(T/n))"),  # L = sigma = 1 of a study's quadratic
    ),
    Claim("gallery.dpsgd", "the same method", f"|grad f|^2, {_OWN}: 1/n", "dpsgd"),
    Claim(
        "gallery.sgp1",
        "Assran et al. 2019, Theorem 1",
        "mean of |grad f|^2, eta = sqrt(n/T): (nT)^-1/2",
        "sgp",
        _printed("sqrt(n/T)"),
    ),
    Claim("gallery.sgp1", "the same method", f"|grad f|^2, {_OWN}: 1/n", "sgp"),
)


def judged_claims(say: Callable[[str], None] | None = None) -> list[tuple[Claim, Speedup]]:
    """A study of each claim, in the order of ``CLAIMS``."""
    return [
        (each, speedup(each.method, rounds=ROUNDS, transient=False, say=say, **each.protocol))
        for each in CLAIMS
    ]
