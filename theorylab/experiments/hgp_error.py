"""How far HGP and VR-HGP are from the true hypergradient (pdbo, Theorems 1, 8 and 10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from theorylab.experiments._base import (
    Experiment,
    Observation,
    Row,
    check_column,
    relative_error,
)
from theorylab.experiments._hgp_instance import HgpInstance
from theorylab.experiments._rounds import estimates
from theorylab.known import How, Known

LAWS = ("exact", "sample")
_FROM_LAW = ("bias_law", "bias_of_sum", "floor_B", "floor_A")  # of the exact law


class HgpError(Experiment):
    """Errors at several M, by listing every edge pattern and every minibatch, or by drawn runs.

    Columns, each at every M of ``terms``:
        error        ||v^(M) + c^lambda - d_lambda Fbar||, all clients' blocks together
        block_error  the same of one client's block; one row a client
        bare_error   ||v^(M) - d_lambda Fbar|| with v^(0) = 0, as Theorem 10 prints it
        bias         ||E v^(M) + c^lambda - d_lambda Fbar||, from the means
        bias_law     the same from the law's own mean; exact law only
        bias_of_sum  ||E v^(M) - Bbar sum_{i < M} Abar^i c^y||; exact law only
        truncation   ||Bbar sum_{i >= M} Abar^i c^y||, from the matrices
        noise        ||v^(M) - Bbar sum_{i < M} Abar^i c^y||
        floor_B      sd of B-hat c^y over the root mean square error at M; exact law only
        floor_A      sd of Bbar sum_{k <= M-2} Abar^k A-hat c^y over the same; exact law only

    Args:
        terms: the M. alpha, beta: VR-HGP's weights; (1, 0) is HGP. law: "exact" or "sample".
        others: see ``HgpInstance``.
    """

    name = "hgp-error"
    columns = (
        *("error", "block_error", "bare_error", "bias", "bias_law", "truncation"),
        *("noise", "floor_B", "floor_A", "bias_of_sum"),
    )

    def __init__(
        self,
        terms: Sequence[int] = (1, 2, 3),
        alpha: float = 0.9,
        beta: float = 0.1,
        law: str = "exact",
        eps_chance: float = 0.1,
        **instance: Any,
    ) -> None:
        if law not in LAWS:
            raise ValueError(f"hgp-error: law is {law!r}; need one of {', '.join(LAWS)}")
        if not terms or any(not isinstance(m, int) or m < 1 for m in terms):
            raise ValueError(f"hgp-error: terms is {terms!r}; need integers >= 1")
        if not 0 < eps_chance < 1:
            raise ValueError(f"hgp-error: eps_chance is {eps_chance!r}; need 0 < eps_chance < 1")
        self.at = HgpInstance("hgp-error", **instance)
        self.terms, self.alpha, self.beta, self.law = tuple(terms), alpha, beta, law
        self.eps_chance = eps_chance

    def describe(self) -> dict[str, Any]:
        own: Mapping[str, Any] = {
            **{"terms": list(self.terms), "alpha": self.alpha, "beta": self.beta},
            **{"law": self.law, "eps_chance": self.eps_chance},
        }
        return {**own, **self.at.options}

    def constants(self) -> dict[str, Known]:
        chosen = {
            "vr_alpha": self.alpha,
            "vr_beta": self.beta,
            "eps_chance": self.eps_chance,
        }
        floors = {}
        if self.law == "exact" and np.isfinite(self.at.kappa.value):
            try:
                floors = {"floor_B": self.at.floors(1)[0], "floor_A": self.at.last_floor()}
            except ValueError:  # too many cases of a round: what needs the law says so
                floors = {}
        return {
            **self.at.constants(),
            **{name: Known(value, How.EXACT, "law of a round") for name, value in floors.items()},
            # An outcome passes through some tens of operations a round, and a mean adds up to
            # 2^17 of them.
            "summands": Known(2.0**19, How.EXACT, "operations that a number passes through"),
            **{name: Known(value, How.EXACT, "chosen") for name, value in chosen.items()},
        }

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        truth, c_lam = self.at.truth, self.at.maps.c_lam
        size = float(np.abs(truth).max() + np.abs(c_lam).max())
        rounding = 1e-12 * size  # a few thousand roundings of numbers of that size, generously
        rows: list[Row] = []
        for terms in self.terms:
            place = {"terms": float(terms)}
            label = f"M={terms}"
            if column in ("bias", "truncation"):
                tail = self.at.tail(terms)
                left = tail if column == "truncation" else self.at.truncated(terms) - truth
                value = np.array([np.linalg.norm(left)])
                # Products of few small matrices: a small multiple of terms u, relative to the tail
                room = 1e-14 * (terms + 100) * float(value[0]) if left is tail else rounding
                rows.append(Row(value, place, label, rounding=room))
                continue
            found, weights = self._estimates(terms, runs, seed, exact=column in _FROM_LAW)
            if column in ("bias_law", "bias_of_sum"):
                assert weights is not None
                mean = np.einsum("r,rij->ij", weights, found) - c_lam
                aim = truth if column == "bias_law" else self.at.truncated(terms)
                value = np.array([np.linalg.norm(mean - aim)])
                # v is to be the series, and v + c^lambda the hypergradient
                rest = c_lam if column == "bias_law" else 0.0
                share = relative_error(value, *(np.linalg.norm(x + rest) for x in (mean, aim)))
                row = Row(value, place, label, rounding=rounding, relative_error=share)
                rows.append(row)
            elif column in ("floor_B", "floor_A"):
                assert weights is not None
                far = ((found - truth - c_lam) ** 2).sum(axis=(1, 2))
                rms = float(np.sqrt(weights @ far))
                floor = self.at.floors(terms)[column == "floor_A"]
                value = np.array([floor / rms if floor else 0.0])
                rows.append(Row(value, place, label, rounding=1e-9 * float(value[0])))
            elif column == "block_error":
                for i in range(truth.shape[0]):
                    value = np.linalg.norm(found[:, i] - truth[i] - c_lam[i], axis=1)
                    rows.append(Row(value, place, f"{label}, i={i}", weights, rounding))
            else:
                target = {
                    "error": truth + c_lam,
                    "bare_error": truth + 2 * c_lam,  # v alone lacks c^lambda, the truth has it
                    "noise": self.at.truncated(terms) + c_lam,
                }[column]
                value = np.linalg.norm(found - target, axis=(1, 2))
                rows.append(Row(value, place, label, weights, rounding))
        exact = self.law == "exact" or column in ("bias", "truncation", *_FROM_LAW)
        return Observation(tuple(rows), exact, "terms")

    def _estimates(self, terms: int, runs: range, seed: int, exact: bool) -> Any:
        listed = exact or self.law == "exact"
        return estimates(
            self.at.maps,
            self.at.topology,
            self.at.law,
            terms,
            self.alpha,
            self.beta,
            runs=None if listed else runs,
            seed=seed,
        )
