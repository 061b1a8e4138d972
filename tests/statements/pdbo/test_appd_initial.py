"""Appendix D: both ensembles meet SGP-MTL, which is where they start, on StoU and StoD."""

from theorylab.statements.pdbo.appd_initial import STATEMENT


def test_both_networks_of_the_sentence_are_run():
    met = {
        (c.instance["network"]["name"], *c.instance["pairs"][0])
        for c in STATEMENT.versions["printed"].checks
    }
    assert met == {
        (network, ours, "SGP-MTL")
        for network in ("sto-u", "sto-d")
        for ours in ("PDBO-MTL", "PDBO-MTL&DA")
    }
