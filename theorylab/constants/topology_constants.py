"""Every constant of a topology that a statement may ask for, by its symbol's name."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import reduce

import numpy as np
from scipy.sparse import csr_array

from theorylab.constants import consensus, mixing, sequence
from theorylab.constants._modulus import SHARE
from theorylab.constants._pairs import PAIRS
from theorylab.constants._weight_table import least_weight
from theorylab.constants.deprl import deprl_constants
from theorylab.constants.expected import mean_matrix
from theorylab.constants.remarks import dfedsgpsm_remark1
from theorylab.constants.sgp import sgp_pair
from theorylab.kept import make_room
from theorylab.known import Constants, How, Known
from theorylab.topologies import RandomOut, Topology

_KEPT: dict[tuple[object, ...], dict[str, Known]] = {}
POLYNOMIAL = 64  # clients
_MOST_KEPT = 256  # of some 40 numbers each


def topology_constants(topology: Topology, horizon: int, run: int = 0, dim: int = 1) -> Constants:
    """Constants of rounds 0..horizon.

    Args:
        topology: the network.
        horizon: last round of a drawn topology, at least 1. Constants of a static or periodic one
            hold for all rounds; where that could not be proven, ``within`` says for which.
        run: the run of a drawn topology.
        dim: coordinates of a model, for the formula of ``sgp``.

    The numbers of the last 128 networks are kept: the checks of a statement, the values of a sweep
    and the instances of a search share them. Those of a static or periodic network that hold for
    all rounds serve every horizon.

    Returns:
        clients; max_out_degree (largest over the rounds), p (smallest positive entry), self_loops,
        uniform_out_degree, doubly_stochastic (1 if it holds in every round); window, diameter (of
        the union graph over a window), delta; C, q in the 2-norm, C_row, q_row in the row norm,
        C_entry, q_entry for |Phi(t, s)_ij - w_i(t)/n|, C_least, q_least in the row norm without
        the lag 0 of later rounds.

        lambda2, spectral_gap and sigma2: of a static topology, of the product over one period, or
        of E[P] of a drawn one, in closed form (random-out) or the mean over the rounds; ``source``
        says which.

        As printed: C_sgp, q_sgp, gap_sgp of ``sgp``, q_remark, gap_remark of ``remarks``, and what
        ``deprl`` gives with L = 1 and tau = 1. An ESTIMATE where the topology breaks what the
        printed formula assumes; ``source`` says which assumption.

    Raises:
        ValueError: on a topology whose columns do not sum to 1: it conserves no mass, and none of
            these constants means anything there.

    >>> from theorylab.topologies import topology
    >>> known = topology_constants(topology("directed-ring", 4), horizon=10)
    >>> known["delta"].how.value, known["diameter"].value
    ('lower', 3.0)
    """
    found = graph_constants(topology, horizon, run=run, dim=dim)
    return Constants(found | _kept(_pairs, topology, horizon, run))


def graph_constants(topology: Topology, horizon: int, *, run: int = 0, dim: int = 1) -> Constants:
    """``topology_constants`` without ``PAIRS``, whose products of matrices cost most of the time.

    Raises ValueError as that does.
    """
    if not topology.column_stochastic:
        raise ValueError(
            f"{topology.name}: its rows sum to 1, its columns do not; need a column-stochastic "
            "topology, such as random-out"
        )
    return _kept(_graph, topology, horizon, run, dim)


def enclosed_spectrum(topology: Topology, names: Collection[str]) -> dict[str, Known]:
    """Those of lambda2, spectral_gap, sigma2 and mixing_time (of one matrix) that are named, as
    enclosures; {} of a drawn topology, and of more than ``POLYNOMIAL`` clients, which take long."""
    wanted = {"lambda2", "spectral_gap", "sigma2", "mixing_time"} & set(names)
    if not wanted or topology.period is None or topology.clients > POLYNOMIAL:
        return {}
    return {
        name: known for name, known in _kept(_exactly, topology, 1, 0).items() if name in wanted
    }


def _exactly(
    topology: Topology, matrices: list[csr_array], horizon: int, *given: int
) -> dict[str, Known]:
    from theorylab.constants.certified import certified_spectrum  # slow to import
    from theorylab.constants.mixing_time import mixing_time

    try:
        found = certified_spectrum(topology)
        alone = {"mixing_time": mixing_time(matrices[0])} if topology.period == 1 else {}
        return found | alone
    except (ValueError, ArithmeticError):  # columns that do not sum to 1 closely enough
        return {}


def _kept(
    compute: Callable[..., dict[str, Known]], topology: Topology, horizon: int, *given: int
) -> Constants:
    """What ``compute`` finds, kept; ``given``: the run, and what else it takes."""
    matrices = [topology.matrix(t, given[0]) for t in range(topology.period or horizon)]
    key = _key(compute.__name__, topology, matrices, *given)
    up_to_here, for_ever = (key, horizon), (key, None)
    found = _KEPT.get(for_ever, _KEPT.get(up_to_here))
    if found is None:
        found = compute(_at_hand(topology, matrices, given[0]), matrices, horizon, *given)
        make_room(_KEPT, _MOST_KEPT)
        _KEPT[for_ever if _endless(compute, topology, found) else up_to_here] = found
    return Constants(found)


def _at_hand(topology: Topology, matrices: list[csr_array], run: int) -> Topology:
    """The same network, which hands out the matrices that are there and builds no drawn one anew:
    every constant walks all rounds."""
    if topology.period is not None:
        return topology

    def matrix(t: int, of: int = 0) -> csr_array:
        there = of == run and 0 <= t < len(matrices)
        return matrices[t] if there else topology.matrix(t, of)

    made = copy.copy(topology)
    made.__dict__["matrix"] = matrix
    return made


def _endless(
    compute: Callable[..., dict[str, Known]], topology: Topology, found: dict[str, Known]
) -> bool:
    """Whether the same comes out whatever the horizon: no round beyond a period was looked at.

    Pairs that no tail could be proven for were looked for inside the horizon.
    """
    if topology.period is None:
        return False
    return compute is _graph or all(k.finite and not k.within for k in found.values())


def _key(
    what: str, topology: Topology, matrices: list[csr_array], *given: int
) -> tuple[object, ...]:
    """Two networks with one key are one: the matrices say so, whatever a user's class describes."""
    seen = hashlib.blake2b()
    for P in matrices:
        for array in (P.indptr, P.indices, P.data):
            seen.update(np.ascontiguousarray(array).tobytes())
    described = json.dumps(topology.describe(), sort_keys=True, default=repr)
    kind = type(topology), topology.name, topology.period, topology.uniform_out_degree
    return what, *kind, described, given, len(matrices), seen.digest()


