r"""Appendix C.2: A-hat - A-bar, B-hat - B-bar as sums over edges and samples, and Lemma 5 in them.

Printed (Appendix C.2): with A-hat = [1_ji A-hat_i^psi + delta_{i->j} pbar_ji / dbar_{i->j}
A-hat_j^phi]_ji,

    A-hat - A-bar = sum_{i,j} e_j e_i^T (x) (delta_{i->j}/dbar_{i->j} - 1) pbar_ji A-hat_j^phi
        + sum_{i,j} e_j e_i^T (x) (
              1_ji/|zeta_i| sum_{xi in zeta_i} (d_y g_i(xi) - A-bar_i^psi)
              + pbar_ji/|zeta_j| sum_{xi in zeta_j} (d_y h_j(xi) - A-bar_j^phi) ),

and B-hat - B-bar likewise. True where pbar_ji > 0 implies dbar_{i->j} > 0 (Assumption 6):
(delta/dbar) A-hat^phi - A-bar^phi = (delta/dbar - 1) A-hat^phi + (A-hat^phi - A-bar^phi).

`printed/rewritten`: C.2, v^(M+1) - B-bar sum A-bar^i c^y as the sum of all X_B, Y_B, X_A, Y_A
times c^y. Its sums over xi in zeta_s, with s free, are read as over zeta_t, and C.2's second
"Y_B" as Y_A: as printed neither display is well formed.

Judged against rounding, see ``_rounding``; an entry of a round is a sum of at most |zeta| + 4
numbers, and the whole sum in X and Y has 2 (M+1) n (n + |zeta|) summands.
"""

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._rounding import OPERATIONS, gamma
from theorylab.statements.pdbo._symbols import batch, hgp_size, magnitude_v, size_R, terms
from theorylab.symbols import magnitude, n

_ROUND = 8 * (batch + 8)
_ALL = OPERATIONS + 4 * (terms + 1) * n * (n + batch) * (hgp_size + 4)
CHECKS = (
    Check("sto-d", {"network": {"name": "sto-d", "seed": 1}, "terms": [1, 3]}),
    Check("sto-u", {"network": {"name": "sto-u", "seed": 1}, "terms": [1, 3], "batch": 3}),
    Check("aligned", {"network": {"name": "sto-u"}, "family": "aligned", "terms": [2]}),
)

STATEMENT = Statement(
    id="pdbo.appc2",
    source=Source(
        "pdbo", "Appendix C.2", "the error of a round, edge by edge and sample by sample"
    ),
    experiment="hgp-blocks",
    quantity=Quantity(
        "split_A", "rows", (0, 0), r"\|\hat A - \bar A - \sum\sum\|_\infty", pathwise=True
    ),
    versions={
        "printed": Version(
            terms={"rounding": gamma(_ROUND) * size_R}, assumes=(), checks=CHECKS, note="A-hat"
        ),
        "printed/b": Version(
            terms={"rounding": gamma(_ROUND) * magnitude},
            assumes=(),
            quantity=Quantity(
                "split_B", "rows", (0, 1), r"\|\hat B - \bar B - \sum\sum\|_\infty", pathwise=True
            ),
            checks=CHECKS,
            note="B-hat",
        ),
        "printed/rewritten": Version(
            terms={"rounding": gamma(_ALL) * magnitude_v},
            assumes=(),
            quantity=Quantity(
                "rewritten",
                "rows",
                (1, 0),
                r"\|v^{(M+1)} - \bar B\sum \bar A^i c^{\mathbf y}"
                r" - \sum (X + Y) c^{\mathbf y}\|_\infty",
                pathwise=True,
            ),
            checks=CHECKS,
            note="Appendix C.2, Lemma 5 in X and Y",
        ),
    },
)
