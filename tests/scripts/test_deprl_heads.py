"""The script of DePRL's heads, of a claim that one may make oneself, is run without theorylab."""

import math
import re
import subprocess
import sys
from dataclasses import replace

import pytest

from theorylab.scripts import script
from theorylab.statements import BUILT_IN, Check, Version
from theorylab.statements.deprl._instances import PROBED, PROBED_UNCOUPLED
from theorylab.statements.deprl._symbols import printed_heads
from theorylab.verdicts import judge_check

ALONE = "import sys; sys.modules['theorylab'] = None; exec(compile(sys.stdin.read(), 's', 'exec'))"
SIDES = re.compile(r"measured (\S+) [<>]= bound (\S+) is claimed")
# The squared gradient by all heads is at most that of (8)'s sum: false where two heads disagree.
OWN = replace(BUILT_IN["deprl.eq8"], versions={"printed": Version(terms={"sum": printed_heads})})


def both_sides(text):
    done = subprocess.run(
        [sys.executable, "-I", "-W", "error", "-c", ALONE],
        input=text, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    return [float(number) for number in SIDES.search(done.stdout).groups()]


@pytest.mark.parametrize(
    ("instance", "right", "wrong"),
    [(PROBED_UNCOUPLED, "V - b", "V + b"), (PROBED, "V - b", "V + b")],
    ids=["quadratic", "sin-sin"],
)
def test_a_script_prints_both_sides_and_a_planted_error_is_seen(instance, right, wrong):
    result = judge_check(OWN, "printed", Check("own", instance))
    assert result.verdict == "VIOLATED"
    text = script(OWN, result)
    sides = both_sides(text)
    assert sides == [pytest.approx(side, rel=1e-9) for side in (result.measured, result.bound)]
    assert right in text
    other = both_sides(text.replace(right, wrong))
    assert not math.isclose(other[0], result.measured, rel_tol=1e-9)