def _graph(
    topology: Topology, matrices: list[csr_array], horizon: int, run: int, dim: int
) -> dict[str, Known]:
    found = {
        "clients": Known(float(topology.clients), How.EXACT, "given"),
        "max_out_degree": _extreme(max, mixing.max_out_degree, matrices),
        "p": _extreme(min, mixing.p_min, matrices),
        "self_loops": _extreme(min, mixing.self_loops, matrices),
        "doubly_stochastic": _extreme(min, mixing.doubly_stochastic, matrices),
        "uniform_out_degree": Known(
            float(topology.uniform_out_degree), How.EXACT, "P[j,i] = 1/|N_out(i)| on every edge"
        ),
        **_spectrum(topology, matrices, run),
        "window": sequence.window(topology, horizon, run),
    }
    found |= _distances(topology, horizon, run, dim, found)
    return found | _deprl(topology.clients, found)


def _pairs(
    topology: Topology, matrices: list[csr_array], horizon: int, run: int
) -> dict[str, Known]:
    envelope = consensus.envelope(topology, horizon, run)
    pairs = envelope("all")
    every = (pairs["spectral"], pairs["row"], pairs["entry"], envelope("least")["row"])
    delta = envelope.least or _delta(topology, horizon, run, *pairs["entry"])
    return dict(zip(PAIRS, (*(number for pair in every for number in pair), delta), strict=True))


def _delta(topology: Topology, horizon: int, run: int, C: Known, q: Known) -> Known:
    """Over all rounds where the pair of the entries is; else over those up to the horizon."""
    if topology.period is not None and q.finite and not q.within:
        return least_weight(topology, C.value, q.value)
    return sequence.delta(topology, horizon, run)


def _extreme(
    pick: Callable[..., Known], constant: Callable[[csr_array], Known], matrices: list[csr_array]
) -> Known:
    return pick((constant(P) for P in matrices), key=lambda known: known.value)


