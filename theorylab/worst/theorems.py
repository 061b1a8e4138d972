"""The theorems that a worst case is set beside: their method, class, start and constants.

``dfedsgpsm.thm1`` without SAM and noise: every f_i L-smooth, |grad f_i| <= B where a gradient is
taken; the proof of its corrected version uses Assumption 5 nowhere else.

The theorems with personal parts, without noise: L_u, L_v, L_uv and L_vu of every F_i(u, v_i) are at
most L; the diversity of the shared gradients is at most ``heterogeneity`` where the measure looks
at f. No conditions are known that points, gradients and values of such an F_i meet and no others
do: what is PROVED rests on some that all of them meet. What is replayed are jointly L-smooth F_i, a
part of the class that is known exactly. DFedSalt's ascent is any e, |e| <= rho, <e, grad_u> >= 0.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from theorylab.algorithms import Algorithm, algorithm
from theorylab.constants import (
    definition1_constants,
    deprl_network,
    mixing_pair,
    topology_constants,
)
from theorylab.known import How, Known
from theorylab.statements import Statement
from theorylab.topologies import Topology
from theorylab.worst.question import Functions

Options = Mapping[str, Any]


@dataclass(frozen=True)
class Theorem:
    """A statement's deterministic linear case.

    options: name -> default; None for the step sizes, which are halved from ``first`` until the
    corrected version's assumptions hold. metric: of ``worst``; None: the registered metric that a
    version's quantity names. network: the one that is taken where none is named.
    """

    id: str
    network: str
    options: Options
    first: Callable[[Options], dict[str, float]]
    method: Callable[[Options], Algorithm]
    functions: Callable[[Options], Functions]
    numbers: Callable[[Options], dict[str, float]]
    constants: Callable[[Topology, int], dict[str, Known]]
    metric: str | None = None

    @property
    def statement(self) -> Statement:
        """The statement, imported when it is asked for."""
        paper, _, place = self.id.partition(".")
        module = importlib.import_module(f"theorylab.statements.{paper}.{place}")
        made: Statement = module.STATEMENT
        return made

    def known(self, network: Topology, rounds: int, options: Options) -> dict[str, Known]:
        """The constants of the class, of the run and of the network, by name."""
        own = {
            "T": rounds,
            "n": network.clients,
            "noise_clients": network.clients,
            **self.numbers(options),
        }
        table = {name: Known(float(v), How.EXACT, "of the class") for name, v in own.items()}
        return self.constants(network, rounds) | table


_PERSONAL: Options = {"L": 1.0, "gap": 1.0, "heterogeneity": 1.0}
_PARTS: Options = {"eta_u": None, "eta_v": None, "steps_u": 1, "steps_v": 1, **_PERSONAL}


def _pushed(o: Options) -> dict[str, float]:
    """Half of 1/L over the momenta of all local steps."""
    K, alpha = int(o["local_steps"]), float(o["alpha"])
    return {"eta": 1 / (2 * o["L"] * sum(alpha ** (k - s) for k in range(K) for s in range(k + 1)))}


def _sgpsm(o: Options) -> dict[str, float]:
    same = {key: o[key] for key in ("L", "B", "eta", "alpha")}
    noise = {"L_sample": o["L"], "sigma_l": 0.0, "sigma_g": 2 * o["B"], "rho": 0.0, "decay": 1.0}
    start = {"f0": o["gap"], "f_star": 0.0, "x0_spread": 0.0, "x0_sq": 0.0}
    return {**same, **noise, **start, "K": o["local_steps"]}


def _joint(o: Options) -> Functions:
    return Functions(-o["L"], o["L"], heterogeneity=o["heterogeneity"], blocks=True)


def _halves(o: Options) -> dict[str, float]:
    return {f"eta_{part}": 1 / (2 * o["L"] * o[f"steps_{part}"]) for part in "uv"}


def _steps(o: Options) -> dict[str, Any]:
    return {key: o[key] for key in ("eta_u", "eta_v", "steps_u", "steps_v")}


def _smooth(paper: str, o: Options) -> dict[str, float]:
    """What DFedPGP and DFedAlt say alike."""
    made: dict[str, float] = {f"L_{part}": o["L"] for part in ("u", "v", "uv", "vu")}
    made |= {f"{key}_{part}": o[f"{key}_{part}"] for key in ("eta",) for part in "uv"}
    made |= {f"K_{part}": o[f"steps_{part}"] for part in "uv"}
    made |= {"sigma_u": 0.0, "sigma_v": 0.0, "fresh": 1.0, "independent": 1.0, "unit": 1.0}
    return {f"{paper}_{name}": value for name, value in (made | {"start_spread": 0.0}).items()}


def _pgp(o: Options) -> dict[str, float]:
    own = {"sigma_g": o["heterogeneity"], "f_start": o["gap"], "f_best": 0.0, "start_size": 0.0}
    return _smooth("dfedpgp", o) | {f"dfedpgp_{name}": value for name, value in own.items()}


def _alt(o: Options) -> dict[str, float]:
    own = {"delta": o["heterogeneity"], "F_start": o["gap"], "F_star": 0.0, "L_sample": o["L"]}
    own |= {"delta_one": o["heterogeneity"], "one_slope": 0.0}
    return _smooth("dfedalt", o) | {f"dfedalt_{name}": value for name, value in own.items()}


def _prl(o: Options) -> dict[str, float]:
    own = {key: o[key] for key in ("alpha", "beta", "tau", "L")}
    own |= {"kept": o["tau"] - (o["head"] == "printed"), "varsigma": o["heterogeneity"]}
    own |= {"sigma": 0.0, "unit": 1.0, "f_start": o["gap"], "f_best": 0.0, "start_spread": 0.0}
    own |= {"independent": 1.0, "unbiased": 1.0}
    return {f"deprl_{name}": value for name, value in own.items()}


def _prl_network(network: Topology, rounds: int) -> dict[str, Known]:
    if network.period != 1:
        raise ValueError(f"deprl.thm1: {network.name} changes from round to round; need one P")
    table = deprl_network(network)
    if table["deprl_doubly"].value == 1:
        pair = mixing_pair(network.matrix(0).toarray())
        table |= dict(zip(("deprl_C2", "deprl_q2"), pair, strict=True))
    return table


def _alt_network(network: Topology, rounds: int) -> dict[str, Known]:
    if network.period != 1:
        raise ValueError(f"dfedalt: {network.name} changes from round to round; need one W")
    return definition1_constants(network)


def _of_the_graph(network: Topology, rounds: int) -> dict[str, Known]:
    return topology_constants(network, horizon=rounds)


THEOREMS = {
    each.id: each
    for each in (
        Theorem(
            "dfedsgpsm.thm1",
            "directed-ring",
            {"eta": None, "alpha": 0.0, "local_steps": 1, "L": 1.0, "B": 1.0, "gap": 1.0},
            _pushed,
            lambda o: algorithm(
                "dfedsgpsm", eta=o["eta"], alpha=o["alpha"], local_steps=o["local_steps"]
            ),
            lambda o: Functions(-o["L"], o["L"], B=o["B"]),
            _sgpsm,
            _of_the_graph,
            "mean-gradient",
        ),
        Theorem(
            "dfedpgp.thm1",
            "directed-ring",
            _PARTS,
            _halves,
            lambda o: algorithm("dfedpgp", batch="per-step", **_steps(o)),
            _joint,
            _pgp,
            _of_the_graph,
        ),
        Theorem(
            "dfedalt.thm1_bound",
            "ring",
            _PARTS,
            _halves,
            lambda o: algorithm("dfedalt", batch="per-step", **_steps(o)),
            _joint,
            _alt,
            _alt_network,
        ),
        Theorem(
            "dfedsalt.thm2_bound",
            "ring",
            {**_PARTS, "rho": 0.1},
            _halves,
            lambda o: algorithm("dfedsalt", batch="per-step", rho=o["rho"], **_steps(o)),
            _joint,
            lambda o: _alt(o) | {"rho": o["rho"]},
            _alt_network,
        ),
        Theorem(
            "deprl.thm1",
            "ring",
            {"alpha": None, "beta": None, "tau": 1, "head": "all-steps", **_PERSONAL},
            lambda o: {"alpha": 1 / (2 * o["L"] * o["tau"]), "beta": 1 / (2 * o["L"])},
            lambda o: algorithm(
                "deprl", alpha=o["alpha"], beta=o["beta"], tau=o["tau"], head=o["head"]
            ),
            _joint,
            _prl,
            _prl_network,
        ),
    )
}
