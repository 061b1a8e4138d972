"""``theorylab speedup sgp``: python verify/speedup.py [OPTION ...]; on quadratics all is exact."""

import sys

from theorylab.cli import run

if __name__ == "__main__":
    sys.exit(run(["speedup", "sgp", *sys.argv[1:]]))
