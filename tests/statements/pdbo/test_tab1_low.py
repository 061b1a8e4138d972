"""Section 6.2 on the tenth percentile: the other column, and the global models of each network."""

from theorylab.statements.pdbo._tables import NETWORKS, TABLE_1
from theorylab.statements.pdbo.tab1_low import STATEMENT


def test_all_three_meet_each_global_model_on_each_network():
    checks = STATEMENT.versions["printed"].checks
    met = {(c.name.split(":")[0].split(", ")[1], *c.instance["pairs"][0]) for c in checks}
    assert met == {
        (network, ours, model)
        for network in NETWORKS
        for ours in TABLE_1 if "PDBO" in ours
        for model in ("SGP", "FedProx") if network in TABLE_1[model]
    }  # fmt: skip
    assert STATEMENT.quantity_of(STATEMENT.versions["printed"]).column == "lead_low"
