r"""Table 3 and what Appendix E says of it, a tick being a 1.

Printed: "Studies for CDBO (Chen; Gao; Yang) and CDBO-Local (Liu; Lu) suppose the communication
networks are static and undirected"; "Our HGP is the only method that runs even on stochastic and
directed communication networks"; "No approach for LocalGrad involves the full Jacobian"; for
GlobalGrad Yang's is complex in both, Tarzanagh's and HGP in neither.

`printed/centralized` is the sentence "Tarzanagh et al. (2022); Liu et al. (2022) addresses the
consensus in the outer-problem by adopting centralized communication settings". Corrected: Li et al.
(2022), whom the table has as centralized.
"""

from __future__ import annotations

from theorylab.statements import Source, Statement
from theorylab.statements._tables import OFF, claim, said
from theorylab.statements.pdbo._causes import LIU_FOR_LI
from theorylab.statements.pdbo._tables import TABLE_3

_COSTS = ("light-messages", "light-products")


def _is(row: str, column: str, tick: int = 1) -> dict[str, object]:
    return claim(f"{row}, {column}", f"{row} | {column}", "=", tick)


_NETWORKS = [
    *(_is(row, "static-undirected") for row in ("Chen", "Gao", "Yang", "Liu", "Lu")),
    _is("Ours", "stochastic-directed"),
    claim("no other does", ["max", "!Ours | stochastic-directed"], "=", 0),
]
_LOCAL = [_is(row, column) for row in ("Gao", "Li", "Liu", "Lu") for column in _COSTS]
_GLOBAL = [
    _is(row, column, tick)
    for row, tick in (("Yang", 0), ("Tarzanagh", 1), ("Ours", 1))
    for column in _COSTS
]

STATEMENT = Statement(
    id="pdbo.tab3",
    source=Source("pdbo", "Table 3, Appendix E", "who needs which network and which Jacobians"),
    experiment="printed-table",
    quantity=OFF,
    versions={
        "printed": said(TABLE_3, [*_NETWORKS, *_LOCAL, *_GLOBAL], mends=(LIU_FOR_LI,), exact=True),
        "printed/centralized": said(
            TABLE_3,
            [_is("Tarzanagh", "centralized"), _is("Liu", "centralized")],
            note="Tarzanagh and Liu are centralized",
            causes=(LIU_FOR_LI,),
            exact=True,
        ),
        "corrected": said(
            TABLE_3,
            [_is("Tarzanagh", "centralized"), _is("Li", "centralized")],
            note="Tarzanagh and Li are centralized",
            mends=(LIU_FOR_LI,),
            exact=True,
        ),
    },
)
