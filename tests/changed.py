"""What to run while one changes the code: python -m tests.changed [--base REV] [--again]

Lint, layout and counts; the tests that the change names or that import what it touches; and a
slice of all files that the tree draws, so that each of them is met in turn. Of each file the daily
tier runs. It takes under two minutes of two cores, and remembers which trees passed: nothing runs
twice on the same contents, unless --again. Exit code: 0 if all passed, 1 if not, 2 on bad input.
"""

import sys

from tests.suite.change import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
