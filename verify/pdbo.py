"""Every statement of pdbo, measured against its bound, with figures and a page.

python verify/pdbo.py [--quick] [--out DIR] ...   takes the options of `theorylab verify`
"""

import sys

from theorylab.cli import run

if __name__ == "__main__":
    sys.exit(run(["verify", "pdbo.*", *sys.argv[1:]]))
