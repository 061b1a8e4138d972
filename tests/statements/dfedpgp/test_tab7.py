"""Table 7: quotients of counts, each shortened to the nearest hundredth."""

from theorylab.statements.dfedpgp.tab7 import STATEMENT


def test_the_speedups_are_rounded_to_the_nearest_and_not_cut_off(judged):
    assert "(nearest)" in judged(STATEMENT)["printed", "as-transcribed"].place


def test_another_count_is_found(changed_entry):
    assert changed_entry(STATEMENT, "printed", "OSGP", "Pat20", 257) == "VIOLATED"
    assert changed_entry(STATEMENT, "printed", "FedPer", "Dir.1x", "1.44") == "VIOLATED"
