"""A topology from mixing matrices, one after the other and again from the first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from theorylab.topologies._base import TOPOLOGIES, Topology
from theorylab.topologies._given import canonical, check_sums, fitting

if TYPE_CHECKING:  # slow to import
    from scipy.sparse import csr_array


def from_matrices(
    matrices: Sequence[Any], *, name: str | None = None, sums: str = "columns"
) -> Topology:
    """The topology P(t) = matrices[t % len(matrices)]; one matrix is a static network.

    Args:
        matrices: each (n, n): an array, a scipy sparse array, a tensor, lists of numbers, or a
            networkx graph (with the weights of ``from_networkx``). ``P[i, j]`` is the weight of
            what i receives from j.
        name: under which commands and instances find it; None: none does.
        sums: "columns": every column sums to 1, mass is kept. "rows": every row, clients average.

    Returns:
        The sequence of these matrices.

    Raises:
        TypeError: on what is no matrix.
        ValueError: on a shape, an entry or a sum that is wrong, with the
            place in the list and the column; a name that is taken.

    >>> swap = from_matrices([[[0.5, 0.5], [0.5, 0.5]], [[0, 1], [1, 0]]])
    >>> swap.period, swap.matrix(3).toarray().tolist()
    (2, [[0.0, 1.0], [1.0, 0.0]])
    """
    check_sums("from_matrices", sums)
    if hasattr(matrices, "shape") and len(matrices.shape) == 2:
        matrices = [matrices]
    if not isinstance(matrices, Sequence) and not hasattr(matrices, "shape"):
        raise TypeError(f"from_matrices: matrices is {matrices!r}; need a list of matrices")
    if not len(matrices):
        raise ValueError("from_matrices: no matrix came; need at least one")
    made: list[csr_array] = []

    class FromMatrices(Topology):
        column_stochastic = sums == "columns"

        def __init__(self, clients: int) -> None:
            n = fitting(self.name, clients, made[0].shape[0])
            super().__init__(n, period=len(made), options={})

        def _build(self, t: int, run: int) -> csr_array:
            return made[t]

    with TOPOLOGIES.adopted(FromMatrices, name) as where:
        for t, given in enumerate(matrices):
            n = made[0].shape[0] if made else None
            made.append(canonical(f"{where}: matrix {t}", given, n, sums))
    return FromMatrices(made[0].shape[0])
