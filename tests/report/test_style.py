"""The shared settings of every picture."""

import subprocess
import sys

import pytest

from theorylab.report.style import short


def test_a_short_label_is_one_printable_line():
    assert short("a\nb\x00c") == "a?b?c"


@pytest.mark.parametrize("length", [21, 22, 23, 400])
def test_a_long_label_ends_in_an_ellipsis_and_no_more_than_asked(length):
    shown = short("x" * length)
    assert len(shown) == min(length, 22)
    assert shown.endswith("…") == (length > 22)


def test_curves_of_runs_load_no_statement():
    code = (
        "import sys, theorylab.report.curves, theorylab.report.envelope\n"
        "print([name for name in sys.modules if name.startswith('theorylab.statements')])"
    )
    command = [sys.executable, "-P", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "[]"
