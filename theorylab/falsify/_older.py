"""Instances of counterexample files from before statements spoke of algorithms, in today's form.

Rounds and orders were judged by experiments with options of their own. ``OLDER`` says of which
statements, and how their options are said now: one table from the old form to the new. The measured
numbers are the same up to the last digits; the limits of a growth were a little wider.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Instance = dict[str, Any]


def today(statement: str, version: str, instance: Mapping[str, Any]) -> Instance:
    """The instance of an older file as ``version`` of ``statement`` takes it now.

    Raises ValueError, one line, where the file claims what no version claims any more.
    """
    for names, then in OLDER.items():
        if statement in names:
            return then(version, dict(instance))
    return dict(instance)


_STEPS = {"algorithm.alpha": "1/(tau*sqrt(rounds))", "algorithm.beta": "sqrt(clients/rounds)"}


def _order(version: str, old: Instance) -> Instance:
    """Of the experiment ``deprl-growth``."""
    if old.get("exponent", 1.0) != 1:
        raise ValueError(
            f"the file is of a control with the bracket to the power {old['exponent']}; need 1"
        )
    path = {"tau": "algorithm.tau"}.get(old["sweep"], old["sweep"])
    steps, rounds, power = dict(_STEPS), old.get("rounds", 1), old.get("follow", 0.0)
    if power:
        steps["rounds"] = f"{rounds}*({old['sweep']}/{old['values'][0]})**({power})"
    sweep = {"parameter": path, "values": old["values"], "set": steps, "window": old.get("fit", 0)}
    kept: Instance = {k: old[k] for k in ("problem", "topology", "x0", "constants") if k in old}
    run = {"clients": old.get("clients", 2), "rounds": rounds, "law": "moments"}
    return {**kept, **run, "algorithm": {"tau": 1, **old["algorithm"]}, "sweep": sweep}


def _measured(version: str, old: Instance) -> Instance:
    """Of ``deprl-measure``: Corollary 1 chose both steps at each of a list of rounds."""
    counts = old.get("rounds", [100])
    if not old.get("corollary"):
        kept = {k: v for k, v in old.items() if k != "corollary"}
        return {**kept, "rounds": counts[-1], "at": counts}
    kept = {k: old[k] for k in ("problem", "topology", "clients", "x0", "constants") if k in old}
    sweep = {"parameter": "rounds", "values": counts, "set": _STEPS}
    run = {"rounds": counts[0], "law": "moments", "algorithm": {"tau": 1, **old["algorithm"]}}
    return {**kept, **run, "sweep": sweep}


def _gone(version: str, old: Instance) -> Instance:
    """Of ``rate``, ``corollary-growth`` and ``alternating-growth``: a bracket was an option, a run
    in closed form, a sweep of curvature or of 1/(1-lambda) built in."""
    raise ValueError(
        f"the file is of an experiment with its own bracket ({', '.join(sorted(old))}), which is "
        "gone; need a search of today's statement"
    )


def _local(version: str, old: Instance) -> Instance:
    """Of ``local-rounds``: a law had other names."""
    return old | {"law": {"exact": "enumerated"}.get(old.get("law", "runs"), "sampled")}


def _split(version: str, old: Instance) -> Instance:
    """Of ``noise-split``."""
    law = old.get("law", "exact")
    return old | {"law": "enumerated" if law == "exact" else law}


def _asyng(version: str, old: Instance) -> Instance:
    """Of ``asyng``: a reading of AsyNG was a column, and is an option of the algorithm."""
    if version.endswith("/one-point"):
        return old | {"algorithm": {**old["algorithm"], "point": "one-point"}}
    return old


def _alternating(version: str, old: Instance) -> Instance:
    """Of ``alternating-rounds`` and ``alternating-terms``, which had defaults of their own."""
    steps = {"eta_u": 1.0, "eta_v": 1.0, "steps_u": 1, "steps_v": 1, "batch": "per-step"}
    steps |= old["algorithm"]
    return {"rounds": 1, **old, "algorithm": steps}


def _without_sam(version: str, old: Instance) -> Instance:
    """The same of DFedAlt, where rho = 0 said that there is no SAM."""
    now = _alternating(version, old)
    steps = {k: v for k, v in now["algorithm"].items() if k != "rho" or v}
    return {**now, "algorithm": steps}


def _averaged(version: str, old: Instance) -> Instance:
    """Of ``alternating-measure``: the rounds of all rows were one list."""
    if old.get("scale"):
        raise ValueError(
            f"the file's steps are chosen anew at every T (scale {old['scale']}); need one file a T"
        )
    counts, now = old.get("rounds", [100]), _without_sam(version, old)
    return {k: v for k, v in now.items() if k != "scale"} | {"rounds": counts[-1], "at": counts}


def _averaged_with_sam(version: str, old: Instance) -> Instance:
    """The same of DFedSalt, whose rho has no default."""
    now = _averaged(version, old)
    return {**now, "algorithm": {"rho": 0.0, **now["algorithm"]}}


def _pushed(version: str, old: Instance) -> Instance:
    """Of ``dfedpgp-rounds``."""
    return {"rounds": 1, **old}


def _several(version: str, old: Instance) -> Instance:
    """Of ``dfedpgp-measure``: the rounds of all rows were one list."""
    if old.pop("corollary", []):
        raise ValueError(
            "the file chose other step sizes at every T, which is gone; need a search of today's "
            "statement"
        )
    counts = old.get("rounds", [100])
    return {**old, "rounds": counts[-1] + 1, "at": counts}


_PATHS = {
    **{"rounds": "T", "clients": "clients", "1/delta": "inverse"},
    **{f"steps_{part}": f"algorithm.steps_{part}" for part in "uv"},
    **{f"L_{part}": f"problem.L_{part}" for part in "uv"},
}
_LOPSIDED = ("0.5 + 0.25/inverse", "0.25/inverse", "0.5 - 0.25/inverse", "1 - 0.25/inverse")


def _laws(version: str, old: Instance) -> Instance:
    """Of ``dfedpgp-growth``: step sizes by a law, a bracket by an option of its own."""
    if old.get("exponent", 1.0) != 1 or old.get("bracket") == "without-network":
        raise ValueError("the file is of a control with another bracket; need the statement's own")
    if not {"L_u", "L_v"} <= set(old["problem"]):
        raise ValueError(
            "the file chose step sizes by computed constants, which is gone; need L_u and L_v "
            "under problem"
        )
    path, first, power = _PATHS[old["sweep"]], old["values"][0], old.get("follow", 0.0)
    word, law = path.rpartition(".")[2], old.get("law", "corollary")
    rounds = "T" if word == "T" else str(old.get("rounds", 1))
    sets = {"at.0": f"{rounds}*({word}/{first})**({power})", "rounds": "at + 1"}
    for part, c in zip("uv", old.get("shares", (1.0, 1.0)), strict=True):
        length = "at" if law == "vanishing" else "sqrt(at)"
        sets[f"algorithm.eta_{part}"] = f"{c}/(L_{part}*steps_{part}*{length})"
        if word == f"L_{part}":
            sets[f"problem.mu_{part}"] = word
    c_u, c_v = old.get("shares", (1.0, 1.0))
    if law == "cap":
        sets["algorithm.eta_u"] = f"{c_u}/(4*sqrt(2*L_u*steps_u))"
    network = {"topology": old.get("topology"), "clients": old.get("clients", 1)}
    if word == "inverse":
        edges = [[0, 0, 0.5], [1, 0, 0.5], [0, 1, 0.5], [1, 1, 0.5]]
        network = {"topology": {"name": "edge-list", "edges": edges}, "clients": 2}
        sets |= {f"topology.edges.{k}.2": text for k, text in enumerate(_LOPSIDED)}
    return {
        **{key: old[key] for key in ("problem", "x0") if key in old},
        **network,
        "algorithm": {**old["algorithm"], "eta_u": 1.0, "eta_v": 1.0},
        **{"rounds": 2, "at": [1], "constants": {"dfedpgp_c_u": c_u, "dfedpgp_c_v": c_v}},
        "sweep": {"parameter": path, "values": old["values"], "set": sets},
    }


def _every(version: str, old: Instance) -> Instance:
    """Of ``deprl-run``: the last of a list of rounds was looked at, and all before it."""
    return {**old, "rounds": old.get("rounds", [100])[-1]}


def _points(version: str, old: Instance) -> Instance:
    """Of a paper's own probes: points and networks were one experiment. The points differ."""
    kept = ("problem", "clients", "probes", "reach", "rho", "constants")
    return {key: old[key] for key in kept if key in old}


