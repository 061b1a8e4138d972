"""The fuzz of the kernels passes, and sees a kernel that is wrong, that takes what it may not, or
that says more than one line."""

import pathlib
import subprocess
import sys

import pytest

FUZZ = pathlib.Path(__file__).resolve().parents[1] / "verify" / "fuzz.py"
PLANTS = {
    "a wrong number": """
def planted(*given):
    real.push_mix(*given)
    given[-1][...] *= 1 + 2**-22
core.push_mix = planted
""",
    "bad input taken": """
class Losses:
    def __init__(self, made): self.made = made
    def __getattr__(self, name): return getattr(self.made, name)
    def gradients(self, x, rows, noise, out): self.made.gradients(x, rows.clip(0, 0), noise, out)
made = core.Losses64.regression
class Planted(core.Losses64):
    regression = staticmethod(lambda *given: Losses(made(*given)))
local_steps._CORE[np.dtype(np.float64)] = Planted
""",
    "two lines": """
def planted(*given):
    raise ValueError("one\\ntwo")
core.ascent = planted
""",
}
# Its clock counts calls, so that as many are made, and the same ones, on every machine.
START = f"""
import itertools, runpy, sys, time, types
import numpy as np
import theorylab._core as core
from theorylab.kernels import local_steps
real = types.SimpleNamespace(**vars(core))
PLANT
sys.path.insert(0, {str(FUZZ.parent)!r})
sys.argv = ["fuzz.py", "--seconds", "CALLS", "--seed", "SEED"]
time.perf_counter = itertools.count().__next__
runpy.run_path({str(FUZZ)!r}, run_name="__main__")
"""


def fuzzed(plant, calls, seed):
    code = START.replace("PLANT", plant).replace("CALLS", str(calls)).replace("SEED", str(seed))
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, timeout=600)  # else it hangs


def test_some_thousand_calls_of_fuzz_find_nothing():
    done = fuzzed("", 2000, seed=11)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "fuzz: 2000 calls, " in done.stdout
    assert "none wrong" in done.stdout


@pytest.mark.parametrize("plant", PLANTS)
def test_a_planted_fault_is_found_and_can_be_seen_again(plant):
    done = fuzzed(PLANTS[plant], 20_000, seed=0)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "is wrong; again: --seed 0 --first " in done.stdout
