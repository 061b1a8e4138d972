"""For which GPUs ``setup.py`` compiles: the function is taken from its text, which would build."""

import ast
from pathlib import Path

import pytest

SETUP = Path(__file__).resolve().parents[2] / "setup.py"
EVERY = ["80", "90", "100", "120"]
KNOWN = ["75", "80", "86", "89", "90", "90a", "100", "110", "103", "120", "121"]


def architectures(*given):
    (own,) = [
        each
        for each in ast.parse(SETUP.read_text()).body
        if isinstance(each, ast.FunctionDef) and each.name == "architectures"
    ]
    names = {}
    exec(compile(ast.Module([own], []), str(SETUP), "exec"), names)
    return names["architectures"](*given)


@pytest.mark.parametrize(
    ("asked", "chips", "known", "want"),
    [
        ([], [], KNOWN, EVERY),  # THEORYLAB_CUDA=1 without a GPU
        ([], [], ["75", "80", "90"], ["80", "90"]),
        ([], [90], KNOWN, ["90"]),
        ([], [90] * 8, KNOWN, ["90"]),
        ([], [103, 86], KNOWN, ["86", "103"]),  # nvcc lists them in another order
        ([], [86], ["80", "90"], ["80"]),
        ([], [130], KNOWN, ["121"]),  # newer than this nvcc: it gets that one's PTX, too
        ([], [75], KNOWN, EVERY),  # older than all that kernels are written for
        ([], [75, 90], KNOWN, ["90"]),
        (["80", "90"], [120], KNOWN, ["80", "90"]),  # what is asked for goes before what is there
        (["120", "80", "90a", "80"], [], KNOWN, ["80", "90a", "120"]),  # PTX is the last's
        (["90a", "7"], [], KNOWN, ["90a"]),
        (["7"], [90], KNOWN, []),
        ([], [90], ["70", "75"], []),
    ],
)
def test_the_gpus_that_answer_are_compiled_for_unless_others_are_asked_for(
    asked, chips, known, want
):
    assert architectures(asked, chips, EVERY, known) == want
