"""Nothing is imported while an alarm is set: all that a search needs is there before."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPY = """
import itertools, signal, sys
from theorylab.falsify import falsify
from theorylab.verdicts import selected

class Spy:
    def find_spec(self, name, path=None, target=None):
        if signal.getitimer(signal.ITIMER_PROF)[0]:
            late.append(name)
        elif searching:
            early.append(name)

late, early, searching = [], [], False
sys.meta_path.insert(0, Spy())
armed = 0
for name in sys.argv[1:]:
    ((statement, _),) = selected([name]).values()
    searching = True
    version = next(iter(statement.versions))
    found = falsify(
        statement, version, budget=250, clock=itertools.count().__next__, known=False, shrink=False
    )
    searching = False
    assert found.tried > 10, found
print(len(early), *late)
"""


def test_no_module_is_imported_while_an_alarm_is_set():
    files = [str(ROOT / "docs" / "gallery" / name) for name in ("dpsgd.py", "extra.py")]
    done = subprocess.run(
        [sys.executable, "-c", SPY, *files], cwd=ROOT, capture_output=True, text=True, timeout=200
    )
    assert done.returncode == 0, done.stderr
    early, *late = done.stdout.split()
    assert late == []
    assert int(early) > 100  # networkx and scipy's optimisers came before the first alarm
