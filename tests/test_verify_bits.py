"""verify/bits.py names every kernel, prints the same twice, and sees an instruction set that
differs."""

import pathlib
import subprocess
import sys

BITS = pathlib.Path(__file__).resolve().parents[1] / "verify" / "bits.py"
KERNELS = {
    *("uniform", "normal", "integers", "random_edges", "push_mix", "glm_hvp", "softmax_hvp"),
    *("mix_jvp", "dense", "diagonal", "log-cosh", "clipped", "1", "3", "runs"),
    *("matrix_norms", "lag_sums"),
}
PLANTED = f"""
import runpy, sys
from theorylab import _core
used, real = [], (_core.use_isa, _core.plain_hvp)
_core.use_isa = lambda name: used.append(name) or real[0](name)
def planted(*given):
    made = real[1](*given)
    made.reshape(-1)[0] *= 1 + len(used) * 2**-20
    return made
_core.plain_hvp = planted
_core.usable_isas = lambda: "baseline, baseline"
sys.path.insert(0, {str(BITS.parent)!r})
sys.argv = ["bits.py"]
runpy.run_path({str(BITS)!r}, run_name="__main__")
"""


def run(*command):
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def test_every_kernel_has_a_line_and_two_builds_that_are_one_print_the_same():
    code, out, err = run(str(BITS))
    assert code == 0, err
    lines = [line.split() for line in out.splitlines()]
    names = {words[1] if words[0] in ("float32", "float64") else words[0] for words in lines}
    assert names == KERNELS
    assert len({words[-1] for words in lines}) == len(lines)  # nothing is hashed twice
    core = pathlib.Path(run("-c", "from theorylab import _core; print(_core.__file__)")[1].strip())
    assert run(str(BITS), "--core", str(core.parents[1])) == (0, out, "")


def test_an_instruction_set_with_other_bits_is_named():
    code, out, err = run("-c", PLANTED)
    assert code == 1
    assert out == ""
    assert err.startswith("bits.py: baseline has other bits than baseline: float32 glm_hvp d=1 ")
