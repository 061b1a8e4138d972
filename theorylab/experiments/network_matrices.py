"""What is claimed of the mixing matrices P(t) themselves: graphs, sums, eigenvalues and powers."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from theorylab.constants import definition1_constants, deprl_network, graph_constants, window
from theorylab.experiments._base import Experiment, Observation, Row, check_column
from theorylab.experiments._plain import Plain, Spot, UnwrittenError
from theorylab.known import UNIT, How, Known
from theorylab.topologies import RandomOut, Topology
from theorylab.topologies import topology as build_topology

_SUMS = """
left, right = P.sum(axis={axis}), np.ones(n)
measured = np.abs(left - right).max()
"""
_GAP = "gap = np.linalg.matrix_power(P, t) - 1 / n\n"
_PLAIN = {
    "components": """
# A: 1 where j sends to i in one of these rounds; R: who hears of whom, at all
R = np.linalg.matrix_power(A + np.eye(n), n) > 0
measured = float(len(np.unique(R & R.T, axis=0)))
""",
    "column_sums": _SUMS.format(axis=0),
    "row_sums": _SUMS.format(axis=1),
    "first_shares": """
left, right = later / first, np.ones(n)
measured = np.abs(left - right).max()
""",
    "entries": _GAP + "measured = np.abs(gap).max()",
    "norms": _GAP + "measured = np.linalg.norm(gap, 2)",
    "own_norms": """
