"""Strong components of windows, the verdicts, and faults in the window."""

from theorylab.statements.dfedpgp.asm1 import STATEMENT


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # one-peer-exponential on 8: hops 1, 2, 4; two of them in a row miss a residue
    assert found["printed", "one-peer-window-2"].measured == 2
    assert found["printed", "one-peer-window-3"].measured == 1
    # a permutation of one cycle is strongly connected, and mixes nothing
    assert found["printed", "ring-without-self-loops"].measured == 1


def test_a_bound_below_one_component_is_refuted(missed):
    variants = {f"{k}/8 of a component": {"one": STATEMENT.versions["printed"].bound * k / 8}
                for k in range(2, 7)}  # fmt: skip
    assert missed(STATEMENT, "printed", variants) == set()
