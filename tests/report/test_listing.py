"""The file that ``theorylab list`` reads is what the statements say."""

import subprocess
import sys

from theorylab.report.listing import kept, text


def test_a_statement_is_a_line_of_its_own():
    lines = text(kept()).splitlines()
    assert len([line for line in lines if line.startswith('{"id": ')]) == len(kept()["statements"])


def test_listing_and_a_mistyped_id_import_no_statement():
    code = (
        "import sys; from theorylab.cli import run; assert run(['list', 'deprl.*']) == 0; "
        "assert run(['verify', 'deprl.thm11']) == 2; "
        "print(sys.modules.keys() & {'numpy', 'sympy', 'torch', 'theorylab.statements'})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"
    assert done.stderr.splitlines() == [
        "theorylab: no statement 'deprl.thm11'; did you mean deprl.thm1?"
    ]


def test_a_statement_is_imported_when_it_is_asked_for():
    code = (
        "import sys; from theorylab.statements import BUILT_IN; assert len(BUILT_IN) > 100; "
        "BUILT_IN['deprl.asm1']; "
        "print([m for m in sys.modules if m.startswith('theorylab.statements.pdbo.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['theorylab.statements.pdbo._not_run']\n"