gap = np.linalg.matrix_power(np.diag(P.sum(axis=1)), t) - 1 / n
measured = np.linalg.norm(gap, 2)
""",
}


class NetworkMatrices(Experiment, name="network-matrices"):
    """Columns:
        components    strongly connected components of the union of ``width`` rounds' graphs, a row
                      for each of ``rounds`` first rounds l. Without a width there is to be some
                      one: the smallest that joins them all, or the period where none does
        column_sums   max_j |sum_i P_ij(t) - 1|, a row a round t < ``rounds``
        row_sums      max_i |sum_j P_ij(t) - 1|, likewise
        first_shares  max_i | |N_i^out(t)| / |N_i^out(0)| - 1 |, likewise: how far the shares of
                      i are from 1 together where it gives 1/|N_i^out(0)| to each neighbour of t
        light         1 / min_i w_i(t), w(t) = P(t-1) .. P(0) 1, a row a t = 1 .. ``rounds``
    and of one P, the same in every round:
        sums          the larger of |1 - sum of row i| and |1 - sum of column i|, a row an i
        moduli        |lambda_k|, k = 2 .. n, in order of modulus, of a symmetric P
        norms         ||P^t - 11^T/n||, t = 1 .. ``powers``
        entries       max_ij |(P^t)_ij - 1/n|, t = 1 .. ``powers``
        own_norms     ||D^t - 11^T/n||, D the diagonal matrix of P's row sums: what P is where a
                      client weighs its own model instead of its neighbours'
    The constant ``matrix_rounding`` is what rounding can do to the row.

    Args:
        topology: options with a name. clients: n. rounds, width, powers: see above.
    """

    columns = (
        *("components", "column_sums", "row_sums", "first_shares", "light"),
        *("sums", "moduli", "norms", "entries", "own_norms"),
    )

    def __init__(
        self,
        *,
        topology: Mapping[str, Any],
        clients: int,
        rounds: int = 16,
        width: int | None = None,
        powers: int = 32,
    ) -> None:
        counts = {"rounds": rounds, "width": width, "powers": powers}
        for key, value in counts.items():
            if (key, value) != ("width", None) and (type(value) is not int or value < 1):
                raise ValueError(f"{self.name}: {key} is {value!r}; need an integer >= 1")
        if "name" not in topology:
            raise ValueError(f"{self.name}: topology has no name; need {{'name': ...}}")
        self.options: dict[str, Any] = {"topology": dict(topology), "clients": clients, **counts}
        rest = dict(topology)
        self.topology = build_topology(rest.pop("name"), clients, **rest)

    def describe(self) -> dict[str, Any]:
        return self.options

    @functools.cached_property
    def _constants(self) -> dict[str, Known]:
        network = self.topology
        found = {
            "n": Known(float(network.clients), How.EXACT, "clients"),
            "dfedpgp_pushed": Known(
                float(network.column_stochastic), How.EXACT, "a sender splits its mass"
            ),
        }
        if not network.column_stochastic:  # no other constants are known of it
            return found
        found |= graph_constants(network, self.options["rounds"])
        found["dfedsgpsm_window"] = _window_of_all_rounds(network, found["window"])
        if network.period == 1:
            found |= definition1_constants(network) | deprl_network(network)
        return found

    def constants(self) -> dict[str, Known]:
        return self._constants

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        every_round = {
            "components": self._components,
            "column_sums": lambda: self._away_from_1(0),
            "row_sums": lambda: self._away_from_1(1),
            "first_shares": self._first_shares,
            "light": self._light,
        }
        if column in every_round:
            return every_round[column]()
        network = self.topology
        if network.period != 1:
            raise ValueError(
                f"{self.name}: {column} came with {network.name}, which changes from round to "
                "round; need one matrix"
            )
        P, n = network.matrix(0).toarray(), network.clients
        if column == "sums":
            off = np.maximum(np.abs(P.sum(axis=1) - 1), np.abs(P.sum(axis=0) - 1))
            at = {"matrix_rounding": 4 * n * UNIT}  # a sum of n numbers <= 1, each rounded
            return _rows(((v, at, f"i={i}", 0.0) for i, v in enumerate(off)), of_one=True)
        if n < 2:
            raise ValueError(f"{self.name}: {column} came with one client; need lambda_2")
        if column == "moduli":
            sizes = np.sort(np.abs(np.linalg.eigvalsh((P + P.T) / 2)))[::-1]
            room = 8 * n * UNIT
            return _rows((v, {}, f"k={k + 1}", room) for k, v in enumerate(sizes) if k)
        if column == "own_norms":
            P = np.diag(P.sum(axis=1))
        return self._powers(column, P, n)

    def plain(self, spot: Spot) -> Plain:
        """Sums of rows and columns, powers, and components of the union of rounds."""
        network, column = self.topology, spot.column
        if column not in _PLAIN:
            raise UnwrittenError(f"no script is written for {column}")
        moves = column in ("column_sums", "row_sums", "first_shares")
        at = spot.at("l" if column == "components" else "t")
        rounds = range(at, at + self._width()) if column == "components" else (0, at)
        P = [network.matrix(t, 0).toarray() for t in rounds]
        own = np.eye(network.clients, dtype=bool)
        first, later = ((each.astype(bool) | own).sum(axis=0) for each in (P[0], P[-1]))
        told = {"first": "how many hear a client in round 0, itself included",
                "later": f"and in round {at}"}  # fmt: skip
        return Plain(told=told).of(
            _PLAIN[column], n=network.clients, t=at, P=P[-1] if moves else P[0],
            A=np.any(P, axis=0), first=first, later=later,
        )  # fmt: skip

    def _powers(self, column: str, P: Any, n: int) -> Observation:
        made, power = [], np.eye(n)
        for t in range(1, self.options["powers"] + 1):
            power = P @ power
            gap = power - 1 / n
            size = np.abs(gap).max() if column == "entries" else np.linalg.norm(gap, 2)
            room = 8 * (t + 1) * n * UNIT  # t products with rows that sum to 1, and the norm
            at = {"t": float(t), "matrix_rounding": room}
            made.append((float(size), at, f"t={t}", room if column == "entries" else 0.0))
        return _rows(made, axis="t")

    def _components(self) -> Observation:
        n, width, counts = self.topology.clients, self._width(), []
        rounds = self.options["rounds"]
        # the width of a drawn sequence is that of the windows inside these rounds
        inside = self.topology.period is None and self.options["width"] is None
        for start in range(rounds - width + 1 if inside else rounds):
            union = csr_array((n, n))
            for t in range(start, start + width):
                union = union + self.topology.matrix(t, 0)
            count, _ = connected_components(union.T, directed=True, connection="strong")
            counts.append(float(count))
        return _rows((v, {}, f"l={start}", 0.0) for start, v in enumerate(counts))

    def _width(self) -> int:
        """The width that is claimed, or one that joins all rounds' graphs where there is any."""
        network, rounds = self.topology, self.options["rounds"]
        if self.options["width"] is not None:
            return int(self.options["width"])
        found = window(network, rounds)
        if found.finite:
            return int(found.value)
        if network.period is None:  # a longer window may do
            raise ValueError(
                f"{self.name}: no window within {rounds} rounds of {network.name} is connected; "
                "need more rounds, or a width"
            )
        return network.period

    def _away_from_1(self, axis: int) -> Observation:
        rounds = range(self.options["rounds"])
        off = [float(np.abs(self.topology.matrix(t, 0).sum(axis=axis) - 1).max()) for t in rounds]
        # a sum of n numbers, each rounded, of at most n in all
        at = {"matrix_rounding": 4 * self.topology.clients**2 * UNIT}
        return _rows(((v, at, f"t={t}", 0.0) for t, v in enumerate(off)), of_one=True)

    def _first_shares(self) -> Observation:
        itself = np.eye(self.topology.clients, dtype=bool)  # among its neighbours, by Section 3.3
        degrees = [
            ((self.topology.matrix(t, 0).toarray() > 0) | itself).sum(axis=0)
            for t in range(self.options["rounds"])
        ]
        off = [float(np.abs(each / degrees[0] - 1).max()) for each in degrees]
        at = {"matrix_rounding": 4 * UNIT}  # one division and one difference
        return _rows(((v, at, f"t={t}", 0.0) for t, v in enumerate(off)), of_one=True)

    def _light(self) -> Observation:
        w, made = np.ones(self.topology.clients), list[tuple[float, dict[str, float], str, float]]()
        for t in range(1, self.options["rounds"] + 1):
            w = self.topology.matrix(t - 1, 0) @ w
            if not w.min() > 0:
                raise ValueError(f"{self.name}: a client has no weight at t={t}; need self-loops")
            value = float(1 / w.min())
            # t products of n numbers >= 0: relative, as nothing cancels
            made.append((value, {}, f"t={t}", 4 * t * self.topology.clients * UNIT * value))
        return _rows(made)


def _window_of_all_rounds(network: Topology, found: Known) -> Known:
    """``found`` is that of the rounds looked at; a network drawn anew in every round has none."""
    if network.period is not None:
        return found
    silent = isinstance(network, RandomOut) and network.degree < network.clients - 1
    source = f"{network.name}: rounds in which nobody sends to a client come in any number"
    return Known(np.inf, How.EXACT if silent else How.UPPER, source)


def _rows(made: Any, *, of_one: bool = False, axis: str = "") -> Observation:
    """Rows of (value, constants, label, rounding); ``of_one``: a value is a share of 1."""
    rows = (
        Row(np.array([v]), at, label, rounding=room, relative_error=float(v) if of_one else None)
        for v, at, label, room in made
    )
    return Observation(tuple(rows), True, axis)
