r"""Table 3 and what Section 5.3 says of it.

Printed: "DfedSalt-U ... achieves the best in Dirichlet setting and DFedSalt-UV ... achieves the
best in Pathological setting"; "From the difference between DFedAlt, DFedSalt-U and DFedSalt-UV, we
observe that the SAM optimizer can uniformly reduce the inconsistency of the feature extractor":
both are ahead of DFedAlt in both columns. True; what stands in Table 1, too, is the same there.
`printed/head`: "the benefits of adding SAM to the personal model may be sensitive to the data
distribution": DFedSalt-V is behind DFedAlt in one column and ahead in the other. True.
"""

from theorylab.statements import Source, Statement
from theorylab.statements._tables import OFF, best, claim, said
from theorylab.statements.dfedalt._tables import TABLE_1, TABLE_3

_CELLS = {"Dir": "10-Dir.3", "Pat": "10-Pat2"}

STATEMENT = Statement(
    id="dfedalt.tab3",
    source=Source("dfedalt", "Table 3, Section 5.3", "which part SAM is used for"),
    experiment="printed-table",
    quantity=OFF,
    versions={
        "printed": said(
            TABLE_3,
            [
                best("DFedSalt-U", "Dir"),
                best("DFedSalt-UV", "Pat"),
                *(
                    claim(f"{row} is ahead, {c}", f"{row} | {c}", ">=", f"DFedAlt | {c}")
                    for row in ("DFedSalt-U", "DFedSalt-UV")
                    for c in _CELLS
                ),
                *(
                    claim(f"{row} as in Table 1, {c}", f"{row} | {c}", "=", TABLE_1[name][cell])
                    for row, name in (("DFedAlt", "DFedAlt"), ("DFedSalt-U", "DFedSalt"))
                    for c, cell in _CELLS.items()
                ),
            ],
        ),
        "printed/head": said(
            TABLE_3,
            [
                claim("V is behind, Dir", "DFedSalt-V | Dir", "<=", "DFedAlt | Dir"),
                claim("V is ahead, Pat", "DFedSalt-V | Pat", ">=", "DFedAlt | Pat"),
            ],
            note="one column each way",
        ),
    },
)
