"""Section 6.2 on PDBO-DA: SGP is the rival, on every network."""

from theorylab.statements.pdbo._tables import NETWORKS
from theorylab.statements.pdbo.tab1_da import STATEMENT


def test_sgp_is_the_rival_on_every_network_and_with_wrong_labels():
    checks = STATEMENT.versions["printed"].checks
    assert all(c.instance["pairs"] == [["PDBO-DA", "SGP"]] for c in checks)
    assert {c.name.split(":")[0] for c in checks} == {
        *(f"dirichlet, {network}" for network in NETWORKS), "wrong labels, StoD",
    }  # fmt: skip