def _network(version: str, old: Instance) -> Instance:
    """Of a paper's own probes; rounds whose columns are summed were the first of ``steps``."""
    kept = ("topology", "clients", "rounds", "width", "powers", "constants")
    rounds = {"rounds": old["steps"][0]} if "steps" in old else {}
    return {"topology": {"name": "directed-ring"}, **rounds} | {
        key: old[key] for key in kept if key in old
    }


_SGPSM = (
    *("eq3", "eq5", "eq6", "lem2", "lem3", "lem4", "lem4_update", "lem5_descent", "lem5_r1"),
    "lem5_smooth",
)
_ALT = (
    *("eq8", "eq9", "eq10", "eq12", "eq13", "eq15", "eq16", "eq17", "eq18", "eq19"),
    *("lem2", "lem3", "lem5"),
)
_SALT = ("eq22", "eq23", "eq26", "eq27", "eq31", "eq32", "eq33", "lem4", "lem6")
_PGP = ("eq15", "eq16", "eq17", "eq18", "eq22", "eq23", "eq25", "eq28", "lem1", "lem2")
_ORDERS = ("cor1_growth", "cor1_rate", "rem1", "rem3", "thm1_growth")
_POINTS = (
    *(f"dfedsgpsm.asm{k}" for k in (2, 3, 4, 5)),
    *(f"dfedpgp.asm{k}" for k in (2, 3, 4)),
    *(f"dfedalt.asm{k}" for k in (1, 2, 3)),
    *(f"deprl.asm{k}" for k in (2, 3, 4, 5)),
    "deprl.eq8",
)
_NETWORKS = (
    *("dfedsgpsm.asm1", "dfedpgp.asm1", "dfedpgp.eq6", "dfedalt.def1", "dfedalt.lem1"),
    *("deprl.asm1", "deprl.thm1_mixing"),
)