def _spectrum(topology: Topology, matrices: list[csr_array], run: int) -> dict[str, Known]:
    """A long product has |lambda_2| near 0, which tells nothing of one round; so E[P]."""
    period = topology.period
    if period is not None:
        of = "" if period == 1 else f"of the product over one period of {period} rounds: "
        return _relabelled(_second(reduce(lambda P, Q: Q @ P, matrices)), of)
    loops = all(P.diagonal().all() for P in matrices)
    if isinstance(topology, RandomOut) and topology.uniform_out_degree and loops:
        expected, closed_form = mean_matrix(topology)
        return _relabelled(_second(csr_array(expected)), f"of E[P], {closed_form}: ")
    mean = reduce(lambda P, Q: P + Q, matrices) / len(matrices)
    of = f"of the mean of P(t) over rounds 0..{len(matrices) - 1} of run {run}, a sample of E[P]: "
    found = _second(mean)
    second = found["lambda2"]
    narrow = second.lower is not None and second.value - second.lower <= SHARE * second.value
    if not (narrow or second.how in (How.EXACT, How.ESTIMATE)):
        # A bound for the mean is none for E[P].
        told = f"|lambda_2| <= 1 is all that is known; of the mean itself: {second.source}"
        second = Known(1.0, How.UPPER, told)
        sides = {"lambda2": second, "spectral_gap": mixing.spectral_gap(second)}
        return _relabelled(found, of, How.ESTIMATE) | _relabelled(sides, of)
    return _relabelled(found, of, How.ESTIMATE)


def _second(P: csr_array) -> dict[str, Known]:
    P = csr_array(P)
    P.sort_indices()
    second = mixing.lambda2(P)
    return {
        "lambda2": second,
        "spectral_gap": mixing.spectral_gap(second),
        "sigma2": mixing.sigma2(P, second),
    }


def _relabelled(
    found: dict[str, Known], before: str = "", how: How | None = None, after: str = ""
) -> dict[str, Known]:
    """The same numbers with more in ``source``; ``how`` replaces that of finite ones."""
    relabelled = {}
    for name, known in found.items():
        source = before + known.source + after
        if how is not None and known.finite:  # its ends were those of another constant
            relabelled[name] = replace(known, how=how, source=source, lower=None, upper=None)
        else:
            relabelled[name] = replace(known, source=source)
    return relabelled


def _distances(
    topology: Topology, horizon: int, run: int, dim: int, found: dict[str, Known]
) -> dict[str, Known]:
    """The diameter, and the printed constants that follow from it."""
    B, D = found["window"], int(found["max_out_degree"].value)
    n = topology.clients
    if not B.finite:
        return {
            "diameter": Known(B.value, How.EXACT, f"no diameter: {B.source}"),
            **sgp_pair(n, D, B.value, B.value, dim=dim),
            **dfedsgpsm_remark1(D, B.value, B.value),
        }
    diameter, same = sequence.window_diameter(topology, horizon, run, int(B.value))
    # The proof needs a path inside Delta windows. If their union graphs differ, a path in one of
    # them need not exist in the next; but each window reaches at least one new client.
    steps = diameter.value if same else n - 1
    printed = sgp_pair(n, D, steps, B.value, dim=dim) | dfedsgpsm_remark1(D, steps, B.value)
    note = "" if same else f"; Delta = n - 1 = {n - 1}, since the windows' graphs differ"
    # a Metropolis diagonal is 1 less n terms, so off by n eps
    lacks = ["entries >= 1/D"] if D * found["p"].value < 1 - D * n * 2.0**-52 else []
    lacks += ["self-loops"] if found["self_loops"].value != 1 else []
    if lacks:
        note += f"; the lemma assumes {' and '.join(lacks)}, which fails here: proves nothing"
    return {
        "diameter": diameter,
        **_relabelled(printed, after=note, how=How.ESTIMATE if lacks else None),
    }


def _deprl(n: int, found: dict[str, Known]) -> dict[str, Known]:
    """The theorem is about one doubly stochastic P; its proof also works if P changes."""
    lacks = [
        what
        for what, there in (
            ("doubly stochastic P", found["doubly_stochastic"].value == 1),
            ("self-loops", found["self_loops"].value == 1),
            ("a strongly connected graph in every round", found["window"].value == 1),
        )
        if not there
    ]
    printed = deprl_constants(n, found["p"].value)
    if not lacks:
        return printed
    cap = printed.pop("deprl_head_step_cap")  # does not depend on the network
    note = f"; it needs {' and '.join(lacks)}, which fails here: proves nothing"
    return _relabelled(printed, after=note, how=How.ESTIMATE) | {"deprl_head_step_cap": cap}
