"""``python -m theorylab``: the command line, also where no script is installed."""

import os
import sys

import theorylab

# Python puts the current folder first; a file in it would take the place of an installed module.
_HOME = os.path.realpath(f"{theorylab.__path__[0]}/..")
if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()] and os.getcwd() != _HOME:
    del sys.path[0]

if __name__ == "__main__":
    from theorylab.cli import main

    main()