OLDER: dict[tuple[str, ...], Callable[[str, Instance], Instance]] = {
    ("deprl.cor1_rate", "deprl.cor1_speedup", "deprl.cor1_consensus"): _order,
    ("deprl.cor1", "deprl.thm1"): _measured,
    ("dfedsgpsm.cor1_rate", "dfedsgpsm.cor1_growth", "dfedalt.thm1", "dfedsalt.thm2"): _gone,
    tuple(f"dfedsgpsm.{name}" for name in _SGPSM): _local,
    ("dfedsgpsm.lem5_mean", "dfedsgpsm.lem5_split"): _split,
    ("dfedsgpsm.cor1_asyng",): _asyng,
    tuple(f"dfedalt.{name}" for name in _ALT): _without_sam,
    tuple(f"dfedsalt.{name}" for name in _SALT): _alternating,
    ("dfedalt.thm1_bound",): _averaged,
    ("dfedsalt.thm2_bound",): _averaged_with_sam,
    tuple(f"dfedpgp.{name}" for name in _PGP): _pushed,
    ("dfedpgp.cor1", "dfedpgp.lem3", "dfedpgp.thm1"): _several,
    tuple(f"dfedpgp.{name}" for name in _ORDERS): _laws,
    ("deprl.eq12",): _every,
    _POINTS: _points,
    _NETWORKS: _network,
}
