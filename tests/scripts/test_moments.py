"""Second moments of many numbers: the map of k rounds is doubled, and says what the engine says."""

import pytest

from theorylab.falsify.recheck import recheck
from theorylab.scripts import UnscriptedError, _moments, script
from theorylab.scripts._agreement import differences
from theorylab.statements import BUILT_IN, Check
from theorylab.verdicts import judge_check


def judged(name, version, check, clients=None):
    statement = BUILT_IN[name]
    (chosen,) = (c for c in statement.versions[version].checks if c.name == check)
    if clients is not None:  # those of the check again and again, in a ring
        parts = dict(chosen.instance["problem"])
        for key, value in parts.items():
            if isinstance(value, list | tuple):
                parts[key] = [value[i % len(value)] for i in range(clients)]
        instance = {**chosen.instance, "clients": clients, "problem": parts}
        chosen = Check("many", {**instance, "topology": {"name": "ring"}})
    return statement, judge_check(statement, version, chosen)


@pytest.mark.parametrize(
    ("name", "version", "check"),
    [
        ("deprl.thm1", "corrected", "noise-alone"),  # a mean over the rounds
        ("deprl.thm1", "corrected", "disagreement-alone"),  # without noise
        ("dfedpgp.lem3", "printed/eq19", "noise"),  # the last round
        ("dfedpgp.thm1", "printed/eq32", "flat-heads"),  # a mean that leaves out the first round
    ],
)
def test_doubling_is_what_the_engine_has(monkeypatch, name, version, check):
    statement, result = judged(name, version, check)
    plain = script(statement, result, long=True)
    monkeypatch.setattr(_moments, "MOST_ROWS", 0)
    doubled = script(statement, result, long=True)
    assert ("matrix_power" in plain, "for bit in" in doubled) == (True, True)
    assert differences(plain, result) == differences(doubled, result) == []


def test_forty_numbers_of_a_state_are_enclosed():
    statement, result = judged("deprl.thm1", "corrected", "disagreement-alone", clients=20)
    again = recheck(statement, result.version, result)
    assert again.low * (1 - 1e-12) <= result.measured <= again.high * (1 + 1e-12)
    assert again.holds is False  # the claim is true


def test_weights_of_what_stays_at_0_divide_nothing():
    statement, result = judged("dfedpgp.thm1", "printed/eq32", "flat-heads-two-steps")
    assert differences(script(statement, result), result) == []
    again = recheck(statement, result.version, result)
    assert again.holds is True
    problem = {**result.instance["problem"], "a": [[0.0], [0.0], [1.0]]}  # one body moves
    moved = result.model_copy(update={"instance": {**result.instance, "problem": problem}})
    with pytest.raises(UnscriptedError, match="no one matrix"):
        script(statement, moved)
