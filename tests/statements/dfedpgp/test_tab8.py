"""Table 8: settings are exact."""

from theorylab.statements.dfedpgp.tab8 import STATEMENT


def test_both_decays_are_off(judged):
    assert judged(STATEMENT)["printed", "as-transcribed"].bound == 0


def test_another_setting_is_found(changed_entry):
    for setting, value in (("rounds", 300), ("momentum", "0.90001"), ("learning rate", "0.01")):
        assert changed_entry(STATEMENT, "printed/no-decay", "all", setting, value) == "VIOLATED"
    assert changed_entry(STATEMENT, "printed/no-decay", "all", "weight decay", "0.005") == "HOLDS"
