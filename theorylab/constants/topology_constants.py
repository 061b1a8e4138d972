"""Every constant of a topology that a statement may ask for, by its symbol's name."""

from __future__ import annotations

from collections.abc import Callable

from scipy.sparse import csr_array

from theorylab.constants import consensus, mixing, sequence, sgp
from theorylab.known import How, Known
from theorylab.topologies import Topology


def topology_constants(
    topology: Topology, horizon: int, run: int = 0, dim: int = 1
) -> dict[str, Known]:
    """Constants of rounds 0..horizon.

    Args:
        horizon: last round, at least 1. Constants of a static or periodic topology that do not
            depend on it (window, diameter, spectrum) hold for every round.
        run: the run of a drawn topology.
        dim: coordinates of a model, for the formula of ``sgp``.

    Returns:
        clients; max_out_degree (largest over the rounds), p_min (smallest), self_loops,
        uniform_out_degree, doubly_stochastic (1 if it holds in every round); window, diameter (of
        the union graph over a window), delta; C, q in the 2-norm, C_row, q_row in the row norm;
        C_sgp, q_sgp, gap_sgp. lambda2, spectral_gap and sigma2 for a static topology, or of
        the product over one period; a drawn one has none.
    """
    rounds = topology.period or horizon
    matrices = [topology.matrix(t, run) for t in range(rounds)]
    found = {
        "clients": Known(float(topology.clients), How.EXACT, "given"),
        "max_out_degree": _extreme(max, mixing.max_out_degree, matrices),
        "p_min": _extreme(min, mixing.p_min, matrices),
        "self_loops": _extreme(min, mixing.self_loops, matrices),
        "doubly_stochastic": _extreme(min, mixing.doubly_stochastic, matrices),
        "uniform_out_degree": Known(
            float(topology.uniform_out_degree), How.EXACT, "P[j,i] = 1/|N_out(i)| on every edge"
        ),
        **_spectrum(matrices, topology.period),
        "window": sequence.window(topology, horizon, run),
        "delta": sequence.delta(topology, horizon, run),
    }
    found |= _distances(topology, horizon, run, dim, found)
    pairs = consensus.consensus_pairs(topology, horizon, run)
    found["C"], found["q"] = pairs["spectral"]
    found["C_row"], found["q_row"] = pairs["row"]
    return found


def _extreme(
    pick: Callable[..., Known], constant: Callable[[csr_array], Known], matrices: list[csr_array]
) -> Known:
    return pick((constant(P) for P in matrices), key=lambda known: known.value)


def _spectrum(matrices: list[csr_array], period: int | None) -> dict[str, Known]:
    if period is None:
        return {}
    product = matrices[0]
    for P in matrices[1:]:
        product = P @ product
    product.sort_indices()
    second = mixing.lambda2(product)
    found = {
        "lambda2": second,
        "spectral_gap": mixing.spectral_gap(second),
        "sigma2": mixing.sigma2(product),
    }
    if period == 1:
        return found
    of = f"of the product over one period of {period} rounds: "
    return {name: Known(k.value, k.how, of + k.source) for name, k in found.items()}


def _distances(
    topology: Topology, horizon: int, run: int, dim: int, found: dict[str, Known]
) -> dict[str, Known]:
    """The diameter, and the printed constants that follow from it."""
    B, D = found["window"], int(found["max_out_degree"].value)
    n = topology.clients
    if not B.finite:
        return {"diameter": Known(B.value, How.EXACT, f"no diameter: {B.source}")} | sgp.sgp_pair(
            n, D, B.value, B.value, dim=dim
        )
    diameter, same = sequence.window_diameter(topology, horizon, run, int(B.value))
    # The proof needs a path inside Delta windows. If their union graphs differ, a path in one of
    # them need not exist in the next; but each window reaches at least one new client.
    steps = diameter.value if same else n - 1
    printed = sgp.sgp_pair(n, D, steps, B.value, dim=dim)
    note = "" if same else f"; Delta = n - 1 = {n - 1}, since the windows' graphs differ"
    if D * found["p_min"].value < 1 - n * 2.0**-52:
        note += "; the lemma assumes entries >= 1/D, which fails here: proves nothing"
    known = {}
    for name, k in printed.items():
        how = How.ESTIMATE if "proves nothing" in note and k.finite else k.how
        known[name] = Known(k.value, how, k.source + note, log10_value=k.log10_value)
    return {"diameter": diameter, **known}
